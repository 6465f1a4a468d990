from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bilex.embeddings.shortest_decimals import format_rows

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
USUAL = st.floats(-10, 10, width=32)


def by_numpy(rows: npt.NDArray[np.float32]) -> list[bytes]:
    return ["".join(f" {n}" for n in row).encode() for row in rows.astype(np.str_).tolist()]


@settings(deadline=None, max_examples=300)
@given(numbers=st.lists(st.one_of(FLOATS, USUAL), min_size=1, max_size=30))
@example(numbers=[0.0, -0.0, 1.0, -0.5, 0.1, 9.999999, 1e-4, 9.999999e-05, 10.0, 1e-45, 3.4e38])
@example(numbers=[0.25, 0.3, -123456790000000.0])
@example(numbers=[0.3, -0.01, 0.001, 1.1, 2.5, 0.09999999, 0.0001, 0.00010000001])
def test_digits_are_those_of_numpy(numbers: list[float]) -> None:
    row = np.array([numbers], dtype=np.float32)
    assert format_rows(row) == by_numpy(row)
    [text] = format_rows(row)
    read = np.array([float(token) for token in text.split()], dtype=np.float32)
    np.testing.assert_array_equal(read.view(np.uint32), row[0].view(np.uint32))


@pytest.mark.parametrize("scale", [0.0002, 0.06, 1.0, 40.0])
def test_digits_are_those_of_numpy_for_many_numbers(scale: float) -> None:
    rng = np.random.default_rng(0)
    rows = (rng.normal(size=(50, 300)) * scale).astype(np.float32)
    assert format_rows(rows) == by_numpy(rows)
    rounded = rows.round(4)
    assert format_rows(rounded) == by_numpy(rounded)


@pytest.mark.slow
def test_digits_are_those_of_numpy_all_over_the_range() -> None:
    low, high = (int(np.float32(bound).view(np.uint32)) for bound in (1e-4, 10.0))
    bits = np.arange(low - 1000, high + 1000, 101, dtype=np.uint32)
    for part in np.array_split(bits, 20):
        row = part.view(np.float32)[None]
        assert format_rows(row) == by_numpy(row)


def test_rows_keep_their_numbers_and_strange_layouts_are_read_right() -> None:
    rows = np.linspace(0, 2, 12, dtype=np.float32).reshape(3, 4)
    assert format_rows(rows.T) == by_numpy(np.ascontiguousarray(rows.T))
    assert format_rows(rows[:, ::2]) == by_numpy(np.ascontiguousarray(rows[:, ::2]))
    assert format_rows(rows[:0]) == []
