from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.service.languages import written_language
from bilex.service.workbench.charts import cumulative_curve, interval

START = datetime(2026, 1, 1, tzinfo=UTC)


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(0, 10**6)), min_size=1, max_size=30))
def test_a_curve_stays_in_its_frame_and_grows(steps: list[tuple[int, int]]) -> None:
    points = [(START, 0)]
    for seconds, number in steps:
        points.append((points[-1][0] + timedelta(seconds=seconds), points[-1][1] + number))

    drawn = ET.fromstring(cumulative_curve(points, label='a "label" <&>'))  # noqa: S314

    assert drawn.attrib["aria-label"] == 'a "label" <&>'
    (line,) = [each for each in drawn if each.attrib.get("class") == "curve"]
    placed = [tuple(map(float, each.split(","))) for each in line.attrib["points"].split()]
    assert all(0 <= x <= 520 and 0 <= y <= 200 for x, y in placed)
    assert [x for x, _ in placed] == sorted(x for x, _ in placed)
    assert [y for _, y in placed] == sorted((y for _, y in placed), reverse=True)


def test_one_day_is_labeled_by_times_and_several_by_dates() -> None:
    hours = cumulative_curve([(START, 0), (START + timedelta(hours=3), 5)], label="")
    days = cumulative_curve([(START, 0), (START + timedelta(days=40), 5)], label="")

    assert "03:00 UTC" in hours
    assert "Jan 1" in days
    assert "Feb 10" in days


def test_an_interval_is_drawn_from_low_to_high() -> None:
    drawn = ET.fromstring(interval(0.25, 0.5, 0.75, label="50 %"))  # noqa: S314
    (line,) = [each for each in drawn if each.attrib.get("class") == "range"]

    assert (float(line.attrib["x1"]), float(line.attrib["x2"])) == (84.0, 236.0)


@pytest.mark.parametrize(
    ("tag", "direction", "script"),
    [
        ("en", "ltr", "latn"), ("ar", "rtl", "arab"), ("he", "rtl", "hebr"), ("ur", "rtl", "arab"),
        ("yi", "rtl", "hebr"), ("dv", "rtl", "thaa"), ("ks-Deva", "ltr", "deva"),
        ("az-Arab", "rtl", "arab"), ("ja", "ltr", "jpan"), ("zh-Hant", "ltr", "hant"),
        ("und-Hebr", "rtl", "hebr"),
    ],
)  # fmt: skip
def test_direction_and_script_follow_the_language(tag: str, direction: str, script: str) -> None:
    found = written_language(tag)

    assert (found.direction, found.script) == (direction, script)


@pytest.mark.parametrize("tag", ["", "und", "not a tag", '"><script>'])
def test_an_unknown_language_leaves_the_direction_to_the_browser(tag: str) -> None:
    found = written_language(tag)

    assert (found.tag, found.direction) == ("", "auto")
