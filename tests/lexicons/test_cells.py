"""Cells with several words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.lexicons.cells import MOST_PARTS, CellSplitter, looks_listed

COMMAS = CellSplitter(at_commas=True)
SLASHES = CellSplitter(at_slashes=True)


@pytest.mark.parametrize(
    ("splitter", "cell", "words"),
    [
        (CellSplitter(), "symbole;symboles", ["symbole", "symboles"]),
        (CellSplitter(), "a ; b|c", ["a", "b", "c"]),
        (CellSplitter(), "elle / elles", ["elle", "elles"]),
        (CellSplitter(), "犬；狗", ["犬", "狗"]),
        (CellSplitter(), "chien;", ["chien"]),
        (CellSplitter(), "well, yes", ["well, yes"]),
        (CellSplitter(), "km/h", ["km/h"]),
        (CellSplitter(), ";", [";"]),
        (CellSplitter(), ":; )", [":; )"]),
        (CellSplitter(), "un (ou; le)", ["un (ou; le)"]),
        (CellSplitter(), "le; la", ["le", "la"]),
        (COMMAS, "enfant, gamin, gosse", ["enfant", "gamin", "gosse"]),
        (COMMAS, "犬、狗", ["犬", "狗"]),
        (COMMAS, "1,000", ["1,000"]),
        (COMMAS, "Hund, der", ["Hund, der"]),
        (COMMAS, "chien, n.m.", ["chien, n.m."]),
        (COMMAS, "yes, my very dear friend", ["yes, my very dear friend"]),
        (SLASHES, "lui/elle", ["lui", "elle"]),
        (SLASHES, "24/7", ["24/7"]),
        (SLASHES, "km/h", ["km/h"]),
        (CellSplitter(), ";".join("ab" for _ in range(MOST_PARTS + 1)), None),
    ],
)
def test_a_cell_is_split_where_words_end(
    splitter: CellSplitter, cell: str, words: list[str] | None
) -> None:
    assert splitter.split(cell) == (words or [cell])


@pytest.mark.parametrize(
    ("cells", "at_commas"),
    [
        (["ab, cd", "ef, gh"], True),
        (["ab, cd", *["c"] * 18, "ef, gh"], True),
        (["ab, cd", *["c"] * 39, "ef, gh"], False),
        (["ab, cd", "ef"], False),
        (["Hund, der", "Katze, die"], False),
    ],
)
def test_a_comma_separates_words_if_the_column_uses_it_regularly(
    cells: list[str], at_commas: bool
) -> None:
    assert CellSplitter.for_column(cells).at_commas is at_commas


characters = st.sampled_from([*"ab é;|/,()[]、； \t1", ", ", " / ", "le"])


@given(
    st.one_of(st.text(max_size=30), st.lists(characters, max_size=20).map("".join)),
    st.booleans(),
    st.booleans(),
)
def test_splitting_loses_nothing_but_separators_and_spaces(
    cell: str, at_commas: bool, at_slashes: bool
) -> None:
    parts = CellSplitter(at_commas, at_slashes).split(cell)

    separators = re.compile(r"[;；|｜/,、،，\s]")
    assert separators.sub("", "".join(parts)) == separators.sub("", cell)
    position = 0
    for part in parts:  # in order, and each as it was
        position = cell.index(part, position) + len(part)
    assert all(part and part == part.strip() for part in parts) or parts == [cell]
    assert len(parts) > 1 or parts[0].strip() == cell.strip() or cell.strip(" \t") != parts[0]


@given(st.text(max_size=20))
def test_a_cell_that_does_not_look_listed_is_one_word(cell: str) -> None:
    if not looks_listed(cell):
        assert len(COMMAS.split(cell)) == 1
