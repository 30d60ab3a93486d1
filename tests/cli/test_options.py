"""Options are checked before anything is read, and help is short, in sections and 80 columns wide."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from errata.cli import VERBS, cli
from errata.cli.commands import SHOW_ALL

MISSING = ["--m2", "missing.m2", "--hyp", "missing.txt"]
SCORED = ["missing.m2", "missing.txt"]

# A command whose files do not exist, and a value that one of its options cannot have.
BAD_VALUES = [
    (["score", *SCORED], "--metric", "nonsense"),
    (["score", *SCORED], "--metric", "m2:beta=q"),
    (["score", *SCORED], "--fail-under", "nonsense"),
    (["score", *SCORED], "--fail-under", "m2=nan"),
    (["score", *SCORED], "--verify", "m2|nonsense"),
    (["score", *SCORED], "--samples", "1"),
    (["score", *SCORED], "--level", "nonsense"),
    (["score", *SCORED], "--format", "nonsense"),
    (["score", *SCORED], "--engine", "nonsense"),
    (["score", *SCORED], "--jobs", "-1"),
    (["score", "missing.txt"], "--benchmark", "nonsense"),
    (["compare", *SCORED], "--plot", "figure.doc"),
    (["compare", *SCORED], "--alpha", "2"),
    (["compare", *SCORED], "--test", "nonsense"),
    (["compare", *SCORED], "--metric", "nonsense"),
    (["report", *SCORED], "--plot", "nonsense"),
    (["report", *SCORED], "--plot", "beta=figure.doc"),
    (["compare", *SCORED], "--correct", "nonsense"),
    (["report", *SCORED], "--metric", "nonsense"),
    (["explain", "m2", *SCORED], "--attribute", "nonsense"),
    (["demo"], "--language", "nonsense"),
    (["rank", "missing.xml"], "--method", "nonsense"),
    (["rank", "missing.xml"], "--plot", "figure.doc"),
    (["rank", "missing.xml"], "--level", "nan"),
    (["rank", *MISSING], "--from-metric", "nonsense"),
    (["judge", "-s", "missing.txt", "-y", "a", "b", "-m", "missing.gguf", "-o", "x"], "--method", "nonsense"),
    (["agree", "missing.xml"], "--method", "nonsense"),
    (["agree", "missing.xml"], "--min-seconds", "nan"),
    (["meta", "--human", "missing.xml", *MISSING], "--method", "nonsense"),
    (["meta", "--human", "missing.xml", *MISSING], "--references", "nonsense"),
    (["meta", "--human", "missing.xml", *MISSING], "--metric", "nonsense"),
    (["meta", "--benchmark", "seeda"], "--metric", "nonsense"),
    (["meta", "benchmark"], "--benchmark", "nonsense"),
    (["meta", "--benchmark", "seeda"], "--plot", "figure.doc"),
    (["meta", "edits"], "--labels", "missing"),
    (["meta", "audit", "--m2", "missing.m2"], "--metric", "nonsense"),
    (["meta", "audit", "--m2", "missing.m2"], "--plot", "figure.doc"),
    (["edits", "extract", "-s", "missing.txt", "-r", "missing.txt"], "--tagger", "nonsense"),
    (["edits", "extract", "-s", "missing.txt", "-r", "missing.txt"], "--language", "nonsense"),
    (["edits", "classify", "missing.m2"], "--words", "nonsense"),
    (["edits", "apply", "missing.m2"], "--annotator", "nonsense"),
    (["edits", "diff", "missing.m2", "missing.m2"], "--top", "-1"),
    (["corpus", "check", "missing.m2"], "--select", "nonsense"),
    (["corpus", "check", "missing.m2"], "--ignore", "nonsense"),
    (["corpus", "stats", "missing.m2"], "--error-rate", "nonsense"),
    (["corpus", "stats", "missing.m2"], "--from", "nonsense"),
    (["corpus", "convert", "missing.m2", "out.m2"], "--to", "nonsense"),
    (["corpus", "split", "missing.m2", "a.m2", "b.m2"], "--sizes", "nonsense"),
    (["corpus", "sample", "missing.m2", "out.m2"], "--size", "nonsense"),
    (["corpus", "tokenize", "missing.txt"], "--tokenizer", "nonsense"),
    (["corpus", "agreement", "missing.txt"], "--missing", "nonsense"),
    (["correct", "missing.txt", "--model", "en"], "--threshold", "2"),
    (["noise", "apply", "missing.txt"], "--aspect", "nonsense"),
    (["campaign", "export", "missing.db"], "--to", "nonsense"),
    (["task", "people", "missing.db", "missing.db"], "--method", "nonsense"),
    (["replicate"], "--data", "missing"),
]


@pytest.mark.parametrize(("command", "option", "value"), BAD_VALUES)
def test_options_are_checked_before_anything_is_read(run, command, option: str, value: str) -> None:
    done = run(*command, option, value)
    assert done.returncode == 2, done.stderr
    assert option in done.stderr.rpartition("Error:")[2]
    assert "missing." not in done.stderr.rpartition("Error:")[2]


def helps(command: click.Command, name: str, parent: click.Context) -> Iterator[tuple[str, str, str]]:
    """The path, the help and the help with all options of a command and its subcommands."""
    texts = []
    for every in (False, True):
        context = click.Context(command, parent, name, **{**command.context_settings, "terminal_width": 80})
        context.meta[SHOW_ALL] = every
        texts.append(command.get_help(context))
    yield (context.command_path, *texts)
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            found = command.get_command(context, sub)
            assert found is not None
            yield from helps(found, sub, context)


@pytest.mark.parametrize("verb", VERBS)
def test_help_is_short_and_fits_80_columns(verb: str) -> None:
    root = click.Context(cli, info_name="errata", help_option_names=["-h", "--help"])
    command = cli.get_command(root, verb)
    assert command is not None
    for path, text, everything in helps(command, verb, root):
        options = [line for line in text.splitlines() if line.startswith("  -")]
        assert len(options) <= 19, path
        for line in (text + "\n" + everything).splitlines():
            assert len(line) <= 80, (path, line)


def test_the_help_of_score_has_sections_and_at_most_18_options(run) -> None:
    text = run("score", "--help").stdout
    assert sum(line.startswith("  -") for line in text.splitlines()) <= 18
    titles = [line for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert titles == ["Input:", "Metrics:", "Statistics:", "Output:", "Other:"]
    assert "--address" not in text
    everything = run("score", "--help-all").stdout
    assert "--address" in everything
    assert "--source" in everything


@pytest.mark.parametrize(
    ("verb", "command"),
    [
        ("plot", "report --plot"),
        ("explore", "report --serve"),
        ("info", "setup info"),
        ("completion", "setup completion"),
    ],
)
def test_verbs_that_are_elsewhere_are_suggested(run, verb: str, command: str) -> None:
    done = run(verb)
    assert done.returncode == 2
    assert f"errata {command}" in done.stderr


def test_metrics_are_listed_with_their_parameters(run) -> None:
    from errata.metrics import METRICS

    listed = run("metrics", "--format", "tsv").stdout.splitlines()
    names = [line.split("\t")[0] for line in listed[1:]]
    assert set(METRICS) <= set(names)
    assert any(line.startswith("m2\t") and "gold edits" in line for line in listed)
    assert "beta\t0.5" in run("metrics", "m2", "--format", "tsv").stdout
    wrong = run("metrics", "nonsense")
    assert wrong.returncode == 2
    assert "there is no metric 'nonsense'" in wrong.stderr
