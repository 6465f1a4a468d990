"""Limits on the number of requests."""

from __future__ import annotations

import os
import signal
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.errors import SettingError
from bilex.service.api.rates import Rate, Rates, whole_seconds

fork_only = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@given(
    limit=st.integers(1, 6),
    seconds=st.integers(1, 10),
    steps=st.lists(st.integers(0, 40).map(lambda quarter: quarter / 4), max_size=60),
)
def test_no_span_of_time_has_more_requests_than_allowed_and_none_is_refused_without_need(
    limit: int, seconds: int, steps: list[float]
) -> None:
    clock = Clock()
    rates, rate = Rates(clock=clock), Rate(limit, seconds)
    taken: list[float] = []
    for step in steps:
        clock.now += step
        recent = [time for time in taken if clock.now - time < seconds]
        answer = rates.take("key", rate)
        assert answer.allowed == (len(recent) < limit)
        if answer.allowed:
            taken.append(clock.now)
            recent.append(clock.now)
        assert answer.left == limit - len(recent)
        assert answer.wait == pytest.approx(recent[0] + seconds - clock.now)
    assert all(later - first >= seconds for first, later in zip(taken, taken[limit:], strict=False))
    assert all(a <= b for a, b in pairwise(taken))


@given(limit=st.integers(1, 5), calls=st.integers(1, 12))
def test_a_refused_request_is_allowed_after_the_time_that_was_told(limit: int, calls: int) -> None:
    clock = Clock()
    rates, rate = Rates(clock=clock), Rate(limit, 60)
    for _ in range(calls):
        clock.now += 1
        answer = rates.take("key", rate)
    if not answer.allowed:
        clock.now += whole_seconds(answer.wait)
        assert rates.take("key", rate).allowed


def test_keys_do_not_share_their_requests() -> None:
    rates, rate = Rates(clock=Clock()), Rate(1, 60)
    assert rates.take("one", rate).allowed
    assert rates.take("other", rate).allowed
    assert not rates.take("one", rate).allowed


def test_wrong_keys_are_counted_by_address_and_by_network_of_version_6() -> None:
    rates = Rates(failures=Rate(2, 60), clock=Clock())
    assert [rates.fail("192.0.2.1").allowed for _ in range(3)] == [True, True, False]
    six = [rates.fail(f"2001:db8::{end}").allowed for end in (1, 2, 3)]
    assert six == [True, True, False]
    assert rates.fail("").allowed


@fork_only
def test_the_limit_holds_for_all_processes_together(tmp_path: Path) -> None:
    rate, rates = Rate(500, 3_600), Rates(tmp_path)
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            allowed = sum(rates.take("key", rate).allowed for _ in range(200))
            (tmp_path / f"{os.getpid()}.allowed").write_text(str(allowed))
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    counts = [int(file.read_text()) for file in tmp_path.glob("*.allowed")]
    assert len(counts) == 4
    assert sum(counts) == 500


@fork_only
def test_a_process_that_is_killed_leaves_its_counts_and_no_lock(tmp_path: Path) -> None:
    rate, rates = Rate(3, 3_600), Rates(tmp_path)
    child = os.fork()
    if child == 0:
        rates.take("key", rate)
        rates.take("key", rate)
        shared, _ = rates._windows["key", rate]
        with shared.locked():
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    start = time.monotonic()
    assert [rates.take("key", rate).allowed for _ in range(2)] == [True, False]
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    ("text", "limit", "seconds"),
    [("600/minute", 600, 60), ("1/second", 1, 1), (" 5 / hour ", 5, 3_600), ("9/day", 9, 86_400)],
)
def test_rates_are_written_as_numbers_and_units(text: str, limit: int, seconds: int) -> None:
    rate = Rate.of_text(text)
    assert rate == Rate(limit, seconds)
    assert Rate.of_text(str(rate)) == rate


@pytest.mark.parametrize("text", ["", "600", "600/fortnight", "-1/minute", "x/minute", "0/minute"])
def test_other_rates_are_refused(text: str) -> None:
    with pytest.raises(SettingError, match="rate"):
        Rate.of_text(text)
