"""`errata judge`"""

from __future__ import annotations

import click

from errata.cli.commands import ManyValues, OutputPath, option, section
from errata.cli.options import NumberRange, note, progress, quiet_option, seed_option

_METHODS = ("sentence", "edits", "dsgram", "pairwise")


# Options that `errata judge` and `errata meta audit` share.
judging_options = section(
    "Metrics",
    option(
        "--model-name", default="", metavar="NAME",
        help="Model of the server to use. Its key is read from ERRATA_API_KEY.",
    ),
    option(
        "--probabilities", is_flag=True,
        help="Score by the probabilities of all numbers, not by the likeliest one. Not all servers can.",
    ),
    option("--most", type=click.IntRange(min=1), help="Judge only the first N lines."),
)  # fmt: skip


@click.command(cls=ManyValues)
@section(
    "Input",
    option("--source", "-s", required=True, metavar="FILE", help="Source sentences, one per line."),
    option(
        "--hyp", "-y", "hyps", multiple=True, required=True, metavar="FILE",
        help="Outputs of two or more systems.",
    ),
    option(
        "--lines", type=click.Path(dir_okay=False), rare=True,
        help="Judge only the lines whose numbers, counted from 1, are in this file.",
    ),
)  # fmt: skip
@section(
    "Metrics",
    option(
        "--model", "-m", required=True, metavar="URL|FILE",
        help="Address of an OpenAI-compatible server, or a GGUF file.",
    ),
    option(
        "--method", type=click.Choice(_METHODS), default="sentence",
        help="sentence: scores of up to five sentences (LLM-S); edits: of their edits (LLM-E); dsgram: "
        "DSGram's criteria; pairwise: pairs.",
    ),
)  # fmt: skip
@judging_options
@seed_option
@section(
    "Output",
    option(
        "--cache", type=OutputPath(), metavar="FILE",
        help="Keep answers in this file, and use those that are there.",
    ),
    option(
        "--price", nargs=2, type=NumberRange(min=0), default=(0.0, 0.0), metavar="IN OUT", rare=True,
        help="Prices of a million tokens read and written, to show the cost.",
    ),
    option(
        "--to", "form", type=click.Choice(("wmt", "pairwise", "appraise")), default="wmt", metavar="FORMAT",
        help="Format of the judgments:",
    ),
    option(
        "--output", "-o", type=OutputPath(), required=True, metavar="FILE",
        help="File of judgments to write; - is standard output.",
    ),
)  # fmt: skip
@quiet_option
def command(
    source: str, hyps: tuple[str, ...], model: str, model_name: str, method: str, most: int | None,
    lines: str | None, probabilities: bool, cache: str | None, price: tuple[float, float], form: str,
    output: str, seed: int, quiet: bool,
) -> None:  # fmt: skip
    """Let a language model judge the outputs of systems, in the formats of human judgments.

    Every question is asked with the texts in both orders. A malformed answer is requested again.
    `errata rank` and `errata agree` read the result.

    \b
    errata judge -s src.txt -y A.txt B.txt -m http://localhost:8080/v1 -o out.csv
    errata rank out.csv --method trueskill
    """
    from errata.cli.inputs import read_corpus_of
    from errata.corpus.formats import read_outputs
    from errata.human.judgment_files import write_judgments
    from errata.human.model_judges import judge
    from errata.models.chat import CachedChat
    from errata.models.loading import chat_model

    if len(hyps) < 2:
        raise click.UsageError("there is nothing to compare: give --hyp two or more files")
    if probabilities and method == "dsgram":
        raise click.UsageError("--probabilities needs the method sentence, edits or pairwise")
    corpus = read_corpus_of(source, (), None)
    outputs = read_outputs(hyps, corpus)
    numbers = line_numbers(lines, len(corpus)) if lines else list(range(len(corpus)))
    numbers = numbers[:most]
    with CachedChat(chat_model(model, model=model_name), cache) as chat:
        with progress(len(numbers), "judging", quiet) as advance:
            report = judge(
                chat, corpus.sources, outputs, method,
                lines=numbers, probabilities=probabilities, seed=seed, progress=advance,
            )  # fmt: skip
        write_judgments(report.judgments, output, format=form)
    cost = (chat.prompt_tokens * price[0] + chat.answer_tokens * price[1]) / 1e6
    first = f"{report.first_preferred / report.decided:.0%}" if report.decided else "none"
    note(
        f"{report.questions} questions in both orders: {report.inconsistent} depended on the order, and the "
        f"first text won {first} of the decided pairs; {report.skipped} had no valid answer "
        f"({report.invalid} invalid answers); "
        f"{chat.asked} answers are new and {chat.stored} stored; {chat.prompt_tokens:,} tokens read "
        f"and {chat.answer_tokens:,} written" + (f", cost {cost:.4f}" if any(price) else "")
    )


def line_numbers(path: str, count: int) -> list[int]:
    """The lines that a file names, counted from 1, as numbers from 0."""
    from errata.corpus.files import read_lines
    from errata.errors import DataError

    numbers = []
    for number, text in enumerate(read_lines(path), 1):
        if not text.strip().isdecimal() or not 1 <= int(text) <= count:
            hint = f"expected the number of a line, 1 to {count}"
            raise DataError(f"found {text!r}", path=path, line=number, hint=hint)
        numbers.append(int(text) - 1)
    return numbers
