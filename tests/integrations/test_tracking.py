"""The recipes for trackers and trainers run, offline, and log the scores of `errata score`."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import errata
from errata import sample

RECIPES = Path(__file__).parents[2] / "recipes" / "tracking"
EN = sample.folder("en")
GOLD, RULES = EN / "gold.m2", EN / "systems/rules.txt"
EXPECTED = errata.score(str(GOLD), RULES.read_text("utf-8").splitlines(), metric="m2").value


@pytest.fixture(scope="module")
def rows() -> tuple[list[str], list[list[str]], list[str]]:
    """Sources, references and the output of a system."""
    made = sample.load("en")
    references = [[text for text in texts if text is not None] for texts in made.corpus.reference_texts()]
    return list(made.corpus.sources), references, list(made.outputs["rules"])


def need(*modules: str) -> None:
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed (recipes/tracking/README.md)")


def python(folder: Path, *args: object, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, args)],
        cwd=folder, env={**os.environ, "HF_HUB_OFFLINE": "1", **env}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_mlflow_gets_scores_and_signatures(tmp_path: Path) -> None:
    need("mlflow")
    place = (tmp_path / "runs").as_uri()
    env = {"MLFLOW_TRACKING_URI": place, "MLFLOW_ALLOW_FILE_STORE": "true"}
    run = python(tmp_path, RECIPES / "mlflow_scores.py", GOLD, RULES, **env).split()[-1]
    found = json.loads(
        python(
            tmp_path, "-c",
            "import json, sys, mlflow; data = mlflow.MlflowClient().get_run(sys.argv[1]).data; "
            "print(json.dumps([data.metrics, data.tags]))",
            run, **env,
        ).splitlines()[-1]
    )  # fmt: skip
    assert found[0]["m2"] == EXPECTED
    assert found[0]["m2.precision"] == pytest.approx(0.7590, abs=1e-4)
    assert found[1]["gleu.signature"].startswith("gleu|n:4")


def test_wandb_gets_scores_offline(tmp_path: Path) -> None:
    need("wandb")
    python(
        tmp_path, "-c",
        "import sys; sys.path.insert(0, sys.argv[1]); import wandb_scores; "
        "assert wandb_scores.log_scores(*sys.argv[2:4])['m2'] == float(sys.argv[4])",
        RECIPES, GOLD, RULES, repr(EXPECTED), WANDB_MODE="offline", WANDB_SILENT="true",
    )  # fmt: skip
    assert list(tmp_path.glob("wandb/offline-run-*/*.wandb"))


def test_the_trainer_logs_scores_and_keeps_the_best_checkpoint(tmp_path: Path, rows: Any) -> None:
    need("torch", "transformers", "accelerate")
    import torch
    import transformers

    sources, references, hypotheses = rows
    words = sorted({word for line in sources for word in line.split()})
    torch.manual_seed(0)
    config = transformers.GPT2Config(vocab_size=len(words), n_positions=64, n_embd=8, n_layer=1, n_head=1)
    model = transformers.GPT2LMHeadModel(config)
    made = []

    def correct(current: Any, lines: Any) -> list[str]:
        """Replaces the last word of every sentence by the one that the model expects; later better ones."""
        assert current is not None
        made.append(len(made))
        keep = len(lines) if len(made) == 2 else len(lines) // 2
        with torch.no_grad():
            found = []
            for line, better in zip(lines, hypotheses, strict=True):
                ids = torch.tensor([[words.index(word) for word in line.split()]])
                guess = words[int(current(input_ids=ids).logits[0, -1].argmax())]
                found.append(better if len(found) < keep else " ".join([*line.split()[:-1], guess]))
        return found

    spec = importlib.util.spec_from_file_location("trainer_callback", RECIPES / "trainer_callback.py")
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    assert spec.loader is not None
    spec.loader.exec_module(module)
    examples = [
        {"input_ids": ids, "labels": ids} for ids in ([words.index(w) for w in words[:8]],) for _ in range(4)
    ]
    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path), num_train_epochs=3, eval_strategy="epoch", save_strategy="epoch",
        metric_for_best_model="eval_m2", greater_is_better=True,
        report_to=[], disable_tqdm=True, use_cpu=True,
    )  # fmt: skip
    callback = module.ErrataCallback(sources, references, correct, ("m2", "gleu"))
    trainer = transformers.Trainer(
        model=model, args=arguments, train_dataset=examples, eval_dataset=examples, callbacks=[callback]
    )
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "eval_m2" in entry]
    assert [entry["epoch"] for entry in logged] == [1.0, 2.0, 3.0]
    best = errata.metric("m2").score(sources, hypotheses, references).value
    assert logged[1]["eval_m2"] == best
    assert logged[0]["eval_m2"] < best > logged[2]["eval_m2"]
    assert trainer.state.best_metric == best


def test_evaluate_loads_the_folder(tmp_path: Path, rows: Any) -> None:
    need("evaluate")
    sources, references, hypotheses = rows
    (tmp_path / "rows.json").write_text(json.dumps([sources, references, hypotheses]))
    said = python(
        tmp_path, "-c",
        "import json, sys, evaluate; s, r, h = json.load(open('rows.json'))\n"
        "for name in (None, 'gleu:n=3'):\n"
        "    found = evaluate.load(sys.argv[1], name).compute(sources=s, predictions=h, references=r)\n"
        "    print(json.dumps(found))",
        RECIPES / "errata_gec", HF_HOME=str(tmp_path / "cache"), HF_MODULES_CACHE=str(tmp_path / "modules"),
    )  # fmt: skip
    m2, gleu = (json.loads(line) for line in said.splitlines()[-2:])
    assert m2["m2"] == errata.metric("m2").score(sources, hypotheses, references).value
    assert gleu["gleu"] == errata.metric("gleu:n=3").score(sources, hypotheses, references).value
    assert gleu["signature"].startswith("gleu|n:3")


COPYING = """
import json, sys
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

class Copying(LM):
    "The baseline that changes nothing: it repeats the sentence of the prompt."
    def loglikelihood(self, requests): raise NotImplementedError
    def loglikelihood_rolling(self, requests): raise NotImplementedError
    def generate_until(self, requests):
        return [" " + each.args[0].split("Sentence: ")[1].split("\\nCorrected:")[0] for each in requests]

found = simple_evaluate(Copying(), tasks=["errata_gec"], task_manager=TaskManager(include_path=sys.argv[1]))
print(json.dumps(found["results"]["errata_gec"]))
"""


def test_lm_evaluation_harness_runs_the_task(tmp_path: Path, rows: Any) -> None:
    need("lm_eval")
    sources, references, _ = rows
    with open(tmp_path / "test.jsonl", "w", encoding="utf-8") as file:
        for source, texts in zip(sources, references, strict=True):
            print(json.dumps({"source": source, "references": texts}), file=file)
    said = python(
        tmp_path, "-c", COPYING, RECIPES / "lm_eval",
        HF_HOME=str(tmp_path / "cache"), HF_DATASETS_CACHE=str(tmp_path / "datasets"),
    )  # fmt: skip
    found = json.loads(said.splitlines()[-1])
    expected = errata.metric("gleu").score(sources, sources, references).value
    assert found["gleu,none"] == expected
    assert found["m2,none"] == 0
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)
