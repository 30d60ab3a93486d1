"""tools/models/parallel.py: sentence pairs out of catalogues, help pages and package descriptions."""

from __future__ import annotations

import importlib.util
import struct
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def parallel() -> ModuleType:
    path = Path(__file__).parents[2] / "tools" / "models" / "parallel.py"
    spec = importlib.util.spec_from_file_location("parallel_tool", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def write_catalogue(path: Path, messages: dict[str, str]) -> None:
    """A compiled gettext catalogue."""
    messages = {"": "Content-Type: text/plain; charset=UTF-8\n", **messages}
    pairs = sorted((key.encode(), value.encode()) for key, value in messages.items())
    start = 28 + 16 * len(pairs)
    tables: list[bytes] = []
    text = b""
    for side in (0, 1):
        table = b""
        for pair in pairs:
            table += struct.pack("<II", len(pair[side]), start + len(text))
            text += pair[side] + b"\0"
        tables.append(table)
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head + b"".join(tables) + text)


def test_catalogues_give_clean_sentences_once(tmp_path: Path, parallel: ModuleType) -> None:
    messages = {
        "_Open the file": "_Otevřít soubor",
        "menu\x04Save &as": "Uložit &jako",
        "The <b>disk</b> is full. Free some space.": "<b>Disk</b> je plný. Uvolněte místo.",
        "%d files were found": "Nalezeno %d souborů",
        "Hello {name}": "Ahoj {name}",
        "usage: foo --bar": "použití: foo --bar",
        "Firefox": "Firefox",
        "One day\0Many days": "Jeden den\0Dva dny\0Mnoho dní",
    }
    write_catalogue(tmp_path / "usr/share/locale/cs/LC_MESSAGES/one.mo", messages)
    write_catalogue(tmp_path / "usr/share/locale/cs/LC_MESSAGES/two.mo", {"Open the file": "Otevřít soubor"})
    write_catalogue(tmp_path / "usr/share/locale/de/LC_MESSAGES/one.mo", {"Open": "Öffnen"})
    (tmp_path / "usr/share/locale/cs/LC_MESSAGES/broken.mo").write_bytes(b"\xde\x12\x04\x95 no")
    pairs, origins = parallel.collect([tmp_path], "cs")
    assert {plain for plain, _ in pairs} == {
        ("Open the file", "Otevřít soubor"),
        ("Save as", "Uložit jako"),
        ("The disk is full.", "Disk je plný."),
        ("Free some space.", "Uvolněte místo."),
        ("One day", "Jeden den"),
    }
    assert dict(pairs)["Free some space.", "Uvolněte místo."] == ("Free some space .", "Uvolněte místo .")
    assert origins == {"catalogue": 5}


def test_help_pages_are_paired_by_ids_or_in_order(tmp_path: Path, parallel: ModuleType) -> None:
    pages = {
        "help/en-US/a.html": '<h1 id="h">Big title</h1><p id="x">First text.</p><p id="y">Only here.</p>',
        "help/cs/a.html": '<p id="x">První text.</p><h1 id="h">Velký nadpis</h1>',
        "help/C/app/b.page": "<page><title>Your windows</title><p>Move the <em>window</em>.</p></page>",
        "help/cs/app/b.page": "<page><title>Vaše okna</title><p>Přesuňte <em>okno</em>.</p></page>",
        "help/C/app/c.page": "<page><title>Other page</title><p>More of it.</p></page>",
        "help/cs/app/c.page": "<page><title>Jiná stránka</title></page>",
    }
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    pairs, origins = parallel.collect([tmp_path], "cs")
    assert {plain for plain, _ in pairs} == {
        ("Big title", "Velký nadpis"),
        ("First text.", "První text."),
        ("Your windows", "Vaše okna"),
        ("Move the window.", "Přesuňte okno."),
    }
    assert origins == {"page": 4}


def test_package_descriptions_are_paired_by_checksum_and_files_are_written(
    tmp_path: Path, parallel: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = "Package: cat\nDescription-md5: {}\nDescription-{}: {}\n {}\n .\n {}\n\n"
    english = record.format("1", "en", "a small animal", "It sleeps all day.", "It eats mice.")
    (tmp_path / "Translation-en").write_text(english + english.replace("md5: 1", "md5: 2"))
    czech = record.format("1", "cs", "malé zvíře", "Celý den spí.", "Žere myši.")
    (tmp_path / "Translation-cs").write_text(czech)
    arguments = ["parallel.py", str(tmp_path), "--lang", "cs", "-o", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "argv", arguments)
    parallel.main()
    assert capsys.readouterr().out == "3 pairs: 3 description\n"
    assert (tmp_path / "out.cs").read_text() == "malé zvíře\nCelý den spí.\nŽere myši.\n"
    assert (tmp_path / "out.en").read_text() == "a small animal\nIt sleeps all day.\nIt eats mice.\n"
    assert (tmp_path / "out.tsv").read_text().splitlines()[2] == "Žere myši .\tIt eats mice ."
