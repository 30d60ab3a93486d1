"""`errata train` with the kind `metric`: quality estimators on a tiny encoder of the real class."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import tiny_models
from errata.cli import cli
from errata.corpus.model import Corpus
from errata.errors import DataError
from errata.metrics import metric
from errata.models.loading import regressor, sentence_encoder
from errata_correct.quality_examples import held_out, read_ranked, read_recipe, read_scored
from errata_correct.recipes import kind_of

REGRESSION = "kind = 'metric'\n[model]\nencoder = 'x'\nobjective = 'regression'\n"
WRONG = {"cats": "cat", "sits": "sit", "went": "go", "has": "have", "were": "was", "an": "a"}


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_models.bert(tmp_path_factory.mktemp("encoder") / "bert", scale=0.2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, encoder: str) -> Path:
    """A folder with parallel text, ratings, and a recipe for each."""
    made = tmp_path_factory.mktemp("recipes")
    draw = np.random.default_rng(1)
    subjects, verbs, ends = ["the cats", "he", "she"], ["sits", "went", "has", "were"], ["an apple", "happy"]
    pairs, rated = [], ["source\thypothesis\tscore"]
    for _ in range(60):
        right = " ".join([*(str(draw.choice(some)) for some in (subjects, verbs, ends)), "."])
        wrong = " ".join(WRONG.get(word, word) for word in right.split())
        pairs.append(f"{wrong}\t{right}")
        rated += [f"{wrong}\t{right}\t4", f"{wrong}\t{wrong}\t1"]
    (made / "pairs.tsv").write_text("\n".join(pairs) + "\n")
    (made / "rated.tsv").write_text("\n".join(rated) + "\n")
    training = "[training]\nepochs = 4\nlearning_rate = 0.003\nbatch = 16\ndevice = 'cpu'\n"
    model = f"[model]\nencoder = '{encoder}'\n"
    (made / "ranking.toml").write_text(
        f"kind = 'metric'\n[data]\nparallel = ['pairs.tsv']\ndev_share = 0.2\n{model}{training}"
    )
    (made / "regression.toml").write_text(
        f"kind = 'metric'\n[data]\nscores = ['rated.tsv']\n{model}objective = 'regression'\n{training}"
    )
    return made


@tiny_models.needed
def test_pairs_are_ranked_by_impact(folder: Path, encoder: str) -> None:
    recipe = read_recipe(folder / "ranking.toml")
    similar = sentence_encoder(encoder, "cpu")
    found = read_ranked(recipe, similar)
    lines = [line.split("\t") for line in (folder / "pairs.tsv").read_text().splitlines()]
    by_source = dict(lines)
    texts = set()
    for group in found:
        for better, worse in group:
            assert better != worse
            texts |= {better, worse}
    assert texts & set(by_source)  # some corrections are no corrections at all
    assert texts & set(by_source.values())  # and some are complete
    assert found == read_ranked(recipe, similar)


def test_the_recipes_of_the_documentation_are_valid() -> None:
    recipes = Path(__file__).parents[3] / "recipes"
    assert read_recipe(recipes / "impara.toml").model.objective == "ranking"
    assert read_recipe(recipes / "ratings.toml").model.objective == "regression"
    assert kind_of(recipes / "finetuned.toml") == "corrector"


@tiny_models.needed
def test_scores_are_read_with_their_columns(folder: Path) -> None:
    found = read_scored(read_recipe(folder / "regression.toml"))
    assert len(found) == 120
    assert {one.score for one in found} == {1.0, 4.0}
    assert held_out(10, 0.2, 1) == held_out(10, 0.2, 1)
    learned, tested = held_out(10, 0.2, 1)
    assert (len(learned), len(tested)) == (8, 2)
    assert sorted(learned + tested) == list(range(10))


@tiny_models.needed
def test_an_estimator_of_impact_is_a_model_of_impara(folder: Path, encoder: str, tmp_path: Path) -> None:
    from errata_correct.quality_training import train

    reports: list[dict[str, float]] = []
    recipe = read_recipe(folder / "ranking.toml")
    found = train(recipe, tmp_path / "whole", reports.append)
    assert len(reports) == 4
    assert reports[-1]["loss"] < reports[0]["loss"]
    assert found["accuracy"] > 0.8
    right, wrong = "he went happy .", "he go happy ."
    better, worse = regressor(str(tmp_path / "whole"), "cpu").predict([right, wrong])
    assert better > worse
    made = metric(f"impara:model={tmp_path / 'whole'},encoder={encoder},threshold=-1,device=cpu")
    score = made.score(Corpus.from_lists([wrong, wrong]), [right, wrong])
    assert score.sentences[0] > score.sentences[1]
    card = (tmp_path / "whole" / "README.md").read_text()
    assert "pairs.tsv" in card
    assert f"accuracy {found['accuracy']:.4g}" in card
    assert "impara:model=whole" in card

    class StoppedError(Exception):
        pass

    def stop(values: dict[str, float]) -> None:
        if values["epoch"] == 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        train(recipe, tmp_path / "parts", stop)
    rest: list[dict[str, float]] = []
    assert train(recipe, tmp_path / "parts", rest.append) == found
    assert rest == reports[2:]
    again = regressor(str(tmp_path / "parts"), "cpu").predict([right, wrong])
    assert again.tolist() == [better, worse]
    with pytest.raises(DataError, match="a run of another recipe"):
        train(read_recipe(folder / "regression.toml"), tmp_path / "parts")


@tiny_models.needed
def test_an_estimator_of_ratings_is_a_model_of_some(folder: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["train", str(folder / "regression.toml"), "-o", str(tmp_path / "rated")])
    assert done.exit_code == 0, done.output
    assert "epoch 4" in done.output
    model = tmp_path / "rated"
    high, low = regressor(str(model), "cpu").predict(["she has an apple .", "she have a apple ."])
    assert high > low + 0.5
    made = metric(f"some:grammaticality={model},fluency={model},meaning={model},m=0,device=cpu")
    score = made.score(Corpus.from_lists(["she have a apple ."]), ["she has an apple ."])
    assert score.value == pytest.approx(0.98 * (high - 1) / 3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("kind = 'metrics'", "one of corrector, metric"),
        ("kind = 'metric'\n[model]\nencoder = 'x'", "there is no parallel data"),
        ("kind = 'metric'\n[data]\nparallel = ['a.tsv']", "encoder is missing"),
        ("kind = 'metric'\n[model]\nencoder = 'x'\nobjective = 'y'", "objective = 'y'"),
        ("kind = 'metric'\n[model]\nencoders = 'x'", "no field 'encoders'"),
        ("kind = 'metric'\nmodel = 3", "[model] is not a section"),
        (f"{REGRESSION}pair = true\n[data]\nscores = ['a.tsv']", "a.tsv:1: there is no column 'source'"),
        (f"{REGRESSION}[data]\nscores = ['b.tsv']", "b.tsv:3"),
    ],
)  # fmt: skip
@pytest.mark.needs("transformers")
def test_wrong_recipes_are_errors(run: Callable, tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "a.tsv").write_text("hypothesis\tscore\na\t1\nb\t2\n")
    (tmp_path / "b.tsv").write_text("hypothesis\tscore\na\t1\nb\tgood\n")
    (tmp_path / "recipe.toml").write_text(content + "\n")
    done = run("train", "recipe.toml", "-o", "model")
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "model").exists()
