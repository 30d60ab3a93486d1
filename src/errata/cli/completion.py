"""`errata completion`"""

from __future__ import annotations

import os
from pathlib import Path

import click

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.option("--install", is_flag=True, help="Write the script to where the shell looks for it.")
def command(shell: str, install: bool) -> None:
    """Print a script that completes commands, options, files, metrics, parameters and benchmarks.

    \b
    errata completion bash --install
    eval "$(errata completion zsh)"
    """
    from click.shell_completion import get_completion_class

    from errata.cli import cli, completing  # noqa: F401 (registers the shells)
    from errata.corpus.files import open_output

    found = get_completion_class(shell)
    assert found is not None
    script = found(cli, {}, "errata", "_ERRATA_COMPLETE").source()
    if not install:
        click.echo(script, nl=False)
        return
    path = _place(shell)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_output(path) as file:
        file.write(script)
    click.echo(f"{path}: it works in every new shell", err=True)
    if shell == "zsh":
        click.echo(
            "  if ~/.zshrc does not have it yet: fpath+=~/.zfunc; autoload -Uz compinit; compinit", err=True
        )


def _place(shell: str) -> Path:
    """The file that a shell reads for a command of this name."""
    home = Path.home()
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share")
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return {
        "bash": data / "bash-completion/completions/errata",
        "zsh": home / ".zfunc/_errata",
        "fish": config / "fish/completions/errata.fish",
    }[shell]
