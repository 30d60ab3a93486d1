"""What a newcomer does: install a wheel into an empty environment, without a compiler, and follow the README.

    python tools/newcomer.py dist/errata_gec-*.whl [--python /usr/bin/python3.13]

Installs the wheel and what it needs from wheels alone, looks whether the kernels are compiled, and runs the
commands of the README and of the first tutorial in a folder with the embedded sample. Needs nothing but the
standard library.
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
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", default=sys.executable, help="interpreter of the new environment")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        walk(arguments.wheel.resolve(), arguments.python, Path(folder))


def walk(wheel: Path, python: str, folder: Path) -> None:
    """Install into `folder/errata`, look at the kernels, follow the pages in `folder/work`."""
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
    run([*pip, "--only-binary=:all:", wheel], work, clean)
    check_kernels(work, clean, binaries)
    run([interpreter, "-c", COPY], work, clean)
    count = follow(ROOT / "README.md", work, clean, interpreter, section="## Five commands")
    for tutorial in sorted((ROOT / "docs" / "tutorials").glob("1-*.md")):
        count += follow(tutorial, work, clean, interpreter)
    run([binaries / "errata", "demo", "--report", "demo.html"], work, clean)
    print(f"{wheel.name}: installed without a compiler; the demo and {count} blocks of the pages ran")


def check_kernels(work: Path, environment: dict[str, str], binaries: Path) -> None:
    """Fail if a kernel runs uncompiled."""
    said = run([binaries / "errata", "info", "--format", "json"], work, environment)
    kernels = {
        row["what"]: row["value"] for row in json.loads(said)["rows"] if row["what"].startswith("kernel ")
    }
    slow = [name for name, value in kernels.items() if "compiled" not in value or "uncompiled" in value]
    if slow or not kernels:
        sys.exit(f"not compiled in this wheel: {', '.join(slow) or 'no kernel was found'}")


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
