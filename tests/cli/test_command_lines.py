"""Natural command lines: files without options, suggestions, completion, Ctrl-C."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from errata import sample
from errata.cli.file_roles import FileRoles, sort_files
from errata.errors import one_of

EN = sample.folder("en")
GOLD, RULES, NEURAL = (str(EN / name) for name in ("gold.m2", "systems/rules.txt", "systems/neural.txt"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a gold file, two outputs, and an output in M2."""
    for name, text in {
        "gold.m2": "S a b\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\n\n",
        "gold.dat": "S a b\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\n\n",
        "A.txt": "x b\n",
        "B.txt": "a b\n",
        "C.m2": "S a b\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\n\n",
        "stats.npz": "",
    }.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("files", "options", "expected"),
    [
        (["gold.m2", "A.txt", "B.txt"], {}, FileRoles("gold.m2", ("A.txt", "B.txt"))),
        (["A.txt", "gold.m2"], {}, FileRoles("gold.m2", ("A.txt",))),
        (["gold.dat", "A.txt"], {}, FileRoles("gold.dat", ("A.txt",))),
        (["gold.m2", "C.m2", "A.txt"], {}, FileRoles("gold.m2", ("C.m2", "A.txt"))),
        (["C.m2"], {"complete": True}, FileRoles(None, ("C.m2",))),
        (["A.txt"], {"gold": True}, FileRoles(None, ("A.txt",))),
        (["gold.m2"], {"outputs": True}, FileRoles("gold.m2", ())),
        (["stats.npz"], {}, FileRoles(stats=("stats.npz",))),
        (["gold-*.m2", "out-*.txt"], {}, FileRoles("gold-*.m2", ("out-*.txt",))),
    ],
)
def test_files_are_told_apart_by_their_content(files, options, expected) -> None:
    assert sort_files(files, **options) == expected


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        (["A.txt", "B.txt"], {}, "none of these files has gold edits"),
        (["A.txt", "gold.m2", "C.m2"], {}, "may both be gold edits"),
        (["stats.npz", "A.txt"], {}, "give one or the other"),
        (["gold.m2", "A.txt"], {"outputs": True}, "give one or the other"),
        (["m2", "gold.m2"], {}, "--metric m2"),
    ],
)
def test_files_that_could_be_either_are_refused(files, options, message) -> None:
    with pytest.raises(click.UsageError, match=message):
        sort_files(files, **options)


def test_what_follows_a_file_is_no_metric(run) -> None:
    done = run("score", "--metric", "m2", "gleu", GOLD, "gone.txt")
    assert done.returncode == 1
    assert "gone.txt: cannot read it" in done.stderr


def test_a_command_without_options_equals_the_one_with_them(run) -> None:
    full = run("score", "--m2", GOLD, "--hyp", RULES, NEURAL, "--metric", "m2,gleu", "-f", "tsv").stdout
    assert full.count("\n") == 3
    for args in (
        [GOLD, RULES, NEURAL],
        ["--metric", "m2", "gleu", GOLD, RULES, NEURAL],
        [RULES, NEURAL, GOLD],
    ):
        assert run("score", *args, "-f", "tsv").stdout == full


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--m2", RULES, "--hyp", GOLD], f"--m2 {GOLD} --hyp {RULES}"),
        (["--source", GOLD, "--ref", RULES, "--hyp", RULES], "--source takes text"),
        (["--m2", GOLD, "--hyp", "renamed.txt"], "an output is text"),
        ([GOLD, "wide.txt"], "iconv -f UTF-16 -t UTF-8 wide.txt"),
        ([GOLD, "bare.txt"], "iconv -f UTF-16BE -t UTF-8 bare.txt"),
        (["wide.m2", RULES], "looks like UTF-16LE"),
        ([GOLD, "packed.txt"], "packed.txt: this file is compressed, and its name does not say so"),
        (["packed.m2", RULES], "give it a name that ends in .gz"),
        ([".", RULES], "name a file in this folder"),
    ],
)
def test_what_went_wrong_is_recognised(run, tmp_path: Path, args: list[str], message: str) -> None:
    text = Path(RULES).read_text("utf-8")
    (tmp_path / "renamed.txt").write_bytes(Path(GOLD).read_bytes())
    (tmp_path / "wide.txt").write_text(text, "utf-16")
    (tmp_path / "bare.txt").write_text(text, "utf-16-be")
    (tmp_path / "wide.m2").write_text(Path(GOLD).read_text("utf-8"), "utf-16")
    (tmp_path / "packed.txt").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "packed.m2").write_bytes(gzip.compress(Path(GOLD).read_bytes()))
    done = run("score", *args)
    assert done.returncode == 1
    assert message in done.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-m", "glue"], "did you mean 'gleu'?"),
        (["-m", "m2:betta=1"], "did you mean 'beta'?"),
        (["-m", "gleu:variant=papr"], "did you mean 'paper'?"),
        (["--benchmark", "conl14"], "did you mean 'conll14'?"),
        (["--fail-under", "m2=37"], "did you mean m2=0.37?"),
        (["--fail-under", "ter=0.3"], "ter is not computed"),
        (["answers.json"], "an output is a text file with one sentence per line"),
    ],
)
def test_mistyped_names_are_recognised(run, args: list[str], message: str) -> None:
    done = run("score", GOLD, RULES, *args)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("args", "message"), [(["corpus", "chekc"], "'check'?"), (["meta", "audi"], "'audit'?")]
)
def test_subcommands_are_suggested(run, args: list[str], message: str) -> None:
    done = run(*args)
    assert done.returncode == 2
    assert f"Did you mean {message}" in done.stderr


def test_a_name_like_nothing_gets_the_list() -> None:
    assert one_of("zzz", ["m2", "gleu"]) == "one of m2, gleu"
    assert one_of("M2", ["m2", "gleu"]).startswith("did you mean 'm2'?")


def test_a_file_of_judgments_counts_once(run) -> None:
    done = run("rank", EN / "rankings.xml", EN / "." / "rankings.xml", f"{EN}/../{EN.name}/rankings.xml")
    assert done.returncode == 2
    assert "is given twice: its judgments would count double" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    "args",
    [
        ["compare", GOLD, RULES, NEURAL, "--alpha", "nan"],
        ["compare", GOLD, RULES, NEURAL, "--fail-if-worse", "--p", "nan"],
        ["rank", str(EN / "rankings.xml"), "--level", "nan"],
        ["rank", str(EN / "rankings.xml"), "--min-seconds", "nan"],
        ["noise", "apply", RULES, "--aspect", "casing=nan"],
        ["compat", "errant_compare", "-hyp", GOLD, "-ref", GOLD, "-b", "nan"],
    ],
)
def test_nan_is_no_value_of_an_option(run, args: list[str]) -> None:
    done = run(*args)
    assert done.returncode == 2
    assert "'nan' is not a number" in done.stderr or "'casing=nan' is not NAME=FACTOR" in done.stderr


def test_a_lack_of_memory_is_an_error_without_a_traceback(run) -> None:
    done = run("rank", str(EN / "rankings.xml"), "--runs", 10**15)
    assert done.returncode == 1
    assert done.stderr.startswith("error: not enough memory")


def test_json_is_a_summary_and_json_full_is_complete(run) -> None:
    small = json.loads(run("score", GOLD, RULES, "-f", "json").stdout)
    full = json.loads(run("score", GOLD, RULES, "-f", "json-full").stdout)
    assert small["signatures"]["GLEU"].startswith("gleu|n:4")
    assert small["segments"] == len(full["results"]["statistics"][0]["offsets"]) - 1 == 60
    assert full.pop("results")
    assert small == full


@pytest.fixture
def program(tmp_path: Path) -> dict[str, str]:
    """An environment in which the shell finds `errata`."""
    script = tmp_path / "bin" / "errata"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m errata "$@"\n')
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{script.parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}


COMPLETIONS = [
    ("errata sco", ["score"]),
    ("errata corpus che", ["check"]),
    ("errata score --metric imp", ["impara"]),
    ("errata score --metric m2:be", ["m2:beta="]),
    ("errata score --metric m2,gleu:variant=", ["m2,gleu:variant=code", "m2,gleu:variant=paper"]),
    ("errata score --benchmark jfl", ["jfleg", "jfleg-dev"]),
    ("errata score --hyp A.txt bi", ["bin/"]),
]


@pytest.mark.slow
def test_fish_completes(program, tmp_path: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    lines = "; ".join(f"complete -C '{line}'; echo ==" for line, _ in COMPLETIONS)
    done = subprocess.run(
        ["fish", "-c", f"errata setup completion fish | source; {lines}"],
        env=program, cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    blocks = done.stdout.split("==\n")[:-1]
    found = [[line.split("\t")[0] for line in block.splitlines()] for block in blocks]
    assert found == [expected for _, expected in COMPLETIONS], done.stderr


@pytest.mark.slow
def test_bash_completes(program, tmp_path: Path) -> None:
    """Bash takes what stands before a colon or an equals sign for words of their own."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    script = ['eval "$(errata setup completion bash)"', 'compopt() { echo "files $1 $2"; }']
    for line, _ in COMPLETIONS:
        script.append(
            f"COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=($COMP_LINE); COMPREPLY=()"
        )
        script.append("COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _errata_completion errata")
        script.append('echo "${COMPREPLY[*]}"')
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)], env=program, cwd=tmp_path, capture_output=True, text=True
    )
    found = [line for line in done.stdout.splitlines() if line != "files -o nospace"]
    expected = ["score", "check", "impara", "beta=", "code paper", "jfleg jfleg-dev", "files -o default", ""]
    assert found == expected, done.stderr


def test_zsh_gets_three_lines_per_completion(program, tmp_path: Path) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    script = (
        'autoload -Uz compinit; compinit -u; eval "$(errata setup completion zsh)";'
        "whence -w _errata_completion;"
        "COMP_WORDS='errata score --metric m2:be' COMP_CWORD=3 _ERRATA_COMPLETE=zsh_complete errata"
    )
    done = subprocess.run(["zsh", "-fc", script], env=program, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.replace("\\:", ":").splitlines() == [
        "_errata_completion: function", "plain", "m2:beta=", "default 0.5",
    ], done.stderr  # fmt: skip


def test_completion_is_installed_where_shells_look(run, tmp_path: Path) -> None:
    done = run("setup", "completion", "fish", "--install", HOME=str(tmp_path), XDG_CONFIG_HOME="")
    assert done.returncode == 0, done.stderr
    assert (
        "complete --no-files --command errata"
        in (tmp_path / ".config/fish/completions/errata.fish").read_text()
    )


# Runs errata and presses Ctrl-C, for the whole process group as a terminal does, once a point is reached.
INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background of a shell ignore Ctrl-C
point, done = sys.argv.pop(1), []
def interrupt():
    if not done:
        done.append(point)
        os.killpg(os.getpgrp(), signal.SIGINT)
def hook(event, args):
    if event == point or (event in ("import", "open") and str(args[0]) == point):
        interrupt()
if point == "workers":
    from concurrent.futures import Future
    result = Future.result
    Future.result = lambda future: (interrupt(), result(future))[1]
sys.addaudithook(hook)
from errata.__main__ import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="Windows has no process groups")
@pytest.mark.parametrize(
    "point",
    ["errata.cli", "errata.cli.inputs", "gold.m2", "errata.metrics.score_tables", "workers", "os.rename"],
)
def test_ctrl_c_leaves_a_line_and_nothing_half_written(tmp_path: Path, point: str) -> None:
    """While the program loads, reads, has scored, waits for its workers, and is about to write the output."""
    (tmp_path / "A.txt").write_bytes(Path(RULES).read_bytes())
    (tmp_path / "gold.m2").write_bytes(Path(GOLD).read_bytes())
    command = ["score", "gold.m2", "A.txt", "-m", "m2,ter", "-o", "out.txt"]
    if point == "workers":
        command += ["--stream", "--engine", "processes", "--jobs", "2"]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, point, *command],
        cwd=tmp_path, capture_output=True, text=True, start_new_session=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr.split()) == (130, ["interrupted"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["A.txt", "gold.m2"]
