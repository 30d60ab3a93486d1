"""`errata train`"""

from __future__ import annotations

import click

from errata.cli.options import quiet_option


@click.command()
@click.argument("recipe", type=click.Path(dir_okay=False))
@click.option("--output", "-o", required=True, type=click.Path(file_okay=False), help="Folder of the model.")
@click.option("--export", is_flag=True, help="Also write it for CTranslate2 (8 bits) into OUTPUT/int8.")
@quiet_option
def command(recipe: str, output: str, export: bool, quiet: bool) -> None:
    """Train a Transformer corrector by a TOML recipe; run it again to go on after a stop."""
    from errata.errors import MissingExtraError

    try:
        from errata.correct.transformer.training import train
    except ImportError:
        raise MissingExtraError("training a Transformer", "torch") from None
    from errata.correct.transformer.recipe import read_recipe

    def report(values: dict[str, float]) -> None:
        if not quiet:
            click.echo("  ".join(f"{name} {value:.4g}" for name, value in values.items()), err=True)

    train(read_recipe(recipe), output, report)
    if export:
        from errata.correct.transformer.export import export as export_model

        export_model(output, f"{output}/int8")
