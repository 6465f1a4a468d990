"""Made-up results of a benchmark: what must hold of them."""

from __future__ import annotations

from report_data import make_job


def test_methods_of_a_pair_have_the_same_words() -> None:
    first = make_job("en-fr", "rcsls", 100, 0)
    second = make_job("en-fr", "css-paper", 100, 2)

    assert [row["word"] for row in first["words"]] == [row["word"] for row in second["words"]]
    assert len({row["word"] for row in first["words"]}) == 60
    assert 0 < first["copy_baseline"] < 0.3
