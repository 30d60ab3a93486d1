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
    """The encoder of a recipe with a new output layer of one number, in single precision."""

    def __init__(self, recipe: Recipe) -> None:
        torch.manual_seed(recipe.training.seed)  # for the new weights
        super().__init__(recipe.model.encoder, recipe.training.device, "float32", labels=1)
        self.longest = min(self.longest, recipe.model.longest)
        self.model.config.problem_type = "regression"
        self.tokenizer.model_max_length = self.longest

    def numbers(self, texts: Sequence[str], others: Sequence[str] | None = None) -> torch.Tensor:
        """One number per text or pair of texts, with gradients."""
        encoded = self.ids(texts, others)
        numbers: list[torch.Tensor] = [torch.zeros(())] * len(texts)
        for indices, tensors in self.batches(encoded):
            logits = self.model(**tensors).logits[:, 0]
            for row, i in enumerate(indices):
                numbers[i] = logits[row]
        return torch.stack(numbers)


@dataclass
class _Run:
    """The state of a training run."""

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

    def loss(self, batch: Sequence[Example]) -> torch.Tensor:
        """The loss of a batch: that of IMPARA for ranking, squared errors for regression."""
        if self.recipe.model.objective == "ranking":
            count = len(batch)
            numbers = self.estimator.numbers([pair[0] for pair in batch] + [str(pair[1]) for pair in batch])
            return torch.sigmoid(numbers[count:] - numbers[:count]).mean()
        numbers = self._scores(batch)
        scores = [example[2] for example in batch]  # type: ignore[misc]
        targets = torch.tensor(scores, dtype=numbers.dtype, device=numbers.device)
        return ((numbers - targets) ** 2).mean()

    def _scores(self, batch: Sequence[Example]) -> torch.Tensor:
        texts, sources = [example[0] for example in batch], [str(example[1]) for example in batch]
        return (
            self.estimator.numbers(sources, texts)
            if self.recipe.model.pair
            else self.estimator.numbers(texts)
        )

    def learn(self) -> float:
        """Train one epoch; returns the mean loss."""
        torch.manual_seed(self.recipe.training.seed + 1000 * (self.epoch + 1))  # for dropout
        self.estimator.model.train()
        losses = []
        for batch in self._batches():
            self.optimizer.zero_grad(set_to_none=True)
            loss = self.loss(batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.estimator.model.parameters(), 1.0)
            self.optimizer.step()
            self.schedule.step()
            losses.append(float(loss.detach()) * len(batch))
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
        """The quality on the held-out examples; empty if there are none."""
        if not self.dev:
            return {}
        size = self.recipe.training.batch
        with torch.inference_mode():
            batches = [self.dev[start : start + size] for start in range(0, len(self.dev), size)]
            if self.recipe.model.objective == "ranking":
                better, worse = (
                    torch.cat([self.estimator.numbers([str(p[side]) for p in pairs]) for pairs in batches])
                    for side in (0, 1)
                )
                differences = (better - worse).tolist()
                return {"accuracy": float(np.mean([(d > 0) + 0.5 * (d == 0) for d in differences]))}
            estimates = np.concatenate([self._scores(some).double().cpu().numpy() for some in batches])
        scores = np.array([example[2] for example in self.dev])  # type: ignore[misc]
        squares = float(np.mean((estimates - scores) ** 2))
        defined = len(scores) > 2 and estimates.std() > 0 and scores.std() > 0
        r = float(np.corrcoef(estimates, scores)[0, 1]) if defined else 0.0
        return {"r": r, "mse": squares}

    def keep(self, values: dict[str, float]) -> None:
        """Write the model if it is the best so far, and a checkpoint."""
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
            "values": self.best_values, "recipe": _identity(self.recipe),
        }  # fmt: skip
        torch.save(state, self.folder / f"{_CHECKPOINT}.part")
        (self.folder / f"{_CHECKPOINT}.part").replace(self.folder / _CHECKPOINT)

    def resume(self) -> None:
        """Load the checkpoint of an interrupted run of the same recipe."""
        file = self.folder / _CHECKPOINT
        if not file.exists():
            return
        state: dict[str, Any] = torch.load(file, map_location=self.estimator.device, weights_only=True)
        if state["recipe"] != _identity(self.recipe):
            raise DataError(
                "the folder has a run of another recipe", path=self.folder, hint="give another --output"
            )
        self.estimator.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.epoch, self.best, self.best_values = state["epoch"], state["best"], state["values"]


def train(recipe: Recipe, folder: str | Path, report: Report = lambda values: None) -> dict[str, float]:
    """Train an estimator into a folder for `transformers`; returns the quality of the best epoch.

    An interrupted run continues after its last complete epoch, and ends with the same model.
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
    run.resume()
    while run.epoch < settings.epochs:
        loss = run.learn()
        values = run.check()
        run.keep(values)
        report({"epoch": run.epoch, "loss": loss, **values})
    best = run.best_values or {}
    _write_card(recipe, folder, best, (len(examples), len(dev)))
    return best


def _examples(recipe: Recipe) -> tuple[list[Example], list[Example]]:
    """Examples for training and held-out ones; all pairs of a sentence are in the same part."""
    groups: Sequence[Sequence[Example]]
    if recipe.model.objective == "ranking":
        groups = read_ranked(recipe, sentence_encoder(recipe.model.encoder, recipe.training.device))
    else:
        groups = [[one] for one in read_scored(recipe)]
    parts = held_out(len(groups), recipe.data.dev_share, recipe.training.seed)
    train_part, dev_part = ([example for i in indices for example in groups[i]] for indices in parts)
    return train_part, dev_part


def _identity(recipe: Recipe) -> str:
    """The content of a recipe, without the path of its file."""
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


def _write_card(recipe: Recipe, folder: Path, figures: Mapping[str, float], counts: tuple[int, int]) -> None:
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
