from __future__ import annotations

from pathlib import Path

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
    done = bilex("fit", "s.vec", "t.vec", "upper.tsv", "-o", "m")
    assert "2 of 4 pairs usable (2 without source word" in done.err
    assert "warning: " in done.err
    assert "lower case" in done.err


def test_a_single_word_can_be_inspected(bilex: Bilex, tmp_path: Path) -> None:
    (tmp_path / "one.vec").write_text("1 2\nword 1 0\n")
    (tmp_path / "pair.tsv").write_text("word\tword\n")
    done = bilex("inspect", "one.vec", "one.vec", "pair.tsv")
    assert done.code == 0
    assert "seeds: 1 of 1 pairs usable" in done.out
