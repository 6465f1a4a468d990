"""The plan of a fleet: its jobs, and a law of what they cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilex.fleet import Fleet, Measurement, Plan, load_fleet, make_plan, measure
from bilex.fleet.links import find_links
from bilex.fleet.plan import SHARE_OF_OWN_MAPS, SHARE_OF_SEARCH, Size, language_size
from fleet_data import CALIBRATED, CODES, METHOD, fleet_text, write_fleet, write_languages

MEASURED = Measurement(product=1e-11, fit=10.0, ranking=1e-4, reading=1e-7, learning=20.0)


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    write_languages(tmp_path)
    return load_fleet(write_fleet(tmp_path, fleet_text()))


def planned(fleet: Fleet, words: int) -> Plan:
    sizes = {code: Size(words, 300) for code in CODES}
    return make_plan(fleet, find_links(fleet), MEASURED, sizes=sizes)


def test_the_size_of_a_language_is_read_from_its_file(fleet: Fleet) -> None:
    english = fleet.languages["en"]
    assert language_size(english) == Size(120, 12)
    lines = english.vectors.read_text().splitlines(keepends=True)
    english.vectors.write_text("".join(lines[1:]))  # without the header
    assert language_size(english).dim == 12


def test_every_task_has_a_cost(fleet: Fleet) -> None:
    plan = make_plan(fleet, find_links(fleet), MEASURED)
    assert [(stage.stage, stage.jobs) for stage in plan.stages] == [
        ("prepare", 4),
        ("align", 6),
        ("induce", 3),
        ("triangulate", 3),
    ]
    assert all(second > 0 for stage in plan.stages for second in stage.seconds)


def with_search(folder: Path, search: str) -> Fleet:
    more = f'[method]\npreset = "procrustes"\nsearch = "{search}"'
    return load_fleet(write_fleet(folder, fleet_text(more=more)))


def test_lexicons_are_quadratic_and_alignments_are_not(tmp_path: Path) -> None:
    write_languages(tmp_path)
    exact = with_search(tmp_path, "exact")
    small, large = planned(exact, 200_000), planned(exact, 2_000_000)
    growth = [
        sum(more.seconds) / sum(less.seconds)
        for less, more in zip(small.stages, large.stages, strict=True)
    ]
    assert growth[0] == pytest.approx(10)
    assert growth[2] > 90
    assert large.disk == pytest.approx(10 * small.disk, rel=0.01)
    assert large.node_memory(1, 1) > small.node_memory(1, 1)


def test_lexicons_of_very_many_words_are_planned_with_approximate_search(tmp_path: Path) -> None:
    write_languages(tmp_path)
    fleets = [with_search(tmp_path, search) for search in ("auto", "exact")]
    by_default, exact = (planned(fleet, 2_000_000) for fleet in fleets)
    search = MEASURED.product * 2_000_000**2 * 300
    constant, factor = SHARE_OF_SEARCH
    saved = 1 - (constant + factor / 2_000_000)
    assert saved > 0.8
    for number, searches in ((1, 2), (2, 4), (3, 4)):
        one, other = (plan.stages[number].seconds[0] for plan in (by_default, exact))
        assert other - one == pytest.approx(searches * saved * search)
    few_words = [planned(fleet, 200_000).stages for fleet in fleets]
    assert few_words[0] == few_words[1]


def test_more_machines_take_less_time_until_one_job_is_the_limit(fleet: Fleet) -> None:
    plan = planned(fleet, 200_000)
    hours = [plan.hours(nodes, 2) for nodes in (1, 10, 100)]
    assert hours[0] > hours[1] >= hours[2]
    assert hours[2] == pytest.approx(sum(max(stage.seconds) for stage in plan.stages) / 3600)


def test_learning_probabilities_through_the_hub_takes_more_searches(tmp_path: Path) -> None:
    write_languages(tmp_path)
    plain, calibrated = (
        planned(load_fleet(write_fleet(tmp_path, fleet_text(more=method))), 200_000)
        for method in (METHOD, CALIBRATED)
    )
    search, ranking = MEASURED.product * 200_000**2 * 300, MEASURED.ranking * 400_000
    fit = plain.stages[1].seconds[0] - 2 * search
    learning = MEASURED.learning + SHARE_OF_OWN_MAPS * fit
    trained = plain.stages[1].seconds[0], calibrated.stages[1].seconds[0]
    assert trained[1] - trained[0] == pytest.approx(4 * search)
    # Two parts of the seeds: two more lexicons with the hub.
    for stage, more in ((2, 6 * search + 2 * ranking), (3, 2 * search + learning)):
        one, other = (each.stages[stage] for each in (plain, calibrated))
        assert one.jobs == other.jobs == 3
        assert other.seconds[0] - one.seconds[0] == pytest.approx(more)


def test_a_measurement_is_of_this_machine(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("WORDS", 100), ("SEEDS", 40), ("QUERIES", 64), ("CANDIDATES", 256)):
        monkeypatch.setattr(f"bilex.fleet.measurement.{name}", value)
    found = measure(fleet, 12)
    assert 0 < found.product < 1e-5
    assert found.fit > 0
    assert found.learning == 0  # the method learns no probabilities
    assert found.reading > 0
