"""The report in a real browser: what it shows, how it is used, and what it never does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser import chromium, console, prefer, requests, resize
from errata import sample
from errata.corpus.model import Corpus, Outputs
from errata.human.judgment_files import read_judgments
from errata.meta.breakdowns import mark_edits
from errata.meta.evaluation import Evaluation
from errata.metrics import metric
from errata.metrics.results import Results
from errata.report.page import build_report
from errata.report.report_data import Heading
from errata.significance.compare import Plan, compare
from errata.significance.decisions import headline
from errata.tables import format_number

HOSTILE = (
    "</script><img src=x onerror=window.hacked=1> <!-- <script>window.hacked=2</script> & \u2028 @@data@@"
)
PLAN = Plan("bootstrap", samples=200, correction="bh")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def results() -> Results:
    made = sample.load("en")
    return Results.compute(made.corpus, made.outputs, [metric(name) for name in ("m2", "gleu", "ter")])


@pytest.fixture(scope="module")
def page(results: Results, tmp_path_factory: pytest.TempPathFactory) -> str:
    judgments = read_judgments(sample.folder("en") / "rankings.xml")
    heading = Heading("The sample", "errata report --m2 gold.m2", "2026-01-02", "gold.m2")
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(build_report(Evaluation(results, judgments, PLAN), heading), encoding="utf-8")
    return path.as_uri()


def open_page(browser: Any, address: str) -> None:
    browser.get("about:blank")
    console(browser), requests(browser)
    browser.get(address)


def js(browser: Any, script: str, *args: object) -> Any:
    return browser.execute_script(script, *args)


def wait(browser: Any, condition: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 10, poll_frequency=0.05).until(lambda b: js(b, f"return Boolean({condition})"))


def keys(browser: Any, text: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(text).perform()


def test_nothing_is_requested_and_nothing_goes_wrong(browser: Any, page: str) -> None:
    open_page(browser, page)
    js(browser, "document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    wait(browser, "document.querySelectorAll('figure svg').length >= 12")
    assert console(browser) == []
    assert requests(browser) == [page]


def test_every_figure_has_a_picture_with_a_name_and_a_table(browser: Any, page: str) -> None:
    open_page(browser, page)
    js(browser, "document.querySelectorAll('figure > details').forEach((d) => { d.open = true; })")
    wait(browser, "document.querySelectorAll('figure table').length >= 12")
    figures = js(
        browser,
        """const count = (f, what) => f.querySelectorAll(what).length;
        return [...document.querySelectorAll("figure")].map((f) => [f.id,
          count(f, "svg[role=img][aria-label]"), count(f, "tbody tr"), count(f, ".tools button")])""",
    )
    names = {
        "ranking", "significance", "precision-recall", "beta-sweep", "edit-counts", "edit-kinds", "by-type",
        "by-domain", "metric-agreement", "reference-curve", "human-ranking", "metric-human", "correlations",
        "judge-agreement", "judges",
    }  # fmt: skip
    assert names <= {name for name, *_ in figures}
    assert all(pictures == 1 and rows >= 2 and buttons == 3 for _, pictures, rows, buttons in figures)


def test_the_leaderboard_sorts_by_any_column(browser: Any, page: str) -> None:
    open_page(browser, page)
    names = "return [...document.querySelectorAll('#leaderboard .scroll tbody th')].map((t) => t.textContent)"
    by_m2 = js(browser, names)
    assert by_m2[0] == "neural"
    head = browser.find_element("xpath", "//section[@id='leaderboard']//th/button[text()='System']")
    head.click()
    assert js(browser, names) == sorted(by_m2)
    assert head.find_element("xpath", "..").get_attribute("aria-sort") == "ascending"
    head.click()
    assert js(browser, names) == sorted(by_m2, reverse=True)


def test_the_numbers_are_those_of_the_score(browser: Any, page: str, results: Results) -> None:
    open_page(browser, page)
    rows = js(
        browser,
        "return [...document.querySelectorAll('#leaderboard .scroll tbody tr')].map((r) => r.textContent)",
    )
    for system in results.systems:
        (row,) = [text for text in rows if text.startswith(system)]
        for number in range(3):
            assert f"{results.score(system, number).value:.4f}" in row


def test_sentences_are_reached_by_keyboard_and_link(browser: Any, page: str) -> None:
    heading = "document.querySelector('.detail h3')?.textContent"
    open_page(browser, page + "#s=12&order=corpus")
    wait(browser, f"{heading} === 'Sentence 12'")
    top = js(browser, "return document.getElementById('explorer').getBoundingClientRect().top")
    assert 0 <= top < 200
    js(browser, "document.querySelector('.list').focus()")
    keys(browser, "\ue015\ue015")  # arrow down, twice
    wait(browser, f"{heading} === 'Sentence 14'")
    assert browser.current_url.endswith("#s=14&order=corpus")
    keys(browser, "\ue010")  # end
    wait(browser, f"{heading} === 'Sentence 60'")
    js(browser, "document.activeElement.blur()")
    keys(browser, "k")
    wait(browser, f"{heading} === 'Sentence 59'")
    keys(browser, "/")
    assert js(browser, "return document.activeElement.type") == "search"
    active = js(browser, "return document.querySelector('.list').getAttribute('aria-activedescendant')")
    assert js(browser, "return document.getElementById(arguments[0]).getAttribute('aria-selected')", active)
    js(browser, "location.hash = '#s=3'")
    wait(browser, f"{heading} === 'Sentence 3'")


def test_filters_narrow_the_list(browser: Any, page: str, results: Results) -> None:
    open_page(browser, page)
    count = "document.querySelector('.filters [role=status]').textContent"
    assert js(browser, f"return {count}") == "60 sentences"
    corpus = results.corpus
    assert corpus is not None
    expected = sum(
        any(e.type == "R:SPELL" for a in segment.annotations for e in a.edits) for segment in corpus
    )

    def choose(label: str, option: str) -> None:
        place = f"//div[@role='search']//label[contains(., '{label}')]/select/option[text()='{option}']"
        browser.find_element("xpath", place).click()

    choose("Error type", "R:SPELL")
    wait(browser, f"{count} === '{expected} of 60 sentences'")
    choose("Error type", "any")
    choose("Domain", "email")
    email = sum(segment.label("domain") == "email" for segment in corpus)
    wait(browser, f"{count} === '{email} of 60 sentences'")
    choose("Domain", "any")
    wait(browser, f"{count} === '60 sentences'")
    search = browser.find_element("css selector", ".filters input[type=search]")
    search.send_keys("Village")
    wait(browser, f"/^\\d of 60/.test({count})")
    search.clear()
    search.send_keys(" ")
    wait(browser, f"{count} === '60 sentences'")
    scores = np.array([results.score(system, 0).sentences for system in results.systems])
    rates = np.array([results.score(system, 2).sentences for system in results.systems])
    apart = int((np.ptp(rates, axis=0) >= 0.5 * np.ptp(rates)).sum())
    assert 0 < apart < 60
    systems, people = browser.find_elements("css selector", ".filters input[type=checkbox]")
    people.click()
    wait(browser, f"/^\\d of 60/.test({count})")
    people.click()
    wait(browser, f"{count} === '60 sentences'")
    choose("Metric", "TER")
    systems.click()
    wait(browser, f"{count} === '{apart} of 60 sentences'")
    systems.click()
    choose("Metric", "M² F0.5")
    js(browser, "location.hash = '#s=5'")
    low = browser.find_elements("css selector", ".filters input[type=number]")[0]
    low.send_keys("0.9\t")
    sure = int((scores.mean(axis=0) >= 0.9).sum())
    wait(browser, f"{count} === '{sure} of 60 sentences'")
    js(browser, "location.hash = '#s=1'")  # not among them: the filters give way
    wait(browser, f"{count} === '60 sentences'")
    assert low.get_attribute("value") == ""
    low.send_keys("2\t")
    wait(browser, f"{count} === '0 of 60 sentences'")
    browser.find_element("xpath", "//div[@role='search']//button[text()='Reset']").click()
    wait(browser, f"{count} === '60 sentences'")
    assert console(browser) == []


def test_marked_sentences_still_say_what_the_system_wrote(browser: Any, page: str, results: Results) -> None:
    open_page(browser, page)
    shown = js(
        browser,
        """return readData("chunk-0").map((sentence) => sentence.of.map((k) => {
          const line = markedSentence(tokensOf(sentence.s), piecesOf(sentence, sentence.o[k]));
          line.querySelectorAll(".missed").forEach((missed) => {
            const kept = [...missed.childNodes].filter((node) => ["#text", "DEL"].includes(node.nodeName));
            const words = kept.map((node) => node.textContent).join("");
            missed.replaceWith(missed.classList.contains("crossed") ? "" : words);
          });
          line.querySelectorAll("del, .hidden, [aria-hidden], sub").forEach((node) => node.remove());
          return line.textContent.split(/\\s+/).filter(Boolean).join(" ");
        }))""",
    )
    assert results.outputs is not None
    for number, lines in enumerate(results.outputs.values()):
        for made, line in zip(shown, lines, strict=True):
            assert made[number] == " ".join(line.split())


def test_edits_are_marked_as_m2_counts_them(browser: Any, page: str, results: Results) -> None:
    marked = mark_edits(results)
    assert marked is not None
    for line in (1, 8, 30):
        open_page(browser, f"{page}#s={line}")
        wait(browser, f"document.querySelector('.detail h3')?.textContent === 'Sentence {line}'")
        shown = js(
            browser,
            """const count = (o, kind) => o.querySelectorAll(".edit." + kind).length;
            return [...document.querySelectorAll(".output")].filter((o) => o.querySelector(".scores"))
              .map((o) => [o.querySelector("b").textContent,
                count(o, "correct"), count(o, "wrong"), count(o, "missed")])""",
        )
        assert sum(len(names.split(", ")) for names, *_ in shown) == 6
        for names, correct, wrong, missed in shown:
            for name in names.split(", "):
                view = marked[name][line - 1]
                assert correct == sum(bool(edit.matched) for edit in view.edits)
                assert wrong == sum(not edit.matched for edit in view.edits)
                assert missed == sum(not gold.matched for gold in view.gold)


def test_hostile_text_stays_text(browser: Any, tmp_path: Path) -> None:
    texts = [f"{HOSTILE} one", "two", "three", "=cmd()"]
    corpus = Corpus.from_lists(texts, [[text + " x"] for text in texts])
    outputs = Outputs({HOSTILE: [text + " " + HOSTILE for text in texts], "__proto__": texts, "B": texts})
    results = Results.compute(corpus, outputs, [metric("m2"), metric("gleu")])
    path = tmp_path / "hostile.html"
    path.write_text(
        build_report(Evaluation(results), Heading(HOSTILE, HOSTILE)), encoding="utf-8", newline=""
    )
    open_page(browser, path.as_uri())
    wait(browser, "document.querySelector('.detail h3')")
    assert console(browser) == []
    assert requests(browser) == [path.as_uri()]
    assert js(browser, "return [window.hacked, document.images.length]") == [None, 0]
    assert browser.title.startswith("</script><img")
    source = js(browser, "return document.querySelector('.detail .sentence').textContent")
    assert source == texts[0]
    assert js(browser, "return toCsv([{ name: 'a' }], [['=cmd()'], ['-1.5'], [-2]])").split() == [
        "a", "'=cmd()", "-1.5", "-2",
    ]  # fmt: skip


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_follows_the_system_and_can_be_switched(browser: Any, page: str, theme: str) -> None:
    prefer(browser, theme)
    try:
        open_page(browser, page)
        js(browser, "localStorage.clear()")
        open_page(browser, page)
        current = "document.documentElement.dataset.theme"
        ground = "return getComputedStyle(document.body).backgroundColor"
        assert js(browser, f"return {current}") == theme
        before = js(browser, ground)
        browser.find_element("id", "theme").click()
        assert js(browser, f"return {current}") != theme
        assert js(browser, ground) != before
        js(browser, "localStorage.clear()")
    finally:
        prefer(browser, "light")


def test_pictures_can_be_saved(browser: Any, page: str) -> None:
    open_page(browser, page)
    wait(browser, "document.querySelector('#ranking svg')")
    broken = js(
        browser,
        """return [...document.querySelectorAll("figure svg")].filter((svg) => {
          const text = standalone(svg), parsed = new DOMParser().parseFromString(text, "image/svg+xml");
          return parsed.querySelector("parsererror") || text.includes("var(--");
        }).length""",
    )
    assert broken == 0
    saved = browser.execute_async_script(
        """const done = arguments[0], click = HTMLAnchorElement.prototype.click;
        HTMLAnchorElement.prototype.click = function () {
          HTMLAnchorElement.prototype.click = click;
          const image = new Image();
          image.onload = () => done([this.download, image.width, image.height]);
          image.onerror = () => done(["broken", 0, 0]);
          image.src = this.href;
        };
        document.querySelector("[aria-label='PNG of Ranking with intervals']").click();"""
    )
    assert saved[0] == "ranking.png"
    assert saved[1] > 600


def test_thousands_of_sentences_make_few_rows(browser: Any, tmp_path: Path) -> None:
    texts = [f"sentence number {i} have errors" for i in range(5000)]
    good = [text.replace("have", "has") for text in texts]
    corpus = Corpus.from_lists(texts, [[text] for text in good])
    results = Results.compute(corpus, Outputs({"A": good, "B": texts}), [metric("exact"), metric("gleu")])
    path = tmp_path / "large.html"
    path.write_text(build_report(Evaluation(results)), encoding="utf-8")
    open_page(browser, path.as_uri() + "#s=4321")
    wait(browser, "document.querySelector('.detail .sentence')?.textContent.includes('number 4320')")
    assert js(browser, "return document.querySelectorAll('.row').length") < 40
    search = browser.find_element("css selector", ".filters input[type=search]")
    search.send_keys("number 49")
    wait(browser, "document.querySelector('.filters [role=status]').textContent.startsWith('111 of')")


def test_the_server_sends_sentences_and_explanations(browser: Any, results: Results) -> None:
    from errata.report.page import Explorer, serve

    judgments = read_judgments(sample.folder("en") / "rankings.xml")
    server = serve(Explorer(Evaluation(results, judgments), Heading("Sentences")))
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        open_page(browser, address + "#s=2")
        wait(browser, "document.querySelector('.detail h3')?.textContent === 'Sentence 2'")
        js(browser, "document.querySelector('.output details').open = true")
        js(browser, "document.querySelector('.output details .tools button:nth-child(2)').click()")
        wait(browser, "document.querySelector('.output pre')?.textContent.includes('reference')")
        assert js(browser, "return document.querySelectorAll('.output pre .right').length") > 0
        asked = {url.partition("#")[0].partition("?")[0] for url in requests(browser)}
        wanted = {address, address + "chunk/0.json", address + "explain"}
        assert asked - {address + "favicon.ico"} == wanted
        errors = [line for line in console(browser) if "favicon" not in line]
        assert errors == []
    finally:
        server.shutdown()
        server.server_close()


# -- the same numbers as in the tables --------------------------------------------------------------


def test_the_page_rounds_as_the_tables_do(browser: Any, page: str) -> None:
    generator = np.random.default_rng(1)
    ties = [k / 2**m for m in range(1, 8) for k in range(-9, 200, 2)]
    near = [float(np.nextafter(k / 10000 + 0.00005, side)) for k in range(0, 10000, 37) for side in (0, 1)]
    values = [
        *ties,
        *near,
        *generator.random(500).tolist(),
        *generator.normal(0, 50, 200).tolist(),
        0.0,
        -0.0,
    ]
    open_page(browser, page)
    for decimals in range(6):
        shown = js(browser, "return arguments[0].map((v) => fixed(v, arguments[1]))", values, decimals)
        assert [text.replace("−", "-") for text in shown] == [format_number(v, decimals) for v in values]


def test_the_page_shows_the_scores_of_the_tables_for_all_conll_systems(
    browser: Any, data: Path, tmp_path: Path
) -> None:
    from errata.corpus.formats import read_corpus, read_outputs
    from errata.metrics.score_tables import score_table

    corpus = read_corpus(data / "conll14" / "test.m2")
    outputs = read_outputs(sorted((data / "conll14" / "systems").glob("*.txt")), corpus)
    results = Results.compute(corpus, outputs, [metric("m2"), metric("bleu")])
    plan = Plan("bootstrap", samples=100, correction="bh")
    path = tmp_path / "report.html"
    path.write_text(build_report(Evaluation(results, plan=plan), sentences=False), encoding="utf-8")
    open_page(browser, path.as_uri())
    shown = js(
        browser,
        """return [...document.querySelectorAll("#leaderboard table tbody tr")]
          .map((row) => [...row.children].map((cell) => cell.firstChild.textContent))""",
    )
    expected = {row[0]: row[1:] for row in score_table(results).grid()}
    assert {row[0]: row[1:] for row in shown} == expected
    assert expected["SJTU"][2] == "0.1519"


def test_the_sort_survives_what_the_table_shows(browser: Any, page: str) -> None:
    open_page(browser, page)
    sorted_by = (
        "const th = document.querySelector('#leaderboard th[aria-sort]'); "
        "return [th.textContent, th.getAttribute('aria-sort')]"
    )
    gleu = "[...document.querySelectorAll('#leaderboard th button')].find((b) => b.textContent === 'GLEU')"
    js(browser, f"{gleu}.click(); {gleu}.click()")
    assert js(browser, sorted_by) == ["GLEU", "ascending"]
    for _ in range(2):
        js(browser, "document.querySelector('#leaderboard input[type=checkbox]').click()")
        assert js(browser, sorted_by) == ["GLEU", "ascending"]


def test_one_choice_orders_the_systems_of_all_cards(browser: Any, page: str, results: Results) -> None:
    open_page(browser, page)
    js(browser, "document.querySelectorAll('figure > details').forEach((d) => { d.open = true; })")
    choice = browser.find_element("css selector", ".order select")
    for number, name in enumerate(("M² F0.5", "GLEU", "TER")):
        choice.find_element("xpath", f"option[text()='{name}']").click()
        sign = -1 if results.metrics[number].higher_is_better else 1
        best = sorted(results.systems, key=lambda s: sign * results.score(s, number).value)
        for card in ("leaderboard .wide", "ranking", "significance", "edit-counts", "by-type", "by-domain"):
            names = "return [...document.querySelectorAll(arguments[0])].map((t) => t.textContent)"
            assert js(browser, names, f"#{card} tbody th") == best, card


def test_the_headline_is_that_of_the_comparison(browser: Any, page: str, results: Results) -> None:
    open_page(browser, page)
    ranked = [each.ranked for each in compare(results, PLAN)]
    assert js(browser, "return document.getElementById('headline').textContent") == headline(
        ranked, "The data are 60 sentences of gold.m2 and 6 systems, evaluated on 2026-01-02."
    )


def test_significance_is_seen_by_colour(browser: Any, page: str) -> None:
    open_page(browser, page)
    cells = js(
        browser,
        """return [...document.querySelectorAll("#significance svg g")].map((g) => [
          Number(g.querySelector("text").textContent.replace("<", "")),
          g.querySelector("rect").getAttribute("fill").match(/\\d+/g).map(Number)])""",
    )
    blue = {p: max(rgb) - min(rgb) > 60 for p, rgb in cells}
    assert {True, False} == set(blue.values())
    assert all(is_blue == (p <= 0.05) for p, is_blue in blue.items() if p != 0.05)


def test_the_explorer_opens_on_disagreement_and_folds_its_filters_on_a_phone(
    browser: Any, page: str, results: Results
) -> None:
    resize(browser, 390)
    try:
        open_page(browser, page)
        wait(browser, "document.querySelector('.detail h3')")
        scores = np.array([results.score(system, 0).sentences for system in results.systems])
        first = int(js(browser, "return document.querySelector('.row').id").removeprefix("row-"))
        assert scores.std(axis=0)[first] == pytest.approx(scores.std(axis=0).max())
        assert not js(browser, "return document.querySelector('.fields').checkVisibility()")
        browser.find_element("css selector", ".more > summary").click()
        assert js(browser, "return document.querySelector('.fields').checkVisibility()")
        links = "return [...document.querySelectorAll('.bar a')].map((a) => a.getBoundingClientRect().right)"
        assert max(js(browser, links)) <= 390
    finally:
        resize(browser, 1400)


def test_the_leaderboard_fits_with_all_its_columns(browser: Any, page: str) -> None:
    resize(browser, 1400, 900)
    open_page(browser, page)
    if not js(browser, "return document.querySelector('#leaderboard input[type=checkbox]').checked"):
        js(browser, "document.querySelector('#leaderboard input[type=checkbox]').click()")
    table = "document.querySelector('#leaderboard table')"
    assert js(browser, f"return {table}.offsetWidth <= {table}.parentElement.clientWidth")


def test_two_systems_are_compared_and_the_link_says_so(browser: Any, page: str, results: Results) -> None:
    first, second = (results.score(name, 1).sentences for name in ("neural", "rules"))
    losses = np.flatnonzero(first < second - 1e-12)
    assert 0 < len(losses) < 10
    wins = int((first > second + 1e-12).sum())
    link = "metric=GLEU&first=neural&second=rules&order=corpus&won=second"
    open_page(browser, f"{page}#s={losses[0] + 1}&{link}")
    count = "document.querySelector('.filters [role=status]').textContent"
    wait(browser, f"{count} === '{len(losses)} of 60 sentences'")
    said = js(browser, "return document.querySelector('.versus').textContent")
    equal = 60 - wins - len(losses)
    assert f"neural wins {wins}, rules wins {len(losses)}, equal {equal}." in said
    pair = js(
        browser,
        "return [...document.querySelectorAll('.pair > .output b:first-child')].map((b) => b.textContent)",
    )
    assert pair[0] == "neural"
    assert "rules" in pair
    keys(browser, "j")
    heading = "document.querySelector('.detail h3').textContent"
    wait(browser, f"{heading} === 'Sentence {losses[1] + 1}'")
    assert browser.current_url.endswith(f"#s={losses[1] + 1}&{link}")
    browser.find_element("xpath", "//div[@role='search']//button[text()='Reset']").click()
    wait(browser, f"{count} === '60 sentences'")
    assert js(browser, "return document.querySelector('.versus').hidden")
    assert console(browser) == []


@pytest.mark.parametrize(
    "filters",
    ["type=R%3ASPELL&order=lowest", "text=village&low=0.2&system=rules", "label.domain=email&disagree=yes"],
)
def test_every_filter_comes_back_from_the_link(browser: Any, page: str, filters: str) -> None:
    open_page(browser, page + "#s=1&" + filters)
    count = "document.querySelector('.filters [role=status]').textContent"
    wait(browser, f"/ of 60 /.test({count})")
    js(browser, "document.querySelector('.filters input[type=number]').dispatchEvent(new Event('change'))")
    wait(browser, "location.hash.length > 5")
    kept = dict(part.split("=") for part in browser.current_url.partition("#")[2].split("&"))
    kept.pop("s")
    assert kept == dict(part.split("=") for part in filters.split("&"))


def test_labels_of_close_points_do_not_overlap(browser: Any, page: str) -> None:
    open_page(browser, page)
    overlaps = """
      const box = { left: 54, right: 520, top: 28, bottom: 352 };
      const points = range(13).map((k) =>
        ({ x: 280 + 9 * (k % 4), y: 180 + 8 * Math.floor(k / 4), name: "system" + k }));
      const areas = placeLabels(points, box).map((label) => label.area);
      return areas.flatMap((a, i) => areas.slice(i + 1).filter((b) =>
        Math.min(a.x1, b.x1) > Math.max(a.x0, b.x0) && Math.min(a.y1, b.y1) > Math.max(a.y0, b.y0))).length;
    """
    assert js(browser, overlaps) == 0


def test_the_page_says_when_and_from_what_it_was_made(browser: Any, tmp_path: Path) -> None:
    made = sample.load("en")
    metrics = [metric("gleu"), metric("cleme2:tagger=embedded")]
    found = Results.compute(made.corpus, {"rules": made.outputs["rules"]}, metrics)
    plan = Plan("bootstrap", samples=100)
    (tmp_path / "r.html").write_text(
        build_report(Evaluation(found, None, plan), Heading("One", "errata report", "2026-01-31")), "utf-8"
    )
    open_page(browser, (tmp_path / "r.html").as_uri())
    how = js(browser, "return document.getElementById('how').textContent")
    assert "Made on 2026-01-31" in how
    assert f"{found.inputs['hypotheses']['rules']}  hypotheses rules" in how
    assert js(browser, "return document.querySelectorAll('#over-correction svg rect').length") >= 8
    assert console(browser) == []
