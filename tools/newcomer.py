"""What a newcomer does: install wheels into an empty environment, without a compiler, and follow the README.

    python tools/newcomer.py dist/*.whl [--python /usr/bin/python3.13]

Installs the wheel of errata-gec and what it needs from wheels alone, checks that the native modules are
compiled, and runs the commands of the README and of the first tutorial in a folder with the embedded sample.
Verbs of other distributions must say what to install. Then it installs the other wheels and runs their verbs.
Needs nothing but the standard library.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = "errata_gec-"  # how the name of its wheel begins
# Verbs of other distributions, and a command that shows that each works.
VERBS = {
    "campaign": ("errata-gec-server", ["campaign", "--help"]),
    "task": ("errata-gec-server", ["task", "--help"]),
    "correct": ("errata-gec-correct", ["correct", "--model", "en", "A.txt", "-o", "corrected.txt"]),
    "noise": ("errata-gec-correct", ["noise", "--help"]),
    "train": ("errata-gec-correct", ["train", "--help"]),
    "replicate": ("errata-gec-studies", ["replicate", "--help"]),
}
# What the core does by itself besides the commands of the pages, which leave a copy of the sample.
ALONE = (
    "errata agree judgments.xml",
    "errata meta --m2 sample/gold.m2 --hyp sample/systems/*.txt --metric m2,gleu --human sample/rankings.xml",
)
# The names that errata-gec-compat installs, with arguments.
OFFICIAL_NAMES = (
    ["m2scorer", "A.txt", "gold.m2"],
    ["errant_parallel", "-orig", "A.txt", "-cor", "B.txt", "-out", "edits.m2"],
    ["errant_compare", "-hyp", "edits.m2", "-ref", "edits.m2"],
    ["compute_gleu", "-s", "A.txt", "-r", "B.txt", "-o", "A.txt"],
)
FENCE = re.compile(r"(<!-- not run[^\n]*-->\n)?```(sh|python)\n(.*?)```", re.DOTALL)
COPY = """
import shutil
from errata import sample
folder = sample.folder("en")
for source, target in {"gold.m2": "gold.m2", "systems/rules.txt": "A.txt", "systems/neural.txt": "B.txt",
                       "rankings.xml": "judgments.xml"}.items():
    shutil.copy(folder / source, target)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("wheels", type=Path, nargs="+", help="of errata-gec, and perhaps of its siblings")
    parser.add_argument("--python", default=sys.executable, help="interpreter of the new environment")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        walk([wheel.resolve() for wheel in arguments.wheels], arguments.python, Path(folder))


def walk(wheels: list[Path], python: str, folder: Path) -> None:
    """Install into `folder/errata`, check the native modules, follow the pages in `folder/work`."""
    [core] = [wheel for wheel in wheels if wheel.name.startswith(CORE)]
    environment, work = folder / "errata", folder / "work"
    work.mkdir()
    run([python, "-m", "venv", environment], folder, dict(os.environ))
    binaries = environment / ("Scripts" if os.name == "nt" else "bin")
    # Nothing but the environment's own programs: whoever needs a compiler fails.
    clean = {**os.environ, "PATH": str(binaries), "PYTHONNOUSERSITE": "1"}
    clean = {name: value for name, value in clean.items() if name not in ("PYTHONPATH", "ERRATA_PURE")}
    assert shutil.which("cc", path=clean["PATH"]) is None
    interpreter = binaries / "python"
    pip = [interpreter, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
    run([*pip, "--only-binary=:all:", core], work, clean)
    check_native(work, clean, binaries)
    run([interpreter, "-c", COPY], work, clean)
    count = follow(ROOT / "README.md", work, clean, interpreter, section="## Five commands")
    for tutorial in sorted((ROOT / "docs" / "tutorials").glob("1-*.md")):
        count += follow(tutorial, work, clean, interpreter)
    run([binaries / "errata", "demo", "--report", "demo.html"], work, clean)
    for command in ALONE:
        run([shutil.which("bash") or "bash", "-euc", command], work, clean)
    for verb, (distribution, _) in VERBS.items():
        check_missing(binaries / "errata", verb, distribution, clean)
    print(f"{core.name}: installed without a compiler; the demo and {count} blocks of the pages ran")
    others = [wheel for wheel in wheels if wheel != core]
    if others:
        run([*pip, "--only-binary=:all:", *wheels], work, clean)
    for distribution, command in VERBS.values():
        if any(wheel.name.startswith(distribution.replace("-", "_") + "-") for wheel in others):
            run([binaries / "errata", *command], work, clean)
    if any(wheel.name.startswith("errata_gec_compat-") for wheel in others):
        for command in OFFICIAL_NAMES:
            run([binaries / command[0], *command[1:]], work, clean)
    if others:
        print(f"{', '.join(wheel.name for wheel in others)}: installed, and their verbs ran")


def check_native(work: Path, environment: dict[str, str], binaries: Path) -> None:
    """Fail if a native module runs uncompiled."""
    said = run([binaries / "errata", "setup", "info", "--format", "json"], work, environment)
    modules = {
        row["what"]: row["value"]
        for row in json.loads(said)["rows"]
        if row["what"].startswith("native module ")
    }
    slow = [name for name, value in modules.items() if "compiled" not in value or "uncompiled" in value]
    if slow or not modules:
        sys.exit(f"not compiled in this wheel: {', '.join(slow) or 'no native module was found'}")


def check_missing(errata: Path, verb: str, distribution: str, environment: dict[str, str]) -> None:
    """Fail unless a verb says which distribution it needs."""
    done = subprocess.run([errata, verb], env=environment, capture_output=True, text=True)
    if done.returncode != 1 or f"pip install {distribution}\n" not in done.stderr:
        sys.exit(f"`errata {verb}` does not say what to install: {done.stderr}")


def follow(page: Path, work: Path, environment: dict[str, str], interpreter: Path, section: str = "") -> int:
    """Run the blocks of a page from a section on, those in Python as one program; how many there were."""
    text = page.read_text(encoding="utf-8")
    text = text[text.index(section) :]
    blocks = [(kind, code) for skipped, kind, code in FENCE.findall(text) if not skipped]
    for code in (code for kind, code in blocks if kind == "sh"):
        run([shutil.which("bash") or "bash", "-euc", code], work, environment)
    program = "\n".join(code for kind, code in blocks if kind == "python")
    run([interpreter, "-c", program], work, environment)
    return len(blocks)


def run(command: list[object], folder: Path, environment: dict[str, str]) -> str:
    """Run a command; where it fails, show what it said and end."""
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True
    )
    if done.returncode != 0:
        print(done.stdout + done.stderr, file=sys.stderr)
        sys.exit(f"failed with {done.returncode}: {command[0]} {str(command[-1])[:200]}")
    return done.stdout


if __name__ == "__main__":
    main()
