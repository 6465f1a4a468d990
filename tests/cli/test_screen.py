from __future__ import annotations

import io
import sys
import time

import pytest

from bilex.cli import screen


def test_a_log_gets_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0, 5.0, 20.0, 21.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    with screen.progress("reading", "words") as update:
        update(10, 100)
        update(40, 100)
        update(50, 100)
    assert capsys.readouterr().err == "reading: 40 of 100 words, about 30 s left\n"


def test_a_terminal_gets_a_bar_with_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with screen.progress("reading", "words") as update:
        update(2_000, 4_000)
    assert "reading" in terminal.getvalue()
    assert "words/s" in terminal.getvalue()


@pytest.mark.parametrize(
    ("number", "text"), [(3, "3"), (1_500, "1.5k"), (2e6, "2.0M"), (3e9, "3.0G")]
)
def test_rates_are_short(number: float, text: str) -> None:
    assert screen._short(number) == text
