"""Reading job files, and arranging them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bilex.benchmark.report.measures import (
    FREQUENCY,
    bands,
    uncovered_as_errors,
    without_identical,
)
from bilex.benchmark.report.provenance import provenance_table, written
from bilex.benchmark.report.records import Direction, read_results
from bilex.benchmark.report.study import Spread, Study, arrange
from bilex.errors import InputFileError
from report_data import make_failure, make_job, write_jobs


def study_of(folder: Path) -> Study:
    return arrange(read_results(folder), folder)


@pytest.mark.parametrize(
    ("pair", "label"),
    [("en-fr", "en→fr"), ("fr-en", "en→fr"), ("muse:en-fr", "muse en→fr"), ("test", "test en→fr")],
)
def test_a_direction_is_called_by_its_languages(pair: str, label: str) -> None:
    assert Direction(pair, "en", "fr").label == label


def test_everything_of_a_job_is_read(tmp_path: Path) -> None:
    job = make_job("en-fr", "rcsls", 1000, 2, n_words=20)
    job["scores"]["csls"]["p_at_1_interval"] = [0.1, 0.2]  # not a number: left out

    (record,) = read_results(write_jobs(tmp_path, [job])).records

    assert (record.method, record.seeds, record.draw) == ("rcsls", 1000, 2)
    assert record.scores["csls"]["p_at_1"] == job["scores"]["csls"]["p_at_1"]
    assert set(record.scores["csls"]) == {"p_at_1", "p_at_5", "p_at_10", "mrr"}
    assert (record.covered, record.total, record.seed_pairs) == (20, 32, 860)
    assert record.answers.best == tuple(row["best"] for row in job["words"])
    assert record.answers.ranks.tolist() == [row["rank"] or 0 for row in job["words"]]
    assert record.rules == "vecmap"


def test_what_a_job_may_lack_is_none(tmp_path: Path) -> None:
    job = make_job("en-fr", "rcsls", 0, 0, n_words=5)
    for key in ("hubness", "seconds", "peak_memory", "coverage", "manifest", "settings", "words"):
        job[key] = None

    (record,) = read_results(write_jobs(tmp_path, [job])).records

    assert record.done
    assert record.skewness is record.fit_seconds is record.covered is None
    assert uncovered_as_errors(record) is None


def test_processor_time_is_known_of_methods_that_were_trained_here(tmp_path: Path) -> None:
    here, elsewhere = (make_job("en-fr", method, 1000, 0, n_words=5) for method in ("a", "b"))
    elsewhere["external"] = True

    records = read_results(write_jobs(tmp_path, [here, elsewhere])).records

    found = {record.method: record.processor_seconds for record in records}
    assert found == {"a": here["seconds"]["processor"], "b": None}


def test_a_method_stands_in_the_tables_as_it_ranks(tmp_path: Path) -> None:
    plain, learned, odd = (make_job("en-fr", m, 1000, 0, n_words=5) for m in ("a", "b", "c"))
    learned["ranker"] = "calibrated"
    learned["scores"]["calibrated"] = {"p_at_1": 0.99}
    odd["scores"] = {"nearest": {"p_at_1": 0.01}}

    study = study_of(write_jobs(tmp_path, [plain, learned, odd]))

    found = {record.method: study.p_at_1(record) for record in study.done}
    assert found == {"a": plain["scores"]["csls"]["p_at_1"], "b": 0.99, "c": 0.01}
    assert study.ranking == "CSLS or nearest neighbor or probability (methods that learn it)"
    only = study_of(write_jobs(tmp_path / "other", [plain]))
    assert only.ranking == "CSLS"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON .* delete it and run the suite again"),
        ('{"schema": 7}', "has schema 7, expected 1"),
        ("[]", "has schema None, expected 1"),
        ('{"schema": 1}', "is not a valid job file .*KeyError: 'job'"),
    ],
)
def test_a_file_that_is_no_result_is_named(tmp_path: Path, content: str, message: str) -> None:
    write_jobs(tmp_path, [make_job("en-fr", "rcsls", 100, 0, n_words=5)])
    (tmp_path / "jobs" / "wrong.json").write_text(content, encoding="utf-8")

    with pytest.raises(InputFileError, match=rf"wrong\.json: {message}"):
        read_results(tmp_path)


def test_a_folder_without_results_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match=r"has no folder 'jobs'.*bilex bench run"):
        read_results(tmp_path)
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / ".x.json.part").touch()
    with pytest.raises(InputFileError, match="has no job file"):
        read_results(tmp_path)


def test_results_without_any_success_are_an_error(tmp_path: Path) -> None:
    write_jobs(tmp_path, [make_failure("en-fr", "a", 100, 0), make_failure("en-fr", "a", 100, 1)])

    with pytest.raises(
        InputFileError, match=r"none of 2 jobs is done \(2 failed, the first with ConvergenceError"
    ):
        study_of(tmp_path)


def test_the_later_result_of_the_same_job_counts(tmp_path: Path) -> None:
    old, new = make_job("en-fr", "a", 100, 0), make_job("en-fr", "a", 100, 0)
    old["key"], new["key"] = "z-old", "a-new"
    failed = make_failure("en-fr", "a", 100, 0) | {"key": "failed"}
    write_jobs(tmp_path, [old, new, failed])
    for age, name in enumerate(("failed", "a-new", "z-old")):
        os.utime(tmp_path / "jobs" / f"{name}.json", (1e9 - age, 1e9 - age))

    results = read_results(tmp_path)

    assert [record.key for record in results.records] == ["a-new"]
    assert results.superseded == 2
    assert [r.key for r in read_results(tmp_path, keys={"z-old"}).records] == ["z-old"]


def test_methods_come_best_first(tmp_path: Path) -> None:
    strengths = {"a-weak": -1.0, "b-strong": 1.0, "c-middle": 0.0}
    jobs = [make_job("en-fr", m, 100, 0, strength=s) for m, s in strengths.items()]
    # Alone on an easy pair, a method is not ahead of anyone.
    jobs.append(make_job("en-fi", "a-weak", 100, 0, strength=5.0))

    study = study_of(write_jobs(tmp_path, jobs))

    assert study.methods == ("b-strong", "c-middle", "a-weak")


def test_the_spread_is_that_of_a_sample() -> None:
    spread = Spread.of([0.5, 0.7, 0.6])

    assert spread is not None
    assert (spread.best, spread.lowest, spread.draws) == (0.7, 0.5, 3)
    assert spread.mean == pytest.approx(0.6)
    assert spread.sd == pytest.approx(0.1)
    assert Spread.of([]) is None
    single = Spread.of([0.4])
    assert single is not None
    assert single.sd is None


def test_a_mean_over_pairs_needs_all_of_them(tmp_path: Path) -> None:
    jobs = [make_job("en-fr", "a", 100, d) for d in (0, 1)] + [make_job("en-ru", "a", 100, 1)]
    study = study_of(write_jobs(tmp_path, jobs))
    scores = [job["scores"]["csls"]["p_at_1"] for job in jobs]

    spread = study.overall(study.directions, 100, "a", study.p_at_1)

    assert spread is not None
    assert spread.mean == pytest.approx(((scores[0] + scores[1]) / 2 + scores[2]) / 2)
    assert (spread.draws, spread.sd) == (1, None)  # the only draw that both have
    missing = Direction("en-fi", "en", "fi")
    assert study.overall([*study.directions, missing], 100, "a", study.p_at_1) is None


def test_measures_count_answers(tmp_path: Path) -> None:
    job = make_job("en-fr", "a", 100, 0)
    study = study_of(write_jobs(tmp_path, [job]))
    (record,) = study.done
    rows = job["words"]

    different = [row["rank"] == 1 for row in rows if not row["identical"]]
    assert without_identical(study)(record) == pytest.approx(sum(different) / len(different))
    hits = sum(row["rank"] == 1 for row in rows)
    assert uncovered_as_errors(record) == pytest.approx(hits / 96)
    found = bands(study, study.directions, 100, "a", FREQUENCY)
    assert found is not None
    assert [band.label for band in found] == ["0–1k", "1k–5k", "5k–20k", "20k+"]
    assert sum(band.words for band in found) == 60
    assert sum(band.words * band.p_at_1 for band in found) == pytest.approx(hits)
    assert bands(study, study.directions, 100, "b", FREQUENCY) is None


def test_words_of_unknown_frequency_are_in_no_band(tmp_path: Path) -> None:
    job = make_job("en-fr", "a", 100, 0)
    for row in job["words"]:
        row["frequency_rank"] = None
    study = study_of(write_jobs(tmp_path, [job]))

    assert bands(study, study.directions, 100, "a", FREQUENCY) == []


def test_the_manifest_says_what_each_entry_holds_for(tmp_path: Path) -> None:
    jobs = [
        make_job(pair, method, seeds, 0, n_words=5)
        for pair in ("en-fr", "fr-en")
        for method in ("a", "b")
        for seeds in (100, 500)
    ]
    for number, job in enumerate(jobs):
        job["manifest"]["number"] = number
    jobs[0]["threads"] = 4
    study = study_of(write_jobs(tmp_path, jobs))

    rows = [tuple(cell.text for cell in row.cells) for row in provenance_table(study).rows]

    assert ("manifest.versions.bilex", "all jobs", "0.1.0") in rows
    assert ("settings.preset", "a", "a") in rows
    assert ("manifest.source.sha256", "en", "a1" * 32) in rows
    assert ("rules", "all jobs", "vecmap") in rows
    assert ("threads", "1 job", "4") in rows
    assert sum(row[0] == "manifest.number" for row in rows) == 8


def test_the_page_says_when_results_were_written(tmp_path: Path) -> None:
    jobs = [make_job("en-fr", "a", 100, draw, n_words=5) for draw in (0, 1)]
    write_jobs(tmp_path, jobs)
    first, second = (tmp_path / "jobs" / f"{job['key']}.json" for job in jobs)

    said = []
    for later in (0, 3600, 86_400):
        os.utime(first, (0, 0))
        os.utime(second, (later, later))
        said.append(written(study_of(tmp_path)))

    assert said == [
        "1970-01-01 00:00 UTC",
        "1970-01-01 00:00 to 01:00 UTC",
        "1970-01-01 00:00 to 1970-01-02 00:00 UTC",
    ]
