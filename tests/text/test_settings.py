"""Settings of training."""

from __future__ import annotations

from typing import Any

import pytest

from bilex.errors import SettingError
from bilex.text import VectorSettings
from bilex.text.settings import Method


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"method": "glove"}, "method is 'glove': expected one of ppmi, word2vec, fasttext"),
        ({"dim": 1}, "dim is 1: expected at least 2"),
        ({"method": "word2vec", "epochs": 0}, "epochs is 0: expected at least 1"),
        ({"power": -1.0}, "power is -1.0: expected at least 0.0"),
        ({"smoothing": float("nan")}, "smoothing is nan: expected at least 0.0"),
        (
            {"epochs": 3},
            "epochs has no effect on ppmi: leave it out, or set method to word2vec or fasttext",
        ),
        (
            {"method": "word2vec", "buckets": 3},
            "buckets has no effect on word2vec: leave it out, or set method to fasttext",
        ),
        ({"min_count": 0}, "min_count is 0: expected at least 1"),
        ({"max_words": 1}, "max_words is 1: expected at least 2"),
        ({"window": 0}, "window is 0: expected at least 1"),
        ({"sample": 2.0}, "sample is 2.0: expected a share from 0 to 1"),
        (
            {"method": "fasttext", "shortest_part": 7},
            "shortest_part is 7: expected at most longest_part",
        ),
    ],
)
def test_a_wrong_setting_is_an_error(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError) as error:
        VectorSettings(**wrong)
    assert str(error.value) == message


def test_only_what_is_not_given_is_chosen() -> None:
    chosen = VectorSettings(dim=7, keep_case=True).for_size(1_000)
    assert (chosen.dim, chosen.keep_case) == (7, True)
    assert (chosen.window, chosen.power, chosen.epochs) == (10, 1.75, None)


@pytest.mark.parametrize("method", ["ppmi", "word2vec", "fasttext"])
def test_two_texts_of_any_size_get_vectors_of_one_length(method: Method) -> None:
    sizes = (1_000, 100_000, 1_000_000, 100_000_000)
    chosen = [VectorSettings(method=method).for_size(size) for size in sizes]
    assert len({each.dim for each in chosen}) == 1
    counts = [each.min_count or 0 for each in chosen]
    assert counts == sorted(counts) == [2, 2, 4, 10]
    assert all(each.for_size(5) == each for each in chosen)


def test_two_texts_together_have_a_power_of_their_own() -> None:
    alone = VectorSettings().for_size(1_000_000)
    assert (VectorSettings().together().power or 9) < (alone.power or 0)
    assert VectorSettings(power=2.0).together() == VectorSettings(power=2.0)
