"""Post-edits: every system against corrections of its own output, and which unmatched edits they keep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.corpus.apply_edits import apply_edits, levenshtein_edits
from errata.corpus.model import Corpus
from errata.corpus.segment import Edit
from errata.errors import DataError
from errata.meta.edit_judgments import kept, unmatched_edits
from errata.metrics import metric
from errata.metrics.results import Results

SOURCES = ["He go to school every day .", "She have a dog and cat .", "All is well ."]
REFERENCES = ["He goes to school every day .", "She has a dog and a cat .", "All is well ."]
OUTPUTS = {
    "A": ["He goes to the school each day .", "She has the dog and cat .", "All is well ."],
    "B": ["He go to school every day .", "She have a dog and a cat .", "All are well ."],
}
POST_EDITS = {
    "A": ["He goes to school each day .", "She has the dog and the cat .", "All is well ."],
    "B": REFERENCES,
}
METRICS = [metric(name) for name in ("gleu", "m2", "errant:tagger=embedded", "peet:tagger=embedded", "green")]


@pytest.fixture(scope="module")
def results() -> Results:
    corpus = Corpus.from_lists(SOURCES, REFERENCES)
    return Results.compute(corpus, OUTPUTS, METRICS, post_edits=POST_EDITS)


def test_every_system_is_scored_against_its_own_post_edits(results: Results) -> None:
    for system, lines in OUTPUTS.items():
        own = Corpus.from_lists(SOURCES, POST_EDITS[system])
        for number, one in enumerate(METRICS):
            assert results.score(system, number).parts == one.score(own, lines).parts
            assert (
                results.score(system, number).sentences.tolist() == one.score(own, lines).sentences.tolist()
            )
    assert "|refs:1|kind:post-edits|" in results.score("A").signature
    assert results.score("A").signature == results.score("B").signature
    assert set(results.inputs["post-edits"]) == {"A", "B"}


def test_a_selection_keeps_the_post_edits(results: Results) -> None:
    part = results.select([1])
    own = Corpus.from_lists(SOURCES[1:2], POST_EDITS["A"][1:2])
    assert part.score("A").corpus == own
    assert part.score("A").value == METRICS[0].score(own, OUTPUTS["A"][1:2]).value


def test_results_with_post_edits_are_joined(results: Results) -> None:
    parts = [
        Results.compute(results.corpus, {name: OUTPUTS[name]}, METRICS, post_edits=POST_EDITS)
        for name in "AB"
    ]
    joined = Results.joined(parts)
    assert joined.inputs == results.inputs
    assert [joined.score(name).value for name in "AB"] == [results.score(name).value for name in "AB"]
    with pytest.raises(DataError, match="the post-edits of B are not one text per segment"):
        Results.compute(results.corpus, OUTPUTS, METRICS, post_edits={"A": POST_EDITS["A"]})


def test_first_passes_see_the_post_edits() -> None:
    one = metric("cleme:tagger=embedded")
    found = Results.compute(Corpus.from_lists(SOURCES), OUTPUTS, [one], post_edits=POST_EDITS)
    for system, lines in OUTPUTS.items():
        own = Corpus.from_lists(SOURCES, POST_EDITS[system])
        assert found.score(system).value == one.score(own, lines).value


def test_weights_of_systems_need_one_reference_for_all() -> None:
    corpus = Corpus.from_lists(SOURCES)
    weighted, plain = (metric(f"gotoscorer:tagger=embedded,weights={name}") for name in ("systems", "none"))
    rewritten = ["He walks daily .", *POST_EDITS["A"][1:]]  # an edit of several words is one chunk
    with pytest.raises(DataError, match="one reference for all systems"):
        Results.compute(corpus, OUTPUTS, [weighted], post_edits=POST_EDITS | {"A": rewritten})
    results = Results.compute(corpus, OUTPUTS, [plain], post_edits=POST_EDITS)
    own = Corpus.from_lists(SOURCES, POST_EDITS["A"])
    assert results.score("A").value == plain.score(own, OUTPUTS["A"]).value


def test_unmatched_edits_that_were_kept_are_counted(results: Results) -> None:
    a, b = unmatched_edits(results).systems
    # A: goes, has are matched; `the` before school was removed again, `each` and `the` dog were kept
    assert (a.matched, a.matched_kept, a.unmatched, a.unmatched_kept) == (2, 2, 3, 2)
    # B: `a` cat is matched and kept; `are` was changed back
    assert (b.matched, b.matched_kept, b.unmatched, b.unmatched_kept) == (1, 1, 1, 0)
    assert (a.edits, a.kept) == (5, 4)
    plain = Results.compute(Corpus.from_lists(SOURCES, REFERENCES), OUTPUTS, METRICS[:1])
    with pytest.raises(DataError, match="no post-edits"):
        unmatched_edits(plain)


@pytest.mark.parametrize(
    ("edit", "post_edit", "expected"),
    [
        (Edit(1, 2, "x", "R"), "a x c d", True),
        (Edit(1, 2, "x", "R"), "a y c d", False),
        (Edit(1, 2, "x", "R"), "a x z d", True),  # the word beside it was changed
        (Edit(1, 2, "x y", "R"), "a x q y c d", False),  # something was put inside
        (Edit(1, 2, "x", "R"), "a q x c d", True),  # or before it
        (Edit(1, 2, "", "U"), "a c d", True),
        (Edit(1, 2, "", "U"), "a b c d", False),
        (Edit(1, 2, "", "U"), "e c d", True),
        (Edit(2, 2, "x", "M"), "a b c d", False),
        (Edit(2, 3, "", "U"), "a x y d", True),  # what stands before the gap was changed, not the gap
        (Edit(2, 3, "", "U"), "a x", False),  # a change across the gap
    ],
)
def test_an_edit_is_kept_if_what_it_wrote_stays(edit: Edit, post_edit: str, expected: bool) -> None:
    assert kept(["a", "b", "c", "d"], [edit], post_edit) == [expected]


@settings(deadline=None, max_examples=100)
@given(st.lists(st.sampled_from("abcd"), max_size=8), st.lists(st.sampled_from("abcd"), max_size=8))
def test_an_output_that_nobody_changes_keeps_all_its_edits(source: list[str], output: list[str]) -> None:
    edits = [Edit(*span, "R") for span in levenshtein_edits(source, output)]
    assert " ".join(apply_edits(source, [(e.start, e.end, e.correction) for e in edits])) == " ".join(output)
    assert all(kept(source, edits, " ".join(output)))


def _write(folder: Path) -> list[str]:
    files = {"s.txt": SOURCES, "r.txt": REFERENCES, "A.txt": OUTPUTS["A"], "B.txt": OUTPUTS["B"]}
    files |= {f"{name}.post": lines for name, lines in POST_EDITS.items()}
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return ["score", "--source", "s.txt", "--hyp", "A.txt", "B.txt", "--post-edits", "A.post", "B.post"]


def test_the_command_line_in_memory_and_as_a_stream(run: Callable, tmp_path: Path, results: Results) -> None:
    command = [*_write(tmp_path), "--metric", "gleu", "-f", "tsv"]
    whole = run(*command, "--ref", "r.txt")
    assert whole.returncode == 0, whole.stderr
    first, second = whole.stdout.split("\n\n")[:2]
    assert f"{results.score('A').value:.10f}"[:8] in first
    assert "A\t5\t2\t3\t2\t" in second
    streamed = run(*command, "--stream")
    assert streamed.returncode == 0, streamed.stderr
    assert streamed.stdout.split("\n\n")[0].splitlines()[:3] == first.splitlines()[:3]


def test_wrong_numbers_of_post_edits_are_errors(run: Callable, tmp_path: Path) -> None:
    command = _write(tmp_path)
    done = run(*command[:-1], "--metric", "gleu")
    assert done.returncode == 2
    assert "1 files of post-edits for 2 systems" in done.stderr
    (tmp_path / "B.post").write_text("one line\n")
    done = run(*command, "--metric", "gleu")
    assert done.returncode == 1
    assert "B.post:2: 1 line, but s.txt has 3" in done.stderr
    done = run(*_write(tmp_path), "--metric", "m2", "--by", "type")
    assert done.returncode == 2
    assert "leave out --post-edits" in done.stderr
