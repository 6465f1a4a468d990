from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from bilex.cli.loading import note_size
from conftest_types import Bilex


def test_what_was_dropped_is_told(bilex: Bilex, tmp_path: Path) -> None:
    (tmp_path / "odd.vec").write_text("5 2\nthe 1 0\nThe 0 1\nthe 1 1\nnil 0 0\nend 1 2\n")
    done = bilex("convert", "odd.vec", "-o", "out.vec", "--lowercase")
    assert done.code == 0
    assert "odd.vec: 3 words × 2" in done.err
    assert "case variants merged" in done.err
    assert "1 zero vectors" in done.err


def test_lost_pairs_come_with_a_hint(bilex: Bilex, tiny: Path) -> None:
    (tiny / "upper.tsv").write_text("s1\tt1\ns2\tt2\nS3\tt3\nS4\tt4\n")
    done = bilex("fit", "s.vec", "t.vec", "upper.tsv", "-o", "m", "--exact-case")
    assert "2 of 4 pairs usable (2 with an unknown source word" in done.err
    assert "warning: " in done.err
    assert "lower case" in done.err


def test_a_single_word_can_be_inspected(bilex: Bilex, tmp_path: Path) -> None:
    (tmp_path / "one.vec").write_text("1 2\nword 1 0\n")
    (tmp_path / "pair.tsv").write_text("word\tword\n")
    done = bilex("inspect", "one.vec", "one.vec", "pair.tsv")
    assert done.code == 0
    assert "seeds: 1 of 1 pairs usable" in done.out


@pytest.mark.parametrize(("limit", "told"), [(None, True), (200_000, False)])
def test_very_many_words_are_announced_before_they_are_read(
    limit: int | None, told: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("s.vec", "t.vec.gz"):
        opened = gzip.open if name.endswith("gz") else open
        with opened(tmp_path / name, "wb") as file:
            file.write(b"2000000 300\nthe 0.1 0.2\n")
    note_size([tmp_path / "s.vec", tmp_path / "t.vec.gz"], limit, "exact")
    shown = capsys.readouterr().err
    assert ("2,000,000 words × 300 will take about 31 GiB of memory" in shown) == told
    assert ("and 100 times as long as 200,000 words of each" in shown) == told
    assert ("--limit 200000" in shown) == told
    note_size([tmp_path / "s.vec", tmp_path / "t.vec.gz"], limit, "auto")
    approximate = capsys.readouterr().err
    assert ("and at least 10 times as long as 200,000 words of each" in approximate) == told


def test_files_of_unknown_or_usual_size_are_not_announced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.vec").write_text("2000000 300\n")
    (tmp_path / "glove.txt").write_text("the 0.1 0.2\n")
    (tmp_path / "small.vec").write_text("50 2\nthe 0.1 0.2\n")
    for other in ("glove.txt", "none"):
        note_size([tmp_path / "s.vec", tmp_path / other], None, "auto")
    note_size([tmp_path / "small.vec", tmp_path / "small.vec"], None, "auto")
    assert capsys.readouterr().err == ""
