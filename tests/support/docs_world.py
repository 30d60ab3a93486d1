"""The folder in which the snippets of the documentation run: files under the names that the pages use."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import errata
from errata import sample

ROOT = Path(__file__).parents[2]
# names on the pages -> files of the sample
COPIES = {
    "gold.m2": "gold.m2",
    "test.m2": "gold.m2",
    "train.m2": "gold.m2",
    "nucle.m2": "gold.m2",
    "source.txt": "source.txt",
    "src.txt": "source.txt",
    "orig.txt": "source.txt",
    "text.txt": "source.txt",
    "ref.txt": "minimal.txt",
    "ref0.txt": "minimal.txt",
    "ref1.txt": "fluency.txt",
    "clean.txt": "minimal.txt",
    "A.txt": "systems/rules.txt",
    "B.txt": "systems/neural.txt",
    "C.txt": "systems/fluent.txt",
    "mine.txt": "systems/neural.txt",
    "A.post.txt": "minimal.txt",
    "B.post.txt": "minimal.txt",
    "out.txt": "systems/neural.txt",
    "e1.txt": "minimal.txt",
    "e2.txt": "systems/neural.txt",
    "c1.txt": "fluency.txt",
    "c2.txt": "systems/fluent.txt",
    "judgments.xml": "rankings.xml",
    "experts.xml": "rankings.xml",
    "crowd.xml": "rankings.xml",
    "scalars.tsv": "scalars.tsv",
    "meta.tsv": "meta.tsv",
}

CAMPAIGN = """
name = "Our systems, spring 2026"
task = "ranking"
corpus = "test.m2"
instructions = "how-to-rank.md"
annotators = ["Ada", "Boris"]

[systems]
ours = "A.txt"
theirs = "B.txt"
"""
JUDGMENTS = """srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank
en,en,1,1,Ada,ours,1,theirs,2
en,en,2,2,Ada,ours,2,theirs,1
en,en,1,1,Boris,ours,1,theirs,2
"""


def make_world(folder: Path) -> None:
    """Fill an empty folder."""
    made = sample.load()
    for name, origin in COPIES.items():
        shutil.copy(made.folder / origin, folder / name)
    shutil.copytree(made.folder / "systems", folder / "systems")
    corpus = errata.read_corpus(folder / "gold.m2", meta=[folder / "meta.tsv"])
    errata.write_corpus(corpus, folder / "all.jsonl")
    results = errata.score(corpus, made.outputs, metric=["m2", "gleu"])
    results.save(folder / "stats.npz")
    rows = [f"{name}\t{results[name, 'm2'].value}\t{results[name, 'gleu'].value}" for name in results.systems]
    (folder / "scores.tsv").write_text("\n".join(["system\tm2\tgleu", *rows]) + "\n")
    people = {
        "input": 0.1,
        "spellfix": 0.3,
        "rules": 0.3,
        "overcorrect": 0.55,
        "neural": 0.77,
        "fluent": 0.98,
    }
    lines = [f"{name}\t{score}" for name, score in people.items()]
    (folder / "ranking.tsv").write_text("\n".join(["system\tscore", *lines]) + "\n")
    (folder / "page.md").write_text("He recieve a **leter**.\n")
    (folder / "campaign.toml").write_text(CAMPAIGN)
    (folder / "judgments.csv").write_text(JUDGMENTS)
    (folder / "consent.md").write_text("We store your answers.\n")
    (folder / "how-to-rank.md").write_text("Put the best sentence first.\n")
    (folder / "essays.txt").write_text("It's late, isn't it? We went home.\n")
    (folder / "chinese.txt").write_text("我是学生 2026\n", encoding="utf-8")
    (folder / "profile.json").write_text(json.dumps({"words": {"the": {"teh": 0.5}}}))
    for name, text in (("zh", "我很喜欢和茶。"), ("zh-ref", "我很喜欢喝茶。"), ("zh-out", "我喜欢喝茶。")):
        (folder / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")
    _shards(folder)


def _shards(folder: Path) -> None:
    for name in ("source", "A"):
        lines = (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        for number, part in enumerate((lines[:30], lines[30:]), start=1):
            (folder / f"{name}-{number}.txt").write_text("\n".join(part) + "\n", encoding="utf-8")


def shell_environment(folder: Path) -> dict[str, str]:
    """The variables under which the snippets run: a data folder of their own, one width of tables."""
    (folder / ".data").mkdir(exist_ok=True)
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {"COLUMNS": "100", "ERRATA_DATA": str(folder / ".data"), "PYTHONPATH": path.rstrip(os.pathsep)}
