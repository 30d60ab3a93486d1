"""Training: `train(read_recipe("recipe.toml"), "model")`; a run that was stopped goes on where it was."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from errata.correct.transformer.ahead import by_processes, by_thread
from errata.correct.transformer.examples import Examples, sentencepiece, train_subwords
from errata.correct.transformer.network import PAD, Transformer
from errata.correct.transformer.recipe import Recipe
from errata.errors import DataError

Report = Callable[[dict[str, float]], None]


def edited(source: Tensor, target: Tensor) -> Tensor:
    """Which target subwords the source does not have after the same subword: those an edit made."""
    before_source = F.pad(source, (1, 0), value=2)[:, :-1]
    same = (target[:, 1:, None] == source[:, None, :]) & (target[:, :-1, None] == before_source[:, None, :])
    return ~same.any(-1)


def dropped_words(ids: Tensor, begins_word: Tensor, rate: float, signs: int = 4) -> Tensor | None:
    """Which subwords belong to words to drop: whole words, never the first `signs` ids: no words."""
    if rate <= 0:
        return None
    words = begins_word[ids].long().cumsum(1)
    chosen = torch.rand(ids.shape[0], ids.shape[1] + 1, device=ids.device) < rate
    return chosen.gather(1, words) & (ids >= signs)


def train(recipe: Recipe, folder: str | Path, report: Report = lambda values: None) -> dict[str, float]:
    """Train a model into a folder; returns the last values reported."""
    started = time.monotonic()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    settings = recipe.training
    torch.manual_seed(settings.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")
    examples = Examples(recipe)
    start_from = recipe.folder / settings.start_from if settings.start_from else None
    if not (folder / "subwords.model").exists():
        if start_from:
            (folder / "subwords.model").write_bytes((start_from / "subwords.model").read_bytes())
        else:
            texts = examples.texts()
            train_subwords(texts, recipe.model.vocabulary, folder / "subwords.model", examples.tags)
    subwords = sentencepiece().SentencePieceProcessor(model_file=str(folder / "subwords.model"))
    model = Transformer(recipe.model, subwords.get_piece_size()).to(device)
    if start_from:
        model.load_state_dict(torch.load(start_from / "weights.pt", map_location=device, weights_only=True))
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=settings.learning_rate, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.01,
        fused=device.type == "cuda",
    )  # fmt: skip
    kept = copy.deepcopy(model) if settings.average else model
    state: dict[str, Any] = {"step": 0, "epoch": 0, "best": -1.0, "waited": 0}
    checkpoint = folder / "checkpoint.pt"
    if checkpoint.exists():
        saved = torch.load(checkpoint, map_location=device, weights_only=True)
        model.load_state_dict(saved["model"])
        kept.load_state_dict(saved["kept"])
        optimizer.load_state_dict(saved["optimizer"])
        state = saved["state"]
    (folder / "model.json").write_text(
        json.dumps({"kind": "transformer", "tags": examples.tags, **asdict(recipe.model)}, indent=1) + "\n"
    )
    pieces = [subwords.id_to_piece(i) for i in range(subwords.get_piece_size())]
    tags = [subwords.piece_to_id(tag) for tag in examples.tags]
    if subwords.unk_id() in tags:
        raise DataError(
            f"the model's subwords have no tag {examples.tags[tags.index(subwords.unk_id())]}",
            path=start_from,
            hint="go on from a model that was trained with translation, or from none",
        )
    signs, translate = max([3, *tags]) + 1, tags[1] if tags else -1
    begins_word = torch.tensor([piece.startswith("▁") for piece in pieces], device=device)
    network: Any = torch.compile(model, dynamic=True) if settings.compile else model
    mixed = settings.precision == "bf16" and device.type == "cuda"
    values: dict[str, float] = {}
    total = torch.zeros((), device=device)
    batches = (
        by_processes(recipe, folder / "subwords.model", state["epoch"], settings.workers)
        if settings.workers
        else by_thread(examples, subwords, state["epoch"])
    )
    for epoch, (source_ids, target_ids) in batches:
        state["epoch"] = epoch
        progress = state["step"] / settings.steps
        if settings.minutes:
            progress = max(progress, (time.monotonic() - started) / 60 / settings.minutes)
        if progress >= 1:
            break
        warm = min(1.0, (state["step"] + 1) / max(settings.warmup, 1))
        for group in optimizer.param_groups:
            group["lr"] = settings.learning_rate * warm * min(1.0, 1.25 * (1 - progress) + 0.01)
        source = torch.from_numpy(source_ids).to(device, non_blocking=True)
        target = torch.from_numpy(target_ids).to(device, non_blocking=True)
        model.train()
        with torch.autocast(device.type, torch.bfloat16, enabled=mixed):
            dropped = (
                dropped_words(source, begins_word, settings.source_word_dropout, signs),
                dropped_words(target[:, :-1], begins_word, settings.target_word_dropout, signs),
            )
            scores = network(source, target[:, :-1], dropped)
        gold = target[:, 1:]
        losses = F.cross_entropy(
            scores.float().flatten(0, 1),
            gold.flatten(),
            reduction="none",
            label_smoothing=settings.label_smoothing,
        )
        changed = edited(source, target) & (source[:, :2] != translate).all(1, keepdim=True)
        weights = (1 + (settings.edit_weight - 1) * changed) * (gold != PAD)
        loss = (losses * weights.flatten()).sum() / weights.sum()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.detach()
        state["step"] += 1
        if settings.average:
            followed = 1 - min(settings.average, state["step"] / (state["step"] + 10))
            with torch.no_grad():
                torch._foreach_lerp_(list(kept.parameters()), list(model.parameters()), followed)
        if state["step"] % settings.check_every == 0:
            values = {
                "step": state["step"],
                "epoch": state["epoch"],
                "loss": float(total) / settings.check_every,
            }
            values["minutes"] = (time.monotonic() - started) / 60
            total.zero_()
            stop = _check(recipe, folder, model, kept, optimizer, state, values)
            report(values)
            if stop:
                break
    batches.close()
    if not recipe.data.dev or not (folder / "weights.pt").exists():
        torch.save(kept.state_dict(), folder / "weights.pt")
    checkpoint.unlink(missing_ok=True)
    return values


def _check(
    recipe: Recipe,
    folder: Path,
    model: Transformer,
    kept: Transformer,
    optimizer: Any,
    state: dict[str, Any],
    values: dict[str, float],
) -> bool:
    """Save a checkpoint; with a dev set, keep the best weights and say whether to stop."""
    stop = False
    if recipe.data.dev:
        values["f0.5"] = _dev_score(recipe, folder, kept)
        if values["f0.5"] > state["best"]:
            state["best"], state["waited"] = values["f0.5"], 0
            torch.save(kept.state_dict(), folder / "weights.pt")
        else:
            state["waited"] += 1
            stop = state["waited"] >= recipe.training.patience
    saved = {
        "model": model.state_dict(), "kept": kept.state_dict(), "optimizer": optimizer.state_dict(),
        "state": state,
    }  # fmt: skip
    torch.save(saved, folder / "checkpoint.pt.part")
    (folder / "checkpoint.pt.part").replace(folder / "checkpoint.pt")
    return stop


def _dev_score(recipe: Recipe, folder: Path, model: Transformer) -> float:
    from errata.corpus.m2 import read_m2
    from errata.correct.transformer.corrector import TorchCorrector
    from errata.metrics import metric

    corpus = read_m2(recipe.folder / recipe.data.dev)
    hypotheses = TorchCorrector(folder, model=model).correct_tokenized(corpus.sources)
    m2 = metric("m2")
    return float(m2.score(m2.statistics(corpus, hypotheses)).value)
