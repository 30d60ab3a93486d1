"""Consent before anything else, and people from crowd platforms who sign up by themselves."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from campaigns import Made, make, post_of, sign_in, signed_in
from errata.cli import cli
from errata.errors import DataError
from errata_server.campaign.campaign_server import application
from errata_server.campaign.campaign_settings import CampaignSettings, consent_version
from errata_server.page_templates import NAMES, read_messages

CONSENT = "# What we store\n\nYour answers, <b>not</b> your name."


def link(made: Made) -> str:
    result = CliRunner().invoke(cli, ["campaign", "sign-up", made.place])
    assert result.exit_code == 0, result.output
    return result.output.split()[-1]


def key_of(made: Made) -> str:
    found = re.search(r"key=([\w-]{32})&PROLIFIC_PID=ID", link(made))
    assert found is not None
    return found[1]


def open_sign_up(made: Made, *options: str) -> None:
    result = CliRunner().invoke(cli, ["campaign", "sign-up", made.place, "--open", *options])
    assert result.exit_code == 0, result.exception


def join(client: TestClient, key: str, participant: str) -> tuple[int, dict[str, Any]]:
    response = client.post("/join", json={"key": key, "PROLIFIC_PID": participant})
    return response.status_code, response.json()


def test_no_screen_before_consent(tmp_path: Path) -> None:
    made = make(tmp_path, consent=CONSENT)
    version = consent_version(made.store.settings)
    with signed_in(made) as client:
        assert client.get("/work").headers["location"] == "/consent"
        page = client.get("/consent").text
        assert "<h1>What we store</h1>" in page
        assert "<b>" not in page.partition("What we store")[2]
        for answer in (
            client.get("/api/screen"),
            client.get("/api/screen", params={"position": 1}),
            client.post("/api/judge", json={"key": "k" * 9, "revision": 1, "assignment": 1}),
            client.post("/api/draft", json={"assignment": 1, "draft": {"answer": {}}}),
        ):
            assert answer.status_code in (403, 404)
            assert "source" not in answer.text
        for wrong in ({"version": "x", "agree": True}, {"version": version, "agree": "yes"}, {}):
            assert client.post("/consent", json=wrong).status_code == 400
        assert client.post("/consent", json={"version": version, "agree": True}).status_code == 200
        assert client.get("/work").status_code == 200
        screen = client.get("/api/screen").json()
        assert client.post("/api/judge", json=post_of(screen)).status_code == 200
        with made.store.read() as connection:
            ann, bob = made.store.annotators(connection)
        assert (ann.consent, ann.consented[:2]) == (version, "20")
        assert (bob.consent, bob.consented) == (None, None)
        sign_in(client, made.admin)
        assert version in client.get("/admin/annotators").text


def test_sign_up_is_closed_until_it_is_opened(tmp_path: Path) -> None:
    made = make(tmp_path)
    with TestClient(application(made.store), follow_redirects=False) as client:
        assert client.get("/join", params={"PROLIFIC_PID": "p1"}).status_code == 403
        assert join(client, "", "p1")[0] == 403
        sign_in(client, made.admin)
        post = {"action": "sign-up", "places": "2"}
        assert client.post("/admin/act", data=post).status_code == 303
        assert f"http://testserver/join?key={key_of(made)}&amp;PROLIFIC_PID=ID" in client.get("/admin").text
        assert join(client, "wrong", "p1")[0] == 403
        assert client.get("/join", params={"key": key_of(made), "PROLIFIC_PID": "p1"}).status_code == 200
        assert "0 of 2 places" in client.get("/admin").text  # looking at the page takes no place
        assert join(client, key_of(made), "p1") == (200, {"to": "/work"})
        post["action"] = "no-sign-up"
        assert client.post("/admin/act", data=post).status_code == 303
        assert join(client, key_of(made), "p2") == (403, {"error": "sign-up is closed"})


def test_from_the_sign_up_to_the_code(tmp_path: Path) -> None:
    made = make(tmp_path, annotators=[], places=2, quota=2, consent=CONSENT, redundancy=2, controls=0)
    open_sign_up(made)
    key, version = key_of(made), consent_version(made.store.settings)
    app = application(made.store)
    with TestClient(app, follow_redirects=False) as first:
        assert join(first, key, "aaa111")[0] == 200
        assert (
            first.get("/join", params={"key": key, "PROLIFIC_PID": "aaa111"}).headers["location"] == "/work"
        )
        others = TestClient(app, follow_redirects=False)
        others.portal = first.portal
        # One place for each id: another browser does not get in with it.
        assert join(others, key, "aaa111") == (409, {"error": "this participant has signed up already"})
        assert join(others, key, "AAA111")[0] == 409
        assert join(others, key, "<script>")[0] == 400
        assert join(others, key, "bbb222")[0] == 200
        # Who declines gives the place back, and does not come again.
        assert others.post("/consent", json={"version": version, "agree": False}).status_code == 200
        assert others.post("/consent", json={"version": version, "agree": True}).status_code == 409
        assert join(others, key, "bbb222")[0] == 409
        assert join(others, key, "ccc333")[0] == 200
        assert join(others, key, "ddd444") == (409, {"error": "all places are taken"})
        first.post("/consent", json={"version": version, "agree": True})
        screen = first.get("/api/screen").json()
        codes = []
        while screen["state"] == "work":
            assert "code" not in screen
            screen = first.post("/api/judge", json=post_of(screen)).json()["next"]
        codes.append(screen["code"])
        assert screen["done"] == 2
        assert re.fullmatch(r"[A-Z2-9]{16}", screen["code"])
        assert first.get("/api/screen").json()["code"] == screen["code"]
    made.store.close()
    listed = CliRunner().invoke(cli, ["campaign", "annotators", made.place, "--format", "tsv"]).output
    rows = [line.split("\t") for line in listed.splitlines() if "participant " in line]
    assert [row[3] for row in rows] == ["aaa111", "bbb222", "ccc333"]
    assert rows[0][4] == codes[0]
    assert len({row[4] for row in rows}) == 3
    assert [row[2] for row in rows] == ["active", "declined", "active"]


def test_many_sign_ups_from_one_address_are_slowed_down(tmp_path: Path) -> None:
    made = make(tmp_path, places=100)
    open_sign_up(made)
    with TestClient(application(made.store)) as client:
        answers = [join(client, key_of(made), f"p{n}")[0] for n in range(14)]
    assert answers[:10] == [200] * 10
    assert 429 in answers[10:]


def test_a_fixed_plan_has_nothing_for_people_who_sign_up(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="fixed plan"):
        make(tmp_path, assignment="fixed", places=3)
    made = make(tmp_path / "b", assignment="fixed")
    result = CliRunner().invoke(cli, ["campaign", "sign-up", made.place, "--open", "--places", "3"])
    assert isinstance(result.exception, DataError)


def test_pages_for_participants_tell_no_names(tmp_path: Path) -> None:
    """Neither systems nor controls nor other participants appear in what a participant gets."""
    made = make(tmp_path, annotators=[], places=3, controls=0.5)
    open_sign_up(made)
    with TestClient(application(made.store)) as client:
        join(client, key_of(made), "other-person")
        client.cookies.clear()
        join(client, key_of(made), "me")
        seen = client.get("/work").text + client.get("/api/screen").text
    for secret in ("middle", "control:", "other-person", made.admin):
        assert secret not in seen


SOURCE = Path(__file__).parents[1] / "src" / "errata_server"
FOLDERS = [SOURCE / "messages", SOURCE / "campaign" / "messages"]
OF_THE_ADMIN = {"admin", "item", "items", "qualification"}  # English only


def pages(*patterns: str) -> list[Path]:
    """The files that annotators' pages consist of."""
    files = [path for pattern in patterns for path in sorted(SOURCE.glob(pattern))]
    return [path for path in files if path.stem not in OF_THE_ADMIN]


TEMPLATES = pages("campaign/templates/*.html", "templates/*.html")
SCRIPTS = [
    path
    for path in pages("campaign/static/*.js", "static/*.js")
    if path.name != "copy.js"  # of pages for staff and teams, which are English
]
# Names of keys, which are the same everywhere, and other words that are no language.
KEYS = {
    "Enter", "Escape", "Home", "End", "Delete", "Backspace", "Shift", "PageUp", "PageDown", "Page", "Up",
    "Down", "Esc",
    "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "POST", "TimeoutError", "Content-Type", "A", "B", "S",
    "C", "D", "E", "I", "Home End",
}  # fmt: skip
# Refusals that only a program can meet, not a person at a page.
FOR_PROGRAMS = {
    "position is a number",
}  # fmt: skip


def messages(folder: Path) -> dict[str, dict[str, str]]:
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_all_languages_have_the_same_messages_and_placeholders(folder: Path) -> None:
    found = messages(folder)
    assert set(found) == set(NAMES) == set(get_args(get_type_hints(CampaignSettings)["interface"]))
    for language, texts in found.items():
        assert list(texts) == list(found["en"]), language
        for key, text in texts.items():
            assert text.strip(), (language, key)
            assert not hasattr(dict, key), key  # a template would find the method
            places = [sorted(re.findall(r"\{(\w+)\}", one)) for one in (text, found["en"][key])]
            assert places[0] == places[1], (language, key)
    same = [key for key in found["en"] if len({texts[key] for texts in found.values()}) == 1]
    assert same in ([], ["score_say"]), "these are not translated"


def words_in_template(text: str) -> list[str]:
    """Words outside of tags and of the template's own code, and in attributes that people see or hear."""
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", "", text, flags=re.DOTALL)
    seen = re.findall(r'(?:title|aria-label|placeholder|alt)="([^"]*)"', text)
    seen.append(re.sub(r"<[^>]*>", " ", text))
    return [word for part in seen for word in re.findall(r"[^\W\d_]{2,}", part) if word not in KEYS]


def words_in_script(text: str) -> list[str]:
    """Literals that look like a sentence or a label: a capital letter, or words with a stop behind them."""
    text = re.sub(r"(?m)//.*$", "", text)
    literals = re.findall(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`', text)
    found = []
    for plain, template in literals:
        literal = re.sub(r"\$\{[^}]*\}", "", plain or template)
        parts = [part for part in re.split(r"[\s,…←→↑↓]+", literal) if part]
        label = re.match(r"[A-Z][a-z]", literal) and not all(part in KEYS or part.isdigit() for part in parts)
        if literal not in KEYS and (label or re.search(r"[a-z]{2,}[.!?…](\s|$)|[a-z] …", literal)):
            found.append(literal)
    return found


def test_no_text_is_left_in_templates_and_scripts() -> None:
    assert words_in_template('<p title="Show {{ x }}">{{ m.hello }} there</p>') == ["Show", "there"]
    assert words_in_script('say("All done."); show(`Text ${x} of it`); t("done"); at("Enter")') == [
        "All done.", "Text  of it",
    ]  # fmt: skip
    for path in TEMPLATES:
        assert words_in_template(path.read_text(encoding="utf-8")) == [], path.name
    for path in SCRIPTS:
        assert words_in_script(path.read_text(encoding="utf-8")) == [], path.name


def test_every_message_is_used_and_every_use_has_a_message() -> None:
    known = set(read_messages("errata_server", "errata_server.campaign")["en"])
    text = "".join(path.read_text(encoding="utf-8") for path in (*TEMPLATES, *SCRIPTS))
    used = set(re.findall(r'\bt\("([a-z_]+)"', text)) | set(re.findall(r"\bm\.(\w+)", text))
    assert used - known == set()
    literals = set(re.findall(r'"([a-z_]+)"', text)) | used
    made = ("reason_", "category_", "severity_", "question_", "error: ")  # put together by the scripts
    states = ("done", "paused", "closed", "disqualified", "waiting")
    ends = {f"{state}_{part}" for state in states for part in ("title", "text")}
    assert {key for key in known - literals if not key.startswith(made) and key not in ends} == set()


def test_what_the_server_refuses_is_translated() -> None:
    known = {
        key.removeprefix("error: ") for key in read_messages("errata_server", "errata_server.campaign")["en"]
    }
    for name in ("annotator_service", "campaign_server"):
        text = (SOURCE / "campaign" / f"{name}.py").read_text(encoding="utf-8")
        refusals = set(re.findall(r'HTTPException\(\s*\d+, "([^"]+)"', text))
        assert refusals, name
        assert refusals - known - FOR_PROGRAMS == set(), name


def test_pages_have_the_language_of_the_campaign_or_the_one_chosen(tmp_path: Path) -> None:
    texts = {"cs": "Začít", "de": "Beginnen", "uk": "Почати", "en": "Start"}
    made = make(tmp_path, interface="cs")
    with TestClient(application(made.store)) as client:
        page = client.get("/enter").text
        assert '<html lang="cs">' in page
        assert f">{texts['cs']}</button>" in page
        for language, text in texts.items():
            client.cookies.set("errata-language", language)
            page = client.get("/enter").text
            assert f'<html lang="{language}">' in page
            assert f">{text}</button>" in page
        client.cookies.set("errata-language", "xx")
        assert '<html lang="cs">' in client.get("/enter").text
        client.cookies.set("errata-language", "uk")
        sign_in(client, made.tokens["ann"])
        work = client.get("/work").text
        assert '<html lang="uk">' in work
        assert "Надіслати" in work
        assert "Submit" not in work
        missing = client.get("/nowhere")
        assert missing.status_code == 404
        assert "Такої сторінки немає" in missing.text
        sign_in(client, made.admin)
        assert '<html lang="en">' in client.get("/admin").text  # the admin's pages are in English
