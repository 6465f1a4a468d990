"""`bilex translate` answers words from stdin as they arrive."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bilex.cli.word_stream import batches_of_words


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.usefixtures("model")
def test_a_word_is_answered_before_the_next_one_is_sent(tiny: Path, as_json: bool) -> None:
    command = [sys.executable, "-m", "bilex", "translate", "m", "-k", "1"]
    process = subprocess.Popen(  # noqa: S603
        command + ["--json"] * as_json,
        cwd=tiny,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    deadline = threading.Timer(60, process.kill)  # a read would wait forever
    deadline.start()
    try:
        for number in (7, 9, 11):
            process.stdin.write(f"s{number}\n".encode())
            process.stdin.flush()
            answer = process.stdout.readline().decode()
            if as_json:
                assert json.loads(answer)["candidates"][0]["word"] == f"t{number}"
            else:
                assert answer == f"s{number}\tt{number}\n"
        out, err = process.communicate(b"s12", timeout=60)  # a last line without an end
    finally:
        deadline.cancel()
    assert out.decode().startswith('{"word": "s12"' if as_json else "s12\tt12\n")
    assert (process.returncode, err) == (0, b"")


def test_what_has_arrived_is_one_batch() -> None:
    reader, writer = os.pipe()
    with open(reader, encoding="utf-8", errors="surrogateescape") as stream:  # noqa: PTH123
        found = batches_of_words(stream)
        os.write(writer, "a\nb\r\n\n  \nдо".encode())
        assert next(found) == ["a", "b"]
        os.write(writer, "м\u2028x\n".encode() + b"\xff\n" + "д".encode()[:1])
        assert next(found) == ["дом\u2028x", "\udcff"]
        os.write(writer, "д".encode()[1:])
        os.close(writer)
        assert next(found) == ["д"]
        assert list(found) == []


def test_other_streams_are_read_at_once() -> None:
    assert list(batches_of_words(io.StringIO("a\r\n\nb"))) == [["a", "b"]]
    assert list(batches_of_words(io.StringIO("\n"))) == []


def test_a_terminal_is_told_how_to_end(capsys: pytest.CaptureFixture[str]) -> None:
    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    terminal = Terminal(io.BytesIO(b"a\n"), encoding="utf-8")
    assert list(batches_of_words(terminal)) == [["a"]]
    assert capsys.readouterr().err.startswith("Type words, one per line; Ctrl-")


@pytest.mark.slow
@pytest.mark.usefixtures("model")
def test_many_words_take_seconds(tiny: Path) -> None:
    words = "".join(f"s{number % 50}\n" for number in range(100_000)).encode()
    command = [sys.executable, "-m", "bilex", "translate", "m"]
    begin = time.monotonic()
    done = subprocess.run(command, cwd=tiny, input=words, capture_output=True, check=True)  # noqa: S603
    assert done.stdout.count(b"\n") == 100_000
    assert time.monotonic() - begin < 10
