"""`errata train`"""

from __future__ import annotations

from collections.abc import Callable

import click

from errata.cli.commands import Command, OutputPath
from errata.cli.options import quiet_option


@click.command(cls=Command)
@click.argument("recipe", type=click.Path(dir_okay=False))
@click.option(
    "--output", "-o", required=True, type=OutputPath(file_okay=False, dir_okay=True),
    help="Folder of the model.",
)  # fmt: skip
@click.option(
    "--export", is_flag=True, help="Also write a corrector for CTranslate2 (8 bits) into OUTPUT/int8."
)
@quiet_option
def command(recipe: str, output: str, export: bool, quiet: bool) -> None:
    """Train a Transformer corrector, or a quality estimator, by a TOML recipe.

    A recipe with `kind = "metric"` trains an estimator, which metrics such as `impara:model=OUTPUT` use. To
    continue a stopped run, start it again.
    """
    from errata.errors import needs_extra
    from errata_correct.recipes import kind_of

    def report(values: dict[str, float]) -> None:
        if not quiet:
            click.echo("  ".join(f"{name} {value:.4g}" for name, value in values.items()), err=True)

    if kind_of(recipe) == "metric":
        if export:
            raise click.UsageError("--export is for correctors")
        _train_metric(recipe, output, report)
        return
    with needs_extra("training a Transformer", "torch", "errata-gec-correct"):
        from errata_correct.transformer.training import train
    from errata_correct.transformer.recipe import read_recipe

    train(read_recipe(recipe), output, report)
    if export:
        from errata_correct.transformer.ct2_decoder import export as export_model

        export_model(output, f"{output}/int8")


def _train_metric(recipe: str, output: str, report: Callable[[dict[str, float]], None]) -> None:
    from errata.errors import needs_extra
    from errata_correct.quality_examples import read_recipe

    parsed = read_recipe(recipe)
    with needs_extra("training a quality estimator", "transformers"):
        from errata_correct.quality_training import train
    train(parsed, output, report)
