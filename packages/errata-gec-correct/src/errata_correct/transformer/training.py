"""Training: `train(read_recipe("recipe.toml"), "model")`; a run that was stopped continues."""

from __future__ import annotations

import copy
import itertools
import json
import time
from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812
from torch.utils.data import DataLoader, Dataset

from errata_correct.transformer.ct2_weights import read_export
from errata_correct.transformer.error_sampling import save_labels
from errata_correct.transformer.examples import Batch, Examples, train_subwords
from errata_correct.transformer.folder import load_weights, read_description, read_subwords, read_weights
from errata_correct.transformer.network import END, PAD, Packed, Transformer
from errata_correct.transformer.recipe import Model, Recipe

Report = Callable[[dict[str, float]], None]


def _dropped_words(ids: Tensor, begins_word: Tensor, rate: float) -> Tensor | None:
    """Which subwords belong to words to drop: whole words, never signs, whose ids are up to END."""
    if rate <= 0:
        return None
    words = begins_word[ids].long().cumsum(1)
    chosen = torch.rand(ids.shape[0], ids.shape[1] + 1, device=ids.device) < rate
    return chosen.gather(1, words) & (ids > END)


@dataclass
class _Run:
    """A training run: what is learned, what is kept of it, and how far it is."""

    recipe: Recipe
    folder: Path
    model: Transformer
    kept: Transformer  # a running average of the weights, or the model itself
    optimizer: torch.optim.Optimizer
    state: dict[str, Any]

    def save(self) -> None:
        saved = {
            "model": self.model.state_dict(), "kept": self.kept.state_dict(),
            "optimizer": self.optimizer.state_dict(), "state": self.state,
        }  # fmt: skip
        torch.save(saved, self.folder / "checkpoint.pt.part")
        (self.folder / "checkpoint.pt.part").replace(self.folder / "checkpoint.pt")

    def go_on(self, device: torch.device) -> None:
        """Load what `save` wrote, if anything."""
        checkpoint = self.folder / "checkpoint.pt"
        if checkpoint.exists():
            saved = torch.load(checkpoint, map_location=device, weights_only=True)
            self.model.load_state_dict(saved["model"])
            self.kept.load_state_dict(saved["kept"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.state = saved["state"]

    def step(self, loss: Tensor) -> None:
        """Learn from a loss."""
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.state["step"] += 1
        if self.kept is not self.model:
            done = self.state["step"]
            followed = 1 - min(self.recipe.training.average, done / (done + 10))
            with torch.no_grad():
                torch._foreach_lerp_(list(self.kept.parameters()), list(self.model.parameters()), followed)


def train(recipe: Recipe, folder: str | Path, report: Report = lambda values: None) -> dict[str, float]:
    """Train a model into a folder; returns the last values reported."""
    started = time.monotonic()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    settings = recipe.training
    torch.manual_seed(settings.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")
    if device.type == "cuda":
        torch.set_num_threads(1)  # threads that wait for each other would take the cores from the workers
    examples = Examples(recipe)
    subwords = _subwords(recipe, folder, examples)
    run = _start(recipe, folder, subwords.get_piece_size(), device)
    started -= 60 * run.state["minutes"]  # of a run that was stopped
    described = {"kind": "transformer", **asdict(recipe.model)}
    (folder / "model.json").write_text(json.dumps(described, indent=1) + "\n")
    if recipe.data.reversed:
        save_labels(folder, examples.authentic.files, examples.authentic.sizes)
    loss_of = _loss_function(run.model, subwords, recipe)
    values: dict[str, float] = {}
    total = torch.zeros((), device=device)
    coming = batches(examples, folder / "subwords.model", run.state["epoch"], settings.workers)
    for epoch, batch in coming:
        run.state["epoch"] = epoch
        progress = run.state["step"] / settings.steps
        if settings.minutes:
            progress = max(progress, (time.monotonic() - started) / 60 / settings.minutes)
        if progress >= 1:
            break
        warm = min(1.0, (run.state["step"] + 1) / max(settings.warmup, 1))
        for group in run.optimizer.param_groups:
            group["lr"] = settings.learning_rate * warm * min(1.0, 1.25 * (1 - progress) + 0.01)
        run.model.train()
        loss = loss_of(batch)
        run.step(loss)
        total += loss.detach()
        if run.state["step"] % settings.check_every == 0:
            values = _values(run, epoch, float(total) / settings.check_every, started)
            total.zero_()
            stop = _check(run, values)
            report(values)
            if stop:
                break
    coming.close()
    unchecked = run.state["step"] % settings.check_every
    if recipe.data.dev and unchecked:  # the end of the schedule may be the best
        values = _values(run, run.state["epoch"], float(total) / unchecked, started)
        _check(run, values)
        report(values)
    if not recipe.data.dev or not (folder / "weights.pt").exists():
        torch.save(run.kept.state_dict(), folder / "weights.pt")
    (folder / "checkpoint.pt").unlink(missing_ok=True)
    return values


def _subwords(recipe: Recipe, folder: Path, examples: Examples) -> Any:
    """The subwords of the folder, of the model to go on from, or learned from the texts."""
    path = folder / "subwords.model"
    if not path.exists():
        if recipe.training.start_from:
            path.write_bytes((recipe.folder / recipe.training.start_from / "subwords.model").read_bytes())
        else:
            train_subwords(examples.texts(), recipe.model.vocabulary, path)
    return read_subwords(path)


def _start(recipe: Recipe, folder: Path, size: int, device: torch.device) -> _Run:
    """A new run, one from a trained model (its weights may have half precision), or one that was stopped."""
    settings = recipe.training
    model = Transformer(recipe.model, size).to(device)
    if settings.start_from:
        _load(model, recipe.folder / settings.start_from, recipe.model, device)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=settings.learning_rate, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.01,
        fused=device.type == "cuda",
    )  # fmt: skip
    kept = copy.deepcopy(model) if settings.average else model
    state = {"step": 0, "epoch": 0, "best": -1.0, "waited": 0, "minutes": 0.0}
    run = _Run(recipe, folder, model, kept, optimizer, state)
    run.go_on(device)
    return run


def _load(model: Transformer, folder: Path, size: Model, device: torch.device) -> None:
    """Give a network the weights of a trained model; it may have more layers in its encoder.

    What these add to their input is zero at first, so that the network starts as the trained model.
    """
    state = _weights(folder, size, device)
    known = sum(name.startswith("encoder.") and name.endswith(".wide.weight") for name in state)
    for number in range(known, size.encoder_layers):
        for name, values in model.encoder[number].state_dict().items():
            adds = name.startswith(("attention.output", "narrow"))
            state[f"encoder.{number}.{name}"] = torch.zeros_like(values) if adds else values
    hint = "[model] in the recipe must be that of the model, but for further layers of the encoder"
    load_weights(model, state, folder, hint)


def _weights(folder: Path, model: Model, device: torch.device) -> dict[str, Tensor]:
    """The weights of a trained model, or those of an export for CTranslate2."""
    if not (folder / "weights.pt").exists() and (folder / "model.bin").exists():
        layers = min(read_description(folder).encoder_layers, model.encoder_layers)
        return read_export(folder / "model.bin", layers, model.decoder_layers)
    return read_weights(folder / "weights.pt", device)


def _loss_function(model: Transformer, subwords: Any, recipe: Recipe) -> Callable[[Batch], Tensor]:
    """The loss of a batch: cross-entropy with smoothed labels, higher where the target edits the source."""
    settings = recipe.training
    pieces = [subwords.id_to_piece(i) for i in range(subwords.get_piece_size())]
    device = next(model.parameters()).device
    begins_word = torch.tensor([piece.startswith("▁") for piece in pieces], device=device)
    mixed = settings.precision == "bf16" and device.type == "cuda"

    def weighted(
        source: Packed, target: Packed, wanted: Tensor, weights: Tensor,
        dropped: tuple[Tensor | None, Tensor | None],
    ) -> Tensor:  # fmt: skip
        with torch.autocast(device.type, torch.bfloat16, enabled=mixed):
            scores = model(source, target, dropped)
        losses = F.cross_entropy(
            scores.float().flatten(0, 1), wanted, reduction="none", label_smoothing=settings.label_smoothing
        )
        return (losses * weights).sum() / weights.sum()

    network: Any = torch.compile(weighted, dynamic=True) if settings.compile else weighted

    def loss_of(batch: Batch) -> Tensor:
        on = {name: _moved(part, device).long() for name, part in batch._asdict().items()}
        source = Packed(on["source"], on["source_places"], on["source_sentences"])
        target = Packed(on["given"], on["target_places"], on["target_sentences"])
        dropped = (
            _dropped_words(source.ids, begins_word, settings.source_word_dropout),
            _dropped_words(target.ids, begins_word, settings.target_word_dropout),
        )
        weights = (1 + (settings.edit_weight - 1) * on["edited"]) * (on["wanted"] != PAD)
        return cast("Tensor", network(source, target, on["wanted"].flatten(), weights.flatten(), dropped))

    return loss_of


def _moved(array: Any, device: torch.device) -> Tensor:
    """An array on the device; from pinned memory a GPU fetches it while it computes."""
    tensor = torch.from_numpy(array)
    if device.type == "cuda":
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)


def _values(run: _Run, epoch: int, loss: float, started: float) -> dict[str, float]:
    """What is reported at a check."""
    run.state["minutes"] = (time.monotonic() - started) / 60
    return {"step": run.state["step"], "epoch": epoch, "loss": loss, "minutes": run.state["minutes"]}


def _check(run: _Run, values: dict[str, float]) -> bool:
    """Save a checkpoint; with a dev set, keep the best weights and say whether to stop."""
    stop = False
    if run.recipe.data.dev:
        values["f0.5"] = _dev_score(run.recipe, run.folder, run.kept)
        if values["f0.5"] > run.state["best"]:
            run.state["best"], run.state["waited"] = values["f0.5"], 0
            torch.save(run.kept.state_dict(), run.folder / "weights.pt")
        else:
            run.state["waited"] += 1
            stop = run.state["waited"] >= run.recipe.training.patience
    run.save()
    return stop


def _dev_score(recipe: Recipe, folder: Path, model: Transformer) -> float:
    from errata.corpus.m2 import read_m2
    from errata.metrics import metric
    from errata_correct.transformer.torch_decoder import TorchDecoder

    corpus = read_m2(recipe.folder / recipe.data.dev)
    texts = TorchDecoder(folder, model=model).texts(corpus.sources)
    hypotheses = [
        source if text is None else text for source, text in zip(corpus.sources, texts, strict=True)
    ]
    m2 = metric("m2")
    return float(m2.score(m2.statistics(corpus, hypotheses)).value)


class _Epochs(Dataset[list[Batch]]):
    """The batches of every epoch; each process that prepares them reads the subwords itself."""

    def __init__(self, examples: Examples, subwords: Path) -> None:
        self.examples, self.subwords = examples, subwords

    def __getitem__(self, epoch: int) -> list[Batch]:
        return self.examples.batches(read_subwords(self.subwords), epoch)


def batches(
    examples: Examples, subwords: Path, epoch: int, workers: int
) -> Generator[tuple[int, Batch], None, None]:
    """Epoch after epoch of batches from this one on, the same for any number of workers."""
    loader = DataLoader(
        _Epochs(examples, subwords), batch_size=None, sampler=itertools.count(epoch), num_workers=workers,
        collate_fn=list,
    )  # fmt: skip
    for number, of_epoch in enumerate(loader, epoch):
        for batch in of_epoch:
            yield number, batch
