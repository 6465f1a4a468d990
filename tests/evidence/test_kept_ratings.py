"""Ratings on disk: found again by any process, and whole after a kill."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.errors import InputFileError
from bilex.evidence.kept_ratings import KeptRatings

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)


@settings(max_examples=30)
@given(st.dictionaries(st.tuples(TEXT, TEXT), st.none() | st.floats(0, 1), max_size=20))
def test_what_is_added_is_found(
    tmp_path_factory: pytest.TempPathFactory, ratings: dict[tuple[str, str], float | None]
) -> None:
    path = tmp_path_factory.mktemp("ratings") / "deeper" / "one.sqlite"
    KeptRatings(path).add(ratings)
    asked = [*ratings, ("not", "there")]
    assert KeptRatings(path).find(asked) == {
        pair: rating for pair, rating in ratings.items() if pair != ("not", "there")
    }


def test_thousands_of_pairs_are_found_at_once(tmp_path: Path) -> None:
    kept = KeptRatings(tmp_path / "many.sqlite")
    ratings: dict[tuple[str, str], float | None] = {
        (str(number), "x"): number / 5_000 for number in range(5_000)
    }
    assert kept.find(list(ratings)) == {}
    kept.add(ratings)
    assert kept.find(list(ratings)) == ratings


def test_several_writers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "shared.sqlite"

    def write(name: str) -> None:
        for number in range(20):
            KeptRatings(path).add({(name, str(number)): 0.5})

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asked = [(name, str(number)) for name in "abcd" for number in range(20)]
    assert len(KeptRatings(path).find(asked)) == 80


def test_another_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    path.write_bytes(b"this is no database, but some text that is long enough" * 20)
    with pytest.raises(InputFileError, match=r"other\.sqlite.*cannot be used to keep ratings"):
        KeptRatings(path).find([("a", "b")])
