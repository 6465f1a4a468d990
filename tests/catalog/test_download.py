"""Downloads against a real server that behaves well and badly."""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import IO, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.catalog import Pair, Patience, download, partial, readable
from bilex.errors import DownloadError
from bilex.lexicons import read_dictionary
from file_server import FileServer, serving

CONTENT = bytes(range(256)) * 2_000
HURRY = Patience(timeout=5, tries=3, wait=0)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving(CONTENT) as state:
        yield state


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def leave_part(server: FileServer, target: Path, size: int) -> None:
    """Download the first bytes of the file, as a process does that is stopped then."""
    server.cuts = [size]
    with pytest.raises(DownloadError, match="run the command again to continue"):
        download(server.file(), target, patience=Patience(tries=1))
    assert (target / "file.bin.part").stat().st_size == size
    server.requests.clear()


def test_a_whole_file_comes_with_its_manifest(server: FileServer, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    done = download(server.file(), tmp_path, lambda done, total: seen.append((done, total)))
    assert done.path == tmp_path / "file.bin"
    assert done.path.read_bytes() == CONTENT
    assert (done.bytes, done.sha256, done.is_new) == (len(CONTENT), server.sha256, True)
    assert seen[0] == (0, len(CONTENT))
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert seen == sorted(seen)
    assert names(tmp_path) == ["file.bin", "file.bin.manifest.json"]
    assert json.loads((tmp_path / "file.bin.manifest.json").read_text()) == {
        "title": "A test file",
        "license": "CC0-1.0",
        "manifest": {
            "address": f"{server.address}/file.bin",
            "page": "https://example.org/page",
            "last_modified": "Mon, 01 Jan 2024 00:00:00 GMT",
        },
        "sha256": {"file.bin": server.sha256},
    }


def test_a_connection_cut_midway_is_taken_up_again(server: FileServer, tmp_path: Path) -> None:
    server.cuts = [1_000, 200_000]
    notes: list[str] = []
    done = download(server.file(), tmp_path, on_note=notes.append, patience=HURRY)
    assert done.path.read_bytes() == CONTENT
    assert [asked for _, asked in server.requests] == [None, "bytes=1000-", "bytes=201000-"]
    assert notes == [
        "file.bin: the connection ended after 1.0 kB of 512 kB; trying again in 0 s",
        "file.bin: the connection ended after 201 kB of 512 kB; trying again in 0 s",
    ]


def test_the_next_run_goes_on(server: FileServer, tmp_path: Path) -> None:
    leave_part(server, tmp_path, 1_000)
    assert names(tmp_path) == ["file.bin.part", "file.bin.part.json"]
    notes: list[str] = []
    done = download(server.file(), tmp_path, on_note=notes.append)
    assert done.path.read_bytes() == CONTENT
    assert server.requests == [("/file.bin", "bytes=1000-")]
    assert notes == ["file.bin: continuing after 1.0 kB"]
    assert names(tmp_path) == ["file.bin", "file.bin.manifest.json"]


@pytest.mark.parametrize("total", ["known", "unknown"])
def test_bytes_that_are_all_here_are_not_asked_for(
    server: FileServer, tmp_path: Path, total: str
) -> None:
    leave_part(server, tmp_path, 1_000)
    (tmp_path / "file.bin.part").write_bytes(CONTENT)
    if total == "unknown":
        record = json.loads((tmp_path / "file.bin.part.json").read_text())
        (tmp_path / "file.bin.part.json").write_text(json.dumps(record | {"total": None}))
    assert download(server.file(), tmp_path).sha256 == server.sha256
    asked = [] if total == "known" else [("/file.bin", f"bytes={len(CONTENT)}-")]
    assert server.requests == asked


def test_a_server_that_sends_all_again_is_believed(server: FileServer, tmp_path: Path) -> None:
    leave_part(server, tmp_path, 1_000)
    server.ranges = False
    assert download(server.file(), tmp_path).path.read_bytes() == CONTENT
    assert server.requests == [("/file.bin", "bytes=1000-")]


@pytest.mark.parametrize("if_range", [True, False], ids=["condition", "no condition"])
@pytest.mark.parametrize("size", [300, len(CONTENT), 900_000])
def test_a_file_that_changed_in_between_is_downloaded_anew(
    server: FileServer, tmp_path: Path, size: int, if_range: bool
) -> None:
    leave_part(server, tmp_path, 1_000)
    server.if_range = if_range
    server.change(b"x" * size)
    assert download(server.file(), tmp_path, patience=HURRY).path.read_bytes() == b"x" * size


def test_a_file_is_told_by_its_time_if_it_has_no_tag(server: FileServer, tmp_path: Path) -> None:
    server.etag, server.if_range = None, False
    leave_part(server, tmp_path, 1_000)
    server.change(CONTENT[::-1])
    assert download(server.file(), tmp_path, patience=HURRY).path.read_bytes() == CONTENT[::-1]
    assert [asked for _, asked in server.requests] == ["bytes=1000-", None]


@pytest.mark.parametrize("status", [0, 206, 416])
def test_an_answer_without_sense_is_asked_for_again(
    server: FileServer, tmp_path: Path, status: int
) -> None:
    server.statuses = [status]
    done = download(server.file(), tmp_path, patience=HURRY)
    assert done.path.read_bytes() == CONTENT
    assert len(server.requests) == 2


def test_without_a_version_nothing_is_resumed(server: FileServer, tmp_path: Path) -> None:
    server.etag, server.last_modified = 'W/"weak"', None
    leave_part(server, tmp_path, 1_000)
    notes: list[str] = []
    done = download(server.file(), tmp_path, on_note=notes.append)
    assert done.path.read_bytes() == CONTENT
    assert server.requests == [("/file.bin", None)]
    assert notes == []


def test_another_size_means_another_file_whatever_its_tag(
    server: FileServer, tmp_path: Path
) -> None:
    leave_part(server, tmp_path, 1_000)
    server.content = b"x" * 2_000
    assert download(server.file(), tmp_path, patience=HURRY).path.read_bytes() == b"x" * 2_000
    assert [asked for _, asked in server.requests] == ["bytes=1000-", None]


def test_a_part_from_another_address_is_not_used(server: FileServer, tmp_path: Path) -> None:
    leave_part(server, tmp_path, 1_000)
    download(server.file("other.bin"), tmp_path / "file.bin")
    assert server.requests == [("/other.bin", None)]


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"address": 1}', "[" * 100_000])
def test_damaged_notes_about_a_part_mean_a_new_start(
    server: FileServer, tmp_path: Path, damage: str
) -> None:
    leave_part(server, tmp_path, 1_000)
    (tmp_path / "file.bin.part.json").write_text(damage)
    assert download(server.file(), tmp_path).path.read_bytes() == CONTENT
    assert server.requests == [("/file.bin", None)]


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"sha256": "0" * 64}, f"has the SHA-256 {hashlib.sha256(CONTENT).hexdigest()}"),
        ({"md5": "0" * 32}, f"has the MD5 {hashlib.md5(CONTENT).hexdigest()}"),  # noqa: S324
        ({"bytes": 5}, "has a file of 512,000 bytes"),
    ],
)
def test_a_wrong_file_is_not_kept(
    server: FileServer, tmp_path: Path, facts: dict[str, Any], message: str
) -> None:
    with pytest.raises(DownloadError, match=message):
        download(server.file(**facts), tmp_path)
    assert names(tmp_path) == []


def test_a_right_file_passes_all_checks(server: FileServer, tmp_path: Path) -> None:
    md5 = hashlib.md5(CONTENT).hexdigest()  # noqa: S324
    file = server.file(sha256=server.sha256, md5=md5, bytes=len(CONTENT))
    assert download(file, tmp_path).is_new
    assert not download(file, tmp_path).is_new


def test_a_size_is_checked_even_if_the_server_gives_none(
    server: FileServer, tmp_path: Path
) -> None:
    server.framing = "chunked"
    with pytest.raises(DownloadError, match="has 512,000 bytes, expected 5; it was removed"):
        download(server.file(bytes=5), tmp_path)
    assert names(tmp_path) == []


def test_a_missing_file_is_plain(server: FileServer, tmp_path: Path) -> None:
    server.statuses = [404]
    with pytest.raises(DownloadError) as error:
        download(server.file(), tmp_path)
    where = server.address.removeprefix("http://")
    assert str(error.value) == (
        f"{where} has no such file (404 Not Found): {server.address}/file.bin; if it has moved, "
        "give its address in a catalog of your own (--catalog)"
    )
    assert len(server.requests) == 1
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("status", "message"), [(403, "refuses access"), (400, "answered 400"), (204, "answered 204")]
)
def test_other_answers_are_plain_too(
    server: FileServer, tmp_path: Path, status: int, message: str
) -> None:
    server.statuses = [status]
    with pytest.raises(DownloadError, match=message):
        download(server.file(), tmp_path)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_server_in_trouble_is_asked_again(
    server: FileServer, tmp_path: Path, status: int
) -> None:
    server.statuses = [status, status]
    notes: list[str] = []
    done = download(server.file(), tmp_path, on_note=notes.append, patience=HURRY)
    assert done.path.read_bytes() == CONTENT
    assert len(notes) == 2
    assert f"answered {status}" in notes[0]


def test_the_server_says_how_long_to_wait(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    server.statuses = [503, 503]
    server.headers = {"Retry-After": "7"}
    download(server.file(), tmp_path)
    assert waits == [7, 7]
    server.statuses = [503]
    server.headers = {"Retry-After": "9999"}
    download(server.file(), tmp_path / "again")
    assert waits[2:] == [60]


def test_waits_grow_and_attempts_end(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    server.statuses = [500] * 9
    with pytest.raises(DownloadError, match=r"cannot reach .*500 .*; download http://.* browser"):
        download(server.file(), tmp_path)
    assert waits == [1, 2, 4, 8]
    assert names(tmp_path) == []


def test_a_server_that_cuts_and_has_no_ranges_is_given_up(
    server: FileServer, tmp_path: Path
) -> None:
    server.ranges = False
    server.cuts = [5_000, 4_000, 4_999, 5_000, 1]
    with pytest.raises(DownloadError, match="run the command again to continue"):
        download(server.file(), tmp_path, patience=HURRY)
    assert len(server.requests) == 3


def test_redirects_are_followed_with_their_range(server: FileServer, tmp_path: Path) -> None:
    server.location = f"{server.address}/file.bin"
    server.cuts = [1_000]
    done = download(server.file("elsewhere/file.bin"), tmp_path / "f", patience=HURRY)
    assert done.path.read_bytes() == CONTENT
    assert server.requests[2:] == [
        ("/elsewhere/file.bin", "bytes=1000-"),
        ("/file.bin", "bytes=1000-"),
    ]


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("ftp://example.org/file.bin", "redirects to ftp://example.org/file.bin, which is not"),
        ("file:///etc/passwd", "answered 302"),
        ("http://[bad/", "redirects to an address that is not valid"),
        (f"http://{'a' * 70}.example/", "redirects to an address that is not valid"),
        ("/elsewhere/again", "answered 302"),
    ],
)
def test_redirects_to_elsewhere_are_refused(
    server: FileServer, tmp_path: Path, location: str, message: str
) -> None:
    server.location = location
    with pytest.raises(DownloadError, match=message):
        download(server.file("elsewhere/file.bin"), tmp_path / "f", patience=HURRY)
    assert names(tmp_path) == []


def test_a_redirect_from_https_to_http_is_refused() -> None:
    from email.message import Message
    from http.client import HTTPMessage
    from io import BytesIO
    from urllib.request import Request

    from bilex.catalog.transfer import _Redirects

    headers: Message = HTTPMessage()
    assert isinstance(headers, HTTPMessage)
    request = Request("https://example.org/file.bin")
    ask = _Redirects().redirect_request
    follow = ask(request, BytesIO(), 302, "Found", headers, "https://example.com/file.bin")
    assert follow is not None
    assert follow.full_url == "https://example.com/file.bin"
    with pytest.raises(DownloadError, match="redirects to http://example"):
        ask(request, BytesIO(), 302, "Found", headers, "http://example.com/file.bin")


def test_a_silent_server_is_asked_again(server: FileServer, tmp_path: Path) -> None:
    server.silence = [0.4]
    notes: list[str] = []
    patience = Patience(timeout=0.1, tries=3, wait=0)
    done = download(server.file(), tmp_path, on_note=notes.append, patience=patience)
    assert done.path.read_bytes() == CONTENT
    assert notes == ["file.bin: no answer in time; trying again in 0 s"]


def test_a_server_that_stops_sending_is_given_up(server: FileServer, tmp_path: Path) -> None:
    server.pause = 0.5
    with pytest.raises(DownloadError, match=r"nothing more arrived after 65\.5 kB; 65\.5 kB are"):
        download(server.file(), tmp_path, patience=Patience(timeout=0.1, tries=1))
    assert (tmp_path / "file.bin.part").stat().st_size == 2**16


def test_no_server_is_plain(tmp_path: Path) -> None:
    with serving() as gone:
        pass
    with pytest.raises(DownloadError) as error:
        download(gone.file(), tmp_path)
    where = gone.address.removeprefix("http://")
    assert str(error.value) == (
        f"cannot reach {where}: connection refused; download {gone.address}/file.bin with a "
        f"browser and put it at {tmp_path / 'file.bin'}"
    )
    assert names(tmp_path) == []


def test_no_network_is_plain(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    def unknown(*given: object, **named: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(DownloadError, match=r"cannot reach .*: unknown host name .no net.*browser"):
        download(server.file(), tmp_path)


def test_a_full_disk_is_noticed_before(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=500_000))
    with pytest.raises(DownloadError) as error:
        download(server.file(), tmp_path)
    assert str(error.value) == (
        f"{tmp_path} has 500 kB free, but 512 kB are needed: make room, or give another place "
        "with -o"
    )
    assert names(tmp_path) == []
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=512_000))
    assert download(server.file(), tmp_path).is_new


def test_what_is_here_already_needs_no_room(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_part(server, tmp_path, 100_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=412_000))
    assert download(server.file(), tmp_path).is_new


def test_a_disk_that_fills_up_keeps_what_has_arrived(server: FileServer, tmp_path: Path) -> None:
    mount = shutil.which("mount")
    disk = tmp_path / "disk"
    disk.mkdir()
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:  # noqa: S603
        pytest.skip("a small file system can be mounted by a superuser only")
    try:
        server.framing = "chunked"  # no size, so room cannot be checked before
        with pytest.raises(DownloadError, match="the disk is full; what has arrived is kept in"):
            download(server.file(), disk)
        assert names(disk) == ["file.bin.part", "file.bin.part.json"]
        kept = (disk / "file.bin.part").read_bytes()
        assert kept
        assert CONTENT.startswith(kept)
    finally:
        subprocess.run(["umount", str(disk)], check=True)  # noqa: S603, S607


def test_a_web_page_is_not_the_file(server: FileServer, tmp_path: Path) -> None:
    server.headers = {"Content-Type": "text/html; charset=utf-8"}
    with pytest.raises(DownloadError, match="sent a web page instead of the file: log in"):
        download(server.file(), tmp_path)
    assert names(tmp_path) == []


def test_an_encoded_file_is_refused(server: FileServer, tmp_path: Path) -> None:
    server.headers = {"Content-Encoding": "gzip"}
    with pytest.raises(DownloadError, match="encoded as gzip, which was not requested"):
        download(server.file(), tmp_path)


@pytest.mark.parametrize("framing", ["chunked", "closing"])
def test_a_file_of_unknown_size_comes_whole(
    server: FileServer, tmp_path: Path, framing: str
) -> None:
    server.framing = framing
    seen: list[int | None] = []
    notes: list[str] = []
    download(server.file(), tmp_path, lambda done, total: seen.append(total), on_note=notes.append)
    assert (tmp_path / "file.bin").read_bytes() == CONTENT
    assert set(seen) == {None}
    warning = "file.bin: the server sent no size, so the file may be incomplete"
    assert notes == ([] if framing == "chunked" else [warning])


def test_a_cut_is_noticed_without_a_size(server: FileServer, tmp_path: Path) -> None:
    server.framing, server.cuts = "chunked", [100_000]
    notes: list[str] = []
    done = download(server.file(), tmp_path, on_note=notes.append, patience=HURRY)
    assert done.path.read_bytes() == CONTENT
    assert notes == ["file.bin: the connection broke (IncompleteRead); trying again in 0 s"]


def test_a_file_that_is_there_and_right_is_left_alone(server: FileServer, tmp_path: Path) -> None:
    first = download(server.file(), tmp_path)
    before = first.path.stat()
    again = download(server.file(), tmp_path)
    assert (again.is_new, again.sha256, again.bytes) == (False, server.sha256, len(CONTENT))
    assert first.path.stat() == before
    assert len(server.requests) == 1


def test_a_file_that_was_changed_is_neither_used_nor_replaced(
    server: FileServer, tmp_path: Path
) -> None:
    path = download(server.file(), tmp_path).path
    path.write_bytes(b"mine")
    with pytest.raises(DownloadError, match=r"exists, but has the SHA-256 .*: remove it to"):
        download(server.file(), tmp_path)
    assert path.read_bytes() == b"mine"


def test_a_file_put_there_by_hand_is_left_alone(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "file.bin").write_bytes(b"by browser")
    done = download(server.file(), tmp_path)
    assert (done.is_new, done.sha256, server.requests) == (False, None, [])
    with pytest.raises(DownloadError, match="exists, but has 10 bytes, expected 512,000"):
        download(server.file(bytes=512_000), tmp_path)


@pytest.mark.parametrize("damage", ["", "[]", "{}", '{"manifest": [], "sha256": {}}'])
def test_a_damaged_manifest_says_nothing(server: FileServer, tmp_path: Path, damage: str) -> None:
    download(server.file(), tmp_path)
    (tmp_path / "file.bin.manifest.json").write_text(damage)
    assert download(server.file(), tmp_path).sha256 is None


def test_a_folder_in_the_way_is_plain(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "file.bin").mkdir()
    with pytest.raises(DownloadError, match="is not a file: give another place with -o"):
        download(server.file(), tmp_path)


def test_a_place_may_be_a_file_or_a_new_folder(server: FileServer, tmp_path: Path) -> None:
    assert download(server.file(), tmp_path / "a" / "b.vec").path == tmp_path / "a" / "b.vec"
    assert download(server.file(), f"{tmp_path}/c/").path == tmp_path / "c" / "file.bin"


def test_the_same_file_downloaded_at_once_comes_once(server: FileServer, tmp_path: Path) -> None:
    server.pause, server.piece = 0.01, 2**15
    notes: list[str] = []
    done: list[bool] = []

    def run() -> None:
        done.append(download(server.file(), tmp_path, on_note=notes.append).is_new)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [False, False, True]
    assert notes == ["another process is downloading file.bin: waiting for it"] * 2
    assert len(server.requests) == 1
    assert names(tmp_path) == ["file.bin", "file.bin.manifest.json"]


def test_the_lock_is_always_on_the_file_that_others_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked, lock = tmp_path / "f.part.json", partial._lock
    removals = [locked]

    def lock_late(file: IO[Any]) -> None:
        if removals:  # another process ends between our opening and our locking
            removals.pop().unlink()
        lock(file)

    monkeypatch.setattr(partial, "_lock", lock_late)
    with partial.partial_file(tmp_path / "f", "https://example.org/f"):
        assert locked.exists()
    assert names(tmp_path) == []


def test_a_folder_without_locks_is_plain(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(file: IO[Any]) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(partial, "_lock", fail)
    with pytest.raises(DownloadError, match=r"cannot be locked \(No locks available\): choose a"):
        download(server.file(), tmp_path)


def test_a_proxy_of_the_environment_is_used(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("no_proxy")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.setenv("http_proxy", server.address)
    file = replace(server.file(), address="http://example.invalid/file.bin")
    assert download(file, tmp_path).path.read_bytes() == CONTENT
    assert server.requests == [("http://example.invalid/file.bin", None)]


def test_a_certificate_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl to make a certificate")
    pem = tmp_path / "own.pem"
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=x"
    made = subprocess.run(  # noqa: S603
        [openssl, *words.split(), "-keyout", str(pem), "-out", str(tmp_path / "cert.pem")],
        capture_output=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", pem)
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as secure:
        secure.socket = context.wrap_socket(secure.socket, server_side=True)
        secure.handle_error = lambda request, client_address: None  # type: ignore[method-assign]
        thread = threading.Thread(target=secure.handle_request)
        thread.start()
        file = FileServer(address=f"https://127.0.0.1:{secure.server_address[1]}").file()
        with pytest.raises(DownloadError, match=r"certificate of 127.0.0.1:.* cannot be verified"):
            download(file, tmp_path / "out")
        thread.join()
    assert list((tmp_path / "out").parent.glob("out*")) == []


def test_a_downloaded_lexicon_keeps_its_languages_and_license(
    server: FileServer, tmp_path: Path
) -> None:
    server.content = b"dog\tkoira\ncat\tkissa\n"
    path = download(server.file("pairs.tsv", pair=Pair("en", "fi")), tmp_path).path
    found = read_dictionary(path)
    assert not found.changed
    assert found.metadata.source_language == "en"
    assert found.metadata.target_language == "fi"
    assert found.metadata.license == "CC0-1.0"


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_000, "1.0 kB"),
        (65_536, "65.5 kB"),
        (123_456, "123 kB"),
        (1_325_960_915, "1.3 GB"),
        (10**13, "10,000 GB"),
    ],
)
def test_sizes_are_readable(size: int, text: str) -> None:
    assert readable(size) == text


@dataclass(frozen=True)
class History:
    """What happens to a file and to the connections to its server."""

    content: bytes
    other: bytes
    cuts: list[int]
    change_after: int
    etag: str | None
    last_modified: str | None
    ranges: bool
    if_range: bool
    framing: str
    new_runs: bool


HISTORIES = st.builds(
    History,
    content=st.binary(max_size=3_000),
    other=st.binary(max_size=3_000),
    cuts=st.lists(st.integers(0, 3_000), max_size=5),
    change_after=st.integers(0, 6),
    etag=st.sampled_from(['"strong"', 'W/"weak"', None]),
    last_modified=st.sampled_from(["Mon, 01 Jan 2024 00:00:00 GMT", None]),
    ranges=st.booleans(),
    if_range=st.booleans(),
    framing=st.sampled_from(["length", "chunked"]),
    new_runs=st.booleans(),
)


def check_history(server: FileServer, folder: Path, history: History) -> None:
    """Download through all cuts and the change: the bytes have to be those of the server."""
    server.content, server.etag = history.content, history.etag
    server.last_modified, server.framing = history.last_modified, history.framing
    server.ranges, server.if_range = history.ranges, history.if_range
    # With one try, each attempt is a new run: what is kept on disk has to be enough to go on.
    patience = Patience(tries=1) if history.new_runs else HURRY
    for number, cut in enumerate([*history.cuts, None, None]):
        if number == history.change_after:
            server.change(history.other)
        server.cuts = [cut]
        with suppress(DownloadError):
            done = download(server.file(), folder, patience=patience)
            break
    assert done.path.read_bytes() == server.content
    assert done.sha256 == server.sha256
    assert names(folder) == ["file.bin", "file.bin.manifest.json"]


@pytest.fixture(scope="module")
def shared_server() -> Iterator[FileServer]:
    with serving() as state:
        yield state


@given(history=HISTORIES)
@settings(max_examples=15, deadline=None)
def test_random_cuts_and_changes_always_end_with_the_right_bytes(
    shared_server: FileServer, history: History
) -> None:
    with TemporaryDirectory() as folder:
        check_history(shared_server, Path(folder), history)


@pytest.mark.slow
@given(history=HISTORIES)
@settings(max_examples=1_000, deadline=None)
def test_many_random_cuts_and_changes_end_with_the_right_bytes(
    shared_server: FileServer, history: History
) -> None:
    with TemporaryDirectory() as folder:
        check_history(shared_server, Path(folder), history)
