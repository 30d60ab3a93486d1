"""Benchmarks by name: the same numbers as by files, and errors that name the likely cause."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from errata.data.benchmarks import benchmark, benchmarks, judged_benchmarks, likely_cause, select_judged
from errata.data.registry import datasets
from errata.errors import DataError, ErrataError

Run = Callable[..., subprocess.CompletedProcess[str]]


def table(done: subprocess.CompletedProcess[str]) -> dict[str, object]:
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    row: dict[str, object] = (found[0] if isinstance(found, list) else found)["rows"][0]
    return row


def test_every_benchmark_belongs_to_a_known_data_set_and_metric() -> None:
    from errata.metrics import metric

    for each in benchmarks().values():
        assert each.dataset in datasets()
        metric(each.metrics)
        assert bool(each.gold) != bool(each.source and each.references)
        assert isinstance(each.lines, int | None)
        assert all(isinstance(text, str) for text in (each.title, each.cite, each.tokens, each.note))
    for judged in judged_benchmarks().values():
        assert set(judged.datasets) <= set(datasets())
        assert all(isinstance(text, str) for text in (judged.title, judged.cite, judged.note, judged.folder))


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("conll14", ["--m2", "conll14/test.m2"]),
        ("conll14-alt", ["--m2", "conll14/test.withalt.m2"]),
        (
            "conll14-texts",
            ["-s", "conll14/source.txt", "-r", "conll14/refs/nucle0.txt", "conll14/refs/nucle1.txt"],
        ),
    ],
)
def test_numbers_by_name_equal_those_by_files(run: Run, data: Path, name: str, files: list[str]) -> None:
    output = ["--hyp", data / "conll14/systems/AMU.txt", "-f", "json", "-m", "m2,gleu"]
    paths = [data / word if "/" in word else word for word in files]
    by_name = table(run("score", "--benchmark", name, *output, ERRATA_DATA=str(data)))
    assert by_name == table(run("score", *paths, *output))


@pytest.mark.parametrize(
    ("name", "files", "output"),
    [
        (
            "jfleg",
            ["-m", "gleu", "-s", "jfleg/test/test.src", "-r", *(f"jfleg/test/test.ref{i}" for i in range(4))],
            "jfleg/test/test.ref1",
        ),
        ("geccc", ["-m", "m2", "--m2", "geccc/test/sentence.m2"], "geccc/systems/geccc_finetuned.txt"),
    ],
)
def test_a_benchmark_has_the_metric_of_its_papers(
    run: Run, data: Path, name: str, files: list[str], output: str
) -> None:
    paths = [data / word if "/" in word else word for word in files]
    words = ["--hyp", data / output, "-f", "json"]
    by_name = table(run("score", "--benchmark", name, *words, ERRATA_DATA=str(data)))
    assert by_name == table(run("score", *paths, *words))


def test_the_two_origins_of_references_are_told_apart(run: Run, data: Path) -> None:
    """GLEU of AMU is .5833 with the applied edits and .5896 with the released texts."""
    for name, expected in (("conll14", 0.583256), ("conll14-texts", 0.589564)):
        words = ["--benchmark", name, "-m", "gleu", "--hyp", data / "conll14/systems/AMU.txt", "-f", "json"]
        row = table(run("score", *words, ERRATA_DATA=str(data)))
        assert row["gleu.gleu"] == pytest.approx(expected, abs=5e-7)


def test_the_output_has_what_belongs_into_a_paper(run: Run, data: Path) -> None:
    done = run(
        "score", "--benchmark", "conll14", "--hyp", data / "conll14/systems/AMU.txt", ERRATA_DATA=str(data)
    )
    assert "|benchmark:conll14|" in done.stdout
    assert "cite: Ng, Wu, Briscoe" in done.stdout
    assert "0.3501 (M² P 0.4162, M² R 0.2140) on the CoNLL-2014 test set (Ng et al., 2014)." in done.stdout
    assert r"LaTeX: AMU & 0.4162 & 0.2140 & 0.3501 \\" in done.stdout


def test_saved_results_keep_the_name_and_join_those_from_files(run: Run, data: Path, tmp_path: Path) -> None:
    amu, camb = (data / "conll14/systems" / f"{name}.txt" for name in ("AMU", "CAMB"))
    first = run("score", "--benchmark", "conll14", "--hyp", amu, "--save", "a.npz", ERRATA_DATA=str(data))
    second = run("score", "--m2", data / "conll14/test.m2", "-m", "m2", "--hyp", camb, "--save", "b.npz")
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    both = run("score", "--stats", "a.npz", "b.npz")
    assert both.returncode == 0, both.stderr
    assert "|benchmark:conll14|" in both.stdout
    printed = next(line for line in second.stdout.splitlines() if line.startswith("M² F0.5 = "))
    verified = run("score", "--stats", "a.npz", "--verify", printed.removeprefix("M² F0.5 = "))
    assert verified.returncode == 0, verified.stderr


def test_the_output_of_another_benchmark_is_recognised_by_its_length(run: Run, data: Path) -> None:
    done = run(
        "score", "--benchmark", "jfleg", "--hyp", data / "conll14/systems/AMU.txt", ERRATA_DATA=str(data)
    )
    assert done.returncode == 1
    assert "1,312 lines, but the JFLEG test set has 747" in done.stderr
    assert "is it --benchmark conll14?" in done.stderr


def test_lost_lines_are_named(run: Run, data: Path, tmp_path: Path) -> None:
    lines = (data / "conll14/systems/AMU.txt").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "short.txt").write_text("".join(lines[:-3]), "utf-8")
    done = run("score", "--benchmark", "conll14", "--hyp", "short.txt", ERRATA_DATA=str(data))
    assert done.returncode == 1
    assert "lines were lost" in done.stderr


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda lines: [line.replace(" .", ".").replace(" ,", ",") for line in lines], "to be detokenised"),
        (lambda lines: lines[::-1], "resemble another source sentence"),
        (lambda lines: [f"Věta číslo {i} tu je jiná ." for i in range(len(lines))], "same test set"),
    ],
)
def test_outputs_that_do_not_fit_are_scored_with_the_likely_cause(
    run: Run, data: Path, tmp_path: Path, change: Callable[[list[str]], list[str]], cause: str
) -> None:
    lines = (data / "conll14/systems/AMU.txt").read_text("utf-8").splitlines()
    (tmp_path / "mine.txt").write_text("\n".join(change(lines)) + "\n", "utf-8")
    done = run("score", "--benchmark", "conll14", "-m", "exact", "--hyp", "mine.txt", ERRATA_DATA=str(data))
    assert "warning: mine" in done.stderr
    assert cause in done.stderr


def test_the_output_of_another_part_with_as_many_lines_is_not_called_shuffled(
    run: Run, data: Path, tmp_path: Path
) -> None:
    lines = (data / "jfleg/dev/dev.src").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "mine.txt").write_text("".join(lines[:747]), "utf-8")
    done = run("score", "--benchmark", "jfleg", "-m", "exact", "--hyp", "mine.txt", ERRATA_DATA=str(data))
    assert "resemble neither their source sentence nor any other" in done.stderr
    assert "same test set" in done.stderr


def test_likely_causes() -> None:
    conll14 = benchmark("conll14")
    assert "lines were lost" in likely_cause(conll14, 1311)
    assert "too many lines" in likely_cause(conll14, 1313)
    assert "jfleg-dev" in likely_cause(conll14, 754)
    assert "split or joined" in likely_cause(conll14, 5)


def test_a_licence_in_the_way_gives_the_official_address(run: Run, tmp_path: Path) -> None:
    done = run("score", "--benchmark", "bea19-dev", "--hyp", "x.txt", ERRATA_DATA=str(tmp_path))
    assert done.returncode == 1
    assert "https://www.cl.cam.ac.uk/research/nl/bea2019st/" in done.stderr
    assert "errata data add wi-locness FOLDER" in done.stderr


def test_data_that_can_be_fetched_says_so(run: Run, tmp_path: Path) -> None:
    done = run("score", "--benchmark", "jfleg", "--hyp", "x.txt", ERRATA_DATA=str(tmp_path))
    assert done.returncode == 1
    assert "errata data fetch jfleg" in done.stderr


def test_a_copy_with_other_segments_is_refused(run: Run, data: Path, tmp_path: Path) -> None:
    (tmp_path / "data/conll14").mkdir(parents=True)
    blocks = (data / "conll14/test.m2").read_text("utf-8").split("\n\n")
    (tmp_path / "data/conll14/test.m2").write_text("\n\n".join(blocks[:10]) + "\n\n", "utf-8")
    lines = (data / "conll14/source.txt").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "ten.txt").write_text("".join(lines[:10]), "utf-8")
    done = run("score", "--benchmark", "conll14", "--hyp", "ten.txt", ERRATA_DATA=str(tmp_path / "data"))
    assert done.returncode == 1
    assert "this copy of conll14 has 10 segments, not 1,312" in done.stderr


def test_texts_and_a_benchmark_exclude_each_other(run: Run, data: Path) -> None:
    gold = data / "conll14/test.m2"
    done = run("score", "--benchmark", "conll14", "--m2", gold, "--hyp", "x", ERRATA_DATA=str(data))
    assert done.returncode == 2
    assert "has texts and labels of its own" in done.stderr


def test_unknown_names() -> None:
    with pytest.raises(ErrataError, match="errata meta --benchmark seeda"):
        benchmark("seeda")
    with pytest.raises(ErrataError, match=r"did you mean .conll14."):
        benchmark("conll15")
    with pytest.raises(ErrataError, match="one of seeda"):
        select_judged("conll14")


def test_parts_of_a_data_set_by_its_name(data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ERRATA_DATA", str(data))
    assert [each.name for each in select_judged("gmeg")] == ["gmeg-fce"]  # the only part that is here
    monkeypatch.setenv("ERRATA_DATA", str(tmp_path))
    with pytest.raises(DataError, match="errata data fetch gmeg"):
        select_judged("gmeg")


def test_geccc_has_domains(run: Run, data: Path) -> None:
    """M² over all domains and by domain, on the present release of the data (the paper has 72.96)."""
    output = data / "geccc/systems/geccc_finetuned.txt"
    done = run("score", "--benchmark", "geccc", "--hyp", output, "--by", "domain", ERRATA_DATA=str(data))
    assert done.returncode == 0, done.stderr
    assert "0.7320" in done.stdout
    assert [value in done.stdout for value in ("0.7254", "0.7157", "0.7465", "0.7349")] == [True] * 4


def test_a_benchmark_of_several_languages_sets_its_own(run: Run, tmp_path: Path) -> None:
    """The files may lie in any folder of the copy; the rules are those of the benchmark's language."""
    folder = tmp_path / "multigec" / "czech" / "NatForm"
    folder.mkdir(parents=True)
    for kind, text in (("orig", "Dnes je pěkne."), ("ref1", "Dnes je pěkně.")):
        essays = "".join(f"### essay_id = {number}\n{text}\n\n" for number in range(88))
        (folder / f"cs-natform-{kind}-dev.md").write_text(essays, "utf-8")
    output = folder / "cs-natform-ref1-dev.md"
    benchmark_options = ["--benchmark", "multigec-cs-natform", "--hyp", output]
    done = run("score", *benchmark_options, "-f", "json", ERRATA_DATA=str(tmp_path))
    assert done.returncode == 0, done.stderr
    (signature,) = {*json.loads(done.stdout)["signatures"].values()}
    assert "language:cs" in signature
    assert "tagger:embedded:cs-" in signature
    assert benchmark("ua-gec").code == "uk"
    assert benchmark("falko-merlin").code == "de"
