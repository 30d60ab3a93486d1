"""`errata task codabench`"""

from __future__ import annotations

import click


@click.command()
@click.argument("given", metavar="TASK.TOML|BUNDLE.ZIP")
@click.argument("made", metavar="BUNDLE.ZIP|FOLDER")
@click.option(
    "--image", default="errata-gec", show_default=True, help="Docker image with errata that scores there."
)
def command(given: str, made: str, image: str) -> None:
    """Write the settings of a task as a bundle for Codabench, or make settings from a bundle.

    The scoring program in the bundle calls errata: it gives the numbers of `errata score`. A team then
    submits a zip archive with a file TRACK.txt for each track.

    \b
    errata task codabench task.toml bundle.zip
    errata task codabench bundle.zip folder      # then: errata task new folder/task.toml task.db
    """
    if given.lower().endswith(".zip"):
        from errata.task.codabench_reading import read_bundle

        path = read_bundle(given, made)
        click.echo(f"{path}: check tracks and metrics, then errata task new {path} task.db", err=True)
        return
    from errata.task.codabench import write_bundle
    from errata.task.settings import read_settings

    write_bundle(read_settings(given), made, image)
    click.echo(f"{made}: upload it to Codabench under Management, Competitions", err=True)
