"""Runs of a fleet: all lexicons, what is run again and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bilex
from bilex.config import load_preset
from bilex.errors import InputFileError
from bilex.fleet import Fleet, StageEnd, fleet_status, load_fleet, run_fleet
from bilex.jobs import Finished, InlineEngine
from fleet_data import CALIBRATED, CODES, METHOD, fleet_text, write_fleet, write_languages

pytest.importorskip("pyarrow")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_languages(tmp_path / "data", (*CODES, "tr"))


class Ran:
    """What a run did: the tasks it ran, and how stages ended."""

    def __init__(self, fleet: Fleet, output: Path, **options: Any) -> None:  # noqa: ANN401
        self.tasks: list[str] = []
        self.ends: list[StageEnd] = run_fleet(
            fleet, output, InlineEngine(), on_event=self._note, **options
        )

    def _note(self, stage: str, progress: object, event: object) -> None:
        if isinstance(event, Finished):
            self.tasks.append(event.task.name)

    @property
    def failed(self) -> int:
        return sum(end.failed for end in self.ends)


def results(output: Path, stage: str) -> dict[str, dict[str, Any]]:
    files = (output / "results" / stage / "jobs").glob("*.json")
    found = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return {result["name"].partition(" ")[2]: result for result in found}


def lexicon(output: Path, source: str, target: str) -> Path:
    folder = output / "lexicons" / f"source_language={source}" / f"target_language={target}"
    return folder / "part-0.parquet"


def right(output: Path, source: str, target: str) -> float:
    """Return the share of words whose best translation is the right one."""
    entries = bilex.read_dictionary(lexicon(output, source, target))
    best = [(entry.source, entry.target) for entry in entries if entry.rank == 1]
    return sum(a[2:] == b[2:] for a, b in best) / 120


def test_all_pairs_come_from_seeds_of_the_hub_alone(data: Path) -> None:
    ran = Ran(load_fleet(write_fleet(data, fleet_text())), data / "out")

    assert [(end.stage, end.done) for end in ran.ends] == [
        ("prepare", 4),
        ("align", 6),  # to the hub and from it
        ("induce", 3),
        ("triangulate", 3),
    ]
    for source in CODES:
        for target in CODES:
            if source != target:
                assert right(data / "out", source, target) > 0.95
    pairs = results(data / "out", "induce") | results(data / "out", "triangulate")
    assert pairs["en-fr"]["directions"][0]["cycle_error"] is None
    assert pairs["fi-ru"]["directions"][0]["cycle_error"] < 0.1
    assert pairs["fi-ru"]["directions"][0]["mutual"] > 0.9
    assert pairs["fi-ru"]["calibrated_on"] is None  # Procrustes learns no probabilities


def test_the_lexicons_are_one_table_with_the_languages_as_columns(data: Path) -> None:
    import pyarrow.dataset as dataset

    Ran(
        load_fleet(write_fleet(data, fleet_text(("en", "fr", "fi"), more=CALIBRATED))), data / "out"
    )
    table = dataset.dataset(data / "out" / "lexicons", partitioning="hive").to_table()
    rows = table.filter(
        (dataset.field("source_language") == "fr") & (dataset.field("target_language") == "fi")
    ).to_pylist()

    assert len(rows) >= 100
    assert rows[0]["source"].startswith("fr")
    assert rows[0]["target"].startswith("fi")
    assert rows[0]["probability"] is not None
    assert rows[0]["carried_over"] is False
    assert rows[0]["calibrated_on"] == "fr-en-fi"
    hub = table.filter(dataset.field("target_language") == "en").to_pylist()
    assert {row["carried_over"] for row in hub} == {False}
    assert {row["origin"] for row in hub} == {"seed", "induced"}


def test_a_pair_with_the_hub_is_what_training_it_alone_gives(data: Path) -> None:
    fleet = load_fleet(write_fleet(data, fleet_text(("en", "fr"), more=CALIBRATED)))
    Ran(fleet, data / "out")
    spaces = [bilex.load_embeddings(data / f"{code}.vec") for code in ("fr", "en")]
    seeds = bilex.read_lexicon(data / "en-fr.tsv").reversed()
    model = bilex.fit(spaces[0], spaces[1], seeds, preset=fleet.method.tables)

    for reverse, direction in ((False, ("fr", "en")), (True, ("en", "fr"))):
        expected = list(model.induce(reverse=reverse))
        found = bilex.read_dictionary(lexicon(data / "out", *direction)).entries
        assert [(e.source, e.target, e.rank, e.back_rank, e.origin) for e in found] == [
            (e.source, e.target, e.rank, e.back_rank, e.origin) for e in expected
        ]
        for one, other in zip(found, expected, strict=True):
            assert one.probability == pytest.approx(other.probability, abs=1e-4)
            assert one.score == pytest.approx(other.score, abs=1e-4)


def test_a_lexicon_from_the_hub_is_that_of_a_model_trained_in_this_direction(
    tmp_path: Path,
) -> None:
    data = write_languages(tmp_path / "data", ("en", "fr"), noise=0.4, seeds=80)
    text = fleet_text(("en", "fr"), more=CALIBRATED)
    Ran(load_fleet(write_fleet(data, text)), data / "out")

    tables = load_preset("procrustes")
    tables["calibration"] = {"name": "held-out-seeds", "divide": "target-words"}
    for source, target in (("en", "fr"), ("fr", "en")):
        one, other = (bilex.load_embeddings(data / f"{code}.vec") for code in (source, target))
        seeds = bilex.read_lexicon(data / "en-fr.tsv")
        seeds = seeds if source == "en" else seeds.reversed()
        model = bilex.LexiconInducer(tables).fit(one, other, seeds).model_
        expected = [(e.source, e.target, e.probability) for e in model.induce()]
        found = bilex.read_dictionary(lexicon(data / "out", source, target)).entries
        assert [(e.source, e.target) for e in found] == [entry[:2] for entry in expected]
        assert [e.probability for e in found] == pytest.approx([e[2] for e in expected], abs=1e-4)
    (pair,) = results(data / "out", "induce").values()
    assert [each["calibrated_on"] for each in pair["directions"]] == ["en-fr", "fr-en"]


def test_a_second_run_does_nothing(data: Path) -> None:
    fleet = load_fleet(write_fleet(data, fleet_text()))
    assert len(Ran(fleet, data / "out").tasks) == 16
    assert Ran(fleet, data / "out").tasks == []


def test_another_language_costs_its_alignments_and_its_pairs(data: Path) -> None:
    Ran(load_fleet(write_fleet(data, fleet_text(CODES))), data / "out")
    before = {path: path.stat().st_mtime_ns for path in (data / "out").rglob("part-0.parquet")}

    more = ("en", "tr", "fr", "fi", "ru")  # in the middle of the file
    ran = Ran(load_fleet(write_fleet(data, fleet_text(more))), data / "out")

    assert sorted(ran.tasks) == [
        "align en-tr",
        "align tr-en",
        "induce en-tr",
        "prepare tr",
        "triangulate tr-fi",
        "triangulate tr-fr",
        "triangulate tr-ru",
    ]
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert len(list((data / "out").rglob("part-0.parquet"))) == 20


def test_what_was_deleted_is_made_again(data: Path) -> None:
    fleet = load_fleet(write_fleet(data, fleet_text()))
    Ran(fleet, data / "out")
    lexicon(data / "out", "ru", "fi").unlink()
    assert Ran(fleet, data / "out").tasks == ["triangulate fi-ru"]
    assert lexicon(data / "out", "ru", "fi").exists()


def test_a_changed_setting_is_run_again_and_so_is_its_undoing(data: Path) -> None:
    few = fleet_text() + "[lexicons]\nk = 2\n"
    one, two = (load_fleet(write_fleet(data, text)) for text in (fleet_text(), few))
    Ran(one, data / "out")
    assert len(Ran(two, data / "out").tasks) == 6  # pairs only
    assert len(bilex.read_dictionary(lexicon(data / "out", "fr", "ru")).entries) == 240
    assert len(Ran(one, data / "out").tasks) == 6  # their files were replaced
    assert len(bilex.read_dictionary(lexicon(data / "out", "fr", "ru")).entries) == 120


def test_a_method_that_is_restored_finds_its_alignments(data: Path) -> None:
    other = fleet_text(more=METHOD + 'set = ["supervised.name=seed-span"]\n')
    one, two = (load_fleet(write_fleet(data, text)) for text in (fleet_text(), other))
    Ran(one, data / "out")
    assert {task.split()[0] for task in Ran(two, data / "out").tasks} == {
        "align",
        "induce",
        "triangulate",
    }
    assert {task.split()[0] for task in Ran(one, data / "out").tasks} == {"induce", "triangulate"}


def test_a_language_that_fails_stops_only_its_own_pairs(data: Path) -> None:
    whole = (data / "fi.vec").read_text()
    (data / "fi.vec").write_text(whole[:-9])  # the last line is incomplete
    fleet = load_fleet(write_fleet(data, fleet_text()))
    ran = Ran(fleet, data / "out")

    assert [(end.done, end.failed, end.blocked) for end in ran.ends] == [
        (3, 1, 0),
        (4, 0, 2),
        (2, 0, 1),
        (1, 0, 2),
    ]
    (failure,) = fleet_status(data / "out")[0].failures
    assert failure.task == "fi"
    assert "VectorFileError" in failure.error
    assert Ran(fleet, data / "out").tasks == []  # failures stay until they are retried
    (data / "fi.vec").write_text(whole)
    assert "prepare fi" in Ran(fleet, data / "out").tasks  # another file is another task


def test_seeds_that_match_nothing_are_a_failure_that_can_be_retried(data: Path) -> None:
    (data / "en-fi.tsv").write_text("x\ty\n")
    fleet = load_fleet(write_fleet(data, fleet_text()))
    assert Ran(fleet, data / "out").failed == 2
    again = Ran(fleet, data / "out", retry_failed=True)
    assert again.tasks == ["align fi-en", "align en-fi"]
    assert again.failed == 2


def test_only_what_the_pairs_need_is_prepared(data: Path) -> None:
    text = 'pairs = ["fr-fi"]\n' + fleet_text(more=METHOD)
    ran = Ran(load_fleet(write_fleet(data, text)), data / "out")

    assert sorted(ran.tasks) == [
        "align fi-en",
        "align fr-en",
        "prepare en",
        "prepare fi",
        "prepare fr",
        "triangulate fr-fi",
    ]
    found = results(data / "out", "triangulate")["fr-fi"]["directions"]
    assert [each["cycle_error"] for each in found] == [None, None]


def test_a_language_reaches_the_hub_through_another(data: Path) -> None:
    rows = [f"fr{n}\ttr{n}\n" for n in range(60)]
    (data / "fr-tr.tsv").write_text("".join(rows))
    text = fleet_text(("en", "fr", "fi", "tr"), more="").replace("en-tr", "fr-tr") + CALIBRATED
    ran = Ran(load_fleet(write_fleet(data, text)), data / "out")

    assert "align tr-fr" in ran.tasks
    assert right(data / "out", "tr", "fi") > 0.95
    assert right(data / "out", "en", "tr") > 0.95
    pairs = results(data / "out", "induce") | results(data / "out", "triangulate")
    assert (pairs["fr-tr"]["calibrated_on"], pairs["fr-tr"]["carried_over"]) == ("tr-fr", False)
    assert pairs["en-tr"]["carried_over"]


def test_other_formats_and_directions_are_written(data: Path) -> None:
    text = (
        'pairs = ["fr-en", "fr-fi"]\ndirections = "forward"\nformats = ["tsv", "stardict"]\n'
        + fleet_text(more=METHOD)
    )
    Ran(load_fleet(write_fleet(data, text)), data / "out")

    exports = data / "out" / "exports"
    assert sorted(path.name for path in (exports / "tsv" / "fr").glob("*.tsv")) == [
        "fr-en.tsv",
        "fr-fi.tsv",
    ]
    (found,) = (exports / "stardict" / "fr").glob("fr-en*")
    assert len(bilex.read_dictionary(found).entries) == 120
    assert not lexicon(data / "out", "en", "fr").exists()


def test_precision_limits_what_is_written(data: Path) -> None:
    noisy = write_languages(data / "noisy", ("en", "fr", "fi"), noise=0.3)
    text = fleet_text(("en", "fr", "fi"), more=CALIBRATED) + "[lexicons]\nmin_precision = 0.95\n"
    Ran(load_fleet(write_fleet(noisy, text)), noisy / "out")

    for pair in results(noisy / "out", "triangulate").values():
        for direction in pair["directions"]:
            assert direction["translated_words"] < 120
            assert direction["expected_precision"] >= 0.9


def test_upper_case_is_folded_in_vectors_and_seeds(data: Path) -> None:
    upper = (data / "fr.vec").read_text().replace("fr", "FR")
    (data / "fr.vec").write_text(upper)
    (data / "en-fr.tsv").write_text((data / "en-fr.tsv").read_text().replace("fr", "Fr"))
    text = fleet_text(("en", "fr")).replace("[languages.fr]", "[languages.fr]\nlowercase = true")
    Ran(load_fleet(write_fleet(data, text)), data / "out")

    assert results(data / "out", "align")["fr-en"]["usable_seeds"] == 60


def test_a_seed_that_is_repeated_in_other_case_counts_once(data: Path) -> None:
    seeds = (data / "en-fr.tsv").read_text()
    (data / "en-fr.tsv").write_text(seeds + seeds.replace("fr", "FR"))
    Ran(load_fleet(write_fleet(data, fleet_text(("en", "fr")))), data / "out")

    found = results(data / "out", "align")["fr-en"]
    assert (found["seeds"], found["usable_seeds"]) == (120, 60)


def test_without_seeds_a_language_is_aligned_by_its_words_alone(data: Path) -> None:
    same = (data / "en.vec").read_text()
    (data / "fr.vec").write_text(same)
    text = fleet_text(("en", "fr")).replace('en-fr = "en-fr.tsv"\n', "")
    Ran(load_fleet(write_fleet(data, text)), data / "out")

    assert results(data / "out", "align")["fr-en"]["seeds"] == 0
    assert right(data / "out", "en", "fr") > 0.95


def test_every_computation_is_logged_once(data: Path) -> None:
    fleet = load_fleet(write_fleet(data, fleet_text()))
    Ran(fleet, data / "out")
    Ran(fleet, data / "out")
    lines = [
        json.loads(line)
        for file in (data / "out" / "log").glob("*.jsonl")
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert len(lines) == len({line["key"] for line in lines}) == 16
    assert all(line["processor"] >= 0 for line in lines)


def test_a_missing_file_stops_the_run_before_anything_is_done(data: Path) -> None:
    (data / "ru.vec").unlink()
    with pytest.raises(InputFileError, match=r"ru\.vec: no such file"):
        Ran(load_fleet(write_fleet(data, fleet_text())), data / "out")
    assert not (data / "out" / "results").exists()
