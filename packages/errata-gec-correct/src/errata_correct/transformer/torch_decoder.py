"""A trained Transformer, decoded with PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from errata_correct.transformer.decoder import Decoded, Decoder, OfLogits
from errata_correct.transformer.examples import padded
from errata_correct.transformer.folder import load_weights, read_weights
from errata_correct.transformer.network import Packed, Transformer


class TorchDecoder(Decoder):
    """Corrects with PyTorch, greedily, on the GPU if there is one."""

    def __init__(self, folder: str | Path, *, model: Transformer | None = None) -> None:
        folder = Path(folder)
        super().__init__(folder)
        if model is None:
            model = Transformer(self.description, self.subwords.get_piece_size())
            load_weights(model, read_weights(folder / "weights.pt"), folder)
            model.to("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model

    def texts(self, lines: Sequence[str]) -> list[str | None]:
        """The network's own texts; None if a line is too long or its correction does not end."""
        texts = self.generate([line if line.strip() else "" for line in lines], 60_000, 10)
        return [text if line.strip() else line for line, text in zip(lines, texts, strict=True)]

    def generate(
        self, texts: Sequence[str], on_gpu: int, beyond: int, temperature: float = 0.0
    ) -> list[str | None]:
        """The output of the network for every text; None for a text that is empty, too long or has no end.

        A batch has about `on_gpu` subwords on a GPU. An output has at most 1.3 times as many subwords as the
        longest text of its batch, and `beyond` more.
        """
        self.model.eval()
        device = next(self.model.parameters()).device
        most = on_gpu if device.type == "cuda" else 8000
        rows: list[list[int]] = self.subwords.encode(list(texts))
        written: list[str | None] = [None] * len(texts)
        batch: list[int] = []

        def work() -> None:
            source = torch.from_numpy(padded([[*rows[i], 3] for i in batch])).to(device).long()
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                output: Any = self.model.greedy(source, int(source.shape[1] * 1.3) + beyond, temperature)
            for i, ids in zip(batch, output.tolist(), strict=True):
                if 3 in ids:
                    written[i] = " ".join(self.subwords.decode(ids[: ids.index(3)]).split())
            batch.clear()

        for i in np.argsort([len(row) for row in rows], kind="stable").tolist():
            if not 0 < len(rows[i]) < self.longest:
                continue
            batch.append(i)
            if len(batch) * len(rows[i]) > most:
                work()
        if batch:
            work()
        return written

    def decoded(self, lines: Sequence[str]) -> Iterator[Decoded]:
        """The lines that it corrects, with the probabilities of the subwords of the corrections."""
        device = next(self.model.parameters()).device
        for number, (line, text) in enumerate(zip(lines, self.texts(lines), strict=True)):
            if text == line:
                continue
            if text is None:
                yield Decoded(number, None, (), OfLogits((), ()))
                continue
            ids = [*self.subwords.encode(text), 3]
            source = Packed.of(torch.tensor([*self.subwords.encode(line), 3], device=device))
            target = Packed.of(torch.tensor([2, *ids[:-1]], device=device))
            with torch.inference_mode():
                logits = self.model(source, target)[0].float().cpu().numpy()
            yield Decoded(number, text, ids, OfLogits(logits, ids))
