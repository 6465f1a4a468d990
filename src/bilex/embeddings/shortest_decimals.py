"""Writing float32 numbers with the fewest digits that read back the same, many at once.

The decimals that read back as x lie within half the gap between x and its neighbors. The nearest
one with p digits after the point is q / 10^p, where q is x · 10^p rounded, and the fewest digits
are those of the smallest p for which it lies within. Up to p = 12 all of this is exact in float64:
x has 24 bits, 5^12 has 28, and what remains are powers of two. So nothing is left to chance. The
few numbers outside the range for which 12 digits suffice are written by NumPy, to the same digits.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bilex.embeddings.collecting import Floats

_LEAST, _BOUND = 1e-4, 10.0  # below, numbers have exponents; above, more digits before the point
_MOST = 12  # digits after the point, which are nine that count from _LEAST on
_FIELD = 16  # bytes for each number: a blank, its sign, a digit, the point, _MOST digits
_NOTHING = b"\0"  # at places of a field that stay empty
_FILLER = np.float32(1.5)  # where NumPy will write
_TENS = np.array([float(10**power) for power in range(_MOST + 1)])  # exact

_Doubles = npt.NDArray[np.float64]
_Integers = npt.NDArray[np.int64]


def _table(texts: list[bytes]) -> npt.NDArray[np.uint32]:
    return np.frombuffer(b"".join(texts), dtype=np.uint32)


_HEADS = _table([b" %b%d." % (sign, digit) for sign in (b"\0", b"-") for digit in range(10)])
_FOURS = _table([b"%04d" % number for number in range(10_000)])
_KEPT = _table([b"\xff" * (4 + digits) + b"\0" * (_MOST - digits) for digits in range(_MOST + 1)])


def format_rows(rows: Floats) -> list[bytes]:
    """Return each row as text, a blank before each number."""
    numbers = np.ascontiguousarray(rows, dtype=np.float32).reshape(-1)
    sizes = np.abs(numbers)
    power_of_two = (numbers.view(np.uint32) & 0x7FFFFF) == 0  # its two gaps differ
    fits = (sizes > _LEAST) & (sizes < _BOUND) & ~power_of_two
    fields = _fields(np.where(fits, sizes, _FILLER), np.signbit(numbers))
    others = np.flatnonzero(~fits)
    for place, text in zip(others.tolist(), numbers[others].astype(np.str_).tolist(), strict=True):
        if len(text) >= _FIELD:  # large numbers are rare
            return [_slowly(row) for row in rows]
        fields[place] = _table([f" {text}".encode().ljust(_FIELD, _NOTHING)])
    fields = fields.reshape(len(rows), rows.shape[1] * _FIELD // 4)
    return [row.tobytes().translate(None, _NOTHING) for row in fields]


def _fields(sizes: Floats, negative: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint32]:
    """Return the characters of each number at fixed places, four in each integer."""
    x = sizes.astype(np.float64)
    digits = _digits_needed(sizes, x)
    shifted = (np.rint(x * _TENS[digits]) * _TENS[_MOST - digits]).astype(np.int64)  # x · 10^12
    high = shifted // 10**8
    low = (shifted - high * 10**8).astype(np.uint32)
    high = high.astype(np.uint32)
    before, middle = high // 10_000, low // 10_000
    fields = np.empty((len(x), _FIELD // 4), dtype=np.uint32)
    fields[:, 0] = _HEADS[before + 10 * negative.astype(np.uint32)]
    fields[:, 1] = _FOURS[high - before * 10_000]
    fields[:, 2] = _FOURS[middle]
    fields[:, 3] = _FOURS[low - middle * 10_000]
    return fields & np.take(_KEPT.reshape(-1, _FIELD // 4), digits, axis=0)


def _digits_needed(sizes: Floats, x: _Doubles) -> _Integers:
    """Return how many digits each number needs after the point: at least one."""
    exponent = (sizes.view(np.uint32) & 0x7F800000) - np.uint32(24 << 23)
    half_gap = exponent.view(np.float32).astype(np.float64)
    # Nine that count always suffice. Most numbers need seven or eight.
    digits = 8 + (x < 1) + (x < 0.1).astype(np.int64) + (x < 0.01) + (x < 0.001)
    for _ in range(3):
        digits -= _can_drop(x, half_gap, digits)
    left = np.flatnonzero(_can_drop(x, half_gap, digits))
    while len(left):
        digits[left] -= 1
        left = left[digits[left] > 1]
        left = left[_can_drop(x[left], half_gap[left], digits[left])]
    return digits


def _can_drop(x: _Doubles, half_gap: _Doubles, digits: _Integers) -> npt.NDArray[np.bool_]:
    """Tell which numbers still read back alike with one digit less."""
    power = _TENS[digits - 1]
    exact = x * power
    distance = np.rint(exact)
    distance -= exact
    np.abs(distance, out=distance)
    power *= half_gap
    within: npt.NDArray[np.bool_] = distance < power
    return within


def _slowly(row: Floats) -> bytes:
    return "".join(f" {number}" for number in row.astype(np.str_).tolist()).encode()
