"""Shell completion of metrics, benchmarks and files (see `errata setup completion`)."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import Any, TypeAlias

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

Items: TypeAlias = "list[CompletionItem[str]]"  # a text: before click 8.2 it had no parameter
_BREAKS = ":="  # characters at which bash begins a new word


def complete_metrics(context: click.Context, parameter: click.Parameter, incomplete: str) -> Items:
    """Names of metrics, their parameters after a colon, and the values of these; commas separate all."""
    before, comma, last = incomplete.rpartition(",")
    prefix = before + comma
    if ":" not in last:
        current = before.rpartition(":")[0].rpartition(",")[2]  # a metric that has parameters already
        return _starting(prefix, last, _metric_names() + _parameters(current, ""))
    name, _, settings = last.partition(":")
    return _starting(f"{prefix}{name}:", settings, _parameters(name, settings))


def complete_benchmarks(context: click.Context, parameter: click.Parameter, incomplete: str) -> Items:
    """Names of benchmarks for correctors."""
    from errata.data.benchmarks import benchmarks

    return _starting("", incomplete, [(each.name, each.title) for each in benchmarks().values()])


def complete_judged(context: click.Context, parameter: click.Parameter, incomplete: str) -> Items:
    """Names of benchmarks for metrics."""
    from errata.data.benchmarks import judged_benchmarks

    names = [(each.name, each.title) for each in judged_benchmarks().values()]
    return _starting("", incomplete, [*names, ("all", "")])


def _starting(prefix: str, start: str, names: list[tuple[str, str]]) -> Items:
    return [CompletionItem(prefix + name, help=text) for name, text in names if name.startswith(start)]


def _metric_names() -> list[tuple[str, str]]:
    from errata.metrics.catalogue import names_of_metrics

    return [(name, "") for name in names_of_metrics()]


def _parameters(name: str, start: str) -> list[tuple[str, str]]:
    """`beta=` for every parameter of a metric; `variant=code` for parameters with fixed values."""
    from errata.errors import ErrataError
    from errata.metrics import metric_class
    from errata.metrics.catalogue import choices

    try:
        metric = metric_class(name)
    except ErrataError:
        return []
    if "=" not in start:
        return [(f"{field.name}=", f"default {field.default}") for field in fields(metric)]
    chosen = start.partition("=")[0]
    if chosen not in (field.name for field in fields(metric)):
        return []
    return [(f"{chosen}={value}", "") for value in choices(metric, chosen)]


class _WithFiles(ShellComplete):
    """Offers files if there is no other completion."""

    def get_completions(self, args: list[str], incomplete: str) -> Items:
        items = super().get_completions(args, incomplete)
        if not items and not incomplete.startswith("-"):
            return [CompletionItem(incomplete, type="file")]
        return items


class Bash(_WithFiles, BashComplete):
    """Bash, whose words end at colons and equals signs."""

    source_template = BashComplete.source_template.replace(
        "COMP_CWORD=$COMP_CWORD", 'COMP_CWORD=$COMP_CWORD COMP_LINE="$COMP_LINE" COMP_POINT=$COMP_POINT'
    ).replace(
        "    return 0\n",
        "    [[ ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace\n\n    return 0\n",
    )
    _prefix = ""  # the part of the last word that bash counts as separate words

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_LINE"][: int(os.environ["COMP_POINT"])]
        words = split_arg_string(line)
        if line[-1:].isspace():
            words.append("")
        last = max(words[-1].rfind(sign) for sign in _BREAKS)
        self._prefix = words[-1][: last + 1]
        return words[1:-1], words[-1]

    def format_completion(self, item: CompletionItem[Any]) -> str:
        return f"{item.type},{item.value.removeprefix(self._prefix)}"


class Zsh(_WithFiles, ZshComplete):
    """Zsh."""


class Fish(_WithFiles, FishComplete):
    """Fish; values may have commas."""

    source_template = FishComplete.source_template.replace('string split ","', 'string split -m 1 ","')


for _shell in (Bash, Zsh, Fish):
    add_completion_class(_shell)
