from __future__ import annotations

from pathlib import Path

import pytest

from bilex.cli.demo import WORDS
from bilex.errors import SettingError
from bilex.lexicons import leakage
from bilex.sample import SAMPLE_FILES, Sample, copy_sample, load_sample, sample_folder


@pytest.fixture(scope="module")
def sample() -> Sample:
    return load_sample()


def test_the_files_take_less_than_three_megabytes() -> None:
    sizes = [(sample_folder() / name).stat().st_size for name in SAMPLE_FILES]
    assert sum(sizes) < 3_000_000


def test_there_are_hundreds_of_words_to_learn_from_and_to_test_with(sample: Sample) -> None:
    assert len(sample.seeds.translations) >= 300
    assert len(sample.test.translations) >= 300


def test_every_word_of_a_pair_has_a_vector_and_no_pair_is_spelled_alike(sample: Sample) -> None:
    for pair in (*sample.seeds.entries, *sample.test.entries):
        assert pair.source in sample.source.index
        assert pair.target in sample.target.index
        assert pair.source != pair.target


def test_no_test_word_is_a_seed_word(sample: Sample) -> None:
    found = leakage(sample.seeds, sample.test)
    assert found.seen_source_words == found.seen_target_words == 0


def test_the_words_that_the_demo_shows_are_not_seeds(sample: Sample) -> None:
    assert set(WORDS) <= set(sample.source.index)
    assert not set(WORDS) & set(sample.seeds.translations)


def test_the_files_are_copied_to_a_new_folder_and_again(tmp_path: Path) -> None:
    for _ in range(2):
        copy_sample(tmp_path / "new")
        assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(SAMPLE_FILES)
        (tmp_path / "new" / "seeds.tsv").write_text("a\tb\n")
    copy_sample(tmp_path / "new")
    seeds = (tmp_path / "new" / "seeds.tsv").read_bytes()
    assert seeds == (sample_folder() / "seeds.tsv").read_bytes()


def test_other_files_of_the_user_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(SettingError, match="exists and does not hold the sample: give another"):
        copy_sample(tmp_path)
    with pytest.raises(SettingError, match="exists and does not hold the sample"):
        copy_sample(tmp_path / "README.md")
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
