"""A run: sentences go to a system, its answers get the tokens of the sources, and are scored.

The folder of a run has the answers as they came (`answers.jsonl`, from which an interrupted run continues),
the output that was scored (`NAME.txt`), and scores and provenance (`run.json`).
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from errata import __version__
from errata.corpus.answers import clean_answer, matching_lines
from errata.corpus.files import StrPath, open_output
from errata.corpus.formats import read_corpus, read_gold
from errata.corpus.model import Corpus
from errata.corpus.multigec import is_essays
from errata.data.benchmarks import benchmark as find_benchmark
from errata.engine import in_order
from errata.errors import DataError, ErrataError
from errata.meta.human_performance import join_annotators
from errata.metrics.api import OneMetric, as_metric, parse_splitter
from errata.metrics.results import Results
from errata.models.protocols import Answer
from errata.runner.systems import Function, System
from errata.text.projection import Projector
from errata.text.tokenizers import Tokenizer

FILE, _ANSWERS = "run.json", "answers.jsonl"
SEND = ("text", "tokens")
_SHOWN = 60  # characters of a sentence in an error message


@dataclass(frozen=True)
class Run:
    """A finished run: its scores, its provenance, and the file of the output in its folder."""

    results: Results
    record: Mapping[str, Any]
    output: Path


def run(
    benchmark: str | Path | Corpus,
    system: System | Callable[[list[str]], Sequence[str]],
    folder: StrPath,
    *,
    name: str = "",
    metrics: Sequence[OneMetric] = (),
    send: str = "text",
    retokenize: str | None = None,
    clean: bool = True,
    batch: int | None = None,
    parallel: int = 1,
    price: tuple[float, float] = (0.0, 0.0),
    advance: Callable[[int], None] = lambda step: None,
) -> Run:
    """Let a system correct the sources of a benchmark, score its answers, and write everything to a folder.

    `benchmark` is the name of a benchmark, the path of a corpus file, or a corpus. `send` is what the system
    gets: `"text"`, detokenised, whose answers get the tokens of the sources; or `"tokens"`. `retokenize`
    names the tokenizer for changed text, and `clean` removes what language models add. A run that was stopped
    continues: only texts without an answer are sent. `price` is that of a million tokens read and written.
    """
    if send not in SEND:
        raise ErrataError(f"cannot send {send!r}\n  hint: one of {', '.join(SEND)}")
    corpus, where, code, usual = read_benchmark(benchmark)
    if not isinstance(system, System):
        system = Function(system)
    name = re.sub(r"[^\w.+-]+", "_", name or system.name).strip(".") or "system"
    retokenize = retokenize or ("characters" if code in ("zh", "ja") else "penn")
    splitter = parse_splitter(retokenize)
    scored = [*map(as_metric, metrics or usual)]
    sources = [" ".join(source.split()) for source in corpus.sources]
    sent = sources if send == "tokens" else [splitter.detokenize(source.split()) for source in sources]
    folder = Path(folder)
    answers, started = _ask(system, sent, folder / _ANSWERS, batch or system.batch, parallel, advance)
    own_answers = {text: answers[text] for text in sent}
    texts = [own_answers[text].text for text in sent]
    prepared = prepare(sources, sent, texts, splitter if send == "text" else None, clean=clean)
    lines = prepared.lines
    effect = {
        step: Results.compute(corpus, {name: texts}, scored[:1]).score(name).value
        for step, texts in prepared.steps.items()
    }
    results = Results.compute(corpus, {name: lines}, scored)
    results = results.on_benchmark(where["benchmark"]) if "benchmark" in where else results
    tokens = [sum(getattr(answer, kind) for answer in own_answers.values()) for kind in _COUNTS]
    record = {
        "errata": __version__,
        "system": name,
        **where,
        "output": f"{name}.txt",
        "date": started,
        "provenance": system.describe(),
        "sent": send,
        "tokenizer": retokenize,
        "sentences": len(sources),
        "unchanged": sum(map(str.__eq__, lines, sources)),
        "removed": dict(prepared.removed.most_common()),
        "tokens": tokens,
        "cost": (tokens[0] * price[0] + tokens[1] * price[1]) / 1e6,
        "scores": {str(metric): _score(results, name, number) for number, metric in enumerate(scored)},
        "steps": effect,
    }
    with open_output(folder / f"{name}.txt") as file:
        file.writelines(f"{line}\n" for line in lines)
    with open_output(folder / FILE) as file:
        file.write(json.dumps(record, ensure_ascii=False, indent=1) + "\n")
    return Run(results, record, folder / f"{name}.txt")


def read_run(folder: StrPath) -> dict[str, Any]:
    """The scores and the provenance of a run, with the path of its output."""
    path = Path(folder, FILE)
    try:
        record = json.loads(path.read_text("utf-8"))
        texts = [record[key] for key in ("system", "output")]
        texts.append(record.get("benchmark") or record["gold"])
        if not all(isinstance(text, str) for text in texts) or Path(texts[1]).name != texts[1]:
            raise TypeError
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise DataError("not the record of a run", path=path, hint="errata run … writes it") from None
    return {**record, "output": os.fspath(Path(folder, record["output"]))}


def read_benchmark(benchmark: str | Path | Corpus) -> tuple[Corpus, dict[str, str], str, list[OneMetric]]:
    """The corpus, where it comes from, its language, and its usual metrics."""
    where: dict[str, str] = {}
    code, usual = "en", "m2"
    if isinstance(benchmark, Corpus):
        corpus = benchmark
    elif isinstance(benchmark, Path) or os.path.exists(benchmark):
        corpus, where = read_corpus(benchmark), {"gold": os.path.abspath(benchmark)}
    else:
        entry = find_benchmark(benchmark)
        gold, source, references = entry.files()
        corpus = read_gold(gold, source, () if entry.annotators else references)
        if entry.annotators:
            corpus = join_annotators([corpus, *map(read_corpus, references)])
        where, code, usual = {"benchmark": entry.name}, entry.code, entry.metrics
    if not len(corpus) or is_essays(corpus):
        problem = "it has essays, which are not sent" if len(corpus) else "there is no sentence"
        raise DataError(problem, path=where.get("gold"), hint="give a corpus with sentences")
    return corpus, where, code, [*usual.split(",")]


def _score(results: Results, name: str, number: int) -> dict[str, Any]:
    score = results.score(name, number)
    interval = results.interval(name, number)
    return {"score": score.value, "interval": [*interval], "signature": score.signature}


# -- answers --------------------------------------------------------------------------------------------

_COUNTS = ("prompt_tokens", "answer_tokens")


def _ask(
    system: System, texts: Sequence[str], path: Path, size: int, parallel: int, advance: Callable[[int], None]
) -> tuple[dict[str, Answer], str]:
    """The answer to every text, from the file or from the system, and when the run began.

    Every batch is on the disk before the next one is sent.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    header, answers = _stored(path)
    description = system.describe()
    old: dict[str, Any] = {} if header is None else header["system"]
    if header is not None and old != description and not answers:  # it never answered: a mistake, mended
        path.unlink()
        header = None
    if header is not None and old != description:
        keys = [key for key in sorted({**description, **old}) if description.get(key) != old.get(key)]
        raise DataError(
            f"these are answers of another run: {', '.join(keys)} differs",
            path=path,
            hint="take another folder",
        )
    started = datetime.now(timezone.utc).isoformat(timespec="seconds")
    first = {text: number for number, text in reversed([*enumerate(texts, 1)])}
    waiting = [(number, text) for text, number in sorted(first.items(), key=lambda item: item[1])]
    waiting = [(number, text) for number, text in waiting if text.strip() and text not in answers]
    advance(sum(text in answers or not text.strip() for text in texts))
    answers |= {text: Answer(text) for text in texts if not text.strip()}
    times = Counter(texts)
    with path.open("a", encoding="utf-8") as file:
        if header is None:
            header = {"errata": __version__, "started": started, "system": description}
            file.write(json.dumps(header, ensure_ascii=False) + "\n")
        batches = [waiting[start : start + size] for start in range(0, len(waiting), size)]
        for done in in_order(lambda batch: _batch(system, batch), batches, jobs=parallel):
            for text, answer in done:
                answers[text] = answer
                record = {
                    "text": text,
                    "answer": answer.text,
                    **{key: getattr(answer, key) for key in _COUNTS},
                }
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
            advance(sum(times[text] for text, _ in done))
    return answers, str(header.get("started", started))


def _batch(system: System, batch: Sequence[tuple[int, str]]) -> list[tuple[str, Answer]]:
    """The answers to numbered texts; after an error the halves are tried, down to the text that fails."""
    numbers, texts = zip(*batch, strict=True)
    try:
        return [*zip(texts, system.correct(texts), strict=True)]
    except TimeoutError as error:
        named = f"sentences {numbers[0]} to {numbers[-1]}" if len(batch) > 1 else f"sentence {numbers[0]}"
        raise DataError(f"{named}: {error}", hint="raise --timeout, or lower --batch") from None
    except DataError as error:
        if len(batch) == 1:
            problem = f"sentence {numbers[0]} ({texts[0][:_SHOWN]!r}): {error.message}"
            raise DataError(problem, path=error.path, hint=error.hint) from error
    middle = len(batch) // 2
    return _batch(system, batch[:middle]) + _batch(system, batch[middle:])


def _stored(path: Path) -> tuple[dict[str, Any] | None, dict[str, Answer]]:
    """The header and the answers of an earlier run; a last line that is incomplete is removed."""
    if not path.exists():
        return None, {}
    raw = path.read_bytes()
    complete = raw.rfind(b"\n") + 1
    if complete < len(raw):
        os.truncate(path, complete)
    header: dict[str, Any] | None = None
    answers: dict[str, Answer] = {}
    for number, record in _records(path, raw[:complete]):
        try:
            if number == 1:
                header = {**record, "system": {**record["system"]}}
            else:
                counts = [int(record[key]) for key in _COUNTS]
                if not isinstance(record["answer"], str) or min(counts) < 0:
                    raise TypeError
                prompt_tokens, answer_tokens = counts
                answers[record["text"]] = Answer(record["answer"], prompt_tokens, answer_tokens)
        except (KeyError, TypeError, ValueError):
            raise _unreadable(path, number) from None
    return header, answers


def _records(path: Path, raw: bytes) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(raw.splitlines(), 1):
        try:
            yield number, json.loads(line)
        except ValueError:
            raise _unreadable(path, number) from None


def _unreadable(path: Path, line: int) -> DataError:
    return DataError(
        "not an answer of a run", path=path, line=line, hint="remove the line, or take another folder"
    )


@dataclass(frozen=True)
class Prepared:
    """Answers after every step of their preparation, and how often what was removed from them."""

    steps: Mapping[str, list[str]]
    removed: Counter[str]

    @property
    def lines(self) -> list[str]:
        """The answers after the last step."""
        return [*self.steps.values()][-1]


def prepare(
    sources: Sequence[str],
    sent: Sequence[str],
    answers: Sequence[str],
    splitter: Tokenizer | None,
    *,
    clean: bool = True,
) -> Prepared:
    """Remove what language models add; with a splitter, give the answers the tokens of the sources.

    `sent` are the texts that the system got. An empty answer is replaced by the text.
    """
    lines = [" ".join(answer.split()) for answer in answers]
    steps, removed = {"as they came": lines}, Counter[str]()
    if clean:
        steps["cleaned"] = lines = [
            _cleaned(text, answer, removed) for text, answer in zip(sent, answers, strict=True)
        ]
    if splitter is not None:
        projector = Projector(sources, splitter)
        steps["with the tokens of the sources"] = [
            source if line == text else projector.project(source, line)
            for source, text, line in zip(sources, sent, lines, strict=True)
        ]
    return Prepared(steps, +removed)


def _cleaned(text: str, answer: str, removed: Counter[str]) -> str:
    """An answer in one line without additions; counts what is removed."""
    candidates = [line for line in answer.splitlines() if line.strip()]
    if not candidates:
        removed["no answer"] += bool(text)
        return text
    removed["other lines"] += len(candidates) > 1
    cleaned = clean_answer(text, matching_lines([text], candidates)[0])
    removed.update(cleaned.removed)
    return " ".join(cleaned.text.split())
