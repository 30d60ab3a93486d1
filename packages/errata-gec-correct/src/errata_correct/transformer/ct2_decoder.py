"""A trained Transformer for CTranslate2: 8-bit weights, quick on CPUs, no PyTorch needed to run."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from errata.engine import jobs_or_default
from errata.errors import DataError, needs_extra
from errata_correct.transformer.decoder import Decoded, Decoder, OfLogits
from errata_correct.transformer.folder import read_description, read_subwords, read_weights

_BATCH = 1024  # subwords that are decoded together


def _ctranslate2() -> Any:
    with needs_extra("CTranslate2 models", "ctranslate2", "errata-gec-correct"):
        import ctranslate2
    return ctranslate2


def export(folder: str | Path, output: str | Path, quantization: str = "int8") -> None:
    """Write the model of a folder for CTranslate2."""
    from errata_correct.transformer.network import positions

    ctranslate2 = _ctranslate2()
    folder, output = Path(folder), Path(output)
    settings = read_description(folder)
    state = read_weights(folder / "weights.pt")
    weights = {name: np.ascontiguousarray(tensor.float().numpy()) for name, tensor in state.items()}
    subwords = read_subwords(folder / "subwords.model")
    spec = ctranslate2.specs.TransformerSpec.from_config(
        (settings.encoder_layers, settings.decoder_layers), settings.heads, pre_norm=True,
        activation=ctranslate2.specs.Activation.RELU,
    )  # fmt: skip
    table = positions(2 * settings.longest + 64, settings.width).numpy()

    def norm(target: Any, name: str) -> None:
        target.gamma, target.beta = weights[f"{name}.weight"], weights[f"{name}.bias"]

    def linear(target: Any, name: str) -> None:
        target.weight, target.bias = weights[f"{name}.weight"], weights[f"{name}.bias"]

    for side, part in ((spec.encoder, "encoder"), (spec.decoder, "decoder")):
        embeddings = side.embeddings[0] if part == "encoder" else side.embeddings
        embeddings.weight = weights["embedding.weight"]
        side.scale_embeddings = True
        side.position_encodings.encodings = table
        norm(side.layer_norm, f"{part}_norm")
        for number, layer in enumerate(side.layer):
            name = f"{part}.{number}"
            norm(layer.self_attention.layer_norm, f"{name}.attention.norm")
            linear(layer.self_attention.linear[0], f"{name}.attention.inputs")
            linear(layer.self_attention.linear[1], f"{name}.attention.output")
            if part == "decoder":
                norm(layer.attention.layer_norm, f"{name}.source.norm")
                linear(layer.attention.linear[0], f"{name}.source.inputs")
                linear(layer.attention.linear[1], f"{name}.source.memory")
                linear(layer.attention.linear[2], f"{name}.source.output")
            norm(layer.ffn.layer_norm, f"{name}.norm")
            linear(layer.ffn.linear_0, f"{name}.wide")
            linear(layer.ffn.linear_1, f"{name}.narrow")
    spec.decoder.projection.weight = weights["embedding.weight"]
    pieces = [subwords.id_to_piece(i) for i in range(subwords.get_piece_size())]
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    spec.config.bos_token, spec.config.eos_token, spec.config.unk_token = pieces[2], pieces[3], pieces[1]
    spec.config.decoder_start_token = pieces[2]
    spec.config.add_source_eos = True
    spec.validate()
    spec.optimize(quantization)
    output.mkdir(parents=True, exist_ok=True)
    spec.save(str(output))
    shutil.copy(folder / "subwords.model", output / "subwords.model")
    shutil.copy(folder / "model.json", output / "model.json")


class CT2Decoder(Decoder):
    """Corrects with CTranslate2, greedily, one batch per thread.

    `threads` is by default the number of cores, or what the environment variable ERRATA_JOBS says.
    """

    def __init__(self, folder: str | Path, threads: int = 0) -> None:
        folder = Path(folder)
        super().__init__(folder)
        self.threads = jobs_or_default(threads or None)
        module = _ctranslate2()
        try:
            self.translator = module.Translator(
                str(folder), device="cpu", compute_type="int8", inter_threads=self.threads, intra_threads=1
            )
        except (OSError, RuntimeError, ValueError) as error:
            reason = f"CTranslate2 cannot load the model: {error}"[:300]
            raise DataError(reason, path=folder, hint="copy, install or export the model again") from None

    def decoded(self, lines: Sequence[str]) -> Iterator[Decoded]:
        """Corrected tokenised lines with the probabilities of their subwords, in any order."""
        for i, result in self._results(lines):
            if result is None:
                yield Decoded(i, None, (), OfLogits((), ()))
                continue
            [output] = result.hypotheses
            text = " ".join(self.subwords.decode(output).split())
            if text != lines[i]:
                ids = [*self.subwords.piece_to_id(output), self.subwords.eos_id()]
                yield Decoded(i, text, ids, OfLogits(result.logits[0], ids))

    def _results(self, lines: Sequence[str]) -> Iterator[tuple[int, Any]]:
        """The number and the result of each line that is not too long, the longest first.

        A correction that does not end within twice the length of the batch's longest line is None.
        No more batches are under way than keep the threads busy, since results with logits are large.
        """
        pieces = self.subwords.encode(list(lines), out_type=str)
        chosen = [i for i, row in enumerate(pieces) if 0 < len(row) < self.longest and lines[i].strip()]
        chosen.sort(key=lambda i: -len(pieces[i]))
        waiting: deque[tuple[list[int], list[Any], int]] = deque()
        for batch in self._batches(chosen, pieces):
            most = 2 * len(pieces[batch[0]]) + 20
            under_way = self.translator.translate_batch(
                [pieces[i] for i in batch], beam_size=1, asynchronous=True, max_decoding_length=most,
                return_logits_vocab=True,
            )  # fmt: skip
            waiting.append((batch, under_way, most))
            if len(waiting) > self.threads + 1:
                yield from _finished(*waiting.popleft())
        while waiting:
            yield from _finished(*waiting.popleft())

    def _batches(self, chosen: Sequence[int], pieces: Sequence[Sequence[str]]) -> Iterator[list[int]]:
        """Batches of about equal size; each thread gets one even where there is little text."""
        most = min(_BATCH, -(-sum(len(pieces[i]) for i in chosen) // self.threads))
        batch: list[int] = []
        for i in chosen:
            batch.append(i)
            if len(batch) * len(pieces[batch[0]]) >= most:
                yield batch
                batch = []
        if batch:
            yield batch


def _finished(batch: Sequence[int], under_way: Sequence[Any], most: int) -> Iterator[tuple[int, Any]]:
    for i, one in zip(batch, under_way, strict=True):
        result = one.result()
        yield i, result if len(result.hypotheses[0]) < most else None
