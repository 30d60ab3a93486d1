"""Metrics with models: sentences per second of errata and of the packages' loops, on the same model.

    python benchmarks/neural.py                             on the processor, one thread, about three minutes
    python benchmarks/neural.py --device cuda --size base --sentences 500

The models have random weights, which does not matter for speed, and are made when the benchmark starts:
nothing is downloaded. Both sides score the same outputs of several systems. The package `bert-score` runs
as it is; the loops for IMPARA, SOME and Scribendi work like those of gec-metrics: one system after the other,
batches of 32 texts in their order, IMPARA and SOME with every text filled up to 128 tokens.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from measure import agreement, installed, machine, median, one_thread, ratio
from texts import texts

from errata import Corpus
from errata.metrics import metric
from errata.metrics.neural.scribendi import similarity
from errata.metrics.results import Results
from errata.models.loading import causal_model, regressor, token_encoder
from errata.tables import Column, Table

BATCH, FILLED = 32, 128
SIZES = {"small": (2, 256, 4), "base": (12, 768, 12)}  # layers, width, heads
COLUMNS = [
    Column("task"), Column("alternative"), Column("errata", 0), Column("errata, float64", 0),
    Column("theirs", 0), Column("times as fast", 1), Column("numbers"),
]  # fmt: skip
Numbers = list[list[float]]  # per system, per sentence


class Data(NamedTuple):
    """What is scored."""

    sources: list[str]
    references: list[tuple[str, ...]]
    outputs: dict[str, list[str]]
    device: str

    @property
    def texts(self) -> int:
        """How many outputs there are in all."""
        return len(self.sources) * len(self.outputs)


class Task(NamedTuple):
    """A metric of errata, the models it has, and another program for the same numbers."""

    name: str
    rival: str
    specification: str
    theirs: Callable[[], Numbers]


# -- models ----------------------------------------------------------------------------------------


def make_models(folder: Path, lines: Sequence[str], size: str) -> dict[str, str]:
    """An encoder, four regressors on it and a causal model, with tokenizers of these lines."""
    import torch
    import transformers
    from tokenizers import ByteLevelBPETokenizer, Tokenizer, normalizers, pre_tokenizers, processors, trainers
    from tokenizers.models import WordPiece

    layers, width, heads = SIZES[size]
    made = Tokenizer(WordPiece(unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=8000, special_tokens=special))
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    bert = transformers.PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=512, **names)
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator(lines, vocab_size=8000, special_tokens=["<|endoftext|>"])
    ends = {"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>"}
    gpt = transformers.PreTrainedTokenizerFast(tokenizer_object=bpe._tokenizer, model_max_length=512, **ends)
    torch.manual_seed(1)
    shape = {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads}
    config = transformers.BertConfig(
        vocab_size=made.get_vocab_size(), intermediate_size=4 * width, num_labels=1, **shape
    )
    found = {}
    for name in ("encoder", "quality", "grammar", "fluency", "meaning"):
        head = "BertModel" if name == "encoder" else "BertForSequenceClassification"
        found[name] = _save(folder / name, getattr(transformers, head)(config), bert)
    causal = transformers.GPT2Config(
        vocab_size=bpe.get_vocab_size(), n_embd=width, n_layer=layers, n_head=heads, n_positions=512,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    found["causal"] = _save(folder / "causal", transformers.GPT2LMHeadModel(causal), gpt)
    return found


def _save(folder: Path, model: Any, tokenizer: Any) -> str:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


# -- the other loops -------------------------------------------------------------------------------


class Loops:
    """Straightforward loops over batches of texts as they come, with the models on one device."""

    def __init__(self, models: dict[str, str], data: Data) -> None:
        import torch
        import transformers

        self.torch, self.data, self.device = torch, data, data.device
        self.bert = transformers.AutoTokenizer.from_pretrained(models["encoder"])
        self.gpt = transformers.AutoTokenizer.from_pretrained(models["causal"], pad_token="<|endoftext|>")
        kinds = {"encoder": "AutoModel", "causal": "AutoModelForCausalLM"}
        self.models = {
            name: getattr(transformers, kinds.get(name, "AutoModelForSequenceClassification"))
            .from_pretrained(path).eval().to(self.device)
            for name, path in models.items()
        }  # fmt: skip

    def _batches(self, *columns: Sequence[str]) -> Iterator[list[list[str]]]:
        for start in range(0, len(columns[0]), BATCH):
            yield [list(column[start : start + BATCH]) for column in columns]

    def _filled(self, *columns: list[str]) -> Any:
        made = self.bert(
            *columns, padding="max_length", truncation=True, max_length=FILLED, return_tensors="pt"
        )
        return made.to(self.device)

    def _numbers(self, name: str, *columns: list[str]) -> list[float]:
        with self.torch.no_grad():
            return list(self.models[name](**self._filled(*columns)).logits[:, 0].tolist())

    def _pooled(self, some: list[str]) -> Any:
        given = self._filled(some)
        with self.torch.no_grad():
            states = self.models["encoder"](**given).last_hidden_state
        mask = given["attention_mask"][:, :, None]
        return (states * mask).sum(1) / mask.sum(1)

    def impara(self) -> Numbers:
        """Quality where source and output are similar."""
        cosine = self.torch.nn.functional.cosine_similarity
        found: Numbers = []
        for lines in self.data.outputs.values():
            scores: list[float] = []
            for sources, outputs in self._batches(self.data.sources, lines):
                quality = self.torch.sigmoid(self.torch.tensor(self._numbers("quality", outputs)))
                similar = cosine(self._pooled(sources), self._pooled(outputs)).cpu()
                scores += self.torch.where(similar >= 0.9, quality, 0.0).tolist()
            found.append(scores)
        return found

    def some(self) -> Numbers:
        """The weighted sum of three regressors."""
        found: Numbers = []
        for lines in self.data.outputs.values():
            scores: list[float] = []
            for sources, outputs in self._batches(self.data.sources, lines):
                g, f = (np.array(self._numbers(name, outputs)) for name in ("grammar", "fluency"))
                m = np.array(self._numbers("meaning", sources, outputs))
                scores += (0.55 * (g - 1) / 3 + 0.43 * (f - 1) / 3 + 0.02 * (m - 1) / 3).tolist()
            found.append(scores)
        return found

    def _perplexities(self, some: list[str]) -> list[float]:
        found: list[float] = []
        for (lines,) in self._batches(some):
            given = self.gpt(["<|endoftext|>" + line for line in lines], padding=True, return_tensors="pt")
            given = given.to(self.device)
            with self.torch.no_grad():
                logits = self.models["causal"](**given).logits[:, :-1]
            ids, mask = given["input_ids"][:, 1:], given["attention_mask"][:, 1:]
            losses = self.torch.nn.functional.cross_entropy(logits.transpose(1, 2), ids, reduction="none")
            found += self.torch.exp((losses * mask).sum(1) / mask.sum(1)).tolist()
        return found

    def scribendi(self) -> Numbers:
        """1, 0 or −1 by perplexities and similarity."""
        found: Numbers = []
        for lines in self.data.outputs.values():
            changed = [(s, h) for s, h in zip(self.data.sources, lines, strict=True) if s != h]
            before = self._perplexities([s for s, _ in changed])
            after = self._perplexities([h for _, h in changed])
            judged = {
                pair: 1.0 if b < a and similarity(*pair) >= 0.8 else -1.0
                for pair, a, b in zip(changed, before, after, strict=True)
            }
            found.append([judged.get(pair, 0.0) for pair in zip(self.data.sources, lines, strict=True)])
        return found


def bert_score(model: str, layer: int, data: Data) -> Callable[[], Numbers]:
    """The package, one system after the other."""
    from bert_score import BERTScorer

    scorer = BERTScorer(model_type=model, num_layers=layer, device=data.device, batch_size=64)

    def work() -> Numbers:
        return [scorer.score(lines, data.references)[2].tolist() for lines in data.outputs.values()]

    return work


# -- measuring -------------------------------------------------------------------------------------


def forget() -> None:
    """Drop what models remember of texts, so that no round helps the next one."""
    for load in (token_encoder, regressor, causal_model):
        load.cache_clear()


def ours(specification: str, precision: str, data: Data) -> Numbers:
    """errata's sentence scores of all systems."""
    made = metric(f"{specification},device={data.device},precision={precision}")
    corpus = Corpus.from_lists(data.sources, data.references)
    results = Results.compute(corpus, data.outputs, [made], jobs=1)
    return [results.score(system).sentences.tolist() for system in data.outputs]


def seconds(work: Callable[[], Numbers], cuda: bool) -> float:
    """Seconds of the processor, or of the clock where a GPU works."""
    clock = time.perf_counter if cuda else time.process_time
    if cuda:
        import torch

        torch.cuda.synchronize()
    begin = clock()
    work()
    return clock() - begin


def row(task: Task, data: Data, rounds: int) -> list[Any]:
    """Rates, their ratio and whether the numbers agree."""
    cuda = data.device.startswith("cuda")
    note = agreement(ours(task.specification, "float32", data), task.theirs())
    found: dict[str, list[float]] = {"float32": [], "float64": [], "theirs": []}
    for number in range(rounds):
        order = list(found)
        for name in order[number % 3 :] + order[: number % 3]:
            if name == "theirs":
                found[name].append(seconds(task.theirs, cuda))
                continue
            forget()
            _load(task.specification, name, data)
            found[name].append(seconds(lambda name=name: ours(task.specification, name, data), cuda))
    rates = [data.texts / median(some).value for some in found.values()]
    return [task.name, task.rival, *rates, ratio(found["theirs"], found["float32"]).value, note]


def _load(specification: str, precision: str, data: Data) -> None:
    """Load the models, which is not measured on either side."""
    few = data._replace(sources=["."], references=[(".",)], outputs={"A": ["."]})
    ours(specification, precision, few)


def tasks(models: dict[str, str], data: Data, layer: int) -> Iterator[Task]:
    """All contests."""
    loops = Loops(models, data)
    encoder, quality, grammar, fluency, meaning, causal = models.values()
    try:
        theirs = bert_score(encoder, layer, data)
    except ImportError as error:
        print(f"bert-score is left out: {error}")
    else:
        specification = f"bertscore:model={encoder},layer={layer},rescale=no"
        yield Task("BERTScore", f"bert-score {installed('bert-score')}", specification, theirs)
    specification = f"impara:model={quality},encoder={encoder}"
    yield Task("IMPARA", "loop as in gec-metrics", specification, loops.impara)
    specification = f"some:grammaticality={grammar},fluency={fluency},meaning={meaning}"
    yield Task("SOME", "loop as in gec-metrics", specification, loops.some)
    yield Task("Scribendi", "loop as in gec-metrics", f"scribendi:model={causal}", loops.scribendi)


def main() -> None:
    """Run all contests and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--size", choices=tuple(SIZES), default="small")
    parser.add_argument("--sentences", type=int, default=60)
    parser.add_argument("--systems", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--output", type=Path, help="also write the tables to this Markdown file")
    options = parser.parse_args()
    if options.device == "cpu":
        one_thread()
    with texts() as found, TemporaryDirectory() as folder:
        outputs = {path.stem: lines for path, lines in zip(found.systems, found.outputs, strict=True)}
        chosen = {name: outputs[name][: options.sentences] for name in list(outputs)[: options.systems]}
        count = options.sentences
        data = Data(found.sources[:count], found.by_sentence[:count], chosen, options.device)
        lines = [*found.sources, *(line for some in found.outputs for line in some)]
        models = make_models(Path(folder), lines, options.size)
        layers, width, _ = SIZES[options.size]
        rows = [row(task, data, options.rounds) for task in tasks(models, data, layers)]
    notes = [
        f"outputs per second; {found.name}, {len(data.sources)} sentences × {len(chosen)} systems; models of "
        f"{layers} layers × {width}; {options.device}; median of {options.rounds} rounds in turns"
    ]
    tables = [Table(COLUMNS, rows, title="Metrics with models", notes=notes), machine()]
    print("\n".join(table.render(width=160) for table in tables))
    if options.output:
        options.output.write_text("\n".join(table.render("markdown") for table in tables), encoding="utf-8")


if __name__ == "__main__":
    main()
