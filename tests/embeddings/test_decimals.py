from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bilex.embeddings.text_blocks import TextBlock, parse_block
from bilex.errors import VectorFileError

plain = st.from_regex(r"-?[0-9]{0,9}\.[0-9]{1,27}", fullmatch=True)
shortest = st.floats(width=32, allow_nan=False, allow_infinity=False).map(
    lambda number: str(np.float32(number))
)
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
