"""Trainers and harnesses, run with tiny models and no network: `make integrations`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import errata
from errata import sample
from errata.errors import DataError

SOURCES = ["He go home .", "It is fine .", "They is here ."]
CORRECT = ["He goes home .", "It is fine .", "They are here ."]


def test_the_reward_is_the_sentence_score() -> None:
    from errata.integrations.trl import reward

    batch: dict[str, Any] = {"source": SOURCES, "references": [[text] for text in CORRECT]}
    completions = [[{"role": "assistant", "content": "He goes\nhome ."}], CORRECT[1], SOURCES[2]]
    rewards = reward("m2")(prompts=SOURCES, completions=completions, completion_ids=[], **batch)
    assert rewards == [1, 1, 0]
    assert reward("ter")(prompts=SOURCES, completions=SOURCES, **batch)[0] == -0.25
    with pytest.raises(DataError, match="not the text of a completion"):
        reward("m2")(prompts=SOURCES, completions=[[{"role": "assistant"}]] * 3, **batch)


@pytest.fixture
def tiny_model(tmp_path: Path) -> Path:
    """An untrained causal model with a vocabulary of words."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    words = sorted({word for text in SOURCES + CORRECT for word in text.split()})
    ids = {word: number for number, word in enumerate(["<unk>", "<end>", *words])}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", eos_token="<end>", pad_token="<end>"
    )
    size = {"n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": 256}
    GPT2LMHeadModel(GPT2Config(vocab_size=len(ids), **size, bos_token_id=1, eos_token_id=1)).save_pretrained(
        tmp_path
    )
    fast.save_pretrained(tmp_path)
    return tmp_path


@pytest.mark.needs("trl")
def test_grpo_trains_on_the_reward(tiny_model: Path, tmp_path: Path) -> None:
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    from errata.integrations.trl import reward

    rows = {"prompt": SOURCES, "source": SOURCES, "references": [[text] for text in CORRECT]}
    settings = GRPOConfig(
        output_dir=str(tmp_path / "out"), max_steps=3, per_device_train_batch_size=4, num_generations=4,
        max_completion_length=6, report_to="none", logging_steps=1, use_cpu=True, save_strategy="no",
        bf16=False,
    )  # fmt: skip
    trainer = GRPOTrainer(
        str(tiny_model), reward_funcs=[reward("gleu")], args=settings, train_dataset=Dataset.from_dict(rows)
    )
    trainer.train()
    logged = [
        entry["rewards/gleu/mean"] for entry in trainer.state.log_history if "rewards/gleu/mean" in entry
    ]
    assert len(logged) == 3
    assert all(0 <= mean <= 1 for mean in logged)


@pytest.mark.needs("lm_eval")
def test_the_task_of_the_harness_has_the_corpus_score() -> None:
    import lm_eval
    from lm_eval.api.model import LM

    from errata.integrations.lm_eval import task

    corpus = sample.load("en").corpus

    class Model(LM):
        def generate_until(self, requests: Sequence[Any], *_: Any) -> list[str]:
            prompts = [request.args[0] for request in requests]
            return [self.answer(prompt) for prompt in prompts]

        def answer(self, prompt: str) -> str:
            return "Corrected: " + prompt.removeprefix("Fix: ").replace("Since five", "For five")

        def loglikelihood(self, requests: Sequence[Any], *_: Any) -> list[Any]:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    done = lm_eval.simple_evaluate(
        Model(), tasks=[task(corpus, metric="m2", prompt="Fix: {text}", name="sample")], bootstrap_iters=0
    )
    lines = [text.replace("Since five", "For five") for text in corpus.sources]
    expected = errata.score(corpus, lines, metric="m2").value
    assert expected > 0
    assert done["results"]["sample"]["m2,none"] == pytest.approx(expected, abs=1e-12)
