"""A share of the mutations of `make fuzz`: broken files give a result or a clean error."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from errata.edits.taggers.models import unpack
from errata.errors import DataError
from errata_correct.noisy_channel import NoisyChannel
from fuzzing import FILES, MODELS, campaign, mutated_arrays, run_case, tagger_file

SEED = 20


@pytest.mark.parametrize("name", [*FILES, *MODELS])
def test_the_file_without_a_mutation_is_read(name: str, tmp_path: Path) -> None:
    suffix, make, use = (FILES | MODELS)[name]
    path = tmp_path / f"x{suffix}"
    path.write_bytes(make())
    if name in ("settings", "recipe"):
        return  # their files of texts are not there
    use(path)


@pytest.mark.parametrize(("kind", "count"), [("files", 500), ("models", 300), ("native", 400)])
def test_mutated_files_give_a_result_or_a_clean_error(kind: str, count: int, tmp_path: Path) -> None:
    for number in range(count):
        assert run_case(kind, number, SEED, tmp_path) is None, f"{kind} case {number}"


def test_some_mutated_models_are_still_models() -> None:
    """Otherwise the fuzzing would test nothing behind the checks."""
    read = 0
    for number in range(50):
        try:
            unpack(mutated_arrays(tagger_file(), random.Random(number)))
            read += 1
        except DataError:
            pass
    assert 2 < read < 48


def test_a_crash_and_a_hang_are_noticed(tmp_path: Path) -> None:
    import os

    hostile = tmp_path / "sitecustomize.py"
    hostile.write_text(
        "import os, sys\n"
        "if '--work' in sys.argv:\n"
        "    first = int(sys.argv[sys.argv.index('--work') + 2])\n"
        "    print('at', first, flush=True)\n"
        "    if first < 2:\n"
        "        os.kill(os.getpid(), 11 if first == 0 else 27)\n"
        "    os._exit(0)\n"
    )
    found = campaign("files", 9, SEED, {**os.environ, "PYTHONPATH": str(tmp_path)})
    assert [number for number, _ in found] == [0, 1]
    assert found[0][1].startswith("killed (-11)")
    assert found[1][1].startswith("more than")


@pytest.mark.parametrize("suffix", [".channel", ".model"])
def test_a_damaged_model_names_its_checksum(suffix: str, tmp_path: Path) -> None:
    _, make, use = next(entry for entry in MODELS.values() if entry[0] == suffix)
    data = bytearray(make())
    data[len(data) // 2] ^= 1
    path = tmp_path / f"x{suffix}"
    path.write_bytes(data)
    with pytest.raises(DataError, match="its checksum is wrong"):
        use(path)
    path.write_bytes(b"\xfd7zXZ\0" + bytes(100))
    with pytest.raises(DataError, match="a model of an older version"):
        use(path)


def test_a_model_that_unpacks_to_gigabytes_is_refused(tmp_path: Path) -> None:
    import lzma

    from errata.corpus.model_file import sealed

    bomb = lzma.compress(bytes(64 << 20), preset=0)
    path = tmp_path / "x.channel"
    for size, message in ((1 << 32, "unpacks to 4,294,967,296 bytes"), (1000, "longer or shorter")):
        path.write_bytes(sealed(bomb, size))
        with pytest.raises(DataError, match=message):
            NoisyChannel.load(path)
