"""Jobs: their keys change with what determines the result, and with nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark_data import SUITE, jobs_of, write_data, write_suite
from bilex.benchmark import FileHashes, expand, filter_jobs, load_suite
from bilex.benchmark.seed_pairs import choose_seeds, exchange_translations, take_seeds
from bilex.benchmark.suite import Method
from bilex.errors import EmptyLexiconError, InputFileError, SettingError
from bilex.lexicons import write_lexicon
from bilex.values import Lexicon

Names = dict[tuple[object, ...], str]


def keys(folder: Path, text: str = SUITE, name: str = "twins") -> Names:
    return {
        (job.method.name, job.seeds, job.draw): job.key
        for job in jobs_of(write_suite(folder, text, name))
    }


def changed(before: Names, after: Names) -> set[tuple[object, ...]]:
    assert before.keys() == after.keys()
    return {name for name in before if before[name] != after[name]}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path / "data")


def test_every_job_has_a_key_of_its_own_that_lasts(data: Path) -> None:
    found = keys(data)
    assert len(set(found.values())) == len(found) == 8
    assert keys(data) == found


def test_keys_are_those_of_results_that_were_kept(data: Path) -> None:
    """A new option must not change the keys of jobs without it, or kept results would be lost."""
    job = jobs_of(write_suite(data))[0]
    hashes = {"source_vectors": "1", "target_vectors": "2", "test": "3"}
    method = Method("m", {"part": {"name": "plugin"}})
    assert replace(job, method=method, hashes=hashes).key == "9a62c24c7feb41294f3684c35cc96709"


def test_what_does_not_matter_does_not_change_a_key(data: Path, tmp_path: Path) -> None:
    before = keys(data)
    assert keys(data, SUITE.replace('"twins"\n\n[vec', '"other words"\n\n[vec')) == before
    assert keys(data, name="renamed") == before
    assert keys(write_data(tmp_path / "elsewhere")) == before
    os.utime(data / "s.vec", (0, 0))
    assert keys(data) == before
    more = SUITE.replace("draws = 2", "draws = 3")
    assert before.items() <= keys(data, more).items()


EDITS: list[tuple[str, Callable[[tuple[object, ...]], bool]]] = [
    ("strategy.rounds=2->strategy.rounds=3", lambda name: name[0] == "short"),
    ('test = "test.tsv"->test = "test.tsv"\nrules = "muse"', lambda name: True),
    ("[vectors]->[data]\nlimit = 70\n[vectors]", lambda name: True),
    ("[vectors]->[data]\nlowercase = true\n[vectors]", lambda name: True),
    ('"first-then-random"->"first"', lambda name: name[1:] == (10, 1)),
    ('test = "test.tsv"->test = "test.tsv"\nwrong = 0.2', lambda name: True),
    ('test = "test.tsv"->test = "test.tsv"\ntranslations = "unique"', lambda name: True),
    (
        '10 = "train.10.tsv", 30->30@"first-then-random"->"random"',
        lambda name: name[1:] == (10, 0),
    ),
]


@pytest.mark.parametrize(("edit", "touched"), EDITS, ids=[edit for edit, _ in EDITS])
def test_an_edit_of_the_suite_changes_the_keys_it_touches(
    data: Path, edit: str, touched: Callable[[tuple[object, ...]], bool]
) -> None:
    text = SUITE
    for old, new in (change.split("->") for change in edit.split("@")):
        assert old in text
        text = text.replace(old, new)
    before = keys(data)
    assert changed(before, keys(data, text)) == {name for name in before if touched(name)}


@pytest.mark.parametrize(
    ("file", "touched"),
    [
        ("s.vec", lambda seeds, draw: True),
        ("t.vec", lambda seeds, draw: True),
        ("test.tsv", lambda seeds, draw: True),
        ("train.10.tsv", lambda seeds, draw: (seeds, draw) == (10, 0)),
        ("train.30.tsv", lambda seeds, draw: (seeds, draw) != (10, 0)),
    ],
)
def test_an_edit_of_a_file_changes_the_keys_it_touches(
    data: Path, file: str, touched: Callable[[object, object], bool]
) -> None:
    before = keys(data)
    path = data / file
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:-1], lines[-1].replace("0", "1").replace("9", "8")]) + "\n")
    assert changed(before, keys(data)) == {name for name in before if touched(*name[1:])}


def test_hashes_are_remembered_until_a_file_changes(tmp_path: Path) -> None:
    file, memory = tmp_path / "a.txt", tmp_path / "cache" / "hashes.json"
    file.write_text("one")
    os.utime(file, ns=(0, 1))
    first = FileHashes(memory)
    found = first.sha256(file)
    first.save()
    file.write_text("two")
    os.utime(file, ns=(0, 1))  # as if nothing had happened: so it is not read again
    assert FileHashes(memory).sha256(file) == found
    os.utime(file, ns=(0, 2))
    assert FileHashes(memory).sha256(file) != found
    memory.write_text("[not what it was")
    assert FileHashes(memory).sha256(file) == FileHashes().sha256(file)


def test_hashes_that_cannot_be_remembered_are_found_again(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way of a folder")
    hashes = FileHashes(tmp_path / "file" / "hashes.json")
    assert len(hashes.sha256(tmp_path / "file")) == 64
    hashes.save()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    (tmp_path / "list.json").write_text("[]")
    assert FileHashes(tmp_path / "list.json").sha256(tmp_path / "file")


def test_a_folder_is_hashed_with_all_it_holds(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "a").write_text("1")
    before = FileHashes().sha256(tmp_path / "store")
    (tmp_path / "store" / "b").write_text("2")
    assert FileHashes().sha256(tmp_path / "store") != before


def test_a_missing_file_is_reported_before_anything_runs(data: Path) -> None:
    (data / "test.tsv").unlink()
    with pytest.raises(InputFileError, match=r"test.tsv: no such file; check the suite and the"):
        keys(data)


def test_draws_are_the_published_seeds_first_and_random_samples_after(data: Path) -> None:
    jobs = {
        (job.seeds, job.draw): job
        for job in jobs_of(write_suite(data))
        if job.method.name == "short"
    }
    first, second = jobs[10, 0].read_pairs().seeds, jobs[10, 1].read_pairs().seeds
    assert first is not None
    assert second is not None
    assert [entry.source for entry in first.entries] == [f"s{i}" for i in range(10)]
    assert len(second) == 10
    assert {entry.source for entry in second.entries} != {entry.source for entry in first.entries}
    assert jobs[30, 0].read_pairs().seeds == jobs[30, 1].read_pairs().seeds  # the whole file


def test_smaller_draws_are_part_of_larger_ones(data: Path) -> None:
    files = load_suite(write_suite(data)).lexicons["twins"]
    lexicon = Lexicon.of([(f"s{i}", f"t{i}") for i in range(30)])
    samples = []
    for size in (5, 20):
        choice = choose_seeds(files, size, 3)
        assert choice is not None
        assert choice.take == "random"
        samples.append(set(take_seeds(lexicon, choice, 3).entries))
    assert samples[0] < samples[1]


def test_the_other_direction_swaps_columns_or_takes_its_own_files(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    both = SUITE.replace("seeds = [10, 30]", 'seeds = [10]\ndirections = "both"')
    swapped = [job for job in jobs_of(write_suite(data, both)) if job.source == "t"]
    assert {job.pair for job in swapped} == {"t-s"}
    pairs = swapped[0].read_pairs()
    assert pairs.seeds is not None
    assert pairs.seeds.entries[0][:2] == ("t0", "s0")
    assert pairs.gold.entries[0][:2] == ("t30", "s30")
    own = both.replace('test = "test.tsv"', 'test = "{pair}.tsv"\nreverse = "own"')
    jobs = expand(load_suite(write_suite(data, own)))
    assert {job.test.name for job in jobs if job.source == "t"} == {"t-s.tsv"}


def test_pairs_that_the_test_asks_are_removed_from_the_seeds_and_counted(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    leaking = Lexicon.of([("s0", "t9"), ("S1", "t1"), *((f"s{i}", f"t{i}") for i in range(30, 60))])
    write_lexicon(leaking, data / "test.tsv")
    job = jobs_of(write_suite(data))[0]
    pairs = job.read_pairs()
    assert pairs.leakage_removed == 1  # s0, though with another translation; S1 is another word
    lower = SUITE.replace('test = "test.tsv"', 'test = "test.tsv"\nrules = "muse"')
    assert jobs_of(write_suite(data, lower))[0].read_pairs().leakage_removed == 2


HELD_OUT = SUITE.replace('test = "test.tsv"', 'test = "held-out"').replace("[10, 30]", "[10]")


def test_a_held_out_test_set_has_the_training_words_that_are_not_seeds(data: Path) -> None:
    jobs = jobs_of(write_suite(data, HELD_OUT))
    assert len({job.key for job in jobs}) == len(jobs) == 4
    assert {job.test.name for job in jobs} == {"train.30.tsv"}
    for job in jobs:
        pairs = job.read_pairs()
        assert pairs.seeds is not None
        assert (len(pairs.seeds), len(pairs.gold), pairs.leakage_removed) == (10, 20, 0)
        words = {entry.source for entry in (*pairs.seeds.entries, *pairs.gold.entries)}
        assert words == {f"s{i}" for i in range(30)}
    named = SUITE.replace('test = "test.tsv"', 'test = "train.30.tsv"').replace("[10, 30]", "[10]")
    keys = {job.key for job in jobs_of(write_suite(data, named))}
    assert not keys & {job.key for job in jobs}  # the same files, but another test set


def test_without_seeds_the_whole_training_file_is_held_out(data: Path) -> None:
    text = HELD_OUT.replace("[10]", "[0]").replace('"procrustes", ', "")
    pairs = jobs_of(write_suite(data, text))[0].read_pairs()
    assert pairs.seeds is None
    assert len(pairs.gold) == 30


def test_held_out_words_are_drawn_before_the_columns_are_swapped(data: Path) -> None:
    text = HELD_OUT.replace("seeds = [10]", 'seeds = [10]\ndirections = "reverse"')
    pairs = jobs_of(write_suite(data, text))[0].read_pairs()
    assert pairs.seeds is not None
    assert {entry.source for entry in pairs.seeds.entries} == {f"t{i}" for i in range(10)}
    assert {entry.source for entry in pairs.gold.entries} == {f"t{i}" for i in range(10, 30)}


def test_a_training_file_that_is_all_seeds_has_nothing_to_hold_out(data: Path) -> None:
    unsized = HELD_OUT.replace(
        '{ 10 = "train.10.tsv", 30 = "train.30.tsv" }', '"train.10.tsv"'
    ).replace("first-then-random", "random")
    job = jobs_of(write_suite(data, unsized))[0]
    with pytest.raises(EmptyLexiconError, match="none is left for the test: use fewer seeds"):
        job.read_pairs()


def test_a_share_of_the_seeds_is_wrong_and_known(data: Path) -> None:
    text = SUITE.replace('test = "test.tsv"', 'test = "test.tsv"\nwrong = 0.2')
    right = jobs_of(write_suite(data))
    wrong = jobs_of(write_suite(data, text))
    for before, after in zip(right, wrong, strict=True):
        good, spoiled = before.read_pairs(), after.read_pairs()
        assert good.seeds is not None
        assert spoiled.seeds is not None
        assert good.wrong is None
        changed = set(spoiled.seeds.entries) - set(good.seeds.entries)
        assert len(changed) == round(0.2 * len(good.seeds))
        assert spoiled.wrong == frozenset((entry.source, entry.target) for entry in changed)
        assert [e.source for e in spoiled.seeds.entries] == [e.source for e in good.seeds.entries]
        assert {e.target for e in spoiled.seeds.entries} == {e.target for e in good.seeds.entries}
        assert after.read_pairs() == spoiled
    by_draw = {job.draw: job.read_pairs().wrong for job in wrong if job.seeds == 30}
    assert by_draw[0] != by_draw[1]


def test_an_exchanged_translation_that_is_right_by_chance_is_not_wrong() -> None:
    seeds = Lexicon.of([("a", "x"), ("b", "y")])
    known = Lexicon.of([("a", "x"), ("a", "y"), ("b", "y")])
    spoiled, wrong = exchange_translations(seeds, 0.999, known=known, draw=0)
    assert [entry[:2] for entry in spoiled.entries] == [("a", "y"), ("b", "x")]
    assert wrong == {("b", "x")}


def test_some_jobs_can_be_chosen(data: Path) -> None:
    jobs = jobs_of(write_suite(data))
    assert len(filter_jobs(jobs, [])) == 8
    assert len(filter_jobs(jobs, ["method=short,seeds=10"])) == 2
    assert len(filter_jobs(jobs, ["seeds=10,seeds=30", "draw=1", "pair=s-t"])) == 4
    with pytest.raises(SettingError, match=r"no job of the suite has method = 'shrot' \(did you"):
        filter_jobs(jobs, ["method=shrot"])
    with pytest.raises(SettingError, match=r"cannot understand 'methods=short' \(did you mean"):
        filter_jobs(jobs, ["methods=short"])


def test_a_pair_can_be_chosen_with_and_without_its_lexicon() -> None:
    jobs = expand(load_suite("full"), Path("data"))
    both = filter_jobs(jobs, ["pair=en-ru"])
    assert {job.lexicon for job in both} == {"xling", "muse"}
    assert {job.lexicon for job in filter_jobs(jobs, ["pair=muse:en-ru"])} == {"muse"}


def test_a_key_needs_hashes(data: Path) -> None:
    with pytest.raises(SettingError, match="are not hashed"):
        _ = expand(load_suite(write_suite(data)))[0].key
