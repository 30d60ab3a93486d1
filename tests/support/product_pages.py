"""All pages of the product, with something on them: what a test checks and `tools/screenshots.py` shows."""

from __future__ import annotations

import hashlib
import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from errata import sample

DIALOGS = "document.querySelectorAll('dialog[open]').forEach((each) => each.close())"
BEST_FIRST = ("neural", "fluent", "rules", "spellfix", "overcorrect", "input")
ENDS = "2031-05-15T12:00:00Z"


@dataclass(frozen=True)
class Page:
    """A page, and what a browser does there before it is looked at."""

    name: str
    address: str
    ready: str = "document.body"  # JavaScript: whether everything is there
    act: str = DIALOGS  # JavaScript that is run then
    keys: str = ""  # pressed after that
    enter: str = ""  # the secret link that is opened before the page
    then: str = "true"  # JavaScript: whether the page shows what follows

    def open(self, browser: Any) -> None:
        """Show the page."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.support.ui import WebDriverWait

        browser.get("about:blank")  # an address that differs only behind # would not be loaded
        wait = WebDriverWait(browser, 60, poll_frequency=0.05).until
        if self.enter:
            browser.get(self.enter)
            wait(lambda b: "/enter" not in b.current_url)
        browser.get(self.address)
        wait(
            lambda b: b.execute_script(f"return document.readyState === 'complete' && Boolean({self.ready})")
        )
        browser.execute_script(self.act)
        for key in self.keys:
            ActionChains(browser).send_keys(key).perform()
        wait(lambda b: b.execute_script(f"return Boolean({self.then})"))


@contextmanager
def served(application: Any) -> Iterator[str]:
    """The address of an ASGI application that a thread of this process serves."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def report_pages(folder: Path, stack: ExitStack) -> Iterator[Page]:
    """The report of the sample with people's judgments, and `errata report --serve`."""
    from errata.human.judgment_files import read_judgments
    from errata.meta.evaluation import Evaluation
    from errata.metrics import metric
    from errata.metrics.results import Results
    from errata.report.page import Explorer, build_report, serve
    from errata.report.report_data import Heading
    from errata.significance.compare import Plan

    texts = sample.load("en")
    metrics = [metric(name) for name in ("m2", "gleu", "ter")]
    results = Results.compute(texts.corpus, texts.outputs, metrics)
    judgments = read_judgments(sample.folder("en") / "rankings.xml")
    evaluation = Evaluation(results, judgments, Plan())
    heading = Heading("The sample of errata", "errata report --m2 gold.m2", "2026-01-02", "gold.m2")
    path = folder / "report.html"
    path.write_text(build_report(evaluation, heading), encoding="utf-8")
    figures = "document.querySelectorAll('figure svg').length >= 12"
    sentence = "document.querySelector('.detail h3')"
    yield Page("report", path.as_uri(), figures)
    yield Page("report-explorer", f"{path.as_uri()}#s=8&order=corpus", f"{figures} && {sentence}")
    server = serve(Explorer(evaluation, heading))
    stack.callback(server.shutdown)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    opened = "document.querySelectorAll('.output details').forEach((each) => { each.open = true })"
    yield Page("report-served", address, sentence)
    yield Page("report-served-explanation", f"{address}#s=8", sentence, opened)


def leaderboard_pages(folder: Path, stack: ExitStack) -> Iterator[Page]:
    """The site of `errata leaderboard build` for the systems of the sample."""
    from errata.significance.compare import Plan
    from errata_studies.leaderboard.entries import read_leaderboard
    from errata_studies.leaderboard.site import build

    texts = sample.folder("en")
    header = (
        "name year licence repository published_metric published_P published_R published_F published_where"
    )
    rows = [header.split()]
    for number, name in enumerate(BEST_FIRST):
        licence = "MIT" if number % 2 else "none"
        rows.append(
            [name, f"{2014 + 2 * number}", licence, f"somebody/{name}", "M2", "99.9", "50.0", "60.0", "T1"]
        )
    (folder / "attacks").mkdir()
    for name in BEST_FIRST:
        (folder / f"{name}.txt").write_bytes((texts / "systems" / f"{name}.txt").read_bytes())
    for name in ("input", "overcorrect"):
        (folder / "attacks" / f"{name}.txt").write_bytes((texts / "systems" / f"{name}.txt").read_bytes())
    (folder / "systems.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    settings = f"""title = "Leaderboard of the sample"\n[[benchmark]]\nname = "sample"\ntitle = "The sample"
    folder = "."\ngold = "{texts}/gold.m2"\nmeta = "{texts}/meta.tsv"\nmetrics = ["m2", "gleu", "sari"]
    licence = "CC BY 4.0"\nattacks = "attacks/*.txt"\n"""
    (folder / "leaderboard.toml").write_text(settings, "utf-8")
    site = folder / "site"
    for name, content in build(*read_leaderboard(folder), Plan(samples=200)):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_bytes(content)
    for name in ("index", "sample/index", "sample/neural"):
        yield Page(f"leaderboard-{name.replace('/', '-')}", (site / f"{name}.html").as_uri())


def replicate_pages(folder: Path, stack: ExitStack) -> Iterator[Page]:
    """The page of `errata replicate --html`, with every verdict and a chart."""
    from errata.tables import Column, Table
    from errata_studies.replicate.drawing import bars
    from errata_studies.replicate.exhibits import Cause, Cell, Exhibit, Paper, Reproduction
    from errata_studies.replicate.page import write_page

    cells = [
        Cell("m2", "Pearson", "0.623", 0.6231),
        Cell("gleu", "Pearson", "0.691", 0.6812, cause=Cause("outputs were lower-cased", gives=0.6911)),
        Cell("ter", "Pearson", "0.412", 0.4151, cause=Cause("resampling", reach=0.01)),
        Cell("sari", "Pearson", "0.500", None, cause=Cause("its outputs are not published", absent=True)),
        Cell("wer", "Pearson", "0.300", 0.4),
    ]
    values = {"published": [0.623, 0.691], "reproduced": [0.6231, 0.6812]}
    sample_table = Table([Column("system"), Column("score", 2)], [("neural", 0.5)], "Scores of the systems")
    chart = partial(bars, ["m2", "gleu"], values, "Pearson", False)
    results = [
        Reproduction(cells, [sample_table], ["Over the systems of the sample."], [chart]),
        Reproduction(cells[:1]),
        Reproduction([Cell("wer", "Pearson", "0.40", 0.412, cause=Cause("resampling", reach=0.1))]),
        Reproduction(missing="a corpus is not in the data folder"),
    ]
    exhibits = [
        Exhibit(f"Table {k}", title, lambda bench: Reproduction())
        for k, title in enumerate(("Correlation with people", "Equal", "Not testable", "Missing"), 1)
    ]
    paper = Paper("somebody2020", "Somebody (2020): A paper", exhibits, ["Table 9 has no data."])
    write_page(list(zip([paper] * 4, exhibits, results, strict=True)), folder / "replications.html")
    yield Page("replicate", (folder / "replications.html").as_uri())


def task_pages(folder: Path, stack: ExitStack) -> Iterator[Page]:
    """A shared task with six teams, a refused file, and a phase that is still to come."""
    import httpx

    from errata_server.task.check_submission import Checked
    from errata_server.task.submissions import submit
    from errata_server.task.task_reports import overview_page, overview_tables
    from errata_server.task.task_server import application
    from errata_server.task.task_tables import teams
    from task_storm import enter_teams
    from tasks import GOOD, MIDDLE, lines, make, texts_in, work_off

    phases = [
        {"name": "dev", "title": "Development", "shows": "leaderboard", "ends": ENDS},
        {"name": "test", "title": "Test phase", "shows": "own", "starts": ENDS},
    ]
    texts = texts_in(folder) | {"meta": str(folder / "meta.tsv")}
    track = {
        "name": "main",
        "metrics": ["gleu", "bleu"],
        "by": ["domain"],
        "texts": {"dev": texts, "test": texts},
    }
    made = make(
        folder, phases=phases, tracks=[track], public=True, description="Correct **English** sentences."
    )
    stack.callback(made.store.close)
    tokens = [*enter_teams(made.store, 6).values()]
    with made.store.write() as connection:
        for place in range(len(tokens)):
            alias = f"Team {'ABCDEF'[place] * 4}"  # random ones would change the pictures
            connection.execute(teams.update().where(teams.c.id == place + 1).values(alias=alias))
            for share in (20, 10, 0):
                data = lines(MIDDLE[: share + 2 * place] + GOOD[share + 2 * place :])
                checked = Checked("out.txt", "lines", data, hashlib.sha256(data).hexdigest(), ())
                submit(made.store, connection, place + 1, "main", "dev", checked)
    work_off(made)
    with made.store.read() as connection:
        tables = list(overview_tables(made.store, connection))
    (folder / "overview.html").write_text(overview_page(made.store, tables), encoding="utf-8")
    url = stack.enter_context(served(application(made.store, workers=0)))
    headers = {"Authorization": f"Bearer {tokens[-1]}", "Content-Type": "application/octet-stream"}
    with httpx.Client(base_url=url, headers=headers, trust_env=False) as client:
        params = {"track": "main", "phase": "dev", "name": "broken.txt"}
        client.post("/api/submissions", params=params, content=lines(GOOD[:-1]))
        sent = client.get("/api/submissions").json()
    refused, scored = (
        next(each["uid"] for each in sent if each["state"] == state) for state in ("refused", "scored")
    )
    for name, path in (("overview", ""), ("board", "board/main/dev"), ("board-empty", "board/main/test"),
                       ("sign-up", "sign-up"), ("enter", "enter"), ("error", "nothing-here")):  # fmt: skip
        yield Page(f"task-{name}", f"{url}/{path}")
    for name, path in (("team", "team"), ("submission", f"team/submissions/{scored}"),
                       ("submission-refused", f"team/submissions/{refused}")):  # fmt: skip
        yield Page(f"task-{name}", f"{url}/{path}", enter=f"{url}/enter#{tokens[-1]}")
    for name in ("", "/checklist", "/submissions", "/log"):
        yield Page(
            f"task-admin{name.replace('/', '-')}", f"{url}/admin{name}", enter=f"{url}/enter#{made.owner}"
        )
    yield Page("task-tables", (folder / "overview.html").as_uri())


# What annotators press on a screen of each task.
KEYS = {
    "ranking": "2134", "pairwise": "1", "acceptance": "1", "scalars": "3\ue0157\ue0155", "correction": "",
    "spans": "\ue010\ue012\ue012\ue0127\ue013",
}  # fmt: skip


def campaign_pages(folder: Path, stack: ExitStack) -> Iterator[Page]:
    """The annotators' page of each task, and the admin's pages of a ranking."""
    from errata_server.campaign.annotation_tasks import TASKS

    for task in TASKS:
        url, made = _campaign(folder, stack, task)
        link = f"{url}/enter#{made.tokens['Ada']}"
        ready = "document.querySelector('.source-block, .card')"
        if task == "ranking":
            show = f"{DIALOGS}; document.getElementById('show-instructions').click()"
            yield Page("campaign-instructions", f"{url}/work", ready, act=show, enter=link)
            yield from _ranking_pages(url, made, link)
        yield Page(f"campaign-{task}", f"{url}/work", ready, keys=KEYS.get(task, ""), enter=link)
    url, made = _campaign(
        folder, stack, "pairwise", consent="# Consent\n\nWe store your answers.", interface="cs"
    )
    yield Page("campaign-consent", f"{url}/consent", enter=f"{url}/enter#{made.tokens['Ada']}")
    yield from _admission_pages(folder, stack)


def _admission_pages(folder: Path, stack: ExitStack) -> Iterator[Page]:
    """How people come into a campaign: the sign-up of a crowd, and a qualification that an expert grades."""
    from campaigns import post_of
    from errata_server.campaign import campaign_tables as schema
    from errata_server.campaign.annotator_service import AnnotatorService

    known = [
        {"source": "He go to school .", "reference": "He goes to school ."},
        {"source": "She have two cat .", "reference": "She has two cats ."},
    ]
    file = folder / "known.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in known), encoding="utf-8")
    url, made = _campaign(folder, stack, "correction", qualification=str(file), grading="expert", places=5)
    with made.store.write() as connection:
        made.store.set_sign_up(connection, "open")
        link = made.store.sign_up_link(connection.execute(sa.select(schema.campaign)).one(), url)
        service = AnnotatorService(made.store, connection)
        person = next(each.id for each in made.store.annotators(connection) if each.name == "Boris")
        screen = service.screen(connection, person)
        for each in known:
            post = post_of(screen, answer={"text": each["reference"]})
            screen = service.judge(connection, person, post)["next"]
    yield Page("campaign-join", str(link).replace("=ID", "=worker7"))
    ready = "document.querySelector('.source-block, .card')"
    yield Page("campaign-qualification", f"{url}/work", ready, enter=f"{url}/enter#{made.tokens['Ada']}")
    admin = f"{url}/enter#{made.admin}"
    yield Page("campaign-grading", f"{url}/admin/qualification/{person}", enter=admin)


def _ranking_pages(url: str, made: Any, link: str) -> Iterator[Page]:
    for number, name in enumerate(("Boris", "Chiara", "Dan"), 1):
        _rank(made, name, 14 + 4 * number)
    admin = f"{url}/enter#{made.admin}"
    statistics = "document.querySelector('[data-current=yes]')"
    yield Page("campaign-admin", f"{url}/admin", statistics, enter=admin)
    yield Page("campaign-items", f"{url}/admin/items", enter=admin)
    yield Page("campaign-item", f"{url}/admin/items/2", enter=admin)
    yield Page("campaign-enter", f"{url}/enter")
    yield Page("campaign-keys", f"{url}/work", "document.querySelector('.card')", keys="?", enter=link)


def _campaign(folder: Path, stack: ExitStack, task: str, **settings: Any) -> tuple[str, Any]:
    """The address of a campaign over the sample."""
    from campaigns import Made
    from errata_server.campaign.campaign_server import application
    from errata_server.campaign.campaign_settings import settings_from
    from errata_server.campaign.create_campaign import make_campaign

    texts = sample.folder("en")
    values: dict[str, Any] = {
        "name": f"Sample: {task}", "task": task, "corpus": str(texts / "gold.m2"),
        "meta": [str(texts / "meta.tsv")], "annotators": ["Ada", "Boris", "Chiara", "Dan"], "controls": 0,
        "repeats": 0, "tokenizer": "penn", "seed": 7, "redundancy": 2,
        **settings,
    }  # fmt: skip
    if task != "correction":
        values["systems"] = {name: str(texts / "systems" / f"{name}.txt") for name in BEST_FIRST}
    place = str(folder / f"{task}{len(settings)}.db")
    store, tokens, admin = make_campaign(settings_from(values), place)
    stack.callback(store.close)
    return stack.enter_context(served(application(store))), Made(store, place, tokens, admin)


def _rank(made: Any, name: str, count: int) -> None:
    """Rank some screens as a judge who mostly prefers the better systems."""
    from campaigns import post_of
    from errata_server.campaign.annotator_service import AnnotatorService

    dice = random.Random(name)
    with made.store.write() as connection:
        quality = {
            "".join(text.split()): -BEST_FIRST.index(system)
            for segment in made.store.segments(connection)
            for system, text in segment.outputs.items()
        }
        service = AnnotatorService(made.store, connection)
        person = next(each.id for each in made.store.annotators(connection) if each.name == name)
        screen = service.screen(connection, person)
        for _ in range(count):
            if screen["state"] != "work":
                return
            scores = [quality["".join(text.split())] + dice.gauss(0, 1.2) for text in screen["cards"]]
            ranks = [1 + sum(other > score for other in scores) for score in scores]
            post = post_of(screen, answer={"ranks": ranks}, seconds=dice.uniform(8, 40))
            screen = service.judge(connection, person, post)["next"]


def corrector_pages(folder: Path, stack: ExitStack) -> Iterator[Page]:
    """`errata correct --serve`."""
    from errata_correct.serving import application, correctors

    url = stack.enter_context(served(application(correctors(["cs", "en"], None))))
    ready = "document.getElementById('language').options.length > 2"
    write = """text.value = "The goverment is importent, and teh weather are bad today .";
        text.dispatchEvent(new Event("input", { bubbles: true }))"""
    yield Page("corrector-empty", url, ready)
    yield Page("corrector", url, ready, write, then="document.querySelectorAll('#view button').length > 2")


# The theme keeps the colours of an earlier visit.
_COLOURS = """document.body.dataset.mdColorScheme =
    matchMedia("(prefers-color-scheme: dark)").matches ? "slate" : "default" """


def docs_pages(site: Path, stack: ExitStack | None = None) -> Iterator[Page]:
    """Pages of the documentation of every shape, in a folder where it was built."""
    for name in (
        "index", "tutorials/1-score-and-compare", "scoring", "campaign", "replications", "metrics/index",
        "metrics/m2", "api/scoring", "cli/index", "formats", "significance", "checks",
    ):  # fmt: skip
        address = (site / f"{name}.html").as_uri()
        yield Page(f"docs-{name.replace('/', '-')}", address, act=_COLOURS)


GROUPS: dict[str, Callable[[Path, ExitStack], Iterator[Page]]] = {
    "report": report_pages, "leaderboard": leaderboard_pages, "replicate": replicate_pages,
    "task": task_pages, "campaign": campaign_pages,
    "corrector": corrector_pages,
}  # fmt: skip
