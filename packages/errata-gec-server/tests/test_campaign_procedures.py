"""Published procedures over HTTP, from the instructions to the final table."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from campaigns import SOURCES, SYSTEMS, admin_page, export_text, make, post_of, signed_in
from errata.cli import cli
from errata.corpus.formats import read_corpus


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
