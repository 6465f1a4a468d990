"""`bilex data`: the list of what is published, and downloads as a user runs them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bilex.cli.data_screen import Arrival
from conftest_types import Bilex
from file_server import FileServer, serving

CONTENT = bytes(range(256)) * 8_000


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("BILEX_CATALOG", raising=False)


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving(CONTENT) as state:
        yield state


@pytest.mark.parametrize("columns", [80, 100])
def test_the_list_fits_the_terminal(
    bilex: Bilex, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = bilex("data", "list")
    lines = done.out.splitlines()
    assert done.code == 0
    assert max(map(len, lines)) <= columns
    assert lines[:3] == [
        "name               kind     for             size      license             check",
        "fasttext-crawl     vectors  158 languages   ≤ 1.3 GB  CC-BY-SA-3.0        –",
        "    the best first choice; up to 2 million words × 300",
    ]
    assert " ".join(done.out.split()).count("License: non-commercial use only") == 3


def test_the_list_is_filtered(bilex: Bilex) -> None:
    done = bilex("data", "list", "--pair", "en-fi", "--kind", "tests")
    listed = [line for line in done.out.splitlines() if not line.startswith(" ")]
    assert [line.split()[0] for line in listed] == ["name", "muse-test", "xling-test"]
    assert bilex("data", "list", "--language", "ltg", "--kind", "vectors").out.count("\n") == 3


def test_an_empty_list_is_said(bilex: Bilex) -> None:
    done = bilex("data", "list", "--language", "xx", "--kind", "vectors")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("none of the 24 data sets matches")


def test_the_list_as_json_has_all_codes(bilex: Bilex) -> None:
    found = [json.loads(line) for line in bilex("data", "list", "--json").out.splitlines()]
    by_name = {entry["name"]: entry for entry in found}
    assert len(found) == 24
    assert by_name["fasttext-crawl"]["languages"][:3] == ["af", "als", "am"]
    assert by_name["muse"]["pairs"][:2] == ["en-af", "en-ar"]
    assert by_name["muse"]["terms"] == "non-commercial use only"
    assert by_name["freedict"]["address"] is None


def test_an_own_catalog_shows_its_checksums(bilex: Bilex, server: FileServer) -> None:
    own = server.catalog(Path("own.toml"), sha256=server.sha256)
    done = bilex("data", "list", "--catalog", str(own))
    assert done.out.splitlines()[-2].split() == ["test", "vectors", "–", "–", "CC0-1.0", "sha256"]


def test_a_file_is_downloaded_once(
    bilex: Bilex, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = server.catalog(Path("own.toml").absolute())
    monkeypatch.setenv("BILEX_CATALOG", str(own))
    done = bilex("data", "get", "test", "-o", "new/")
    path = os.path.join("new", "file.bin")  # noqa: PTH118
    assert done.code == 0, done.err
    assert done.out == f"{path}\n"
    assert done.err.splitlines() == [
        "license: CC0-1.0; see https://example.org/page",
        f"file.bin: 2,048,000 bytes, SHA-256 {server.sha256}",
        f"next: bilex fit {path} TARGET SEEDS -o MODEL --limit 200000",
    ]
    assert Path(path).read_bytes() == CONTENT
    again = bilex("data", "get", "test", "-o", "new")
    assert (again.code, again.out) == (0, f"{path}\n")
    assert f"{path} is already there (unchanged); nothing to do" in again.err
    assert len(server.requests) == 1


def test_what_to_do_next_depends_on_the_file(bilex: Bilex, server: FileServer) -> None:
    pairs = server.catalog(Path("a.toml"), pairs="any", kind="seeds").read_text()
    Path("a.toml").write_text(
        pairs.replace("/file.bin", "/{pair}.txt").replace('kind = "vectors"\n', "")
    )
    done = bilex("data", "get", "test", "--pair", "en-fi", "--catalog", "a.toml")
    assert "next: bilex fit SOURCE TARGET en-fi.txt -o MODEL --limit 200000" in done.err
    server.catalog(Path("b.toml"), next="unzip {file}", terms="non-commercial use only")
    done = bilex("data", "get", "test", "-o", "f.zip", "--catalog", "b.toml")
    assert "license: CC0-1.0 (non-commercial use only); see https://example.org/page" in done.err
    assert "next: unzip f.zip" in done.err


def test_a_file_by_hand_is_not_checked(bilex: Bilex, server: FileServer) -> None:
    own = server.catalog(Path("own.toml"))
    Path("file.bin").write_bytes(b"by browser")
    done = bilex("data", "get", "test", "--catalog", str(own))
    assert "file.bin is already there (not downloaded by bilex, so not checked)" in done.err
    assert server.requests == []


def test_a_failure_is_one_line(bilex: Bilex, server: FileServer) -> None:
    own = server.catalog(Path("own.toml"))
    server.statuses = [404]
    done = bilex("data", "get", "test", "--catalog", str(own))
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
    assert "has no such file (404 Not Found)" in done.err.splitlines()[-1]
    done = bilex("data", "get", "tests", "--catalog", str(own))
    assert done.err.startswith("bilex: no data is called 'tests' (did you mean 'test'?)")


def test_an_interrupt_says_how_to_go_on(
    bilex: Bilex, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    own = server.catalog(Path("own.toml"))
    server.cuts = [1_000_000]
    monkeypatch.setattr("time.sleep", interrupt)
    done = bilex("data", "get", "test", "--catalog", str(own))
    assert (done.code, done.out) == (130, "")
    assert done.err.splitlines()[-1] == (
        "bilex: interrupted at 1.0 MB of 2.0 MB; run the same command again to continue"
    )


def test_a_terminal_shows_a_bar_and_notes_above_it(
    bilex: Bilex, server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = server.catalog(Path("own.toml"))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    server.cuts = [1_000_000]
    done = bilex("data", "get", "test", "--catalog", str(own))
    assert done.code == 0, done.err
    assert "file.bin: the connection ended after 1.0 MB of 2.0 MB; trying again in 1 s" in done.err
    assert "━" in done.err
    assert done.out == "file.bin\n"


def test_progress_in_a_log_has_rate_and_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    arrival = Arrival("f", None)
    arrival.update(1_000_000, 11_000_000)  # from an earlier run: no part of the rate
    now[0] += 60
    arrival.update(7_000_000, 11_000_000)
    arrival.update(7_500_000, 11_000_000)
    assert capsys.readouterr().err == "f: 7.0 MB of 11.0 MB, 100 kB/s, about 40 s left\n"
    assert arrival.text == "7.5 MB of 11.0 MB"
    now[0] += 60
    arrival.update(13_000_000, None)
    assert capsys.readouterr().err == "f: 13.0 MB, 100 kB/s\n"


def command(own: Path) -> list[str]:
    return [sys.executable, "-m", "bilex", "data", "get", "test", "--catalog", str(own)]


def wait_for_part(folder: Path, size: int) -> None:
    part = folder / "file.bin.part"
    deadline = time.monotonic() + 60
    while not (part.exists() and part.stat().st_size >= size):
        assert time.monotonic() < deadline, "nothing was downloaded"
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_the_real_command_goes_on_after_its_end(
    server: FileServer, tmp_path: Path, how: signal.Signals
) -> None:
    own = server.catalog(tmp_path / "own.toml")
    out = tmp_path / "out"
    out.mkdir()
    server.pause, server.piece = 0.05, 2**15
    process = subprocess.Popen(command(own), cwd=out, stderr=subprocess.PIPE, text=True)  # noqa: S603
    wait_for_part(out, 2**17)
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    assert process.returncode == (130 if how == signal.SIGINT else -how)
    assert "Traceback" not in said
    if how == signal.SIGINT:
        assert said.splitlines()[-1].startswith("bilex: interrupted at ")
        assert said.endswith(" of 2.0 MB; run the same command again to continue\n")
    assert sorted(path.name for path in out.iterdir()) == ["file.bin.part", "file.bin.part.json"]
    kept = (out / "file.bin.part").stat().st_size
    assert 2**17 <= kept < len(CONTENT)
    server.pause = 0
    done = subprocess.run(command(own), cwd=out, capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.returncode, done.stdout) == (0, "file.bin\n"), done.stderr
    assert (out / "file.bin").read_bytes() == CONTENT
    assert server.requests == [("/file.bin", None), ("/file.bin", f"bytes={kept}-")]
    assert sorted(path.name for path in out.iterdir()) == ["file.bin", "file.bin.manifest.json"]


@pytest.mark.slow
def test_two_real_commands_at_once_download_once(server: FileServer, tmp_path: Path) -> None:
    own = server.catalog(tmp_path / "own.toml")
    out = tmp_path / "out"
    out.mkdir()
    server.pause, server.piece = 0.05, 2**15
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE}
    first = subprocess.Popen(command(own), cwd=out, text=True, **pipes)  # type: ignore[call-overload] # noqa: S603
    wait_for_part(out, 1)
    second = subprocess.Popen(command(own), cwd=out, text=True, **pipes)  # type: ignore[call-overload] # noqa: S603
    said = [process.communicate(timeout=60) for process in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0], said
    assert [text for text, _ in said] == ["file.bin\n", "file.bin\n"]
    assert "another process is downloading file.bin: waiting for it" in said[1][1]
    assert "file.bin is already there (unchanged); nothing to do" in said[1][1]
    assert len(server.requests) == 1
    assert (out / "file.bin").read_bytes() == CONTENT


@pytest.mark.slow
def test_the_next_process_takes_over_from_a_killed_one(server: FileServer, tmp_path: Path) -> None:
    own = server.catalog(tmp_path / "own.toml")
    out = tmp_path / "out"
    out.mkdir()
    server.pause, server.piece = 0.05, 2**15
    first = subprocess.Popen(command(own), cwd=out, stderr=subprocess.DEVNULL)  # noqa: S603
    wait_for_part(out, 2**16)
    second = subprocess.Popen(command(own), cwd=out, stderr=subprocess.PIPE, text=True)  # noqa: S603
    assert second.stderr is not None
    heard = [second.stderr.readline() for _ in range(2)]
    assert heard[1] == "another process is downloading file.bin: waiting for it\n"
    server.pause = 0
    first.kill()
    first.wait()
    _, said = second.communicate(timeout=60)
    assert second.returncode == 0, said
    assert said.startswith("file.bin: continuing after ")
    assert (out / "file.bin").read_bytes() == CONTENT
