"""Scripts as the field writes them (`scripts/`) give the original programs' numbers with errata's names.

In the Python scripts one import changes, in the others the names of the programs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from errata.corpus.files import read_lines
from errata.edits.taggers.spacy import load_pipeline

SCRIPTS = Path(__file__).parent / "scripts"
NAMES = {
    "errant_parallel": "errata compat errant_parallel",
    "errant_compare": "errata compat errant_compare",
    "python2 m2scorer/scripts/m2scorer.py": "errata compat m2scorer",
    "python2 compute_gleu.py": "errata compat compute_gleu",
    "python2 m2_to_ixml.py": "errata compat m2_to_ixml",
    "python2 ieval.py": "errata compat ieval",
    "python parallel_to_m2.py": "errata compat cherrant_parallel --resources $CHERRANT_DATA",
    "python compare_m2_for_evaluation.py": "errata compat cherrant_compare",
}
LINES = 15


def shell(name: str, folder: Path, *arguments: Path, **env: str) -> str:
    """The output of a script whose programs have errata's names."""
    text = (SCRIPTS / name).read_text("utf-8")
    for official, ours in NAMES.items():
        text = text.replace(f"{official} -", f"{ours} -").replace(f'{official} "', f'{ours} "')
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", text, name, *map(str, arguments)],
        env={**os.environ, "PATH": path, **env}, cwd=folder, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def files(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first lines of CoNLL-2014, of three outputs, and of the gold standard."""
    folder = tmp_path_factory.mktemp("conll14")
    for name in ("source.txt", "systems/CAMB.txt", "systems/AMU.txt", "systems/CUUI.txt"):
        lines = read_lines(data / "conll14" / name)[:LINES]
        (folder / Path(name).name).write_text("".join(f"{line.strip()}\n" for line in lines), "utf-8")
    blocks = (data / "conll14/test.m2").read_text("utf-8").split("\n\n")[:LINES]
    (folder / "gold.m2").write_text("\n\n".join(blocks) + "\n\n", "utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "arguments"),
    [
        ("edits_to_json.py", ["source.txt", "CAMB.txt"]),
        ("error_types.py", ["source.txt", "AMU.txt"]),
        ("parallel_to_m2.py", ["source.txt", "CAMB.txt", "AMU.txt"]),
        ("retype_m2.py", ["gold.m2"]),
        ("majority_vote.py", ["source.txt", "CAMB.txt", "AMU.txt", "CUUI.txt"]),
    ],
)
def test_scripts_of_errant(
    script: str,
    arguments: list[str],
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("errant", reason="errant is not installed (errata setup errant)")
    pipeline = load_pipeline("en_core_web_sm")  # known to spaCy by another name here
    monkeypatch.setattr("spacy.load", lambda *_, **__: pipeline)
    monkeypatch.setattr("sys.argv", [script, *arguments])
    monkeypatch.chdir(files)
    text = (SCRIPTS / script).read_text("utf-8")
    printed = []
    for module in ("import errant\n", "from errata.compat import errant\n"):
        exec(compile(text.replace("import errant\n", module), script, "exec"), {"__name__": "__main__"})
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert printed[0].count("\n") > 4


def test_a_script_of_gec_metrics(
    golden: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = golden / "green"
    names = [str(case / f"case.{name}.txt") for name in ("source", "output", "ref0", "ref1")]
    monkeypatch.setattr("sys.argv", ["script", *names])
    text = (SCRIPTS / "gec_metrics_table.py").read_text("utf-8")
    exec(text.replace("from gec_metrics", "from errata.compat.gec_metrics"), {})
    official = (case / "case.green.official.txt").read_text("utf-8").split()
    assert capsys.readouterr().out.splitlines()[0] == f"green {official[-2]} 4"


@pytest.mark.slow
def test_a_script_of_errant_parallel_and_errant_compare(
    data: Path, golden: Path, files: Path, tmp_path: Path
) -> None:
    pytest.importorskip("errant", reason="errant is not installed (errata setup errant)")
    system = golden / "errant/CAMB.m2"
    whole = [data / "conll14/source.txt", data / "conll14/systems/CAMB.txt", golden / "errant/test.auto.m2"]
    printed = shell("evaluate_errant.sh", tmp_path, *whole)
    assert (tmp_path / "hyp.m2").read_bytes() == system.read_bytes()
    official = (golden / "errant/CAMB.compare.txt").read_text("utf-8").split("## ")[1].partition("\n")[2]
    assert printed.endswith(official.strip("\n") + "\n\n")


def test_a_script_of_m2scorer(data: Path, golden: Path, tmp_path: Path) -> None:
    rows = [line.split() for line in (golden / "m2/system.txt").read_text("utf-8").splitlines()]
    official = {row[0]: row[1] for row in rows if row[0] in ("AMU", "CAMB", "IITB")}
    systems = [data / f"conll14/systems/{name}.txt" for name in official]
    printed = shell("evaluate_m2.sh", tmp_path, data / "conll14/test.m2", *systems)
    assert dict(line.split() for line in printed.splitlines()) == official


def test_a_script_of_compute_gleu(data: Path, golden: Path, tmp_path: Path) -> None:
    folder = data / "conll14"
    references = [folder / f"refs/nucle{number}.txt" for number in (0, 1)]
    texts = folder / "source.txt", folder / "systems/CAMB.txt"
    printed = shell("evaluate_gleu.sh", tmp_path, *texts, *references)
    assert printed == (golden / "gleu/CAMB.txt").read_text("utf-8").splitlines(keepends=True)[-1]


@pytest.mark.slow
def test_a_script_of_ieval(data: Path, golden: Path, tmp_path: Path) -> None:
    printed = shell(
        "evaluate_imeasure.sh", tmp_path, data / "conll14/test.m2", data / "conll14/systems/CAMB.txt"
    )
    official = (golden / "imeasure/CAMB.txt").read_text("utf-8")
    names = re.compile(r"^(Hypothesis|Gold standard) file.*", re.M)
    assert names.sub("", printed).strip() == names.sub("", official).strip()


@pytest.mark.slow
def test_a_script_of_cherrant(golden: Path, tmp_path: Path, cherrant_resources: Path) -> None:
    folder = golden / "cherrant"
    texts = folder / "hyp.para", folder / "ref.para"
    printed = shell("evaluate_cherrant.sh", tmp_path, *texts, CHERRANT_DATA=str(cherrant_resources))
    assert (tmp_path / "ref.m2").read_bytes() == (folder / "ref.all.m2").read_bytes()
    official = (folder / "compare.txt").read_text("utf-8").split("## ")[1].partition("\n")[2]
    assert printed.strip() == official.strip()
