"""The report's data, its escaping, its server, the verbs around it, and what notebooks show."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata import sample
from errata.corpus.model import Corpus, Outputs
from errata.errors import DataError, MissingExtraError
from errata.human.judgment_files import read_judgments
from errata.human.judgments import JudgedItem, Judgments, LineRanks, line_numbers, ranks_by_line
from errata.human.rankings import rank_systems
from errata.meta.breakdowns import mark_edits
from errata.meta.evaluation import Evaluation
from errata.meta.sensitivity import annotator_sets, reference_curve
from errata.metrics import metric
from errata.metrics.m2_edits import count_edits
from errata.metrics.results import Results
from errata.report.explanations import explanation_text
from errata.report.figures import FIGURES, figure_named
from errata.report.page import build_report, to_json
from errata.report.report_data import Heading, chunk_count, report_data, sentence_chunk, sentence_index
from errata.significance.compare import Plan, compare
from errata.significance.correlations import regression
from errata.tables import Column, Estimate, Table

RANKINGS = sample.folder("en") / "rankings.xml"


@pytest.fixture(scope="module")
def results() -> Results:
    made = sample.load("en")
    return Results.compute(made.corpus, made.outputs, [metric(name) for name in ("m2", "gleu", "ter")])


def blocks(page: str) -> dict[str, Any]:
    """The data in a page, by the names of its blocks."""
    found = re.findall(r'<script type="application/json" id="data-([\w-]+)">(.*?)</script>', page, re.S)
    return {name: json.loads(text) for name, text in found}


def quick(results: Results, judgments: Judgments | None = None) -> Evaluation:
    """An evaluation with a small bootstrap."""
    return Evaluation(results, judgments, Plan("bootstrap", samples=100, correction="bh"))


# -- what is computed for it ------------------------------------------------------------------------


def test_marked_edits_add_up_to_the_counts_of_the_scorer(results: Results) -> None:
    marked = mark_edits(results)
    assert marked is not None
    for system in results.systems:
        sentences = results.score(system, 0).sentences
        assert [view.f for view in marked[system]] == pytest.approx(sentences.tolist())
        counts = count_edits(marked[system])
        assert counts.edits == sum(view.proposed for view in marked[system])
        assert counts.wrong == counts.edits - sum(
            bool(e.matched) for view in marked[system] for e in view.edits
        )
        assert counts.correct + counts.missed == sum(view.gold_count for view in marked[system])


def test_edits_are_marked_without_m2_among_the_metrics(results: Results) -> None:
    assert results.corpus is not None
    assert results.outputs is not None
    other = Results.compute(results.corpus, results.outputs, [metric("gleu")])
    assert mark_edits(other) == mark_edits(results)


def test_more_references_end_at_the_score_with_all(results: Results) -> None:
    assert results.corpus is not None
    assert results.outputs is not None
    scores = [results.score(system, 0).value for system in results.systems]

    def curve_of(**known: Any) -> Any:
        return reference_curve(
            metric("m2"), results.corpus, results.outputs, choose="annotators", draws=5, **known
        ).scores

    curve = curve_of()
    assert curve[-1].tolist() == pytest.approx(scores)
    assert (curve[0] <= curve[1] + 1e-9).all()
    np.testing.assert_array_equal(curve_of(full=np.array(scores)), curve)


@given(st.integers(1, 12), st.integers(1, 6))
def test_sets_of_annotators_are_distinct_and_of_their_size(count: int, most: int) -> None:
    for size, sets in enumerate(annotator_sets(tuple(range(count)), most=most), start=1):
        assert 1 <= len(sets) <= most
        assert len(set(sets)) == len(sets)
        assert all(len(set(chosen)) == size for chosen in sets)


def test_regression_has_the_residuals_of_statsmodels() -> None:
    from statsmodels import api as sm

    generator = np.random.default_rng(3)
    x = generator.random(13)
    y = 2 * x + generator.normal(0, 0.1, 13)
    y[4] += 2
    ours = regression(x, y)
    assert ours is not None
    theirs = sm.OLS(y, sm.add_constant(x)).fit()
    assert [ours.intercept, ours.slope] == pytest.approx(theirs.params.tolist())
    expected = theirs.get_influence().resid_studentized_external
    assert ours.residuals.tolist() == pytest.approx(expected.tolist())
    assert ours.outliers == [4]


def test_regression_of_a_perfect_line_has_no_outliers() -> None:
    line = regression([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
    assert line is not None
    assert line.outliers == []
    assert regression([1, 1, 1, 1], [1, 2, 3, 4]) is None
    assert regression([1, 2, 3], [1, 2, 3]) is None


def test_clusters_part_where_all_above_differ_from_all_below(results: Results) -> None:
    for comparison in compare(results, Plan("bootstrap", samples=300, correction="bh")):
        clusters = comparison.clusters
        assert clusters[0] == 1
        place = {system: k for k, system in enumerate(comparison.systems)}
        for pair in comparison.pairs:
            if pair.decision != "significant":
                assert clusters[place[pair.first]] == clusters[place[pair.second]]
        for k in range(1, len(clusters)):
            across = [p for p in comparison.pairs if place[p.first] < k <= place[p.second]]
            parted = all(pair.decision == "significant" for pair in across)
            assert (clusters[k] != clusters[k - 1]) == parted


@pytest.mark.parametrize("first", [0, 1])
def test_judgments_find_their_lines_from_0_or_1(first: int, results: Results) -> None:
    from dataclasses import replace

    assert results.outputs is not None
    judgments = read_judgments(RANKINGS)
    lines = line_numbers(judgments, results.outputs, len(results))
    base = int(judgments.segments[judgments.segment[0]]) - int(lines[0])
    moved = replace(judgments, segments=tuple(str(int(s) - base + first) for s in judgments.segments))
    assert (line_numbers(moved, results.outputs, len(results)) == lines).all()


def test_a_line_has_the_ranks_of_two_systems_at_least() -> None:
    outputs = {"A": ["a", "b", "c"], "B": ["x", "b", "z"], "C": ["p", "q", "c"]}
    items = [
        JudgedItem("ann", "0", (("A",), ("B",)), (1, 2)),
        JudgedItem("bob", "0", (("C",), ("other",)), (1, 2)),  # only one of the systems is here
        JudgedItem("bob", "1", (("A", "B"), ("C",)), (2, 1)),
    ]
    found = ranks_by_line(Judgments.from_items(items), outputs, 3)
    assert found == {
        0: [LineRanks("ann", ((0, 1), (1, 2)))],
        1: [LineRanks("bob", ((0, 2), (1, 2), (2, 1)))],
    }


def test_judgments_of_named_segments_are_an_error_that_says_so(results: Results) -> None:
    from dataclasses import replace

    assert results.outputs is not None
    judgments = read_judgments(RANKINGS)
    named = replace(judgments, segments=tuple("s" + name for name in judgments.segments))
    with pytest.raises(DataError, match="do not name segments by number"):
        line_numbers(named, results.outputs, len(results))


# -- the page ---------------------------------------------------------------------------------------


def test_the_data_are_the_scores(results: Results) -> None:
    data = report_data(quick(results), Heading())
    for number in range(3):
        scores = [results.score(system, number).value for system in results.systems]
        assert data["board"][number]["scores"] == scores  # to the last digit
        board = data["board"][number]
        assert all(low <= high for low, high in zip(board["low"], board["high"], strict=True))
    plane = data["planes"][0]
    at = plane["betas"].index(plane["beta"])
    assert [row[at] for row in plane["sweep"]] == data["board"][0]["scores"]
    assert [group["label"] for group in data["groups"]] == ["document", "domain"]


def test_the_explorer_gets_every_sentence_and_output_back(results: Results) -> None:
    assert results.outputs is not None
    marked = mark_edits(results)
    records = [r for k in range(chunk_count(results)) for r in sentence_chunk(results, marked, k)]
    assert len(records) == len(results)
    for number, lines in enumerate(results.outputs.values()):
        for record, line in zip(records, lines, strict=True):
            tokens, output = record["s"].split(), record["o"][record["of"][number]]
            for start, end, text, *_ in reversed(output["e"]):
                tokens[start:end] = text.split()
            assert tokens == line.split()


def test_the_index_keeps_scores_in_full_precision(results: Results) -> None:
    import base64

    index = sentence_index(Evaluation(results))
    for number, packed in enumerate(index["scores"]):
        values = np.frombuffer(base64.b64decode(packed["values"]), dtype="<f8")
        codes = np.frombuffer(base64.b64decode(packed["codes"]), dtype="<u4" if packed["wide"] else "<u2")
        for system, row in zip(results.systems, codes.reshape(6, -1), strict=True):
            assert values[row].tolist() == results.score(system, number).sentences.tolist()


def test_a_report_is_the_same_for_every_hash_seed(run: Callable[..., Any], tmp_path: Path) -> None:
    place = sample.folder("en")
    inputs = ("--m2", place / "gold.m2", "--hyp", *sorted((place / "systems").glob("*.txt")))
    options = (
        "-m",
        "m2,gleu,errant:tagger=embedded",
        "--human",
        RANKINGS,
        "--samples",
        "100",
        "-o",
        "r.html",
    )
    pages = []
    for seed in ("1", "2"):
        done = run("report", *inputs, *options, PYTHONHASHSEED=seed, SOURCE_DATE_EPOCH="0")
        assert done.returncode == 0, done.stderr
        pages.append((tmp_path / "r.html").read_bytes())
    assert pages[0] == pages[1]


@given(st.text())
def test_json_in_a_page_cannot_end_its_element(text: str) -> None:
    made = to_json([text, {text: 1}])
    assert "<" not in made
    assert json.loads(made) == [text, {text: 1}]


def test_the_page_forbids_everything_but_itself(results: Results) -> None:
    page = build_report(quick(results))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert "connect-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", page)
    assert len(page.encode()) - sum(len(to_json(b)) for b in blocks(page).values()) < 300_000


def test_statistics_alone_make_a_report_without_sentences(
    run: Callable[..., Any], tmp_path: Path, results: Results
) -> None:
    results.save(tmp_path / "stats.npz")
    done = run("report", "--stats", "stats.npz", "-o", "r.html", "--samples", "100")
    assert done.returncode == 0, done.stderr
    found = blocks((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert set(found) == {"report"}
    assert found["report"]["command"] == "errata report --stats stats.npz -o r.html --samples 100"


def test_one_system_and_one_sentence_make_a_report(run: Callable[..., Any], tmp_path: Path) -> None:
    for name, text in (("s", "a b c\n"), ("r", "a b d\n"), ("h", "a b d\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = run("report", "-s", "s", "-r", "r", "-y", "h", "-m", "m2,gleu", "-o", "-")
    assert done.returncode == 0, done.stderr
    assert blocks(done.stdout)["report"]["systems"] == ["h"]


def test_empty_lines_and_other_scripts_do_no_harm(results: Results) -> None:
    texts = ["", "日本 語 です", "עברית כאן", "a" * 3000, "\u202e x"]
    corpus = Corpus.from_lists(texts, [["x"], ["日本 語"], ["עברית"], ["b"], [""]])
    outputs = Outputs({"A": ["", "", "", "", ""], "B": list(reversed(texts))})
    found = blocks(build_report(quick(Results.compute(corpus, outputs, [metric("m2")]))))
    assert [record["s"] for record in found["chunk-0"]] == texts


def test_judgments_of_other_systems_are_an_error(run: Callable[..., Any], tmp_path: Path) -> None:
    place = sample.folder("en")
    done = run(
        "report", "--m2", place / "gold.m2", "--hyp", place / "systems" / "neural.txt",
        "--name", "mine", "--human", RANKINGS,
    )  # fmt: skip
    assert done.returncode == 1
    assert "the judgments are of other systems" in done.stderr
    assert not (tmp_path / "report.html").exists()


def test_the_demo_ends_with_a_report(run: Callable[..., Any], tmp_path: Path) -> None:
    done = run("demo")
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip().endswith(str((tmp_path / "errata-demo.html").resolve()))
    assert "human" in blocks((tmp_path / "errata-demo.html").read_text(encoding="utf-8"))["report"]


@pytest.mark.slow
def test_the_conll_report_is_small(data: Path, results: Results) -> None:
    from errata.corpus.formats import read_corpus, read_outputs

    corpus = read_corpus(data / "conll14" / "test.m2")
    outputs = read_outputs(sorted((data / "conll14" / "systems").glob("*.txt")), corpus)
    judgments = read_judgments(data / "gjg15" / "judgments.xml")
    page = build_report(quick(Results.compute(corpus, outputs, [metric("m2")]), judgments))
    assert len(page.encode()) < 10_000_000
    found = blocks(page)
    assert found["report"]["human"]["systems"][0] == "AMU"
    judged = judgments.filtered()
    assert len(found["index"]["judged"]) == len(set(judged.segment.tolist()))


# -- the server -------------------------------------------------------------------------------------


@pytest.fixture
def address(results: Results) -> Iterator[tuple[str, int]]:
    from errata.report.page import Explorer, serve

    server = serve(Explorer(Evaluation(results), Heading("Sentences")))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield "127.0.0.1", int(server.server_address[1])
    server.shutdown()
    server.server_close()


def get(address: tuple[str, int], path: str, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(*address, timeout=30)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def test_headers_without_end_silent_clients_and_aborts_do_no_harm(
    monkeypatch: pytest.MonkeyPatch, results: Results, capfd: pytest.CaptureFixture[str]
) -> None:
    from errata.report import page

    monkeypatch.setattr(page, "_SECONDS", 1.0)
    server = page.serve(page.Explorer(Evaluation(results), Heading("Sentences")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    place = ("127.0.0.1", int(server.server_address[1]))
    silent = [socket.create_connection(place, timeout=30) for _ in range(page._CONNECTIONS + 10)]
    for client in silent:
        with contextlib.suppress(ConnectionError):
            client.sendall(b"GET / HTTP/1.1\r\n")
    for client in silent:  # the server closes all of them
        with contextlib.suppress(ConnectionError):
            while client.recv(4096):
                pass
        client.close()
    with socket.create_connection(place, timeout=30) as client, contextlib.suppress(ConnectionError):
        client.sendall(b"GET / HTTP/1.1\r\nX-A: ")
        for _ in range(1000):
            client.sendall(b"a" * 65536)
        pytest.fail("a header without end was read")
    with socket.create_connection(place) as client:  # goes away before the answer, with a reset
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert get(place, "/")[0] == 200
    server.shutdown()
    server.server_close()
    assert "Traceback" not in capfd.readouterr().err


def test_the_server_answers_its_own_page_alone(address: tuple[str, int], results: Results) -> None:
    status, page = get(address, "/")
    assert status == 200
    assert set(blocks(page)) == {"report", "index"}
    status, text = get(address, "/chunk/0.json")
    assert json.loads(text) == json.loads(to_json(sentence_chunk(results, mark_edits(results), 0)))
    assert get(address, "/explain?sentence=0&system=1&metric=0")[0] == 200
    for path in ("/chunk/1.json", "/chunk/-1.json", "/chunk/x.json", "/../etc/passwd", "/explain?sentence=99",
                 "/explain?sentence=0&system=9&metric=0", "/chunk/²/.json", "//x",
                 f"/chunk/{'9' * 5000}.json"):  # fmt: skip
        assert get(address, path.replace("²", "%C2%B2"))[0] == 404
    assert get(address, "/", Host="evil.example:80")[0] == 403


def test_every_explanation_of_the_server_is_that_of_the_verb(results: Results) -> None:
    from errata.report.page import Explorer

    assert results.corpus is not None
    assert results.outputs is not None
    some = [metric(name) for name in ("m2", "errant:tagger=embedded", "gleu", "imeasure", "bleu", "ter")]
    computed = Results.compute(results.corpus, results.outputs, some)
    explorer = Explorer(Evaluation(computed), Heading())
    for number, each in enumerate(some):
        lines = ["".join(text for text, _ in line).rstrip() for line in explorer.explanation(7, 1, number)]
        of_the_verb = explanation_text(computed.score(results.systems[1], number).explain(7)).splitlines()
        assert lines[: len(of_the_verb)] == of_the_verb, each.name
        assert len(lines) > len(of_the_verb) + 1


def test_serving_needs_texts(run: Callable[..., Any], tmp_path: Path, results: Results) -> None:
    results.save(tmp_path / "stats.npz")
    done = run("report", "--serve", "--stats", "stats.npz", "--no-open")
    assert done.returncode == 2
    assert "give the texts" in done.stderr


# -- figures and notebooks --------------------------------------------------------------------------


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_drawn(name: str, results: Results, tmp_path: Path) -> None:
    from errata.report.plots import save_figure

    save_figure(figure_named(name, Evaluation(results, read_judgments(RANKINGS))), tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").read_text(encoding="utf-8").count("<path") > 3


def test_plot_names_its_file_and_what_it_lacks(run: Callable[..., Any], tmp_path: Path) -> None:
    from errata.cli.report import FIGURES as DESCRIBED

    assert tuple(FIGURES) == tuple(DESCRIBED)
    place = sample.folder("en")
    inputs = ("--m2", place / "gold.m2", "--hyp", *sorted((place / "systems").glob("*.txt")), "-m", "m2")
    done = run("report", *inputs, "--plot", "beta=b.pdf")
    assert done.returncode == 0, done.stderr
    drawn = (tmp_path / "b.pdf").read_bytes()
    assert drawn.startswith(b"%PDF")
    done = run("report", "--plot", "metrics=b.pdf", *inputs)
    assert done.returncode == 1
    assert "needs at least two" in done.stderr
    assert (tmp_path / "b.pdf").read_bytes() == drawn
    done = run("report", *inputs, "--plot", "scatter")
    assert done.returncode == 1
    assert "--human" in done.stderr


@pytest.mark.parametrize("name", [name for name in FIGURES if name != "ranks"])
def test_missing_data_are_named_before_a_missing_package(
    name: str, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    poor = replace(results.only([metric("gleu")]), corpus=None, outputs=None)
    with pytest.raises(DataError):
        figure_named(name, Evaluation(poor))


def test_tables_become_data_frames() -> None:
    frame = Table([Column("system"), Column("F")], [["A", Estimate(0.5, 0.4, 0.6)], ["B", None]]).to_frame()
    assert list(frame.columns) == ["system", "F", "F_low", "F_high"]
    assert frame["F_low"][0] == 0.4


def test_scores_and_rankings_show_themselves_in_notebooks(results: Results) -> None:
    score = results.score("neural", 0)
    assert f"{score.value:.4f}" in score._repr_html_()
    assert score.signature in score._repr_html_()
    ranking = rank_systems(("<A>", "B"), np.array([[2.0, 1.0]] * 40))
    assert "&lt;A&gt;" in ranking._repr_html_()
    assert score.to_frame().shape == (60, 4)
    assert list(ranking.to_frame()["system"]) == ["<A>", "B"]


def test_a_data_frame_without_pandas_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"errata-gec\[plot\]"):
        Table([Column("a")], [[1]]).to_frame()


def test_the_report_has_the_p_values_and_clusters_of_errata_compare(
    run: Callable[..., Any], results: Results
) -> None:
    folder = sample.folder("en")
    files = [folder / "gold.m2", *(folder / "systems" / f"{name}.txt" for name in results.systems)]
    compared = json.loads(run("compare", *files, "--metric", "m2,gleu", "--full", "--format", "json").stdout)
    page = run("report", *files, "--metric", "m2,gleu", "--no-sentences", "-o", "-").stdout
    boards = blocks(page)["report"]["board"]
    index = {system: k for k, system in enumerate(results.systems)}
    for board, systems, pairs in zip(boards, compared[::3], compared[1::3], strict=True):
        assert board["clusters"] == [
            row["cluster"] for row in sorted(systems["rows"], key=lambda row: index[row["system"]])
        ]
        for row in pairs["rows"]:
            assert board["p"][index[row["system"]]][index[row["against"]]] == row["p (holm)"]


def test_figures_of_a_corpus_need_no_outputs(run: Callable, tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text("S He go home .\nA 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0\n\n")
    drawn = run("report", "gold.m2", "--plot", "types", "--plot", "changes=c.svg")
    assert drawn.returncode == 0, drawn.stderr
    assert "VERB:SVA" in (tmp_path / "types.svg").read_text()
    assert "annotator 1" in (tmp_path / "c.svg").read_text()
    assert run("report", "gold.m2", "--plot", "beta").returncode == 2
