"""recipes/cs/train.mk with a tiny network: it is killed, started again, and leaves files that travel."""

from __future__ import annotations

import json
import lzma
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.needs("torch", "sentencepiece", "ctranslate2")]

ROOT = Path(__file__).parents[3]
RECIPE = """
[data]
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
{training}
batch_subwords = 600
warmup = 20
learning_rate = 4e-3
source_word_dropout = 0.0
target_word_dropout = 0.0
label_smoothing = 0.0
seed = 1
"""
PROFILED = 'clean = ["cs_x.txt.xz"]\nprofiles = ["errors.json"]\n'
SAMPLED = 'authentic = ["sampled_texts.tsv", "sampled_corrections.tsv", "unchanged.tsv"]'
STAGES = {
    "errors": ('reversed = true\nauthentic = ["geccc_x.tsv.xz"]', 'steps = 60\nstart_from = "start"'),
    "synthetic": (
        f"{PROFILED}{SAMPLED}\nsynthetic_share = 0.6",
        'steps = 300\ncheck_every = 20\nminutes = 60\naverage = 0.9\nstart_from = "start"',
    ),
    "final": (f'{PROFILED}authentic = ["geccc_x.tsv.xz"]', 'steps = 30\nstart_from = "synthetic"'),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Texts, corrections, a profile, tiny recipes, and a model to start from that knows its subwords only."""
    draw = random.Random(1)
    names, verbs, things = ["Petr", "Jana", "Eva"], ["ma", "vidi", "zna"], ["dum", "les", "vlak"]
    lines = [f"{draw.choice(names)} {draw.choice(verbs)} {draw.choice(things)} ." for _ in range(600)]
    with lzma.open(tmp_path / "cs_x.txt.xz", "wt") as file:
        file.write("\n".join(lines) + "\n")
    with lzma.open(tmp_path / "geccc_x.tsv.xz", "wt") as file:
        file.writelines(f"{line.replace('zna', 'sna')}\t{line}\n" for line in lines[:300])
    profile = {"words": {"vidi": {"vydy": 0.5}, "les": {"lez": 0.5}}, "sentence_deviation": 0.0}
    (tmp_path / "errors.json").write_text(json.dumps(profile))
    (tmp_path / "tiny").mkdir()
    for name, (data, training) in STAGES.items():
        (tmp_path / "tiny" / f"{name}.toml").write_text(RECIPE.format(data=data, training=training))
    (tmp_path / "start.toml").write_text(RECIPE.format(data=PROFILED, training="steps = 1"))
    command = [sys.executable, "-m", "errata", "train", "start.toml", "-o", "start"]
    subprocess.run(command, cwd=tmp_path, check=True)
    return tmp_path


def start(folder: Path, *targets: str) -> subprocess.Popen[str]:
    """Run make in a process group of its own."""
    command = [
        "make", "-f", str(ROOT / "recipes" / "cs" / "train.mk"), f"RECIPES={folder}/tiny/", "SEEDS=2",
        f"TOOLS={ROOT}/tools/models", f"PYTHON={sys.executable}", "PART=20k", *targets,
    ]  # fmt: skip
    return subprocess.Popen(
        command, cwd=folder, text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
        start_new_session=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def test_a_killed_training_goes_on_and_leaves_weights_in_small_parts(folder: Path) -> None:
    import torch

    from errata_correct import load

    first = start(folder, "travel")
    while not (folder / "synthetic" / "checkpoint.pt").exists():
        assert first.poll() is None, first.communicate()[1]
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    state = torch.load(folder / "synthetic" / "checkpoint.pt", weights_only=True)["state"]
    assert 0 < state["step"] < 300
    assert state["minutes"] > 0
    sampled = (folder / "sampled_texts.tsv").stat().st_mtime_ns

    second = start(folder, "travel", "int8")
    _, printed = second.communicate()
    assert second.returncode == 0, printed
    assert "seed = 2" in (folder / "final-2.toml").read_text()
    steps = [int(step) for step in re.findall(r"^step (\d+)", printed, re.MULTILINE)]
    assert steps[0] == state["step"] + 20
    assert (folder / "sampled_texts.tsv").stat().st_mtime_ns == sampled
    parts = sorted((folder / "travel").glob("weights.pt.*"))
    assert len(parts) > 1
    assert all(part.stat().st_size <= 20 * 1024 for part in parts)
    assert b"".join(part.read_bytes() for part in parts) == (folder / "mean" / "weights.pt").read_bytes()
    weights = torch.load(folder / "mean" / "weights.pt", weights_only=True)
    assert {tensor.dtype for tensor in weights.values()} == {torch.float16}
    for model in ("mean", "int8"):  # a network this small does not always copy the name
        [corrected] = load(str(folder / model)).correct(["Jana vydy lez."])
        assert corrected.endswith("vidi les.")
