"""`errata setup …`: the official ERRANT, completion for shells, and information about the installation"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import click

from errata.cli import VERBS
from errata.cli.commands import Commands, option
from errata.cli.options import emit, format_option, progress, quiet_option

_EXAMPLE = ("This are gramatical sentence .", "This is a grammatical sentence .")
_TYPES = ["R:VERB:SVA", "M:DET", "R:SPELL"]
SHELLS = ("bash", "zsh", "fish")


@click.group(cls=Commands)
def command() -> None:
    """Show the installation, complete commands in shells, install the official ERRANT."""


@command.command(short_help="Show versions, data folder and extras.")
@format_option
def info(format_: str, output: str) -> None:
    """Show versions, native modules, data folder and installed extras."""
    from errata.data.installation import installation_table

    distributions = sorted({distribution for *_, distribution in VERBS.values()} - {"errata-gec"})
    emit(installation_table(distributions), format_, output)


@command.command(short_help="Complete commands, options and names in a shell.")
@click.argument("shell", type=click.Choice(SHELLS))
@option("--install", is_flag=True, help="Write the script to the folder where the shell finds it.")
def completion(shell: str, install: bool) -> None:
    """Print a script that completes commands, options, metrics and files.

    \b
    errata setup completion bash --install
    eval "$(errata setup completion zsh)"
    """
    from click.shell_completion import get_completion_class

    from errata.cli import cli, shell_completion  # noqa: F401 (registers the shells)
    from errata.corpus.files import open_output

    completion_class = get_completion_class(shell)
    assert completion_class is not None
    script = completion_class(cli, {}, "errata", "_ERRATA_COMPLETE").source()
    if not install:
        click.echo(script, nl=False)
        return
    path = _script_path(shell)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_output(path) as file:
        file.write(script)
    click.echo(f"{path}: it works in every new shell", err=True)
    if shell == "zsh":
        click.echo(
            "  if ~/.zshrc does not have it yet: fpath+=~/.zfunc; autoload -Uz compinit; compinit", err=True
        )


def _script_path(shell: str) -> Path:
    """The file that a shell reads for a command of this name."""
    home = Path.home()
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share")
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return {
        "bash": data / "bash-completion/completions/errata",
        "zsh": home / ".zfunc/_errata",
        "fish": config / "fish/completions/errata.fish",
    }[shell]


@command.command(short_help="Install the official ERRANT for English.")
@option(
    "--from", "wheel", metavar="FILE|URL",
    help="Take the wheel of the pipeline from this file or URL instead of its release page.",
)  # fmt: skip
@option("--sha256", metavar="DIGEST", help="Checksum of that wheel, if errata does not know it.")
@option("--dry-run", is_flag=True, help="Show what would be installed, and install nothing.")
@quiet_option
def errant(wheel: str | None, sha256: str | None, dry_run: bool, quiet: bool) -> None:
    """Install the official ERRANT for English: word list, spaCy and pipeline.

    pip installs errant, spaCy and en_core_web_sm, with its own settings, into the environment of errata.
    The pipeline and the word list are verified by their checksums. Packages that are already installed stay
    as they are.
    """
    from errata.cli.data import steps
    from errata.data import installation

    if sha256 and not wheel:
        raise click.UsageError("--sha256 is the checksum of the wheel that --from FILE|URL names")
    missing = installation.missing_parts()
    for part in installation.PARTS:
        action = (
            "already installed" if part not in missing else "would be installed" if dry_run else "to install"
        )
        source = f" from {wheel or installation.PIPELINE_URL}" if part is installation.PIPELINE else ""
        text = f"{part.requirement}{source}" if part in missing else part.state
        click.echo(f"{part.what}: {action}: {text}")
    if dry_run:
        return
    if missing:
        with progress(None, "installing", quiet) as move:
            advance = partial(steps(move), "wheel")
            installation.install_parts(missing, wheel=wheel, sha256=sha256, advance=advance)
        for part in missing:
            click.echo(f"{part.what}: installed: {part.state}")
    click.echo(f"word list: SHA-256 {installation.check_words()[:12]}… as expected")
    _try_out()
    click.echo("the official ERRANT works: errata score --metric errant")


def _try_out() -> None:
    """Raise an error unless ERRANT with the official settings finds the edits of an example."""
    from errata.errors import ErrataError
    from errata.metrics.edit_metric import extractor

    types = [edit.type for edit in extractor("en", "", "", "rules").extract(*_EXAMPLE)]
    if types != _TYPES:
        raise ErrataError(
            f"everything is installed, but the edits of an example are {', '.join(types) or 'none'} "
            f"instead of {', '.join(_TYPES)}\n"
            "  hint: another version or pipeline may come first on the path: see `errata setup info`"
        )
