"""Published procedures over HTTP, from the instructions to the final table."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from campaigns import SOURCES, SYSTEMS, admin_page, export_text, make, post_of, rows, sign_in, signed_in, work
from errata.cli import cli
from errata.corpus.formats import read_corpus
from errata.errors import DataError
from errata_server.campaign.annotation_tasks import TASKS
from errata_server.campaign.campaign_server import application
from errata_server.campaign.campaign_settings import settings_from
from errata_server.campaign.create_campaign import make_campaign
from errata_server.page_templates import read_messages


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_documents_are_corrected_and_come_back_as_sentences(tmp_path: Path) -> None:
    """GECCC (Náplava et al. 2022, §3.3 to 3.5): annotators see documents, and leave out private ones."""
    made = make(
        tmp_path, task="correction", unit="document", redundancy=2, instructions="# Correct it",
        paragraphs=["1", "1", "2", "1", "1", "1"],
    )  # fmt: skip
    for name in ("ann", "bob"):
        with signed_in(made, name) as client:
            assert "<h1>Correct it</h1>" in client.get("/work").text
            assert '"private"' in client.get("/work").text.replace("&#34;", '"')
            screen = client.get("/api/screen").json()
            assert screen["source"] == f"{SOURCES[0]}\n{SOURCES[1]}\n\n{SOURCES[2]}"
            # One annotator keeps the lines, the other one writes everything in one line.
            text = ("\n" if name == "ann" else " ").join(SYSTEMS["good"][:3])
            response = client.post("/api/judge", json=post_of(screen, answer={"text": text}))
            screen = response.json()["next"]
            if name == "bob":
                post = post_of(screen, answer=None, skipped="private")
                assert client.post("/api/judge", json=post).json()["next"]["state"] == "done"
    with signed_in(made, "admin") as client:
        assert "skipped as private" in admin_page(client)
        exported = client.get("/admin/export/tsv").text
    (tmp_path / "out.tsv").write_text(exported, encoding="utf-8")
    corpus = read_corpus(tmp_path / "out.tsv")
    assert corpus.sources == SOURCES[:3]
    assert [corpus.references(a) for a in (0, 1)] == [SYSTEMS["good"][:3]] * 2
    assert [(s.document, s.paragraph) for s in corpus] == [("doc-0", "0"), ("doc-0", "0"), ("doc-0", "1")]
    paragraphs = run(
        "corpus", "convert", str(tmp_path / "out.tsv"), "-", "--to", "m2", "--regroup", "paragraph"
    )
    assert paragraphs.count("S ") == 2
    (tmp_path / "out.m2").write_text(export_text(made.place, "m2"), encoding="utf-8")
    assert read_corpus(tmp_path / "out.m2").sources == SOURCES[:3]
    table = run("corpus", "agreement", str(tmp_path / "out.m2"), "--format", "tsv")
    assert table.splitlines()[1].split("\t")[2:4] == ["3", "100.0"]


@pytest.mark.parametrize("assignment", ["balanced", "adaptive"])
def test_one_reference_is_shown_and_another_one_is_ranked(tmp_path: Path, assignment: str) -> None:
    """Napoles et al. (2015, §3): four of all systems, the source and a reference; TrueSkill's scores."""
    edited = [text.replace(" .", " !") for text in SYSTEMS["good"]]
    both = [
        {"source": a, "references": [b, c]} for a, b, c in zip(SOURCES, SYSTEMS["good"], edited, strict=True)
    ]
    (tmp_path / "two.jsonl").write_text("".join(json.dumps(row) + "\n" for row in both), encoding="utf-8")
    outputs = {"INPUT": SOURCES, "middle": SYSTEMS["middle"]}
    made = make(
        tmp_path, corpus=str(tmp_path / "two.jsonl"), outputs=outputs, show_reference=True, cards=4,
        rank_reference=True, instructions="# Rank", controls=0, redundancy=2, assignment=assignment,
    )  # fmt: skip
    pairs = set()

    def ranks(screen: dict[str, Any]) -> dict[str, Any]:
        ranked = [text for text in screen["cards"] if text in (*SYSTEMS["good"], *edited)]
        pairs.add((screen["reference"], *ranked))
        quality = [0 if text in ranked else 1 + (text in SOURCES) for text in screen["cards"]]
        order = sorted(set(quality))
        return {"answer": {"ranks": [1 + order.index(one) for one in quality]}}

    for name in ("ann", "bob"):
        with signed_in(made, name) as client:
            assert "<h1>Rank</h1>" in client.get("/work").text
            work(client, ranks)
    assert {frozenset(pair) for pair in pairs if len(pair) > 1} <= {
        frozenset(pair) for pair in zip(SYSTEMS["good"], edited, strict=True)
    }
    assert len({pair[0] in edited for pair in pairs}) == 2  # drawn for each sentence
    table = run("rank", made.place, "--method", "trueskill", "--runs", "5", "--format", "tsv")
    names = [line.split("\t")[-1] for line in table.splitlines()]
    assert names[1:4] == ["REFERENCE", "middle", "INPUT"], table
    with pytest.raises(DataError, match="segment 1 has 0 references"):
        make(tmp_path / "none", rank_reference=True)


def test_a_blind_second_pass_over_corrections(tmp_path: Path) -> None:
    """GECCC Table 3: who judges does not see the source, whose correction it is, or one's own."""
    first = make(tmp_path / "first", task="correction", redundancy=2)
    texts = {"ann": SYSTEMS["good"], "bob": SYSTEMS["none"]}
    for name, lines in texts.items():
        with signed_in(first, name) as client:
            work(client, lambda s, lines=lines: {"answer": {"text": lines[SOURCES.index(s["source"])]}})
    run("campaign", "export", first.place, "--to", "tsv", "--names", "-o", str(tmp_path / "corrected.tsv"))
    settings = {
        "name": "Second pass", "task": "acceptance", "corpus": str(tmp_path / "corrected.tsv"),
        "annotators": ["ann", "bob", "cyd"], "redundancy": 2, "overlap": 0, "controls": 0.2, "seed": 1,
        "instructions": "# Is it right?",
    }  # fmt: skip
    store, tokens, admin = make_campaign(settings_from(settings), tmp_path / "second.db")
    seen: dict[str, list[str]] = {}
    with TestClient(application(store), follow_redirects=False) as client:
        for name, token in tokens.items():
            sign_in(client, token)
            assert "<h1>Is it right?</h1>" in client.get("/work").text
            screens = work(client, lambda s: {"answer": {"accepted": [s["cards"][0] in SYSTEMS["good"]]}})
            assert {screen["source"] for screen in screens[:-1]} == {""}
            assert not {"ann", "bob", "control"} & set(str(screens).replace("'", " ").split())
            seen[name] = [screen["cards"][0] for screen in screens[:-1]]
        sign_in(client, admin)
        page = admin_page(client)
        exported = client.get("/admin/export/second-pass").text
    assert "Second-pass acceptance" in page
    assert not set(seen["ann"]) & set(texts["ann"])
    assert not set(seen["bob"]) & set(texts["bob"])
    assert {text for one in seen.values() for text in one} - {*texts["ann"], *texts["bob"]}  # damaged ones
    (tmp_path / "second.tsv").write_text(exported, encoding="utf-8")
    table = run("corpus", "agreement", "--second-pass", str(tmp_path / "second.tsv"), "--format", "tsv")
    assert [line.split("\t") for line in table.splitlines()] == [
        ["second \\ first", "ann", "bob"],
        ["judge-1", "", "0.0"], ["judge-2", "100.0", ""], ["judge-3", "100.0", "0.0"],
    ]  # fmt: skip
    assert run("campaign", "status", str(tmp_path / "second.db")).count("100.00") == 2


@pytest.mark.parametrize("assignment", ["fixed", "balanced", "adaptive"])
def test_some_documents_are_judged_by_all_and_the_others_by_one(tmp_path: Path, assignment: str) -> None:
    """GECCC (§5): scores of documents, some of which all judges have in common."""
    judges = ["ann", "bob", "cyd"]
    made = make(
        tmp_path, task="scalars", assignment=assignment, copies=6, annotators=judges,
        joint=["doc-2", "doc-5"], whole_documents=True, controls=0.1, repeats=0.2, instructions="# Score",
    )  # fmt: skip
    app, open_screens = application(made.store), {}
    with TestClient(app, follow_redirects=False) as first:
        clients = {}
        for name in judges:
            clients[name] = TestClient(app, follow_redirects=False)
            clients[name].portal = first.portal
            sign_in(clients[name], made.tokens[name])
            assert "<h1>Score</h1>" in clients[name].get("/work").text
            open_screens[name] = clients[name].get("/api/screen").json()
        while open_screens:  # all at the same time, one screen each
            for name, screen in list(open_screens.items()):
                quality = [(text in SYSTEMS["good"]) + (text not in SOURCES) for text in screen["cards"]]
                post = post_of(screen, answer={"scores": [5 * one for one in quality]})
                screen = clients[name].post("/api/judge", json=post).json()["next"]
                open_screens[name] = screen
                if screen["state"] != "work":
                    assert open_screens.pop(name)["state"] == "done"
    judged: dict[str, list[tuple[str, int]]] = {name: [] for name in ("judge-1", "judge-2", "judge-3")}
    repeats = 0
    for row in sorted(rows(made), key=lambda row: row["position"]):
        repeats += row["repeat"]
        if not row["repeat"]:
            judged[row["judge"]].append((row["document"], row["segment"]))
    assert repeats
    times = Counter(document for screens in judged.values() for document in {name for name, _ in screens})
    assert times == {f"doc-{i}": 3 if i in (2, 5) else 1 for i in range(12)}
    for screens in judged.values():
        documents = list(dict.fromkeys(document for document, _ in screens))
        assert screens == [(name, 3 * int(name[4:]) + i) for name in documents for i in range(3)]
        assert len(documents) > 2
    ranking = run("rank", made.place, "--method", "z", "--format", "tsv")
    assert [line.split("\t")[-1] for line in ranking.splitlines()][1:4] == ["good", "middle", "none"], ranking
    assert "Pearson" in run("agree", made.place)


def test_documents_drawn_for_all(tmp_path: Path) -> None:
    made = make(tmp_path, task="scalars", copies=4, joint=3, whole_documents=True, sample=5, redundancy=1)
    with made.store.read() as connection:
        items = [(content.document, row.needed) for row, content in made.store.contents(connection).values()]
    assert len({name for name, _ in items}) == 5
    assert len(items) == 15
    assert len({name for name, needed in items if needed == 2}) == 3
    for wrong in (
        {"joint": ["doc-9"], "whole_documents": True}, {"joint": 1}, {"joint": 9, "whole_documents": True},
        {"whole_documents": True, "task": "ranking", "assignment": "adaptive"},
    ):  # fmt: skip
        with pytest.raises(DataError):
            make(tmp_path / "wrong", **{"task": "scalars", **wrong})


@pytest.mark.parametrize("task", [*TASKS])
def test_a_campaign_made_by_flags_has_instructions(tmp_path: Path, task: str) -> None:
    made = make(tmp_path, task=task)
    with signed_in(made) as client:
        page = client.get("/work").text
        client.cookies.set("errata-language", "cs")
        czech = client.get("/work").text
    texts = read_messages("errata_server", "errata_server.campaign")
    assert texts["en"][f"default_{task}"] in page
    assert texts["cs"][f"default_{task}"] in czech


def test_an_expert_grades_rewrites_before_the_work_begins(tmp_path: Path) -> None:
    """Sakaguchi et al. (2016, §3): whoever rewrites well enough in a test goes on."""
    known = tmp_path / "known.jsonl"
    known.write_text("".join(json.dumps({"source": text}) + "\n" for text in SOURCES * 4), encoding="utf-8")
    values = {"task": "correction", "style": "fluency", "redundancy": 2, "instructions": "# Rewrite"}
    made = make(tmp_path, **values, qualification=str(known), grading="expert")
    for name in ("ann", "bob"):
        with signed_in(made, name) as client:
            assert "<h1>Rewrite</h1>" in client.get("/work").text
            assert [screen["state"] for screen in work(client)] == ["work"] * 24 + ["waiting"]
    with signed_in(made, "admin") as client:
        assert "/admin/qualification/1" in client.get("/admin").text
        page = client.get("/admin/qualification/1").text
        assert SOURCES[0].replace("go ", "goes ") in page
        fields = re.findall(r'name="(grade-\d+)"', page)
        for number, (first, second) in enumerate([("100", "60"), ("60", "70")], start=1):
            grades = dict.fromkeys(fields[:12], first) | dict.fromkeys(fields[12:], second)
            post = {"action": "grade", "annotator": number, **grades}
            assert client.post("/admin/act", data={**post, fields[0]: "101"}).status_code == 400
            assert client.post("/admin/act", data=post).status_code == 303
            assert client.post("/admin/act", data=post).status_code == 400  # once
        assert client.get("/admin/qualification/99").status_code == 404
    with signed_in(made, "bob") as client:
        assert client.get("/api/screen").json()["state"] == "disqualified"
    with signed_in(made, "ann") as client:
        assert len(work(client)) == len(SOURCES) + 1
        sign_in(client, made.admin)
        assert "Corrections" in admin_page(client)
    listed = run("campaign", "annotators", made.place, "--format", "tsv").splitlines()
    assert [line.split("\t")[-1] for line in listed] == ["qualification grade", "0.8", "0.65"]
    with pytest.raises(DataError, match="there is none"):
        make(tmp_path, **values, grading="expert")
