"""The annotators' pages speak every language completely: one message file per language and nothing beside."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from starlette.testclient import TestClient

from campaigns import make, sign_in
from errata_server.campaign.campaign_server import application
from errata_server.campaign.campaign_settings import CampaignSettings
from errata_server.page_templates import NAMES, read_messages

SOURCE = Path(__file__).parents[1] / "src" / "errata_server"
FOLDERS = [SOURCE / "messages", SOURCE / "campaign" / "messages"]
TEMPLATES = [
    *(SOURCE / "campaign" / "templates" / f"{name}.html" for name in ("work", "consent", "join")),
    *(SOURCE / "templates" / f"{name}.html" for name in ("base", "enter", "message", "language")),
]
SCRIPTS = [
    *(
        SOURCE / "campaign" / "static" / f"{name}.js"
        for name in ("work", "tasks", "spans", "outbox", "diff", "clock", "join", "consent")
    ),
    *(SOURCE / "static" / f"{name}.js" for name in ("enter", "leave", "messages")),
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
    made = ("reason_", "category_", "severity_", "error: ")  # put together by the scripts
    states = ("done", "paused", "closed", "disqualified")
    ends = {f"{state}_{part}" for state in states for part in ("title", "text")}
    assert {key for key in known - literals if not key.startswith(made) and key not in ends} == set()


def test_what_the_server_refuses_is_translated() -> None:
    known = {
        key.removeprefix("error: ") for key in read_messages("errata_server", "errata_server.campaign")["en"]
    }
    for name in ("annotator_service", "server", "crowd_signup"):
        text = (SOURCE / "campaign" / f"{name}.py").read_text(encoding="utf-8")
        refusals = set(re.findall(r'(?:RequestRefused|HTTPException)\(\s*\d+, "([^"]+)"', text))
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
