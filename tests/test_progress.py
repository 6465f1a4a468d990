"""Progress that people believe: shares of the whole, a time left, a bar and quiet lines."""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import bilex
from bilex.progress import Stages, WorkProgress, work_bar
from bilex.progress import bar as bar_module
from bilex.progress.bar import Estimate, clock
from twins import make_twins


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Return a function that sets the clock."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def set_to(seconds: float) -> None:
        now[0] = seconds

    return set_to


def test_stages_become_shares_of_the_whole() -> None:
    seen: list[WorkProgress] = []
    stages = Stages([("reading", 1), ("thinking", 3)], seen.append)
    stages.begin("reading")
    stages.done("reading", 1, 2)
    stages.begin("thinking", 3)
    stages.within("thinking")(3, 3)
    stages.part("thinking", WorkProgress("counting", 0.5, 1.0))
    assert seen == [
        WorkProgress("reading", 0, 0.25),
        WorkProgress("reading", 0.125, 0.25),
        WorkProgress("thinking", 0.25, 0.5),
        WorkProgress("thinking", 1, 1),
        WorkProgress("counting", 0.625, 1),
    ]
    Stages([("reading", 1)], None).begin("reading")  # nobody listens


def test_the_time_left_follows_from_the_share_done(at: Callable[[float], None]) -> None:
    estimate = Estimate()
    assert estimate.left is None
    at(10)
    estimate.update(WorkProgress("thinking", 0.25, 0.5))
    assert estimate.left == pytest.approx(30)
    at(16)  # 15 % more at the same speed, but no report yet
    assert estimate.share == pytest.approx(0.40)
    assert estimate.left == pytest.approx(24)
    at(100)  # the next report is late: the share waits for it
    assert estimate.share == 0.5


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (7.4, "0:07"), (750, "12:30"), (3_723, "1:02:03")]
)
def test_times_are_written_as_people_do(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_a_log_gets_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bar_module, "SECONDS_BETWEEN_LINES", 0.01)
    with work_bar("fit") as bar:
        bar(WorkProgress("training", 0.5, 0.6))
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            time.sleep(0.02)
            if "left" in (shown := capsys.readouterr().err):
                break
    assert re.search(r"^fit: training, [56][0-9]%, 0:0[0-9], about 0:0[0-9] left$", shown, re.M)


def test_a_terminal_gets_one_bar_and_notes_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(bar_module, "_TICK", 0.01)
    with work_bar("fit") as bar:
        bar(WorkProgress("training", 0.5, 0.6))
        bar.note("round 1 of 3 [red]\x1b[2J")
        deadline = time.monotonic() + 10
        while "fit: training" not in terminal.getvalue() and time.monotonic() < deadline:
            time.sleep(0.02)
    assert "fit: training" in terminal.getvalue()
    assert "round 1 of 3 [red]\\u001b[2J" in terminal.getvalue()


def test_fit_shows_a_bar_if_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bar_module, "SECONDS_BETWEEN_LINES", 1e-4)
    twins = make_twins(80, dim=8, noise=0.1)
    bilex.fit(twins.source, twins.target, twins.lexicon, preset="self-learning")
    assert capsys.readouterr().err == ""
    bilex.fit(twins.source, twins.target, twins.lexicon, preset="self-learning", progress=True)
    assert "fitting: training" in capsys.readouterr().err


def test_a_notebook_has_one_line_that_is_updated(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Line:
        def __init__(self, content: dict[str, str], *, raw: bool, display_id: bool) -> None:
            assert raw
            assert display_id
            shown.append(content["text/plain"])

        def update(self, content: dict[str, str], *, raw: bool) -> None:
            assert raw
            shown.append(content["text/plain"])

    display = pytest.importorskip("IPython.display")
    monkeypatch.setattr(display, "display", Line)
    monkeypatch.setitem(sys.modules, "ipykernel", display)
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(kernel=None))
    monkeypatch.setattr(bar_module, "_TICK", 0.01)

    with work_bar("training") as bar:
        bar(WorkProgress("thinking", 0.5, 1.0))
        deadline = time.monotonic() + 10
        while len(shown) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)

    assert shown[0] == "training"
    assert shown[1].startswith("training: thinking, ")
    assert shown[-1] == "training: 0:00"


def test_a_script_that_imports_the_kernel_of_notebooks_is_no_notebook(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", pytest.importorskip("ipykernel"))
    monkeypatch.setattr(bar_module, "SECONDS_BETWEEN_LINES", 0.01)
    with work_bar("training") as bar:
        bar(WorkProgress("thinking", 0.5, 1.0))
        time.sleep(0.1)
    assert "training: thinking" in capsys.readouterr().err
