"""Every command and every Python snippet of the documentation runs, on files under the pages' names.

`<!-- not run: reason -->` above a block exempts it; the exemptions are counted.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import click
import pytest

from docs_world import ROOT, make_world, shell_environment

sys.path.insert(0, str(ROOT / "tools" / "docs"))

from fences import RUN, Fence, fences
from running import Runner

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
TRAINING = ROOT / "docs" / "tutorials" / "5-train-a-corrector.md"
PAGES = [
    page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if page not in TUTORIALS
]


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def to_run(page: Path) -> list[Fence]:
    return [each for each in fences(text_of(page)) if each.language in RUN and not each.not_run]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    make_world(folder)
    return folder


def run_page(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in shell_environment(folder).items():
        monkeypatch.setenv(name, value)
    runner = Runner(folder)
    for fence in to_run(page):
        runner.run(fence)


@pytest.mark.parametrize("page", [page for page in PAGES if to_run(page)], ids=name_of)
def test_the_snippets_of_a_page_run(
    page: Path, world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "world"
    if page == ROOT / "docs" / "index.md":  # begins with an empty folder
        folder.mkdir()
    if not folder.exists():
        shutil.copytree(world, folder)
    run_page(page, folder, monkeypatch)


@pytest.mark.parametrize("page", [page for page in TUTORIALS if page != TRAINING], ids=name_of)
def test_the_tutorials_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(page, tmp_path, monkeypatch)


@pytest.mark.needs("torch", "sentencepiece")
def test_the_tutorial_of_training_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(TRAINING, tmp_path, monkeypatch)


def test_commands_stand_in_blocks_that_are_run() -> None:
    """A block without a language would not be executed, so none may hold a command."""
    hidden = [
        f"{name_of(page)}:{each.line}"
        for page in [*PAGES, *TUTORIALS]
        for each in fences(text_of(page))
        if each.language not in RUN
        and re.search(r"^(\$ )?(errata|pip|python|make) ", each.text, re.MULTILINE)
    ]
    assert hidden == []


def commands_in_text() -> list[tuple[str, str]]:
    """(place, command) of the commands between back-quotes, outside blocks."""
    found = []
    for page in [*PAGES, *TUTORIALS]:
        prose = re.sub(r"^```.*?^```", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
        for command in re.findall(r"`(errata [^`]*)`", prose):
            found.append((name_of(page), " ".join(command.split())))
    return found


def test_commands_in_the_text_name_verbs_and_options_that_exist() -> None:
    from errata.cli import cli

    wrong = []
    for place, command in commands_in_text():
        known: click.Command = cli
        context = click.Context(cli)
        for word in command.split()[1:]:
            if isinstance(known, click.Group) and not word.startswith("-") and word != "…":
                inner = known.get_command(context, word)
                if inner is not None:
                    known = inner
                elif known is cli and re.fullmatch(r"[a-z]+", word):
                    wrong.append(f"{place}: {command}: no verb {word}")
            option = re.match(r"--[a-z][a-z-]+", word)
            if option and known.name != "compat" and "compat" not in command:
                names = {name for each in known.params for name in [*each.opts, *each.secondary_opts]}
                if isinstance(
                    known, click.Group
                ):  # `errata meta --human …` stands for `errata meta evaluate`
                    names |= {
                        name
                        for sub in known.list_commands(context)
                        for each in known.get_command(context, sub).params
                        for name in each.opts
                    }
                if option[0] not in names | {"--help", "--version"}:
                    wrong.append(f"{place}: {command}: no option {option[0]}")
    assert wrong == []
