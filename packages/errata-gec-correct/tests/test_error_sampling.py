"""A tiny network learns to make planted errors, and writes clean sentences with them."""

from __future__ import annotations

import importlib
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errata.errors import DataError

pytestmark = pytest.mark.needs("torch", "sentencepiece")


RECIPE = """
[data]
authentic = ["pairs.tsv"]
reversed = true
[model]
vocabulary = 340
width = 64
heads = 4
encoder_layers = 1
decoder_layers = 1
feedforward = 128
dropout = 0.0
[training]
steps = 200
batch_subwords = 600
warmup = 20
learning_rate = 4e-3
check_every = 100
source_word_dropout = 0.0
target_word_dropout = 0.0
label_smoothing = 0.0
edit_weight = 1.0
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch

    from errata_correct.transformer.recipe import read_recipe
    from errata_correct.transformer.training import train

    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("errors")
    draw = random.Random(1)
    names, verbs, things = ["Petr", "Jana", "Eva"], ["ma", "vidi", "zna"], ["dum", "les", "vlak"]
    with (folder / "pairs.tsv").open("w") as file:
        for _ in range(600):
            clean = f"{draw.choice(names)} {draw.choice(verbs)} {draw.choice(things)} ."
            wrong = clean.replace("vidi", "vydy") if draw.random() < 0.5 else clean
            file.write(f"{wrong}\t{clean}\n")
    (folder / "recipe.toml").write_text(RECIPE)
    train(read_recipe(folder / "recipe.toml"), folder / "model")
    return folder / "model"


def test_labels_tell_the_file_and_how_much_is_wrong() -> None:
    from errata_correct.transformer.error_sampling import label, turned

    assert label("a b c d", "a b c d", 0) == "A 0"
    assert label("a b c d e f g h i x", "a b c d e f g h i j", 1) == "B 1"
    assert label("a b c x", "a b c d", 2) == "C 2"
    assert label("x y c d", "a b c d", 0) == "A 3"
    assert label("b a c d", "a b c d", 0) == "A 2"  # the same words in another order
    assert turned([("x b", "a b")], 1) == [("B 3 a b", "x b")]


def test_labels_are_drawn_as_often_as_they_were_seen(tmp_path: Path) -> None:
    from errata_correct.transformer.error_sampling import draw_labels, save_labels

    save_labels(tmp_path, [[("A 0 x", "x")] * 3 + [("A 3 x", "y")], [("B 3 z", "u")] * 2], [4, 12])
    assert json.loads((tmp_path / "labels.json").read_text()) == {"A 0": 3.0, "A 3": 1.0, "B 3": 12.0}
    drawn = Counter(draw_labels(tmp_path, 16_000, np.random.default_rng(1)))
    assert drawn["A 0"] == pytest.approx(3000, rel=0.1)
    assert drawn["B 3"] == pytest.approx(12_000, rel=0.1)


def test_sampled_errors_are_the_planted_ones_and_depend_on_the_seed_alone(model: Path) -> None:
    from errata_correct.transformer.error_sampling import sampled_pairs

    clean = ["Jana vidi les .", "Petr ma dum ."] * 60
    pairs = list(sampled_pairs(model, clean, seed=1))
    assert [target for _, target in pairs] == clean
    sources = {source for source, target in pairs if target == clean[0]}
    assert {"Jana vydy les .", "Jana vidi les ."} <= sources
    assert sum(source == target for source, target in pairs) > len(pairs) / 3
    assert pairs == list(sampled_pairs(model, clean, seed=1))
    assert pairs != list(sampled_pairs(model, clean, seed=2))


def test_sentences_too_long_for_the_model_are_left_out(model: Path) -> None:
    from errata_correct.transformer.error_sampling import sampled_pairs

    long = " ".join(["Jana vidi les ."] * 100)
    assert [target for _, target in sampled_pairs(model, [long, "Petr ma dum ."])] == ["Petr ma dum ."]


def test_the_command_writes_pairs_for_a_recipe(model: Path, tmp_path: Path, run: Any) -> None:
    (tmp_path / "clean.txt").write_text("Jana vidi les .\n\nPetr ma dum .\n")
    result = run(
        "noise", "sample", str(tmp_path / "clean.txt"), "--model", str(model), "--times", "3",
        "-o", str(tmp_path / "pairs.tsv"),
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    rows = [line.split("\t") for line in (tmp_path / "pairs.tsv").read_text().splitlines()]
    assert [row[1] for row in rows] == ["Jana vidi les .", "Petr ma dum ."] * 3
    assert "6 pairs of 6 sentences" in result.stderr


@pytest.mark.parametrize(
    "content", ["{}", "[]", '{"A 0": 0}', '{"A 0": -1}', '{"A 0": NaN}', '{"A 0": "x"}', "x"]
)
def test_damaged_labels_are_refused(tmp_path: Path, content: str) -> None:
    from errata_correct.transformer.error_sampling import draw_labels

    (tmp_path / "labels.json").write_text(content)
    with pytest.raises(DataError, match="labels of a model of errors"):
        draw_labels(tmp_path, 1, np.random.default_rng(1))


@pytest.mark.parametrize(
    "data", ['authentic = ["a.tsv"]\nclean = ["b.txt"]', 'authentic = ["a.tsv"]\ndev = "d.m2"', "draw = 5"]
)
def test_a_model_of_errors_learns_from_corrections_alone(tmp_path: Path, data: str) -> None:
    from errata_correct.transformer.recipe import read_recipe

    (tmp_path / "recipe.toml").write_text(f"[data]\nreversed = true\n{data}\n")
    with pytest.raises(DataError, match="learns from corrections alone"):
        read_recipe(tmp_path / "recipe.toml")


def test_a_model_of_another_size_is_refused(model: Path, tmp_path: Path) -> None:
    from errata_correct.transformer.recipe import read_recipe
    from errata_correct.transformer.training import train

    recipe = RECIPE.replace("feedforward = 128", "feedforward = 64")
    path = model.parent / "other.toml"
    path.write_text(recipe + f'start_from = "{model}"\n')
    with pytest.raises(DataError, match="has another size"):
        train(read_recipe(path), tmp_path / "other")


def test_a_corrector_is_no_model_of_errors(tmp_path: Path) -> None:
    from errata_correct.transformer.error_sampling import sampled_pairs

    with pytest.raises(DataError, match="not a model of errors"):
        list(sampled_pairs(tmp_path, ["a"]))


@pytest.mark.needs("ctranslate2")
def test_training_goes_on_from_an_export(model: Path, tmp_path: Path) -> None:
    import torch

    from errata_correct.transformer.ct2_decoder import export
    from errata_correct.transformer.ct2_weights import read_export
    from errata_correct.transformer.recipe import read_recipe
    from errata_correct.transformer.training import train

    weights = torch.load(model / "weights.pt", weights_only=True)
    export(model, tmp_path / "float", quantization="float32")
    found = read_export(tmp_path / "float" / "model.bin", 1, 1)
    assert found.keys() == weights.keys()
    assert all(torch.equal(found[name], weights[name]) for name in weights)
    export(model, tmp_path / "int8")
    found = read_export(tmp_path / "int8" / "model.bin", 1, 1)
    for name, tensor in weights.items():
        assert torch.allclose(found[name], tensor, atol=float(tensor.abs().max()) / 250)
    with pytest.raises(DataError, match="not an export of such a Transformer"):
        read_export(tmp_path / "int8" / "model.bin", 2, 1)
    with pytest.raises(DataError, match="more than 0 layers"):
        read_export(tmp_path / "int8" / "model.bin", 0, 1)
    export(model, tmp_path / "int16", quantization="int16")
    with pytest.raises(DataError, match="int16"):
        read_export(tmp_path / "int16" / "model.bin", 1, 1)
    (tmp_path / "broken.bin").write_bytes((tmp_path / "int8" / "model.bin").read_bytes()[:5000])
    with pytest.raises(DataError, match="not an export"):
        read_export(tmp_path / "broken.bin", 1, 1)
    path = model.parent / "from_export.toml"
    path.write_text(RECIPE + f'start_from = "{tmp_path / "int8"}"\n')
    (tmp_path / "int8" / "model.json").write_text('{"tags": [], "encoder_layers": "many"}')
    with pytest.raises(DataError, match="encoder_layers is 'many'"):
        train(read_recipe(path), tmp_path / "further")


def test_models_are_averaged_with_half_precision(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "tools" / "models"))
    average = importlib.import_module("average").average

    weights = torch.load(model / "weights.pt", weights_only=True)
    other = tmp_path / "other"
    other.mkdir()
    torch.save({name: tensor + 1 for name, tensor in weights.items()}, other / "weights.pt")
    average([model, other], tmp_path / "mean")
    mean = torch.load(tmp_path / "mean" / "weights.pt", weights_only=True)
    assert {tensor.dtype for tensor in mean.values()} == {torch.float16}
    for name, tensor in weights.items():
        assert torch.allclose(mean[name].float(), tensor + 0.5, atol=1e-2)
    assert (tmp_path / "mean" / "subwords.model").read_bytes() == (model / "subwords.model").read_bytes()
