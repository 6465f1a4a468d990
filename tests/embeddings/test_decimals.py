from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bilex.embeddings.decimals import format_rows
from bilex.embeddings.text import TextBlock, parse_block
from bilex.errors import VectorFileError

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
USUAL = st.floats(-10, 10, width=32)
plain = st.from_regex(r"-?[0-9]{0,9}\.[0-9]{1,27}", fullmatch=True)
shortest = FLOATS.map(lambda number: str(np.float32(number)))
long = st.floats(min_value=-1e30, max_value=1e30).map(repr)
integers = st.integers(-(10**20), 10**20).map(str)
any_number = st.one_of(plain, shortest, long, integers, st.sampled_from(("5.", "+0.5", "-.5")))


def parse(tokens: list[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    line = f"word {' '.join(tokens)}\n".encode()
    rows = parse_block(TextBlock(Path("x.vec"), line, 1), len(tokens)).rows
    return rows.reshape(len(tokens))


@settings(deadline=None, max_examples=100)
@given(tokens=st.lists(any_number, min_size=1, max_size=12))
@example(tokens=["-0.0", "0.0", "00000000.00000000", "99999999.99999999", "0.0000000000000001"])
@example(tokens=["0.000000059604644775390625", "16777217.0", "16777216.99999999"])
@example(tokens=["33554433.00000001", "1.0000000596046448", "1.0000000596046447", "0.1"])
@example(tokens=["123456789.5", "-12345678.25", "1e-45", "3.4028235e38", "1.5e3", "0"])
def test_numbers_are_what_python_makes_of_them_to_the_last_bit(tokens: list[str]) -> None:
    expected = np.array([float(token) for token in tokens], dtype=np.float32)
    np.testing.assert_array_equal(parse(tokens).view(np.uint32), expected.view(np.uint32))


def test_near_the_middle_of_two_floats_long_numbers_still_round_as_python_does() -> None:
    rng = np.random.default_rng(0)
    lower = rng.uniform(0.01, 1, size=1000).astype(np.float32)
    middle = (lower.astype(np.float64) + np.nextafter(lower, np.float32(2))) / 2
    tokens = [f"{number:.{digits}f}" for number in middle.tolist() for digits in (16, 17, 20, 24)]
    expected = np.array([float(token) for token in tokens], dtype=np.float32)
    np.testing.assert_array_equal(parse(tokens), expected)


@pytest.mark.parametrize(
    "token",
    [".", "-", "-.", "0..5", "0.5.", "1e", "--1.0", "0x1.8", "½", "1.0e400", "0.1-2", "1:.5"],
)
def test_what_is_no_number_is_refused(token: str) -> None:
    with pytest.raises(VectorFileError, match=r"line 1: found .* finite number was expected"):
        parse(["0.5", token, "0.25"])


@settings(deadline=None, max_examples=150)
@given(token=st.text("0123456789.-+eE_ax", min_size=1, max_size=20))
def test_a_token_is_read_exactly_if_python_reads_it(token: str) -> None:
    try:
        number = float(token) if "_" not in token else float("inf")
    except ValueError:
        number = float("inf")
    if abs(number) > 3.4e38:
        with pytest.raises(VectorFileError):
            parse(["0.5", token])
    else:
        assert parse(["0.5", token])[1] == np.float32(number)


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
