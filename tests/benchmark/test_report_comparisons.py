"""Which words, draws and language pairs comparisons rest on."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bilex.benchmark.report.comparison_tables import wins_table
from bilex.benchmark.report.comparisons import Comparisons, compare
from bilex.benchmark.report.findings import find
from bilex.benchmark.report.records import read_results
from bilex.benchmark.report.significance import exact_p_value
from bilex.benchmark.report.study import Study, arrange
from report_data import make_failure, make_job, write_jobs


def study_of(folder: Path, jobs: list[dict[str, Any]]) -> Study:
    return arrange(read_results(write_jobs(folder, jobs)), folder)


def compared(study: Study) -> Comparisons:
    return compare(study, np.random.default_rng(0))


def right(job: dict[str, Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array([row["rank"] == 1 for row in job["words"]], dtype=np.int64)


def texts(sentences: tuple[tuple[str, ...], ...]) -> list[str]:
    return ["".join(sentence).replace("\u00a0", " ") for sentence in sentences]


def test_a_comparison_is_over_the_same_words_and_draws(tmp_path: Path) -> None:
    first = [make_job("en-fr", "a", 100, draw, strength=1.2) for draw in range(3)]
    second = [make_job("en-fr", "b", 100, draw, strength=0.0) for draw in (1, 2)]
    study = study_of(tmp_path, first + second)

    found = compared(study).find(100, study.directions[0], "a", "b")

    assert found is not None
    each = [right(first[draw]) - right(second[draw - 1]) for draw in (1, 2)]
    shared = each[0] + each[1]
    assert found.difference == pytest.approx(shared.mean() / 2)
    assert found.p_value == pytest.approx(exact_p_value(shared))
    assert found.interval[0] < found.difference < found.interval[1]
    assert found.words == 60


def test_words_that_only_one_method_can_answer_are_left_out(tmp_path: Path) -> None:
    first, second = make_job("en-fr", "a", 100, 0), make_job("en-fr", "b", 100, 0)
    second["words"] = second["words"][20:]
    study = study_of(tmp_path, [first, second])

    found = compared(study).find(100, None, "a", "b")

    assert found is not None
    assert found.words == 40
    assert found.difference == pytest.approx((right(first)[20:] - right(second)).mean())


def test_a_word_listed_once_for_each_gold_pair_is_matched_by_pair(tmp_path: Path) -> None:
    jobs = [make_job("en-fr", method, 100, 0, n_words=8) for method in "ab"]
    for job in jobs:
        job["words"].append({**job["words"][0], "gold": ["another"]})
    study = study_of(tmp_path, jobs)

    found = compared(study).find(100, None, "a", "b")

    assert len(study.test_words[study.directions[0]]) == 9
    assert found is not None
    assert found.words == 9


def test_language_pairs_weigh_the_same_however_many_words_they_have(tmp_path: Path) -> None:
    jobs = [make_job("en-fr", m, 100, 0, n_words=120, strength=s) for m, s in (("a", 1), ("b", 0))]
    jobs += [make_job("fi-ru", m, 100, 0, n_words=30, strength=s) for m, s in (("a", 1), ("b", 0))]
    study = study_of(tmp_path, jobs)
    comparisons = compared(study)

    each = [comparisons.find(100, direction, "a", "b") for direction in study.directions]
    together = comparisons.find(100, None, "a", "b")

    assert together is not None
    assert together.directions == 2
    assert together.difference == pytest.approx(
        np.mean([found.difference for found in each if found is not None])
    )


def test_seen_from_the_other_side_everything_turns_round(tmp_path: Path) -> None:
    study = study_of(tmp_path, [make_job("en-fr", method, 100, 0) for method in ("a", "b")])
    comparisons = compared(study)

    found = comparisons.find(100, None, "a", "b")
    other = comparisons.find(100, None, "b", "a")

    assert found is not None
    assert other is not None
    assert other.difference == -found.difference
    assert other.interval == (-found.interval[1], -found.interval[0])
    assert other.corrected == found.corrected
    assert comparisons.find(5, None, "a", "b") is None


def test_draws_that_methods_do_not_share_are_not_compared(tmp_path: Path) -> None:
    study = study_of(tmp_path, [make_job("en-fr", "a", 100, 0), make_job("en-fr", "b", 100, 1)])

    assert compared(study).together == ()


def test_one_method_alone_is_compared_with_nothing(tmp_path: Path) -> None:
    study = study_of(tmp_path, [make_job("en-fr", "a", 100, 0)])
    comparisons = compared(study)

    assert comparisons.together == comparisons.apart == ()
    assert list(comparisons.intervals) == [(100, "a")]
    assert "Only one method" in texts(find(study, comparisons).open)[0]


def test_a_failed_job_takes_its_pair_out_of_means_not_its_method(tmp_path: Path) -> None:
    pairs = ("en-fr", "en-ru", "en-fi")
    jobs = [make_job(pair, m, 100, 0) for pair in pairs for m in ("a", "b", "c")]
    study = study_of(tmp_path, [*jobs[:-1], make_failure("en-fi", "c", 100, 0)])

    common = study.common_directions(100)

    assert [direction.label for direction in common] == ["en→fr", "en→ru"]
    assert all(found.directions == 2 for found in compared(study).together)
    assert study.overall(common, 100, "c", study.p_at_1) is not None


def test_a_method_with_few_results_is_not_waited_for(tmp_path: Path) -> None:
    pairs = ("en-fr", "en-ru", "en-fi", "en-ja")
    jobs = [make_job(pair, m, 100, 0, strength=0.0) for pair in pairs for m in ("a", "b")]
    study = study_of(tmp_path, [*jobs, make_job("en-fr", "c", 100, 0, strength=3.0)])
    comparisons = compared(study)

    common = study.common_directions(100)
    alone = comparisons.find(100, None, "c", "a")

    assert len(common) == 4
    assert study.overall(common, 100, "c", study.p_at_1) is None
    assert alone is not None
    assert alone.directions == 1
    assert alone.p_value == pytest.approx(
        getattr(comparisons.find(100, common[1], "c", "a"), "p_value", None)
    )
    said = texts(find(study, comparisons).significant)
    expected = "c was not run on all language pairs, but on 1 language pair it is significantly"
    assert any(expected in text for text in said)


def test_findings_tell_when_a_comparison_rests_on_fewer_pairs(tmp_path: Path) -> None:
    pairs = ("en-fr", "en-ru", "en-fi", "en-ja")
    jobs = [make_job(pair, m, 100, 0, strength=0.0) for pair in pairs for m in ("a", "b")]
    study = study_of(tmp_path, [*jobs, make_job("en-fr", "c", 100, 0, strength=0.0)])

    (said,) = texts(find(study, compared(study)).open)

    assert re.search(r"c \(\S+ points on 1 language pair, 95 % interval", said)


def test_wins_and_losses_are_differences_beyond_chance(tmp_path: Path) -> None:
    strengths = {"strong": 2.5, "weak": -2.0, "weak-too": -2.0}
    jobs = [
        make_job(pair, method, 100, 0, n_words=150, strength=strength)
        for pair in ("en-fr", "en-ru")
        for method, strength in strengths.items()
    ]
    study = study_of(tmp_path, jobs)

    table = wins_table(study, compared(study))

    rows = {row.cells[0].value: [cell.text for cell in row.cells[1:4]] for row in table.rows}
    assert rows["strong"] == ["4", "0", "0"]
    assert rows["weak"] == ["0", "2", "2"]
    assert rows["weak-too"] == ["0", "2", "2"]


def test_findings_say_what_is_significant_and_what_is_not(tmp_path: Path) -> None:
    strengths = {"strong": 1.5, "strong-too": 1.5, "weak": -2.0}
    jobs = [
        make_job(pair, method, 1000, 0, n_words=150, strength=strength)
        for pair in ("en-fr", "en-ru")
        for method, strength in strengths.items()
    ]
    jobs[0] |= {"external": True}
    jobs[2] |= {"settings": {"rounds": 5}}
    jobs[1]["manifest"]["versions"]["bilex"] = "0.2.0"
    study = study_of(tmp_path, [*jobs, make_failure("en-fi", "weak", 1000, 0)])
    comparisons = compared(study)

    findings = find(study, comparisons)

    significant, undecided = texts(findings.significant), texts(findings.open)
    assert significant[0].startswith("With 1,000 seed pairs, strong")
    assert "over 2 language pairs) and is significantly above weak by" in significant[0]
    assert "4 of 6 comparisons of two methods are significant" in significant[1]
    assert "is not significantly above strong" in undecided[0]
    caveats = " ".join(texts(findings.caveats))
    assert "62.5 % of them" in caveats
    assert "1 job failed and is missing" in caveats
    assert "6 of 6 scores have only one draw" in caveats
    assert "strong: vectors of other tools" in caveats
    assert "weak: the jobs have different settings" in caveats
    assert "made by bilex 0.1.0 and 0.2.0" in caveats
