"""Precision by spelling similarity in a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bilex.benchmark.report.records import read_results
from bilex.benchmark.report.spelling_table import spelling_table
from bilex.benchmark.report.study import arrange
from bilex.benchmark.report.tables import Cell, Table
from bilex.evaluation.spelling import SPELLING_BANDS, gold_similarities, spelling_band
from report_data import make_job, write_jobs

Job = dict[str, Any]
LABELS = dict(zip(("0–0.3", "0.3–0.7", "0.7–1"), SPELLING_BANDS, strict=True))


def table_of(folder: Path, jobs: list[Job]) -> Table:
    study = arrange(read_results(write_jobs(folder, jobs)), folder)
    return spelling_table(study, np.random.default_rng(0))


def rows_of(table: Table, *headings: str) -> dict[str, dict[str, Cell]]:
    found = {}
    for row in table.rows:
        if tuple(cell.text for cell in row.cells[: len(headings)]) == headings:
            cells = {c.key: cell for c, cell in zip(table.columns, row.cells, strict=True)}
            found[cells["similarity"].text] = cells
    return found


def words_in(job: Job, band: str) -> list[Job]:
    words = job["words"]
    found = gold_similarities([row["word"] for row in words], [row["gold"] for row in words])
    return [row for row, s in zip(words, found, strict=True) if spelling_band(s) == band]


def with_bands(job: Job, ranker: str, share: float, *, uncovered: int = 0) -> Job:
    """Give a ranker this share of right answers in each band, over covered and other words."""
    bands = {}
    for band in SPELLING_BANDS:
        if n := len(words_in(job, band)):
            right = round(share * n)
            bands[band] = {"p_at_1": right / (n + uncovered), "n": n + uncovered}
    job["scores"].setdefault(ranker, {})["by_spelling"] = bands
    return job


def test_each_band_counts_its_own_words(tmp_path: Path) -> None:
    jobs = [make_job("en-fr", "a", 100, draw, n_words=120) for draw in (0, 1)]

    found = rows_of(table_of(tmp_path, jobs), "en→fr", "100", "a")

    assert sum(float(cells["words"].value or 0) for cells in found.values()) == 120
    for label, cells in found.items():
        rows = [row for job in jobs for row in words_in(job, LABELS[label])]
        assert cells["words"].value == len(rows) / 2
        right = sum(row["rank"] == 1 for row in rows) / len(rows)
        assert cells["p_at_1"].value == pytest.approx(right)
        assert cells["csls_p_at_1"].value == cells["p_at_1"].value  # the ranking of the method
        assert cells["nearest_p_at_1"].value is None  # not in results of earlier versions
        low, high = cells["interval_low"].value, cells["interval_high"].value
        assert isinstance(low, float)
        assert isinstance(high, float)
        assert low <= right <= high
    assert {"0–0.3", "0.7–1"} <= found.keys()
    wide, narrow = (found[label] for label in ("0.7–1", "0–0.3"))  # few words, many words
    assert width(wide) > 2 * width(narrow) > 0


def width(cells: dict[str, Cell]) -> float:
    return float(cells["interval_high"].value or 0) - float(cells["interval_low"].value or 0)


@pytest.mark.parametrize("uncovered", [0, 7])
def test_other_rankings_are_on_the_same_words(tmp_path: Path, uncovered: int) -> None:
    jobs = [
        with_bands(make_job("en-fr", "a", 100, draw), "nearest", share, uncovered=uncovered)
        for draw, share in ((0, 1.0), (1, 0.0))
    ]

    found = rows_of(table_of(tmp_path, jobs), "en→fr", "100", "a")

    # All right in one draw, none in the other; words outside the vocabularies do not count.
    assert {cells["nearest_p_at_1"].value for cells in found.values()} == {0.5}


def test_a_method_that_ranks_by_probability_is_shown_by_csls_too(tmp_path: Path) -> None:
    job = with_bands(make_job("en-fr", "a", 100, 0), "csls", 1.0)
    job["ranker"] = "calibrated"
    job["scores"]["calibrated"] = job["scores"]["nearest"]

    found = rows_of(table_of(tmp_path, [job]), "en→fr", "100", "a")

    assert {cells["csls_p_at_1"].value for cells in found.values()} == {1.0}
    assert any(cells["p_at_1"].value != 1.0 for cells in found.values())


def test_pairs_are_also_counted_together(tmp_path: Path) -> None:
    jobs = [make_job(pair, "a", 100, 0) for pair in ("en-fr", "en-fi")]

    table = table_of(tmp_path, jobs)

    together = rows_of(table, "all pairs", "100", "a")
    alone = [rows_of(table, pair, "100", "a") for pair in ("en→fr", "en→fi")]
    for label, cells in together.items():
        rows = [row for job in jobs for row in words_in(job, LABELS[label])]
        assert cells["words"].value == len(rows)
        assert cells["p_at_1"].value == pytest.approx(np.mean([r["rank"] == 1 for r in rows]))
        low, high = cells["interval_low"].value, cells["interval_high"].value
        assert low <= cells["p_at_1"].value <= high  # type: ignore[operator]
    assert width(together["0–0.3"]) < min(width(each["0–0.3"]) for each in alone)


def test_one_pair_alone_has_no_row_of_all_pairs(tmp_path: Path) -> None:
    table = table_of(tmp_path, [make_job("en-fr", "a", 100, 0)])

    assert not rows_of(table, "all pairs")
