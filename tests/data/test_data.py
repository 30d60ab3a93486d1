"""The registry of corpora, and fetching from servers of all kinds."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import socket
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import errata.data
from errata.data.fetching import RetryPolicy, download, fetch_dataset
from errata.data.registry import LOCK, Dataset, File, dataset, datasets, state
from errata.errors import DataError, ErrataError
from file_server import CONTENT, Server

QUICK = RetryPolicy(timeout=0.5, retries=2, backoff=0.01)
SHA = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """An empty data folder."""
    monkeypatch.setenv("ERRATA_DATA", str(tmp_path / "data"))
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "data"


def corpus(*files: File, expected: tuple[str, ...] = ("file",)) -> Dataset:
    return Dataset(
        "mine", "Mine", "corpus", ("en",), "", "http://localhost", "", expected=expected, files=files
    )


def archive(kind: str, *members: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(buffer, "w") as packed:
            for name, content in members:
                packed.writestr(name, content)
    else:
        with tarfile.open(fileobj=buffer, mode="w:gz") as tape:
            for name, content in members:
                info = tarfile.TarInfo(name)
                info.size = len(content)
                tape.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


# -- one file --------------------------------------------------------------------------------------


def test_a_file_arrives_with_its_checksum_and_progress(server, tmp_path) -> None:
    steps: list[tuple[int, int | None]] = []
    digest = download(server.url(), tmp_path / "f", advance=lambda done, total: steps.append((done, total)))
    assert digest == SHA
    assert (tmp_path / "f").read_bytes() == CONTENT
    assert steps[-1] == (len(CONTENT), len(CONTENT))
    assert os.listdir(tmp_path) == ["f"]


def test_a_broken_connection_is_continued_where_it_broke(server, tmp_path) -> None:
    server.faults = ["break", "break"]
    assert download(server.url(), tmp_path / "f", retry=QUICK) == SHA
    half = len(CONTENT) // 2
    assert server.requests == [None, f"bytes={half}-", f"bytes={half + half // 2}-"]


def test_a_download_given_up_is_continued_by_the_next_call(server, tmp_path) -> None:
    server.faults = ["break"]
    with pytest.raises(DataError, match=r"broke after 51,200 of 102,400.*kept and continued"):
        download(server.url(), tmp_path / "f", retry=RetryPolicy(retries=0))
    assert not (tmp_path / "f").exists()
    assert download(server.url(), tmp_path / "f", retry=QUICK) == SHA
    assert server.requests[-1] == "bytes=51200-"


def test_a_server_without_ranges_sends_all_again(server, tmp_path) -> None:
    server.ranges = False
    server.faults = ["break"]
    assert download(server.url(), tmp_path / "f", retry=QUICK) == SHA
    assert (tmp_path / "f").read_bytes() == CONTENT


def test_a_file_that_changed_meanwhile_is_begun_again(server, tmp_path) -> None:
    server.faults = ["break"]
    with pytest.raises(DataError):
        download(server.url(), tmp_path / "f", retry=RetryPolicy(retries=0))
    server.content["/file"], server.etag = b"new content", '"two"'
    download(server.url(), tmp_path / "f", retry=QUICK)
    assert (tmp_path / "f").read_bytes() == b"new content"


def test_half_a_file_of_unknown_origin_is_not_trusted(server, tmp_path) -> None:
    (tmp_path / "f.part").write_bytes(b"junk")
    assert download(server.url(), tmp_path / "f", retry=QUICK) == SHA
    (tmp_path / "g.part").write_bytes(b"junk")
    with pytest.raises(DataError, match="wrong checksum"):  # continued, as its checksum is known
        download(server.url(), tmp_path / "g", sha256=SHA, retry=QUICK)
    assert not (tmp_path / "g.part").exists()
    assert download(server.url(), tmp_path / "g", sha256=SHA, retry=QUICK) == SHA


def test_half_a_file_written_to_disk_is_continued_if_its_checksum_is_known(server, tmp_path) -> None:
    server.etag = None
    (tmp_path / "f.part").write_bytes(CONTENT[:1000])
    assert download(server.url(), tmp_path / "f", sha256=SHA, retry=QUICK) == SHA
    assert server.requests == ["bytes=1000-"]


def test_a_part_that_is_too_long_is_begun_again(server, tmp_path) -> None:
    (tmp_path / "f.part").write_bytes(CONTENT + b"more")
    assert download(server.url(), tmp_path / "f", sha256=SHA, retry=QUICK) == SHA


def test_a_wrong_checksum_leaves_nothing(server, tmp_path) -> None:
    with pytest.raises(DataError, match="wrong checksum: expected 000"):
        download(server.url(), tmp_path / "f", sha256="0" * 64, retry=QUICK)
    assert os.listdir(tmp_path) == []


def test_passing_errors_are_tried_again_and_others_are_not(server, tmp_path) -> None:
    server.faults = ["503", "429"]
    assert download(server.url(), tmp_path / "f", retry=QUICK) == SHA
    server.requests.clear()
    with pytest.raises(DataError, match="404"):
        download(server.url("/none"), tmp_path / "g", retry=QUICK)
    assert len(server.requests) == 1
    server.faults = ["503"] * 9
    with pytest.raises(DataError, match="503"):
        download(server.url(), tmp_path / "g", retry=QUICK)


def test_a_slow_server_is_tried_again(server, tmp_path) -> None:
    server.faults = ["slow"]
    assert download(server.url(), tmp_path / "f", retry=QUICK) == SHA
    assert len(server.requests) == 2


def test_offline_says_what_to_do_at_once(tmp_path, monkeypatch) -> None:
    asked = []

    def no_network(*args: object, **kwargs: object) -> None:
        asked.append(args)
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    with pytest.raises(DataError, match="online") as caught:
        download("http://corpus.example/file", tmp_path / "f", fallback="errata data add mine FOLDER")
    assert len(asked) == 1  # no second try
    assert "errata data add mine FOLDER" in str(caught.value)
    with pytest.raises(DataError, match="only http"):
        download("file:///etc/passwd", tmp_path / "f")


def test_nobody_listening_is_an_error_after_some_tries(tmp_path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(DataError, match="cannot be fetched"):
        download(f"http://127.0.0.1:{port}/f", tmp_path / "f", retry=QUICK)


def test_a_proxy_is_taken_from_the_environment(server, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("http_proxy", server.url(""))
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    server.content["http://corpus.example/file"] = CONTENT
    assert download("http://corpus.example/file", tmp_path / "f", retry=QUICK) == SHA


def test_a_full_disk_is_an_error_and_keeps_what_came(server, tmp_path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    (tmp_path / "f.part").symlink_to("/dev/full")
    with pytest.raises(DataError, match="No space left"):
        download(server.url(), tmp_path / "f", retry=QUICK)


# -- a data set ------------------------------------------------------------------------------------


def test_a_data_set_is_fetched_once_and_its_checksum_recorded(server, home) -> None:
    entry = corpus(File(server.url(), path="file"))
    assert state(entry) == ""
    assert fetch_dataset(entry, retry=QUICK) == home / "mine"
    assert state(entry) == "here"
    assert json.loads((home / LOCK).read_text()) == {server.url(): SHA}
    fetch_dataset(entry, retry=QUICK)
    assert len(server.requests) == 1
    assert list(home.glob(".downloads/*")) == []


def test_a_file_that_is_here_is_verified(server, home) -> None:
    entry = replace(corpus(File(server.url(), path="file")), sha256={"file": SHA})
    fetch_dataset(entry, retry=QUICK)
    (home / "mine" / "file").write_bytes(b"damaged")
    with pytest.raises(DataError, match=r"mine/file: wrong checksum.*\n.*--force"):
        fetch_dataset(entry, retry=QUICK)
    fetch_dataset(entry, retry=QUICK, force=True)
    assert (home / "mine" / "file").read_bytes() == CONTENT
    assert entry.unverified == []


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/file", "data:,text"])
def test_a_redirection_to_something_else_than_http_is_refused(server, tmp_path, target) -> None:
    server.faults = [f"to {target}"]
    with pytest.raises(DataError):
        download(server.url(), tmp_path / "f", retry=QUICK)
    assert (os.listdir(tmp_path), len(server.requests)) == ([], 1)


def test_a_source_that_changed_is_refused_until_it_is_accepted(server, home) -> None:
    entry = corpus(File(server.url(), path="file"))
    fetch_dataset(entry, retry=QUICK)
    (home / "mine" / "file").unlink()
    server.content["/file"] = b"changed"
    with pytest.raises(DataError, match="differs from what was fetched before"):
        fetch_dataset(entry, retry=QUICK)
    assert state(entry) == ""
    fetch_dataset(entry, retry=QUICK, force=True)
    assert (home / "mine" / "file").read_bytes() == b"changed"


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_wanted_members_of_an_archive_are_unpacked(server, home, kind) -> None:
    packed = archive(kind, ("top/data/a.txt", b"a"), ("top/data/.DS_Store", b""), ("top/code.py", b""))
    server.content[f"/x.{kind}"] = packed
    url = server.url(f"/x.{kind}")
    fetch_dataset(corpus(File(url, members={"top/data/a.txt": "b.txt"}), expected=("b.txt",)), retry=QUICK)
    fetch_dataset(corpus(File(url, keep=("data",)), expected=("data/a.txt",)), retry=QUICK)
    found = sorted(path.relative_to(home / "mine").as_posix() for path in home.glob("mine/**/*.*"))
    assert found == ["b.txt", "data/a.txt"]


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
@pytest.mark.parametrize("name", ["../evil", "top/../../evil", "/tmp/evil", "C:/evil", "..\\evil"])
def test_an_archive_that_leaves_its_folder_is_refused(server, home, kind, name) -> None:
    server.content[f"/x.{kind}"] = archive(kind, (name, b"evil"))
    entry = corpus(File(server.url(f"/x.{kind}"), keep=()))
    with pytest.raises(DataError, match="would leave the folder"):
        fetch_dataset(entry, retry=QUICK)
    assert not list(home.parent.rglob("evil"))


def test_a_member_without_a_name_is_refused(server, home) -> None:
    server.content["/x.zip"] = archive("zip", ("evil", b"evil")).replace(b"evil", b"\0vil")
    with pytest.raises(DataError, match="refused: its member ''"):
        fetch_dataset(corpus(File(server.url("/x.zip"), keep=())), retry=QUICK)


def test_links_in_an_archive_are_left_out(server, home) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tape:
        link = tarfile.TarInfo("top/file")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tape.addfile(link)
    server.content["/x.tar.gz"] = buffer.getvalue()
    with pytest.raises(DataError, match="file is missing"):
        fetch_dataset(corpus(File(server.url("/x.tar.gz"))), retry=QUICK)


def test_a_broken_or_other_archive_is_explained(server, home) -> None:
    server.content["/x.tar.gz"] = archive("tar.gz", ("top/a", CONTENT))[:-40]
    with pytest.raises(DataError, match="broken archive"):
        fetch_dataset(corpus(File(server.url("/x.tar.gz"))), retry=QUICK)
    server.content["/y.zip"] = archive("zip", ("top/a", b"a"))
    with pytest.raises(DataError, match="has no member 'top/b'"):
        fetch_dataset(corpus(File(server.url("/y.zip"), members={"top/b": "b"})), retry=QUICK)


def test_a_folder_that_cannot_be_written_to_is_explained(server, tmp_path, monkeypatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ERRATA_DATA", str(tmp_path / "file"))
    with pytest.raises(DataError, match="cannot write"):
        fetch_dataset(corpus(File(server.url(), path="file")), retry=QUICK)


def test_a_corpus_behind_a_licence_says_how_to_get_it(home) -> None:
    with pytest.raises(DataError, match="agreeing to its licence") as caught:
        errata.data.fetch("fce")
    assert "errata data add fce FOLDER" in str(caught.value)


# -- the registry ----------------------------------------------------------------------------------


def test_every_entry_is_complete() -> None:
    for name, entry in datasets().items():
        assert name == entry.name
        assert entry.kind in ("corpus", "outputs", "judgments")
        for text in (entry.title, entry.size, entry.licence, entry.folder, entry.how, entry.notes):
            assert isinstance(text, str)
        assert entry.languages
        assert all(re.fullmatch("[a-z]{2}", language) for language in entry.languages)
        assert entry.expected
        assert entry.citation
        assert entry.homepage.startswith("http")
        assert bool(entry.files) != bool(entry.how), name
        fetched = {path for file in entry.files for path in file.paths}
        for wanted in entry.expected:
            assert entry.how or any(
                fnmatch(path, wanted) or wanted.startswith(path + "/") for path in fetched
            )
        assert set(entry.sha256) <= fetched
        assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in entry.sha256.values())
        for file in entry.files:
            assert urlsplit(file.url).scheme == "https"
            assert bool(file.path) != file.is_archive
            assert file.sha256 is None or re.fullmatch("[0-9a-f]{64}", file.sha256)
    with pytest.raises(ErrataError, match="conll14"):
        dataset("nix")


def test_a_file_without_a_pinned_revision_has_a_checksum() -> None:
    for entry in datasets().values():
        for file in entry.files:
            assert "/HEAD" not in file.url or file.is_archive or entry.checksum(file.path), file.url


def test_the_checksums_are_those_of_the_shared_copies(data) -> None:
    for name in (
        "conll14",
        "conll14-systems",
        "jfleg",
        "geccc",
        "gjg15",
        "napoles15",
        "reassess",
        "gecmetrics",
        "gmeg",
    ):
        entry = datasets()[name]
        paths = [path for file in entry.files for path in (file.path or (), *file.members.values()) if path]
        paths = [path for path in paths if name != "gmeg" or path.startswith("fce_test/")]
        assert paths
        for path in paths:
            assert (
                entry.checksum(path)
                == hashlib.sha256((data / entry.subfolder / path).read_bytes()).hexdigest()
            )


def test_the_shared_copies_appear_as_fetched(data, monkeypatch) -> None:
    monkeypatch.setenv("ERRATA_DATA", str(data))
    for name in (
        "conll14",
        "conll14-systems",
        "gjg15",
        "napoles15",
        "gecmetrics",
        "reassess",
        "jfleg",
        "geccc",
    ):
        assert state(dataset(name)) == "here", name
    assert (errata.data.path("conll14") / "test.m2").is_file()


def test_a_local_copy_is_used_once_added(home, tmp_path) -> None:
    with pytest.raises(DataError, match="errata data fetch napoles15"):
        errata.data.path("napoles15")
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "all_judgments.csv").write_text("")
    with pytest.raises(DataError, match=r"all_judgments\.xml is missing"):
        errata.data.add("napoles15", copy)
    (copy / "all_judgments.xml").write_text("")
    assert errata.data.add("napoles15", copy) == copy
    assert errata.data.path("napoles15") == copy
    assert state(dataset("napoles15")) == "added"


def test_the_command_fetches(server, home, monkeypatch, capsys) -> None:
    from errata.cli import main

    monkeypatch.setitem(datasets(), "mine", corpus(File(server.url(), path="file")))
    with pytest.raises(SystemExit) as done:
        main(["data", "fetch", "mine"])
    assert done.value.code == 0
    printed = capsys.readouterr()
    assert printed.out == f"mine: {home / 'mine'}\n"
    assert "1 of 1 downloads of mine are unverified" in printed.err
    assert (home / "mine" / "file").read_bytes() == CONTENT


def test_the_room_is_there_without_importing_it(data) -> None:
    code = "import errata; print(errata.data.path('conll14'))"
    environment = {**os.environ, "ERRATA_DATA": str(data)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == str(data / "conll14")


def test_the_data_folder_follows_the_platform(monkeypatch, tmp_path) -> None:
    monkeypatch.delenv("ERRATA_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert errata.data.folder() == tmp_path / "errata"
    monkeypatch.setattr("sys.platform", "darwin")
    assert errata.data.folder().parts[-2:] == ("Application Support", "errata")
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "Local"))
    assert errata.data.folder() == tmp_path / "Local" / "errata"


def test_the_commands_list_show_path_and_add(run, tmp_path, home) -> None:
    listed = json.loads(run("data", "list", "--format", "json").stdout)
    assert [row["name"] for row in listed["rows"]] == list(datasets())
    shown = run("data", "show", "jfleg").stdout
    assert "CC BY-NC-SA 4.0" in shown
    assert "revision not pinned" in shown
    assert "recorded at the first fetch" in run("data", "show", "ua-gec").stdout
    assert "errata data add fce FOLDER" in run("data", "show", "fce").stdout
    assert run("data", "path", "jfleg").returncode == 1
    assert run("data", "show", "nix").returncode == 1
    (tmp_path / "mine" / "m2").mkdir(parents=True)
    assert run("data", "add", "fce", "mine").returncode == 0
    assert run("data", "path", "fce").stdout.strip() == str(tmp_path / "mine")
    rows = json.loads(run("setup", "info", "--format", "json").stdout)["rows"]
    assert {"what": "data folder", "value": str(home)} in rows
