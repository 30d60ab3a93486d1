"""The Transformer: a tiny one learns planted confusions in seconds, on a CPU."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errata.errors import DataError
from errata_correct.corrector import Corrector

pytestmark = pytest.mark.needs("torch", "sentencepiece")


RECIPE = """
[data]
clean = ["clean.txt"]
profiles = ["errors.json"]
{data}
[model]
vocabulary = 340
width = 64
heads = 4
encoder_layers = 1
decoder_layers = 1
feedforward = 128
dropout = 0.0
[training]
steps = {steps}
batch_subwords = 600
warmup = 20
learning_rate = 4e-3
check_every = {check}
source_word_dropout = 0.02
target_word_dropout = 0.02
label_smoothing = 0.0
{training}
"""


def folder_with(tmp_path: Path, steps: int, check: int = 20, data: str = "", training: str = "") -> Path:
    draw = random.Random(1)
    names, verbs, things = ["Petr", "Jana", "Eva"], ["ma", "vidi", "zna"], ["dum", "les", "vlak"]
    lines = [f"{draw.choice(names)} {draw.choice(verbs)} {draw.choice(things)} ." for _ in range(600)]
    (tmp_path / "clean.txt").write_text("\n".join(lines) + "\n")
    profile = {"words": {"vidi": {"vydy": 0.5}, "les": {"lez": 0.5}}, "sentence_deviation": 0.0}
    (tmp_path / "errors.json").write_text(json.dumps(profile))
    recipe = RECIPE.format(steps=steps, check=check, data=data, training=training)
    (tmp_path / "recipe.toml").write_text(recipe)
    return tmp_path / "recipe.toml"


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, float]]]:
    from errata_correct.transformer.recipe import read_recipe
    from errata_correct.transformer.training import train

    folder = tmp_path_factory.mktemp("transformer")
    history: list[dict[str, float]] = []
    train(
        read_recipe(folder_with(folder, 200)), folder / "model", lambda values: history.append(dict(values))
    )
    return folder / "model", history


def test_the_loss_falls_and_planted_confusions_are_corrected(
    trained: tuple[Path, list[dict[str, float]]],
) -> None:
    from errata_correct.loading import load_model as load

    folder, history = trained
    assert history[-1]["loss"] < history[0]["loss"] / 3
    corrector = load(str(folder))
    lines = ["Jana vydy lez .", "Petr ma dum ."]
    assert Corrector(corrector).correct_tokenized(lines) == ["Jana vidi les .", "Petr ma dum ."]
    assert Corrector(corrector).correct(["Jana vydy les.", ""]) == ["Jana vidi les.", ""]
    assert Corrector(load(str(folder))).correct_tokenized(lines) == Corrector(corrector).correct_tokenized(
        lines
    )


@pytest.mark.needs("ctranslate2")
def test_the_export_corrects_as_the_original(
    trained: tuple[Path, list[dict[str, float]]], tmp_path: Path
) -> None:
    from errata_correct.loading import load_model as load
    from errata_correct.transformer.ct2_decoder import export

    export(trained[0], tmp_path / "int8")
    lines = ["Jana vydy lez .", "Petr ma dum .", ""]
    assert Corrector(load(str(tmp_path / "int8"))).correct_tokenized(lines) == Corrector(
        load(str(trained[0]))
    ).correct_tokenized(lines)


@pytest.mark.needs("ctranslate2")
def test_changes_have_margins_by_the_probability_of_the_new_words(
    trained: tuple[Path, list[dict[str, float]]], tmp_path: Path
) -> None:
    from errata_correct.loading import load_corrector
    from errata_correct.loading import load_model as load
    from errata_correct.transformer.ct2_decoder import export

    export(trained[0], tmp_path / "float", quantization="float32")
    sentences = [["Jana", "vydy", "lez", "."], ["Petr", "ma", "dum", "."], []]
    torch_changes, changes = (
        load(str(trained[0])).changes(sentences),
        load(str(tmp_path / "float")).changes(sentences),
    )
    assert [[change[:3] for change in row] for row in changes] == [
        [(1, 2, ("vidi",)), (2, 3, ("les",))],
        [],
        [],
    ]
    for one, other in zip(changes[0], torch_changes[0], strict=True):
        assert one[:3] == other[:3]
        # CTranslate2 computes with 8 bits, and its error depends on the processor and grows with the margin.
        assert one.margin == pytest.approx(other.margin, rel=0.1, abs=1.0)
        assert one.margin > 1
        assert one.lead == pytest.approx(other.lead, rel=0.1, abs=1.0)
        assert one.lead > 1
    [suggestions] = load_corrector(str(tmp_path / "float"), threshold=0.6).suggest(
        ["Jana vydy  lez. Petr ma dum."]
    )
    assert [one.text for one in suggestions] == ["vidi", "les"]


def test_fine_tuning_mixes_authentic_and_synthetic_two_to_one(
    trained: tuple[Path, list[dict[str, float]]], tmp_path: Path
) -> None:
    from errata_correct.transformer.examples import Examples
    from errata_correct.transformer.recipe import read_recipe
    from errata_correct.transformer.training import train

    m2 = "S Eva zna dumm .\nA 2 3|||R|||dum|||REQUIRED|||-NONE-|||0\n\n" * 40
    (tmp_path / "real.m2").write_text(m2)
    start = f'start_from = "{trained[0].as_posix()}"'
    recipe = read_recipe(folder_with(tmp_path, 20, 10, 'authentic = ["real.m2"]\ndev = "real.m2"', start))
    pairs = Examples(recipe).pairs(0)
    assert len(pairs) == 60
    assert sum(pair == ("Eva zna dumm .", "Eva zna dum .") for pair in pairs) == 40
    values = train(recipe, tmp_path / "tuned")
    assert 0 <= values["f0.5"] <= 1


def test_a_stopped_run_goes_on_with_its_average(tmp_path: Path) -> None:
    from errata_correct.transformer.recipe import read_recipe
    from errata_correct.transformer.training import train

    recipe = read_recipe(folder_with(tmp_path, 12, 4, training="average = 0.9"))

    class StoppedError(Exception):
        pass

    def stop(values: dict[str, float]) -> None:
        if values["step"] == 8:
            raise StoppedError

    with pytest.raises(StoppedError):
        train(recipe, tmp_path / "model", stop)
    steps: list[float] = []
    train(recipe, tmp_path / "model", lambda values: steps.append(values["step"]))
    assert steps == [12]


def test_any_number_of_processes_prepares_the_same_batches(tmp_path: Path) -> None:
    from errata_correct.transformer.examples import Examples, train_subwords
    from errata_correct.transformer.recipe import read_recipe
    from errata_correct.transformer.training import batches

    recipe = read_recipe(folder_with(tmp_path, 5))
    examples = Examples(recipe)
    train_subwords(examples.texts(), 340, tmp_path / "subwords.model")
    one, other = (batches(examples, tmp_path / "subwords.model", 3, workers) for workers in (0, 2))
    epochs = set()
    for (epoch, batch), (same_epoch, same) in itertools.islice(zip(one, other, strict=False), 60):
        assert epoch == same_epoch
        assert all((one == other).all() for one, other in zip(batch, same, strict=True))
        epochs.add(epoch)
    one.close()
    other.close()
    assert epochs >= {3, 4, 5}


def test_edited_subwords_are_those_the_source_does_not_have() -> None:
    from errata_correct.transformer.examples import laid_out

    rows = [[([5, 6, 7], [5, 9, 7]), ([5, 9], [5, 9])], [([4, 8], [4])]]
    batch = laid_out(rows, 8)
    assert batch.source.tolist() == [[5, 6, 7, 3, 5, 9, 3, 0], [4, 8, 3, 0, 0, 0, 0, 0]]
    assert batch.source_places.tolist() == [[0, 1, 2, 3, 0, 1, 2, 0], [0, 1, 2, 0, 0, 0, 0, 0]]
    assert batch.source_sentences.tolist() == [[1, 1, 1, 1, 2, 2, 2, 0], [1, 1, 1, 0, 0, 0, 0, 0]]
    assert batch.given.tolist() == [[2, 5, 9, 7, 2, 5, 9, 0], [2, 4, 0, 0, 0, 0, 0, 0]]
    assert batch.wanted.tolist() == [[5, 9, 7, 3, 5, 9, 3, 0], [4, 3, 0, 0, 0, 0, 0, 0]]
    assert batch.target_sentences.tolist() == [[1, 1, 1, 1, 2, 2, 2, 0], [1, 1, 0, 0, 0, 0, 0, 0]]
    assert np.flatnonzero(batch.edited).tolist() == [1, 2, 9]  # a subword after another one counts, too


def test_rows_are_filled_with_every_sentence_once() -> None:
    from errata_correct.transformer.examples import filled

    lengths = np.random.default_rng(1).integers(1, 40, 500)
    rows = filled(lengths, 40)
    assert sorted(itertools.chain.from_iterable(rows)) == list(range(500))
    assert max(lengths[row].sum() for row in rows) <= 40
    assert lengths.sum() > 0.97 * 40 * len(rows)


def test_sentences_that_share_a_row_get_the_scores_that_they_get_alone() -> None:
    import torch

    from errata_correct.transformer.examples import laid_out
    from errata_correct.transformer.network import Packed, Transformer
    from errata_correct.transformer.recipe import Model

    torch.manual_seed(1)
    model = Transformer(Model(width=32, heads=4, encoder_layers=2, decoder_layers=2, feedforward=64), 50)
    model.eval()
    pairs = [([5, 6, 7], [5, 6]), ([8], []), ([9, 10], [9, 10, 11, 12])]
    batch = laid_out([pairs[:2], pairs[2:]], 6)  # the first source fills its row, its target does not
    matrices = {name: torch.from_numpy(part).long() for name, part in batch._asdict().items()}
    source = Packed(*(matrices[f"source{part}"] for part in ("", "_places", "_sentences")))
    target = Packed(*(matrices[part] for part in ("given", "target_places", "target_sentences")))
    scores = model(source, target)
    assert torch.isfinite(scores).all()
    together = scores[target.sentences > 0]
    alone = [
        model(Packed.of(torch.tensor([*source, 3])), Packed.of(torch.tensor([2, *target])))[0]
        for source, target in pairs
    ]
    assert torch.allclose(together, torch.cat(alone), atol=1e-5)
    # The search, which pads its sources, finds the subwords with the highest of these scores.
    matrix = torch.tensor([[*source, 3] + [0] * (3 - len(source)) for source, _ in pairs])
    assert model.greedy(matrix, 1)[:, 0].tolist() == [int(scores[0].argmax()) for scores in alone]


def test_further_layers_of_the_encoder_change_nothing_at_first(
    trained: tuple[Path, list[dict[str, float]]], tmp_path: Path
) -> None:
    from errata_correct.loading import load_model as load
    from errata_correct.transformer.recipe import read_recipe
    from errata_correct.transformer.training import train

    path = folder_with(tmp_path, 1, 1, "", f'start_from = "{trained[0].as_posix()}"')
    recipe = path.read_text().replace("encoder_layers = 1", "encoder_layers = 2")
    path.write_text(recipe.replace("learning_rate = 4e-3", "learning_rate = 1e-9"))
    train(read_recipe(path), tmp_path / "deeper")
    lines = ["Jana vydy lez .", "Petr ma dum ."]
    assert json.loads((tmp_path / "deeper" / "model.json").read_text())["encoder_layers"] == 2
    assert Corrector(load(str(tmp_path / "deeper"))).correct_tokenized(lines) == [
        "Jana vidi les .",
        "Petr ma dum .",
    ]


def test_unknown_fields_of_a_recipe_are_errors(tmp_path: Path) -> None:
    from errata_correct.transformer.recipe import read_recipe

    (tmp_path / "r.toml").write_text("[training]\nstep = 3\n")
    with pytest.raises(DataError, match="step"):
        read_recipe(tmp_path / "r.toml")
    (tmp_path / "r.toml").write_text("[training\n")
    with pytest.raises(DataError, match="TOML"):
        read_recipe(tmp_path / "r.toml")


def test_the_recipes_that_come_with_the_package_are_valid() -> None:
    from errata_correct.transformer.recipe import read_recipe

    folder = Path(__file__).parents[3] / "recipes"
    files = [path for path in folder.rglob("*.toml") if 'kind = "metric"' not in path.read_text()]
    recipes = {path.relative_to(folder).with_suffix("").as_posix(): read_recipe(path) for path in files}
    assert set(recipes) == {
        "synthetic", "finetuned", "cs-errors", "cs-more", "cs-sampled", "cs-final", "cs/errors",
        "cs/synthetic", "cs/final",
        "ladder/synthetic", "ladder/errors", "ladder/sampled", "ladder/akces", "ladder/geccc",
    }  # fmt: skip
    for recipe in recipes.values():
        assert len(recipe.data.clean_weights) in (0, len(recipe.data.clean))
        assert len(recipe.data.authentic_weights) in (0, len(recipe.data.authentic))
    assert recipes["finetuned"].data.synthetic_share == pytest.approx(1 / 3)


def test_a_recipe_without_any_short_sentence_says_so(tmp_path: Path) -> None:
    from errata_correct.transformer.recipe import read_recipe
    from errata_correct.transformer.training import train

    path = folder_with(tmp_path, 5)
    path.write_text(path.read_text().replace("[model]", "[model]\nlongest = 2"))
    with pytest.raises(DataError, match="short enough"):
        train(read_recipe(path), tmp_path / "model")


class _Letters:
    """Subwords that are single letters and signs; `▁` begins a word."""

    pieces = ("", "<unk>", "<s>", "</s>", *"▁abcdefkopsxyzč")

    def encode(self, line: str) -> list[int]:
        return [self.pieces.index(letter) for word in line.split() for letter in f"▁{word}"]

    def is_byte(self, number: int) -> bool:
        return False

    def is_unknown(self, number: int) -> bool:
        return False

    def id_to_piece(self, number: int) -> str:
        return self.pieces[number]

    def eos_id(self) -> int:
        return 3


class _Fixed:
    """Writes one sentence for another; each subword has a probability of 0.9 but for those given."""

    room = 100

    def _changes(self, *arguments: Any) -> Any:
        from errata_correct.transformer.decoder import Decoder

        return Decoder._changes(self, *arguments)  # type: ignore[arg-type]

    def __init__(self, wrong: str, right: str, probabilities: dict[int, float], unit: int = 0) -> None:
        self.subwords: Any = _Letters()
        self.wrong, self.right, self.probabilities, self.unit = wrong, right, probabilities, unit

    def decoded(self, lines: Sequence[str]) -> Iterator[Any]:
        from errata_correct.transformer.decoder import Decoded, OfLogits

        ids = [*self.subwords.encode(self.right), *[4] * self.unit, 3]
        logits = []
        for step, number in enumerate(ids):
            p = self.probabilities.get(step, 0.9)
            row = np.full(len(_Letters.pieces), (1 - p) / (len(_Letters.pieces) - 1))
            row[number] = p
            logits.append(np.log(row) + 3)  # logits, not yet probabilities
        for number, line in enumerate(lines):
            if line == self.wrong:
                yield Decoded(number, self.right, ids, OfLogits(logits, ids))
            else:
                yield Decoded(number, line, [3], OfLogits([], []))


def test_the_margin_of_words_left_out_or_put_in_is_that_of_the_right_place() -> None:
    from errata_correct.transformer.decoder import Decoder

    wrong, right = "za pes b c kočka d e f", "pes b c x y d e f"
    model = _Fixed(wrong, right, {8: 0.8, 9: 0.5, 0: 0.4})
    found = Decoder.changes(model, [["k"], wrong.split(), []])
    assert [len(row) for row in found] == [0, 2, 0]
    assert [change[:3] for change in found[1]] == [(0, 1, ()), (4, 5, ("x", "y"))]
    left_out, put_in = 0.4 * 0.9**3, 0.8 * 0.5 * 0.9**2
    expected = [-math.log(1 - left_out), -math.log(1 - put_in)]
    assert [change.margin for change in found[1]] == pytest.approx(expected)


def test_the_lead_compares_the_first_subword_that_differs_with_that_of_the_source() -> None:
    from errata_correct.transformer.decoder import Decoder

    others = len(_Letters.pieces) - 1
    [[change]] = Decoder.changes(_Fixed("a box", "a bok", {5: 0.6}), [["a", "box"]])
    assert change.lead == pytest.approx(math.log(0.6 / (0.4 / others)))
    [[change]] = Decoder.changes(
        _Fixed("a b", "a b c", {4: 0.7}), [["a", "b"]]
    )  # against the end of the sentence
    assert change.lead == pytest.approx(math.log(0.7 / (0.3 / others)))


def test_where_subwords_make_other_words_than_the_text_the_whole_sentence_tells_the_margin() -> None:
    from errata_correct.transformer.decoder import Decoder

    [[change]] = Decoder.changes(_Fixed("a box", "a bok", {}, unit=2), [["a", "box"]])
    assert change.margin == pytest.approx(-math.log(1 - 0.9**9))
    assert change.lead == 0


def test_damaged_weights_are_named(trained: Any, tmp_path: Path) -> None:
    import torch

    from errata_correct.transformer.torch_decoder import TorchDecoder

    for name in ("model.json", "subwords.model"):
        (tmp_path / name).write_bytes((trained[0] / name).read_bytes())
    for content in (b"", b"no weights", (trained[0] / "weights.pt").read_bytes()[:2000]):
        (tmp_path / "weights.pt").write_bytes(content)
        with pytest.raises(DataError, match="no weights can be read"):
            TorchDecoder(tmp_path)
    torch.save({"x": torch.zeros(1)}, tmp_path / "weights.pt")
    with pytest.raises(DataError, match="another size"):
        TorchDecoder(tmp_path)
