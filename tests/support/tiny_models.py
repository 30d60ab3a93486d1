"""Tiny models with random weights, made when a test asks for them: real networks, nothing to download."""

from __future__ import annotations

from pathlib import Path

import pytest

_TEXT = (
    "the a cat cats sits sit on mat yesterday went go to school he she and dog dogs was were happy very . , "
    "! ? i have has an apple apples eat eats ##s ##ed"
)
WORDS = _TEXT.split()


needed = pytest.mark.needs("torch", "transformers")


def bert(folder: Path, head: str = "BertModel", *, seed: int = 0, labels: int = 1, scale: float = 0.5) -> str:
    """A BERT of three layers in a folder, with a WordPiece vocabulary."""
    import torch
    import transformers

    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    tokenizer = transformers.BertTokenizerFast(
        vocab={w: i for i, w in enumerate(vocabulary)}, model_max_length=64
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=3, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=64, num_labels=labels, initializer_range=scale,
    )  # fmt: skip
    getattr(transformers, head)(config).eval().save_pretrained(folder)
    return str(folder)


def gpt(folder: Path, *, seed: int = 0) -> str:
    """A GPT-2 of two layers in a folder, with a vocabulary of words."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    vocabulary = ["<|endoftext|>", "[UNK]", *WORDS]
    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<|endoftext|>", eos_token="<|endoftext|>", unk_token="[UNK]",
        model_max_length=32,
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = transformers.GPT2Config(
        vocab_size=len(vocabulary), n_positions=32, n_embd=32, n_layer=2, n_head=4, initializer_range=0.5,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    transformers.GPT2LMHeadModel(config).eval().save_pretrained(folder)
    return str(folder)
