"""A task for the lm-evaluation-harness: `simple_evaluate(model, tasks=[task("conll14")])`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from errata.corpus.model import Corpus
from errata.metrics.api import OneMetric, as_metric, score
from errata.runner.run import prepare, read_benchmark
from errata.runner.systems import PROMPT
from errata.text.tokenizers import tokenizer


def task(
    benchmark: str | Path | Corpus, *, metric: OneMetric | None = None, prompt: str = PROMPT, name: str = ""
) -> dict[str, Any]:
    """The configuration of a task; its corpus score is that of `errata run` for the same answers.

    `benchmark` is the name of a benchmark, the path of a corpus file, or a corpus; `prompt` has `{text}` in
    place of the detokenised sentence.
    """
    corpus, where, _, usual = read_benchmark(benchmark)
    chosen = as_metric(metric or usual[0])
    sources = [" ".join(source.split()) for source in corpus.sources]
    splitter = tokenizer("penn")
    texts = [splitter.detokenize(source.split()) for source in sources]

    def documents(**_: Any) -> dict[str, Any]:
        from datasets import Dataset

        rows = [{"number": number, "text": text} for number, text in enumerate(texts)]
        return {"test": Dataset.from_list(rows)}

    def answer(document: Mapping[str, Any], results: Sequence[str]) -> dict[str, tuple[int, str]]:
        return {chosen.name: (document["number"], results[0])}

    def corpus_score(answers: Sequence[tuple[int, str]]) -> float:
        """Of all sentences that were sent: `limit` leaves some out."""
        numbers = [number for number, _ in answers]
        chosen_sources, sent = [sources[n] for n in numbers], [texts[n] for n in numbers]
        lines = prepare(chosen_sources, sent, [text for _, text in answers], splitter).lines
        return score(corpus.select(numbers), lines, metric=chosen).value

    return {
        "task": name or f"errata_{where.get('benchmark', 'corpus')}",
        "custom_dataset": documents,
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": lambda document: prompt.replace("{text}", document["text"]),
        "doc_to_target": "",
        "process_results": answer,
        "generation_kwargs": {"until": [], "do_sample": False, "max_gen_toks": 256},
        "metric_list": [
            {
                "metric": chosen.name,
                "aggregation": corpus_score,
                "higher_is_better": chosen.higher_is_better,
            }
        ],
    }
