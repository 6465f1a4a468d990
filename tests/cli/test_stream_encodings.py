from __future__ import annotations

import io
import sys

import pytest

from bilex.cli import screen

WORDS = "кот\n".encode() + b"\xff\n"


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def test_pipes_and_files_are_utf8_with_plain_line_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    output = io.TextIOWrapper(written, encoding="cp1252", newline="\r\n")
    monkeypatch.setattr(sys, "stdout", output)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(WORDS), "cp1252"))
    screen.use_utf8()
    words = sys.stdin.read()
    screen.result(words, end="")
    output.flush()
    assert words == "кот\n\udcff\n"
    assert written.getvalue() == WORDS


def test_a_terminal_shows_what_it_cannot_encode_as_an_escape(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = io.BytesIO()
    output = Terminal(written, encoding="latin-1", newline="\n")
    monkeypatch.setattr(sys, "stdout", output)
    screen.use_utf8()
    screen.result("café к")
    output.flush()
    assert written.getvalue() == b"caf\xe9 \\u043a\n"


def test_other_streams_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    output = io.StringIO()
    monkeypatch.setattr(sys, "stdout", output)
    screen.use_utf8()
    screen.result("кот")
    assert output.getvalue() == "кот\n"
