"""The network: a Transformer (Vaswani et al. 2017) with norms before the blocks and shared embeddings."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its customary name)
from torch.nn.attention import SDPBackend, sdpa_kernel

from errata_correct.transformer.recipe import Model

PAD, UNKNOWN, BEGIN, END = 0, 1, 2, 3
# cuDNN's attention is not among them: it prepares itself anew for every length of the output.
_DECODING = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
_LEAST = 0.003  # how probable a drawn subword is at least, relative to the best one


def positions(length: int, width: int) -> Tensor:
    """Sinusoidal positions."""
    angles = torch.arange(length)[:, None] * torch.exp(
        torch.arange(0, width, 2) * (-math.log(10000.0) / width)
    )
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def drawn(scores: Tensor, temperature: float) -> Tensor:
    """Subwords drawn by their probabilities; those far less probable than the best one are never drawn.

    This is the Gumbel trick: adding such noise to the scores makes the highest one a draw.
    """
    scores = scores.float() / temperature
    unlikely = scores < scores.amax(-1, keepdim=True) + math.log(_LEAST)
    noise = torch.empty_like(scores).exponential_().log_()
    return (scores - noise).masked_fill_(unlikely, -math.inf).argmax(-1)


class Packed(NamedTuple):
    """Rows of several sentences each: little padding, and few shapes, for which GPUs prepare themselves."""

    ids: Tensor
    places: Tensor  # of the ids within their sentences
    sentences: Tensor  # numbers of the sentences within their row, from 1; padding has 0

    def mask(self, other: Packed) -> Tensor:
        """Which subwords of other rows are of the same sentence; padding sees all, for it must see some."""
        own, others = self.sentences[:, :, None], other.sentences[:, None, :]
        return ((own == others) | (own == 0))[:, None]

    @staticmethod
    def of(ids: Tensor) -> Packed:
        """One sentence."""
        return Packed(ids[None], torch.arange(len(ids), device=ids.device)[None], torch.ones_like(ids)[None])


class Attention(nn.Module):
    """Multi-head attention over itself, or over a memory."""

    def __init__(self, width: int, heads: int, cross: bool) -> None:
        super().__init__()
        self.heads, self.cross = heads, cross
        self.norm = nn.LayerNorm(width)
        self.inputs = nn.Linear(width, width if cross else 3 * width)
        self.memory = nn.Linear(width, 2 * width) if cross else None
        self.output = nn.Linear(width, width)

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def remember(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of a memory."""
        assert self.memory is not None
        keys, values = self.memory(memory).chunk(2, dim=-1)
        return self.split(keys), self.split(values)

    def forward(
        self,
        x: Tensor,
        memory: tuple[Tensor, Tensor] | None = None,
        mask: Tensor | None = None,
        past: tuple[Tensor, Tensor] | None = None,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        x = self.norm(x)
        if self.cross:
            assert memory is not None
            queries, (keys, values) = self.split(self.inputs(x)), memory
        else:
            queries, keys, values = map(self.split, self.inputs(x).chunk(3, dim=-1))
            if past is not None:
                keys, values = torch.cat([past[0], keys], 2), torch.cat([past[1], values], 2)
        mixed = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        return self.output(mixed.transpose(1, 2).flatten(2)), (keys, values)


class Layer(nn.Module):
    """Self-attention, attention to the source in the decoder, and a feed-forward block."""

    def __init__(self, model: Model, decoder: bool) -> None:
        super().__init__()
        self.attention = Attention(model.width, model.heads, cross=False)
        self.source = Attention(model.width, model.heads, cross=True) if decoder else None
        self.norm = nn.LayerNorm(model.width)
        self.wide = nn.Linear(model.width, model.feedforward)
        self.narrow = nn.Linear(model.feedforward, model.width)
        self.dropout = nn.Dropout(model.dropout)

    def feed(self, x: Tensor) -> Tensor:
        return x + self.dropout(self.narrow(self.dropout(F.relu(self.wide(self.norm(x))))))


class Transformer(nn.Module):
    """Source subwords to target subwords."""

    table: Tensor

    def __init__(self, model: Model, size: int) -> None:
        super().__init__()
        self.settings = model
        self.embedding = nn.Embedding(size, model.width)
        nn.init.normal_(self.embedding.weight, std=model.width**-0.5)
        self.encoder: Any = nn.ModuleList(Layer(model, decoder=False) for _ in range(model.encoder_layers))
        self.decoder: Any = nn.ModuleList(Layer(model, decoder=True) for _ in range(model.decoder_layers))
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(model.width), nn.LayerNorm(model.width)
        self.dropout = nn.Dropout(model.dropout)
        self.register_buffer("table", positions(2 * model.longest + 64, model.width), persistent=False)

    def embed(self, ids: Tensor, places: Tensor, dropped: Tensor | None = None) -> Tensor:
        x = self.embedding(ids) * math.sqrt(self.settings.width)
        if dropped is not None:
            x = x.masked_fill(dropped[..., None], 0.0)
        embedded: Tensor = self.dropout(x + self.table[places])
        return embedded

    def encode(self, x: Tensor, mask: Tensor) -> Tensor:
        """The encoded source."""
        for layer in self.encoder:
            x = x + layer.dropout(layer.attention(x, mask=mask)[0])
            x = layer.feed(x)
        encoded: Tensor = self.encoder_norm(x)
        return encoded

    def forward(
        self, source: Packed, target: Packed, dropped: tuple[Tensor | None, Tensor | None] = (None, None)
    ) -> Tensor:
        """Scores of every next subword of the targets, which begin with BEGIN."""
        memory = self.encode(self.embed(source.ids, source.places, dropped[0]), source.mask(source))
        earlier = target.places[:, None, :, None] >= target.places[:, None, None, :]
        causal, across = target.mask(target) & earlier, target.mask(source)
        x = self.embed(target.ids, target.places, dropped[1])
        for layer in self.decoder:
            x = x + layer.dropout(layer.attention(x, mask=causal)[0])
            x = x + layer.dropout(layer.source(x, layer.source.remember(memory), across)[0])
            x = layer.feed(x)
        return F.linear(self.decoder_norm(x), self.embedding.weight)

    @torch.no_grad()
    @sdpa_kernel(_DECODING)
    def greedy(self, source: Tensor, longest: int, temperature: float = 0.0) -> Tensor:
        """The most probable subword at every step, for a batch; with a temperature, a subword drawn."""
        mask = (source != PAD)[:, None, None, :]
        places = torch.arange(source.shape[1], device=source.device)
        memory = self.encode(self.embed(source, places), mask)
        remembered = [layer.source.remember(memory) for layer in self.decoder]
        past: list[tuple[Tensor, Tensor] | None] = [None] * len(self.decoder)
        last = torch.full_like(source[:, :1], BEGIN)
        produced = [last]
        done = torch.zeros_like(last, dtype=torch.bool)
        for step in range(longest):
            x = self.embed(last, torch.full_like(last, step))
            for number, layer in enumerate(self.decoder):
                y, past[number] = layer.attention(x, past=past[number])
                x = x + y
                x = x + layer.source(x, remembered[number], mask)[0]
                x = layer.feed(x)
            scores = F.linear(self.decoder_norm(x[:, -1:]), self.embedding.weight)
            last = (drawn(scores, temperature) if temperature else scores.argmax(-1)).masked_fill(done, PAD)
            produced.append(last)
            done = done | (last == END)
            if step % 8 == 7 and bool(done.all()):
                break
        return torch.cat(produced[1:], 1)
