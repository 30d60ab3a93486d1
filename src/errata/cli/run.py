"""`errata run`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from errata.cli.commands import Command, OutputPath, option, section
from errata.cli.inputs import checked_splitter
from errata.cli.options import (
    NumberRange,
    checked,
    completes,
    emit,
    jobs_option,
    metric_option,
    note,
    progress,
    quiet_option,
)

if TYPE_CHECKING:
    from errata.metrics.base import Metric
    from errata.runner.systems import System

_DIFFERENCE = 0.0005  # of a score, below which the preparation of the answers is not mentioned


@click.command(cls=Command)
@section(
    "Input",
    option(
        "--benchmark", "-b", metavar="NAME", shell_complete=completes("complete_benchmarks"),
        help="Public test set: conll14, jfleg, geccc, …",
    ),
    option("--m2", "gold", metavar="FILE", help="Your own test set, instead of --benchmark."),
)  # fmt: skip
@section(
    "System",
    option(
        "--url", metavar="URL|FILE",
        help="Instead of COMMAND: address of a LanguageTool-compatible server (ending in /v2) or an "
        "OpenAI-compatible one (ending in /v1), or a GGUF file.",
    ),
    option(
        "--model-name", default="", metavar="NAME",
        help="Model of the chat server. ERRATA_API_KEY is its key.",
    ),
    option(
        "--prompt", metavar="TEXT|@FILE",
        help="Prompt of a chat model, with {text} in place of the sentence.",
    ),
    option(
        "--temperature", type=NumberRange(min=0), default=0.0, rare=True, help="Temperature of a chat model.",
    ),
    option(
        "--language", "--lang", metavar="CODE", show_default="that of the benchmark",
        help="Language that LanguageTool checks: en-US, de-DE, …",
    ),
    option(
        "--send", type=click.Choice(["text", "tokens"]), default="text",
        help="What the system reads: text as people write it, or tokens separated by blanks.",
    ),
    option(
        "--batch", type=click.IntRange(min=1), show_default="100, or 1 with --url",
        help="Sentences per call.",
    ),
    option("--parallel", type=click.IntRange(1, 64), default=1, metavar="N", help="Calls at the same time."),
    option(
        "--timeout", type=NumberRange(min=1), default=600.0, rare=True,
        help="Seconds that one call may take.",
    ),
    option(
        "--price", nargs=2, type=NumberRange(min=0), default=(0.0, 0.0), metavar="IN OUT", rare=True,
        help="Prices of a million tokens read and written.",
    ),
    option("--name", default="", metavar="NAME", help="Name of the system in tables and files."),
)  # fmt: skip
@section(
    "System",
    option(
        "--clean/--no-clean", default=True,
        help="Remove what language models add, as `errata corpus clean` does.",
    ),
    option(
        "--retokenize", metavar="NAME", callback=checked(checked_splitter), show_default="penn", rare=True,
        help="Tokenizer for changed text: penn, moses, moses:cs, syntok, characters.",
    ),
)  # fmt: skip
@metric_option("that of the benchmark, or m2")
@jobs_option
@quiet_option
@section(
    "Output",
    option(
        "--output", "-o", required=True, type=OutputPath(file_okay=False, dir_okay=True), metavar="FOLDER",
        help="Folder for answers, output and scores. A run that was stopped continues there.",
    ),
)  # fmt: skip
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND ...]")
def command(
    benchmark: str | None, gold: str | None, url: str | None, model_name: str, prompt: str | None,
    temperature: float, language: str | None, send: str, batch: int | None, parallel: int, timeout: float,
    price: tuple[float, float], name: str, clean: bool, retokenize: str | None, metrics: list[Metric],
    jobs: int, quiet: bool, output: str, arguments: tuple[str, ...],
) -> None:  # fmt: skip
    """Run a system on a benchmark, and score its answers.

    COMMAND reads one sentence per line and writes one line per sentence. Answers are cleaned and get the
    tokens of the benchmark. The folder has the output, the scores and their provenance; `errata report
    FOLDER…` reads it.

    \b
    errata run --benchmark conll14 -o runs/en -- errata correct --model en -
    errata run -b jfleg -o runs/lt --url http://localhost:8081/v2
    errata run -b conll14 -o runs/llm --url http://localhost:8080/v1
    """
    from pathlib import Path

    from errata.data.benchmarks import benchmark as find_benchmark
    from errata.runner.run import run

    if (benchmark is None) == (gold is None):
        raise click.UsageError("give --benchmark NAME, or --m2 FILE")
    if bool(arguments) == bool(url):
        raise click.UsageError("give the system: -- COMMAND, or --url URL")
    entry = None if benchmark is None else find_benchmark(benchmark)
    lines = entry.lines if entry else None
    code = language or (entry.code if entry else "en")
    system = _system(arguments, url, model_name, prompt, temperature, code, timeout)
    with progress(lines, "correcting", quiet) as advance:
        finished = run(
            entry.name if entry else Path(str(gold)), system, output,
            name=name, metrics=metrics or (), send=send, retokenize=retokenize, clean=clean,
            batch=batch, parallel=parallel, price=price, advance=advance,
        )  # fmt: skip
    record = finished.record
    emit(finished.results.table(samples=1000), "table", "-")
    if record["removed"]:
        note("removed from answers: " + ", ".join(f"{kind} {n:,}" for kind, n in record["removed"].items()))
    metric = next(iter(record["scores"]))
    first, *_, last = steps = [*record["steps"].items()]
    if abs(first[1] - last[1]) >= _DIFFERENCE:
        note(f"{metric} of the answers by step: " + ", ".join(f"{step} {score:.4f}" for step, score in steps))
    note(f"{finished.output.parent}: {finished.output.name}, run.json, answers.jsonl")


def _system(
    arguments: tuple[str, ...], url: str | None, model_name: str, prompt: str | None, temperature: float,
    language: str, timeout: float,
) -> System:  # fmt: skip
    """The system that the options describe."""
    from errata.corpus.files import read_bytes
    from errata.models.loading import chat_model
    from errata.runner.systems import PROMPT, ChatSystem, LanguageTool
    from errata.runner.systems import Command as Program

    of_chats = bool(prompt or model_name or temperature)
    if url is None or url.rstrip("/").endswith(("/v2", "/v2/check")):
        if of_chats:
            raise click.UsageError("--prompt, --model-name and --temperature are for chat models")
        return Program(arguments, timeout) if url is None else LanguageTool(url, language, timeout)
    if not url.rstrip("/").endswith(("/v1", ".gguf")):
        raise click.UsageError(
            f"--url {url}: is it LanguageTool or a chat model?\n"
            "  hint: end it in /v2 for LanguageTool, in /v1 for chats, or give a .gguf file"
        )
    if prompt is not None and prompt.startswith("@"):
        prompt = read_bytes(prompt[1:]).decode("utf-8", "replace").rstrip("\n")
    chat = chat_model(url, model=model_name)
    chat.temperature, chat.timeout = temperature, timeout
    return ChatSystem(chat, prompt or PROMPT)
