"""Trainers, decoders and harnesses, run with tiny models and no network: `make integrations`."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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


@pytest.mark.needs("mbrs")
@pytest.mark.parametrize("name", ["gleu", "m2", "ter"])
def test_mbrs_chooses_as_errata_does(name: str) -> None:
    from mbrs.decoders import DecoderMBR

    from errata.integrations import mbrs

    source, candidates = SOURCES[0], [SOURCES[0], "He goes home .", "He goes to home .", "He goes home ."]
    decoder = DecoderMBR(DecoderMBR.Config(), mbrs.metric(name))
    chosen = decoder.decode(candidates, candidates, source=source, nbest=1)
    (expected,) = errata.metric(name).mbr([source], [candidates])
    assert (chosen.sentence[0], chosen.score[0]) == (expected.text, pytest.approx(expected.expected))
    scores = decoder.metric.scores(candidates[:2], [CORRECT[0]] * 2, [source] * 2)
    assert scores.tolist() == pytest.approx(
        [
            errata.score([source], [text], metric=name, references=[[CORRECT[0]]]).sentences[0]
            for text in candidates[:2]
        ]
    )
    with pytest.raises(errata.ErrataError, match=r"decode\(…, source=…\)"):
        decoder.decode(candidates, candidates)


@pytest.fixture
def chat_server() -> Iterator[str]:
    """A server with the API of OpenAI that corrects one error."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = request["messages"][-1]["content"].partition("\n")[0].removeprefix("Text: ")
            message = {"role": "assistant", "content": text.replace("He go ", "He goes ")}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            body = {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": "tiny",
                "choices": [choice],
            }
            self._answer(body)

        def do_GET(self) -> None:
            self._answer({"object": "list", "data": [{"id": "tiny", "object": "model"}]})

        def _answer(self, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.mark.needs("euroeval")
def test_euroeval_scores_a_model_behind_a_server(
    chat_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each round draws rows again and changes their order; EuroEval asks the server only once for each."""
    from datasets import Dataset
    from euroeval import Benchmarker
    from euroeval.data_models import DatasetConfig, PromptConfig, Task
    from euroeval.enums import ModelType, TaskGroup
    from euroeval.languages import ENGLISH

    from errata.integrations import euroeval

    drawn: list[list[str]] = []

    class Recording(euroeval.ErrataMetric):
        def __call__(
            self, predictions: Any, references: Any, dataset: Any, *others: Any, **more: Any
        ) -> float:
            drawn.append([*dataset["text"]])
            return super().__call__(predictions, references, dataset, *others, **more)

    monkeypatch.chdir(tmp_path)
    for split in ("train", "val", "test"):
        Dataset.from_dict({"text": SOURCES, "target_text": CORRECT}).to_csv(f"{split}.csv")
    prompt = PromptConfig("", "Text: {text}\n{target_text}", "Text: {text}\n\nCorrect it.", {})
    task = Task(
        "gec", TaskGroup.TEXT_TO_TEXT, {ENGLISH: prompt}, [Recording(errata.metric("gleu"))],
        default_num_few_shot_examples=0, default_max_generated_tokens=32, default_labels=[],
        default_allowed_model_types=[ModelType.GENERATIVE],
    )  # fmt: skip
    files = {split: f"{split}.csv" for split in ("train", "val", "test")}
    benchmarker = Benchmarker(
        progress_bar=False, save_results=False, api_key="none", api_base=chat_server, num_iterations=4,
        few_shot=False, evaluate_test_split=True, raise_errors=True,
    )  # fmt: skip
    (result,) = benchmarker.benchmark(
        model="openai/tiny", dataset=DatasetConfig("mine", "Mine", files, task, [ENGLISH])
    )
    correction = dict(zip(SOURCES, CORRECT, strict=True))
    expected = [
        errata.score(
            texts, [text.replace("He go ", "He goes ") for text in texts],
            metric="gleu", references=[[correction[text]] for text in texts],
        ).value
        for texts in drawn
    ]  # fmt: skip
    assert [round_["gleu"] for round_ in result.results["raw"]] == pytest.approx(expected)
    assert len({*expected}) > 1
    clash = Dataset.from_dict({"text": ["a", "b"], "target_text": ["c", "c"], "messages": ["", ""]})
    with pytest.raises(DataError, match="two sources have the reference 'c'"):
        euroeval.metric("m2")(["c"], ["c"], clash)
    with pytest.raises(DataError, match="replaced the sources of this dataset by prompts"):
        euroeval.metric("m2")(["c"], ["c"], Dataset.from_dict({"text": ["a"], "prompt": ["a"]}))


@pytest.mark.needs("evaluate")
def test_evaluate_runs_the_module(tmp_path: Path) -> None:
    from errata.integrations import evaluate

    scorer = evaluate.metric("gleu", cache_dir=str(tmp_path))
    for source, text in zip(SOURCES, CORRECT, strict=True):
        scorer.add(sources=source, predictions=source, references=[text])
    expected = errata.score(SOURCES, SOURCES, metric="gleu", references=[[text] for text in CORRECT])
    assert scorer.compute()["gleu"] == expected.value
