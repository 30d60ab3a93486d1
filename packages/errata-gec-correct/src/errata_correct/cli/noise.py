"""`errata noise`"""

from __future__ import annotations

import click

from errata.cli.commands import Commands, OutputPath
from errata.cli.options import (
    Number,
    NumberRange,
    emit,
    engine_options,
    format_option,
    jobs_option,
    note,
    progress,
    quiet_option,
    seed_option,
)


@click.group(cls=Commands)
def command() -> None:
    """Make synthetic errors, with a profile of annotated text or with a trained network."""


@command.command()
@click.argument("corpus", type=click.Path())
@click.option("--profile", "-p", required=True, type=OutputPath(), help="Profile to write (JSON).")
@format_option
def estimate(corpus: str, profile: str, format_: str, output: str) -> None:
    """Estimate the frequencies of errors in an M2 corpus."""
    from errata.corpus.m2 import read_m2
    from errata_correct.profile import estimate as estimate_profile
    from errata_correct.profile import pairs_of

    estimated = estimate_profile(pairs_of(read_m2(corpus)))
    estimated.save(profile)
    emit(estimated.table(), format_, output)


@command.command(short_help="Put errors into clean text, line by line.")
@click.argument("text", default="-", type=click.Path())
@click.option("--profile", "-p", type=click.Path(), help="Profile of errors; without one, uniform rates.")
@click.option("--strength", type=NumberRange(0, 16), default=1.0, show_default=True, help="1: as estimated.")
@click.option(
    "--aspect", "aspects", multiple=True, metavar="NAME=FACTOR", help="Multiply one aspect: casing=0."
)
@click.option("--words", type=click.Path(), help="Word list with the confusions, for uniform rates.")
@click.option("--tokenized", is_flag=True, help="The text has blanks between its tokens.")
@click.option("--output", "-o", type=OutputPath(), default="-", help="File to write to; - is stdout.")
@seed_option
@jobs_option
@engine_options
@quiet_option
def apply(
    text: str, profile: str | None, strength: float, aspects: tuple[str, ...], words: str | None,
    tokenized: bool, output: str, seed: int, jobs: int, engine_name: str, address: str | None, quiet: bool,
) -> None:  # fmt: skip
    """Put errors into clean text (- is stdin), line by line; the result depends only on the seed.

    TEXT may also be a URL, or a quoted pattern of several files.
    """
    from errata.corpus.blocks import rewrite
    from errata.corpus.files import read_lines
    from errata.engine import open_executor
    from errata_correct.line_work import Damage
    from errata_correct.noise import Rates
    from errata_correct.profile import Profile

    factors: dict[str, float] = {}
    for aspect in aspects:
        name, _, factor = aspect.partition("=")
        try:
            factors[name] = Number().convert(factor, None, None)
        except click.BadParameter:
            raise click.BadParameter(f"{aspect!r} is not NAME=FACTOR", param_hint="--aspect") from None
    if profile is not None:
        noise = Profile.load(profile).noise(strength, factors, tokenized=tokenized)
    else:
        noise = Rates().noise(read_lines(words) if words else [], strength, tokenized=tokenized)
    executors = open_executor(engine_name, jobs=jobs, address=address)
    with executors as executor, progress(None, "making errors", quiet) as advance:
        rewrite(text, output, Damage(noise, seed), executor, advance, note)


@command.command(short_help="Put errors into clean text with a trained network.")
@click.argument("texts", nargs=-1, required=True, type=click.Path())
@click.option(
    "--model", "-m", required=True, type=click.Path(file_okay=False),
    help="Folder of a model trained with `reversed = true` in its recipe.",
)  # fmt: skip
@click.option(
    "--times", type=click.IntRange(1, 100), default=1, show_default=True,
    help="Number of versions of each sentence.",
)  # fmt: skip
@click.option(
    "--temperature", type=NumberRange(0.1, 4), default=1.0, show_default=True,
    help="A higher value gives more unusual errors.",
)  # fmt: skip
@click.option(
    "--output", "-o", type=OutputPath(), default="-", help="TSV of source and correction; - is stdout."
)
@seed_option
@quiet_option
def sample(
    texts: tuple[str, ...], model: str, times: int, temperature: float, output: str, seed: int, quiet: bool
) -> None:
    """Rewrite clean sentences with the errors of a network, for `authentic` in a recipe.

    The texts are tokenised, one sentence per line. A sentence may stay unchanged, as in the data that the
    network was trained on. Use a GPU for large texts.
    """
    from errata.corpus.files import open_output, read_lines
    from errata.errors import needs_extra

    with needs_extra("sampling errors", "torch", "errata-gec-correct"):
        from errata_correct.transformer.error_sampling import sampled_pairs
    clean = [" ".join(line.split()) for path in texts for line in read_lines(path) if line.strip()] * times
    written = changed = 0
    with progress(len(clean), "sampling errors", quiet) as advance, open_output(output) as file:
        for source, target in sampled_pairs(model, clean, seed, temperature):
            file.write(f"{source}\t{target}\n")
            written, changed = written + 1, changed + (source != target)
            advance(1)
    if not quiet:
        note(f"{written:,} pairs of {len(clean):,} sentences, {changed:,} with errors")
