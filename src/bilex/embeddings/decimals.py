"""Decimal numbers in text files: parsed and written exactly, thousands at once.

Parsing: a token such as `-0.0123` is split at its point. Eight digits are loaded as one 64-bit
word and converted to an integer by three multiplications that each join neighbors (digits to
pairs, pairs to fours, fours to eights), so that a few array operations convert thousands of
tokens. The integer is then divided by a power of ten that float64 represents exactly: the result
equals `np.float32(float(token))` to the last bit.

Writing: each float32 gets the fewest digits that read back the same. The decimals that read back
as x lie within half the gap between x and its neighbors. The nearest one with p digits after the
point is q / 10^p, where q is x · 10^p rounded, and the fewest digits are those of the smallest p
for which it lies within. Up to p = 12 all of this is exact in float64: x has 24 bits, 5^12 has 28,
and the rest are powers of two. The few numbers outside the range for which 12 digits suffice are
written by NumPy, with the same digits.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bilex.embeddings.collector import Floats

PADDING = 32
"""Extra bytes needed before and after the text: eight-byte words are loaded around each point."""

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]
_Words = npt.NDArray[np.uint64]
_Flags = npt.NDArray[np.bool_]

_ZEROS = np.uint64(0x3030303030303030)  # "00000000"
_HIGH_HALVES = np.uint64(0xF0F0F0F0F0F0F0F0)
_SIXES = np.uint64(0x0606060606060606)
_DIGITS = np.uint64(0x3333333333333333)
_PAIRS = np.uint64(0x000000FF000000FF)
_FIRST_HALF = np.uint64(100 + (1_000_000 << 32))
_SECOND_HALF = np.uint64(1 + (10_000 << 32))
_LEFTMOST = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)  # mask of n bytes
_EXACT = np.uint64(1 << 53)  # float64 represents all integers up to here


def parse_decimals(
    text: Bytes, before: Positions, points: Positions, ends: Positions
) -> tuple[Floats, _Flags]:
    """Return the value of each token, and whether the token is plain, so that the value is valid.

    Plain means a sign, at most 8 digits, a point, at most 24 digits. The caller handles exponents,
    longer numbers and tokens that are not numbers.

    Args:
        text: The bytes, with `PADDING` extra bytes on both sides.
        before: Positions of the separators before the tokens.
        points: Positions of the decimal points; may be wrong for tokens that are not plain.
        ends: Positions of the separators after the tokens.
    """
    negative = text.take(before + 1) == ord("-")
    whole_length = points - before - 1 - negative
    fraction_length = ends - points - 1
    plain = (whole_length >= 0) & (fraction_length >= 0) & (whole_length + fraction_length > 0)
    mantissa, digits_only = _digits_before(text, points, whole_length)
    plain &= digits_only
    longest = int(fraction_length.max(initial=0))
    for group in range(min(3, max(1, math.ceil(longest / 8)))):
        digits, digits_only = _digits_after(text, points, fraction_length, group)
        plain &= digits_only
        if group == 1:
            plain &= mantissa < 10**10  # so that 18 digits fit 64 bits
        if group < 2:  # later digits are too small to matter, except near ties
            mantissa = mantissa * np.uint64(10**8) + digits
    values = mantissa.astype(np.float64)
    values /= 1e16 if longest > 8 else 1e8
    plain &= (fraction_length <= 24) & ~_near_tie(values, mantissa, fraction_length > 16)
    np.negative(values, where=negative, out=values)
    return values.astype(np.float32), plain


def _digits_after(
    text: Bytes, points: Positions, lengths: Positions, group: int
) -> tuple[_Words, _Flags]:
    """Return the eight digits of a group after the point, padded with zeros on the right."""
    words = _eight_bytes(text)[points + (1 + 8 * group)]
    keep = _LEFTMOST.take(lengths - 8 * group, mode="clip")
    return _to_integers((words & keep) | (_ZEROS & ~keep))


def _digits_before(text: Bytes, points: Positions, lengths: Positions) -> tuple[_Words, _Flags]:
    """Return the number before the point."""
    if (lengths == 1).all():  # in almost all files
        digits = text.take(points - 1) - np.uint8(ord("0"))
        return digits.astype(np.uint64), digits < 10
    words = _eight_bytes(text)[points - 8]
    drop = _LEFTMOST.take(8 - lengths, mode="clip")
    numbers, digits_only = _to_integers((words & ~drop) | (_ZEROS & drop))
    return numbers, digits_only & (lengths <= 8)


def _eight_bytes(text: Bytes) -> _Words:
    """View the text as overlapping little-endian words, one starting at each byte."""
    return np.ndarray((len(text) - 7,), dtype="<u8", buffer=text.data, strides=(1,))


def _to_integers(words: _Words) -> tuple[_Words, _Flags]:
    """Convert words of eight ASCII digits to integers; the flag says if all were digits."""
    marks = (words + _SIXES) & _HIGH_HALVES
    marks >>= np.uint64(4)
    marks |= words & _HIGH_HALVES
    digits_only = marks == _DIGITS
    numbers = words - _ZEROS
    numbers = numbers * np.uint64(10) + (numbers >> np.uint64(8))
    second = (numbers >> np.uint64(16)) & _PAIRS
    second *= _SECOND_HALF
    numbers &= _PAIRS
    numbers *= _FIRST_HALF
    numbers += second
    numbers >>= np.uint64(32)
    return numbers, digits_only


def _near_tie(values: npt.NDArray[np.float64], mantissa: _Words, truncated: _Flags) -> _Flags:
    """Flag values that might round to a different float32 than the exact number does.

    Beyond 2**53 the quotient is off by up to two units in its last place, and by 1e-16 more if
    digits were dropped. That matters only close to the midpoint between two float32 numbers:
    where the 29 bits to be cut are about 1000…
    """
    long = (mantissa > _EXACT) | truncated
    if not long.any():
        return long
    cut = (values.view(np.int64) & 0x1FFFFFFF) - (1 << 28)
    margin = 8 + truncated * (2 / np.maximum(values, 1e-99))  # in units of the last place
    near: _Flags = np.abs(cut) <= margin
    return long & near


_LEAST, _BOUND = 1e-4, 10.0  # smaller numbers have exponents, larger ones more whole digits
_MOST = 12  # digits after the point; from _LEAST on, nine of them are significant
_FIELD = 16  # bytes per number: a space, the sign, a digit, the point, _MOST digits
_NOTHING = b"\0"  # fills unused bytes of a field
_FILLER = np.float32(1.5)  # in place of numbers that NumPy writes
_TENS = np.array([float(10**power) for power in range(_MOST + 1)])  # exact

_Doubles = npt.NDArray[np.float64]
_Integers = npt.NDArray[np.int64]


def _table(texts: list[bytes]) -> npt.NDArray[np.uint32]:
    return np.frombuffer(b"".join(texts), dtype=np.uint32)


_HEADS = _table([b" %b%d." % (sign, digit) for sign in (b"\0", b"-") for digit in range(10)])
_FOURS = _table([b"%04d" % number for number in range(10_000)])
_KEPT = _table([b"\xff" * (4 + digits) + b"\0" * (_MOST - digits) for digits in range(_MOST + 1)])


def format_rows(rows: Floats) -> list[bytes]:
    """Return each row as text, with a space before each number."""
    numbers = np.ascontiguousarray(rows, dtype=np.float32).reshape(-1)
    sizes = np.abs(numbers)
    power_of_two = (numbers.view(np.uint32) & 0x7FFFFF) == 0  # the gaps to its two neighbors differ
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
    """Return the characters of each number at fixed positions, four in each integer."""
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
    """Return how many digits each number needs after the point, at least one."""
    exponent = (sizes.view(np.uint32) & 0x7F800000) - np.uint32(24 << 23)
    half_gap = exponent.view(np.float32).astype(np.float64)
    # Nine significant digits always suffice. Most numbers need seven or eight.
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
    """Return which numbers still read back the same with one digit less."""
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
