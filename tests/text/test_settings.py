"""Settings of training."""

from __future__ import annotations

from typing import Any

import pytest

from bilex.errors import SettingError
from bilex.text import VectorSettings
from bilex.text.settings import BY_SIZE


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"method": "glove"}, "method is 'glove': expected one of fasttext, word2vec"),
        ({"dim": 1}, "dim is 1: expected at least 2"),
        ({"epochs": 0}, "epochs is 0: expected at least 1"),
        ({"min_count": 0}, "min_count is 0: expected at least 1"),
        ({"window": 0}, "window is 0: expected at least 1"),
        ({"sample": 2.0}, "sample is 2.0: expected a share from 0 to 1"),
        (
            {"shortest_part": 5, "longest_part": 4},
            "parts of words have 5 to 4 characters: expected at least 1, and the shortest not "
            "above the longest",
        ),
    ],
)
def test_a_wrong_setting_is_an_error(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError) as error:
        VectorSettings(**wrong)
    assert str(error.value) == message


def test_only_what_is_not_given_is_chosen_by_size() -> None:
    chosen = VectorSettings(dim=7, keep_case=True).for_size(1_000)
    assert (chosen.dim, chosen.keep_case) == (7, True)
    assert None not in (chosen.epochs, chosen.min_count, chosen.window)


def test_the_rows_of_the_table_go_from_large_texts_to_all() -> None:
    sizes = [row.tokens for row in BY_SIZE]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 0
    for row in BY_SIZE:
        assert VectorSettings().for_size(row.tokens).dim == row.dim
