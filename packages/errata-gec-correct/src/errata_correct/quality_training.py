"""Training of a quality estimator: `train(read_recipe("recipe.toml"), "model")`, and its model card."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from errata import __version__
from errata.corpus.files import file_sha256
from errata.errors import DataError
from errata.models.huggingface import SequenceRegressor
from errata.models.loading import identity, sentence_encoder
from errata_correct.quality_examples import Ranked, Recipe, Scored, held_out, read_ranked, read_scored

Report = Callable[[dict[str, float]], None]
Example = Ranked | Scored
_CHECKPOINT = "checkpoint.pt"


class _Estimator(SequenceRegressor):
    """The encoder of a recipe with a new number on top of it, in single precision."""

    def __init__(self, recipe: Recipe) -> None:
        torch.manual_seed(recipe.training.seed)  # of the new weights
        super().__init__(recipe.model.encoder, recipe.training.device, "float32", labels=1)
        self.longest = min(self.longest, recipe.model.longest)
        self.model.config.problem_type = "regression"
        self.tokenizer.model_max_length = self.longest

    def numbers(self, texts: Sequence[str], others: Sequence[str] | None = None) -> torch.Tensor:
        """One number per text, or pair of texts, in one batch that gradients flow through."""
        encoded = self.ids(texts, others)
        found: list[torch.Tensor] = [torch.zeros(())] * len(texts)
        for places, tensors in self.batches(encoded):
            logits = self.model(**tensors).logits[:, 0]
            for row, place in enumerate(places):
                found[place] = logits[row]
        return torch.stack(found)


@dataclass
class _Run:
    """What is learned, from what, and how far it is."""

    recipe: Recipe
    folder: Path
    estimator: _Estimator
    optimizer: torch.optim.Optimizer
    schedule: torch.optim.lr_scheduler.LRScheduler
    examples: list[Example]
    dev: list[Example]
    epoch: int = 0
    best: float = float("-inf")
    best_values: dict[str, float] | None = None

    def loss(self, some: Sequence[Example]) -> torch.Tensor:
        """The loss of some examples: ranking as IMPARA does, or squared errors."""
        if self.recipe.model.objective == "ranking":
            count = len(some)
            numbers = self.estimator.numbers([one[0] for one in some] + [str(one[1]) for one in some])
            return torch.sigmoid(numbers[count:] - numbers[:count]).mean()
        numbers = self._scores(some)
        targets = torch.tensor([one[2] for one in some], dtype=numbers.dtype, device=numbers.device)  # type: ignore[misc]
        return ((numbers - targets) ** 2).mean()

    def _scores(self, some: Sequence[Example]) -> torch.Tensor:
        texts, sources = [one[0] for one in some], [str(one[1]) for one in some]
        return (
            self.estimator.numbers(sources, texts)
            if self.recipe.model.pair
            else self.estimator.numbers(texts)
        )

    def learn(self) -> float:
        """One epoch; the mean loss."""
        torch.manual_seed(self.recipe.training.seed + 1000 * (self.epoch + 1))  # of dropout
        self.estimator.model.train()
        losses = []
        for some in self._batches():
            self.optimizer.zero_grad(set_to_none=True)
            loss = self.loss(some)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.estimator.model.parameters(), 1.0)
            self.optimizer.step()
            self.schedule.step()
            losses.append(float(loss.detach()) * len(some))
        self.estimator.model.eval()
        self.epoch += 1
        return sum(losses) / len(self.examples)

    def _batches(self) -> Iterator[list[Example]]:
        order = np.random.default_rng([self.recipe.training.seed, 2, self.epoch]).permutation(
            len(self.examples)
        )
        size = self.recipe.training.batch
        for start in range(0, len(order), size):
            yield [self.examples[i] for i in order[start : start + size]]

    def check(self) -> dict[str, float]:
        """How well the held-out examples are estimated; empty if there are none."""
        if not self.dev:
            return {}
        size = self.recipe.training.batch
        with torch.inference_mode():
            parts = [self.dev[start : start + size] for start in range(0, len(self.dev), size)]
            if self.recipe.model.objective == "ranking":
                better, worse = (
                    torch.cat([self.estimator.numbers([str(one[side]) for one in some]) for some in parts])
                    for side in (0, 1)
                )
                apart = (better - worse).tolist()
                return {"accuracy": float(np.mean([(d > 0) + 0.5 * (d == 0) for d in apart]))}
            found = np.concatenate([self._scores(some).double().cpu().numpy() for some in parts])
        wanted = np.array([one[2] for one in self.dev])  # type: ignore[misc]
        squares = float(np.mean((found - wanted) ** 2))
        known = len(wanted) > 2 and found.std() > 0 and wanted.std() > 0
        r = float(np.corrcoef(found, wanted)[0, 1]) if known else 0.0
        return {"r": r, "mse": squares}

    def keep(self, values: dict[str, float]) -> None:
        """Write the model if it is the best one so far, and what is needed to go on."""
        quality = values.get("accuracy", -values.get("mse", -float(self.epoch)))
        if quality > self.best:
            self.best, self.best_values = quality, {"epoch": float(self.epoch), **values}
            part = self.folder / "model.part"
            shutil.rmtree(part, ignore_errors=True)
            self.estimator.model.save_pretrained(part)
            self.estimator.tokenizer.save_pretrained(part)
            for file in part.iterdir():
                file.replace(self.folder / file.name)
            part.rmdir()
        state = {
            "model": self.estimator.model.state_dict(), "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(), "epoch": self.epoch, "best": self.best,
            "values": self.best_values, "recipe": _named(self.recipe),
        }  # fmt: skip
        torch.save(state, self.folder / f"{_CHECKPOINT}.part")
        (self.folder / f"{_CHECKPOINT}.part").replace(self.folder / _CHECKPOINT)

    def go_on(self) -> None:
        """Take up a run of the same recipe that was stopped."""
        file = self.folder / _CHECKPOINT
        if not file.exists():
            return
        state: dict[str, Any] = torch.load(file, map_location=self.estimator.device, weights_only=True)
        if state["recipe"] != _named(self.recipe):
            raise DataError(
                "the folder has a run of another recipe", path=self.folder, hint="give another --output"
            )
        self.estimator.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.epoch, self.best, self.best_values = state["epoch"], state["best"], state["values"]


def train(recipe: Recipe, folder: str | Path, report: Report = lambda values: None) -> dict[str, float]:
    """Train an estimator into a folder of `transformers`; returns the figures of the best epoch.

    A run that was stopped goes on after its last whole epoch, and ends with the same model.
    """
    folder = Path(folder)
    examples, dev = _examples(recipe)
    estimator = _Estimator(recipe)
    folder.mkdir(parents=True, exist_ok=True)
    settings = recipe.training
    steps = settings.epochs * -(-len(examples) // settings.batch)
    warm = max(1, round(settings.warmup * steps))
    optimizer = torch.optim.AdamW(estimator.model.parameters(), lr=settings.learning_rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm)))
    )
    run = _Run(recipe, folder, estimator, optimizer, schedule, examples, dev)
    run.go_on()
    while run.epoch < settings.epochs:
        loss = run.learn()
        values = run.check()
        run.keep(values)
        report({"epoch": run.epoch, "loss": loss, **values})
    found = run.best_values or {}
    write_card(recipe, folder, found, (len(examples), len(dev)))
    return found


def _examples(recipe: Recipe) -> tuple[list[Example], list[Example]]:
    """What is learned from and what is held out; all pairs of a sentence are on one side."""
    groups: Sequence[Sequence[Example]]
    if recipe.model.objective == "ranking":
        groups = read_ranked(recipe, sentence_encoder(recipe.model.encoder, recipe.training.device))
    else:
        groups = [[one] for one in read_scored(recipe)]
    kept = held_out(len(groups), recipe.data.dev_share, recipe.training.seed)
    train_part, dev_part = ([one for i in some for one in groups[i]] for some in kept)
    return train_part, dev_part


def _named(recipe: Recipe) -> str:
    """What tells one recipe from another, wherever its file is."""
    return repr((recipe.data, recipe.model, recipe.training))


# -- model card -----------------------------------------------------------------------------------------


_USE = {
    "ranking": "impara:model={folder},encoder={encoder}",
    "regression": "some:grammaticality={folder},fluency={folder},meaning=MODEL",
}
_WHAT = {
    "ranking": "learned to give the better of two partial corrections the larger number (the recipe of "
    "IMPARA, Maeda, Kaneko & Okazaki 2022)",
    "regression": "learned to give texts the scores that people gave them",
}


def write_card(recipe: Recipe, folder: Path, figures: Mapping[str, float], counts: tuple[int, int]) -> None:
    """Write README.md beside the model, with the recipe, so that it can be trained again."""
    objective = recipe.model.objective
    files = recipe.data.parallel if objective == "ranking" else recipe.data.scores
    texts = "\n".join(
        f"  - `{Path(name).name}`, sha256 {file_sha256(recipe.file(name))[:16]}" for name in files
    )
    kind = "pairs" if objective == "ranking" else "texts"
    found = ", ".join(f"{name} {value:.4g}" for name, value in figures.items() if name != "epoch")
    kept = f"{figures.get('epoch', recipe.training.epochs):g} of {recipe.training.epochs}"
    use = _USE[objective].format(folder=folder.name, encoder=recipe.model.encoder)
    content = f"""# Model card: quality estimator

One number per {"source and hypothesis" if recipe.model.pair else "text"}; it {_WHAT[objective]}.

- **Encoder**: {identity(recipe.model.encoder)}
- **Data**: {counts[0]:,} {kind} to learn from and {counts[1]:,} held out, from
{texts}
- **Held-out {kind}**: {found or "none"}; epoch {kept} was kept.
- **Made by**: `errata train`, version {__version__}, seed {recipe.training.seed}
- **Licence**: that of the encoder and of the data; add yours.
- **Limits**: it was tested on held-out parts of its own data only. Measure its agreement with people
  (`errata meta`) and what it rewards (`errata meta audit`) before you rely on it.

```sh
errata score --source source.txt --hyp A.txt --metric {use}
```

The recipe:

```toml
{recipe.path.read_text("utf-8").strip()}
```
"""
    (folder / "README.md").write_text(content, encoding="utf-8")
