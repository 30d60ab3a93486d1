"""No command replaces a file that it reads: an attack on every output of every command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from errata.cli import cli
from errata.cli.commands import Command, OutputPath

WRITES = re.compile(
    r"\b(write|written|save|draw .* to|keep answers|keep the answers|profile to|folder of the model)"
)
NO_FILES = ("tagger", "words", "metric", "metrics", "benchmark", "benchmarks", "papers", "names")
GOLD = "S a b\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\n\n"


def commands(
    group: click.Group, context: click.Context, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command of the command line, with the words that call it."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            inner = click.Context(command, parent=context, info_name=name)
            yield from commands(command, inner, (*path, name))
        else:
            yield (*path, name), command


ALL = list(commands(cli, click.Context(cli)))
OUTPUTS = [
    pytest.param(path, command, output, id=" ".join((*path, output.name or "")))
    for path, command in ALL
    for output in command.params
    if isinstance(output.type, OutputPath)
]


def test_every_option_that_names_an_output_has_the_type_of_outputs() -> None:
    for path, command in ALL:
        assert isinstance(command, Command) or path[0] == "compat", path
        for parameter in command.params:
            text = (getattr(parameter, "help", "") or "").lower()
            takes_text = isinstance(parameter.type, click.Path | click.types.StringParamType)
            if parameter.name in ("output", "out", "target", "targets", "cache", "save") or (
                takes_text and WRITES.search(text) and parameter.name not in ("suffix", "stats", "files")
            ):
                assert isinstance(parameter.type, OutputPath), (path, parameter.name)


def value_of(parameter: click.Parameter) -> str:
    """A value that the command line accepts for a required parameter."""
    if isinstance(parameter.type, click.Choice):
        return str(next(iter(parameter.type.choices)))
    if isinstance(parameter.type, OutputPath):
        return "other"
    if isinstance(parameter.type, click.Path) and not parameter.type.file_okay:
        return "folder"
    return "1" if isinstance(parameter.type, click.types.IntParamType) else "victim"


def reads_file(parameter: click.Parameter) -> bool:
    if isinstance(parameter.type, OutputPath) or parameter.name in NO_FILES:
        return False
    if isinstance(parameter.type, click.Path):
        return parameter.type.file_okay
    is_text = isinstance(parameter.type, click.types.StringParamType)
    return is_text and (isinstance(parameter, click.Argument) or "file" in str(parameter.help).lower())


@pytest.mark.parametrize(("path", "command", "output"), OUTPUTS)
def test_no_output_replaces_an_input(
    run, tmp_path: Path, path: tuple[str, ...], command: click.Command, output: click.Parameter
) -> None:
    """The same file is given as something that the command reads, and as one of its outputs."""
    readers = [each for each in command.params if reads_file(each)]
    if not readers or not getattr(output.type, "file_okay", True):
        pytest.skip("it reads no file, or writes a folder")
    victim = tmp_path / "victim"
    victim.write_text(GOLD)
    (tmp_path / "folder").mkdir()
    (tmp_path / "victim.svg").symlink_to("victim")
    target = {"plot": "victim.svg", "figures": "beta=victim.svg"}.get(output.name or "", "./victim")
    for reader in readers:
        arguments: list[str] = []
        for each in command.params:
            if each in (output, reader) or each.required:
                value = target if each is output else "victim" if each is reader else value_of(each)
                arguments += [value] if isinstance(each, click.Argument) else [each.opts[0], value]
        done = run(*path, *arguments)
        assert done.returncode == 2, (arguments, done.stderr)
        assert "that this command reads" in done.stderr, (arguments, done.stderr)
        assert victim.read_text() == GOLD


@pytest.mark.parametrize(
    "arguments",
    [
        "corpus convert a.txt b --to text -r b.ref0",
        "corpus sample a.txt b --to text -r b.ref0 -n 1",
        "corpus tokenize a a.txt --suffix .txt",
        "corpus split gold.m2 one.m2 one.m2 --sizes 1/0",
        "corpus clean a.txt a --output new.txt --report ./new.txt",
        "compat m2_to_ixml -in:gold.m2 -out:gold.m2",
        "compat errant_m2 -gold gold.m2 -out gold.m2 --tagger embedded --words embedded",
        "correct -m en in/*.txt -o in/",
        "correct -m en in/ -o in/a.txt",
    ],
)
def test_nor_does_an_output_whose_name_the_command_makes(run, tmp_path: Path, arguments: str) -> None:
    names = {"a.txt": "a b\n", "a": "a b\n", "b.ref0": "x b\n", "gold.m2": GOLD, "in/a.txt": "a b\n"}
    (tmp_path / "in").mkdir()
    for name, text in names.items():
        (tmp_path / name).write_text(text)
    done = run(*arguments.split())
    assert done.returncode in (1, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert re.search("this command reads|given twice|is a directory", done.stderr), done.stderr
    assert {name: (tmp_path / name).read_text() for name in names} == names
    assert not (tmp_path / "new.txt").exists()


def test_a_repair_in_place_still_replaces_its_file(run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b")
    assert run("corpus", "check", "a.txt", "--fix", "--select", "W111").returncode == 0
    assert (tmp_path / "a.txt").read_text() == "a b\n"
