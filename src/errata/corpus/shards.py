"""Corpora in many files: which shards a name stands for, and results written shard by shard."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence

from errata import __version__
from errata.corpus.addresses import file_system, is_address
from errata.corpus.decompression import COMPRESSED
from errata.corpus.files import open_output, read_lines
from errata.corpus.parallel import system_name
from errata.errors import DataError

_PATTERN = re.compile(r"[*?\[]")
_RECORD = "_made_by.txt"  # no shard, since its name begins with a low line


def shards(name: str) -> list[str]:
    """The files that a name stands for: itself, or those a pattern matches, or those in a folder.

    Numbers in names count as numbers: `part-2` comes before `part-10`. Hidden files and those that
    begin with `_` (marks of success) or end with `.part` (unfinished) are no shards.
    """
    if name == "-":
        return [name]
    if is_address(name):
        system, path = file_system(name)
        pattern = f"{path.rstrip('/')}/*" if not _PATTERN.search(path) and system.isdir(path) else path
        found = system.glob(pattern) if _PATTERN.search(pattern) else [path]
        found = [system.unstrip_protocol(each) for each in found if pattern == path or not system.isdir(each)]
    elif os.path.isdir(name):
        found = [each for each in glob.glob(f"{glob.escape(name)}/*") if os.path.isfile(each)]
    elif _PATTERN.search(name) and not os.path.exists(name):
        found = glob.glob(name)
    else:
        return [name]
    found = [each for each in found if _is_shard(each)]
    if not found:
        raise DataError("no file is called so", path=name, hint="quote patterns: --hyp 'out/part-*.txt'")
    return sorted(found, key=_natural)


def _is_shard(path: str) -> bool:
    name = path.rstrip("/").rpartition("/")[2]
    return not name.startswith((".", "_")) and not name.endswith(".part")


def _natural(path: str) -> list[tuple[int, str]]:
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in re.split(r"(\d+)", path)]


def aligned_shards(names: Sequence[str]) -> list[tuple[str, ...]]:
    """The shards of several names side by side: the first ones belong together, the second ones …"""
    found = [shards(name) for name in names]
    for name, paths in zip(names, found, strict=True):
        if len(paths) != len(found[0]):
            raise DataError(
                f"{len(paths)} shards, but {names[0]} has {len(found[0])}",
                path=name,
                hint="shards belong together one by one, in the order of their names",
            )
    return list(zip(*found, strict=True))


def is_folder(output: str) -> bool:
    """Whether results go to a folder, a shard a file."""
    return output.endswith("/") or (not is_address(output) and os.path.isdir(output))


def output_shard(shard: str, folder: str, suffix: str | None = None) -> str:
    """The file in a folder that a shard's result goes to: named as the shard, perhaps with another suffix."""
    name = "stdin.txt" if shard == "-" else shard.rpartition("/")[2]
    if suffix is not None:
        packed = next((end for end in COMPRESSED if name.endswith(end)), "")
        name = os.path.splitext(name.removesuffix(packed))[0] + suffix + packed
    if folder and not is_address(folder):
        os.makedirs(folder, exist_ok=True)
    return f"{folder.rstrip('/')}/{name}"


def output_shards(
    found: Sequence[str],
    folder: str,
    suffix: Callable[[str], str | None],
    made_by: str,
    note: Callable[[str], None],
) -> dict[str, str]:
    """Where the result of each shard goes; those whose result is there already are left out, with a note.

    `made_by` says all that decides about the results. It is kept in the folder, and results that were made
    otherwise are not completed.
    """
    into = {shard: output_shard(shard, folder, suffix(shard)) for shard in found}
    path, times = Counter(into.values()).most_common(1)[0]
    if times > 1:
        raise DataError(
            f"{times} shards would go to this file",
            path=path,
            hint="run their folders one by one",
        )
    left = {shard: path for shard, path in into.items() if not _exists(path)}
    record = f"{made_by}|version:{__version__}"
    _check_record(f"{folder.rstrip('/')}/{_RECORD}", record, resumed=len(left) < len(into))
    if len(left) < len(into):
        finished = f"{len(into) - len(left)} of {len(into)} shards were in {folder} already"
        note(f"{finished} and stay as they are; remove them to make them anew")
    return left


def _check_record(path: str, made_by: str, *, resumed: bool) -> None:
    """Write down how results are made, or raise an error if those in the folder were made otherwise."""
    if resumed:
        before = read_lines(path) if _exists(path) else None
        if before == made_by.splitlines():
            return
        how = "it is not known how" if before is None else "with other options, or by another version"
        raise DataError(
            f"some shards were made before, {how}",
            path=path.rpartition("/")[0] + "/",
            hint="name another folder, or remove this one to make all shards anew",
        )
    with open_output(path) as file:
        file.write(made_by + "\n")


def _exists(path: str) -> bool:
    """Whether a shard was finished before: shards appear only when complete."""
    if is_address(path):
        system, place = file_system(path)
        return bool(system.exists(place))
    return os.path.exists(path)


def shard_name(name: str) -> str:
    """The name of a system after its outputs: the file's stem, or what is fixed in a pattern."""
    if not _PATTERN.search(name):
        return system_name(name.rstrip("/"))
    folder, _, last = name.rstrip("/").rpartition("/")
    fixed = _PATTERN.split(last)[0].rstrip("-_.")
    return fixed or system_name(folder) or "hypothesis"
