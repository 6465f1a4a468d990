"""Reading decimal numbers out of bytes, a whole block of them at once and exactly.

A token such as `-0.0123` is cut at its point. Eight digits are loaded as one 64-bit word and
turned into an integer by three multiplications that each join neighbors (digits to pairs, pairs
to fours, fours to eights), so that a few array operations convert thousands of tokens. The
integer is then divided by a power of ten that float64 holds exactly: the result is what
`np.float32(float(token))` gives, to the last bit.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bilex.embeddings.collecting import Floats

PADDING = 32
"""Bytes needed before and after the text, as words of eight bytes are loaded around each point."""

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
_EXACT = np.uint64(1 << 53)  # float64 holds all integers up to here


def parse_decimals(
    text: Bytes, before: Positions, points: Positions, ends: Positions
) -> tuple[Floats, _Flags]:
    """Return the value of each token, and whether it is plain enough for that value to count.

    Plain is a sign, at most 8 digits, a point, at most 24 digits. Exponents, longer numbers and
    anything that is no number at all are left to the caller.

    Args:
        text: The bytes, with `PADDING` bytes to spare at both sides.
        before: Where the separator before each token is.
        points: Where the decimal point believed to be in each token is.
        ends: Where the separator after each token is.
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
        if group < 2:  # what comes after is too small to matter, except near ties
            mantissa = mantissa * np.uint64(10**8) + digits
    values = mantissa.astype(np.float64)
    values /= 1e16 if longest > 8 else 1e8
    plain &= (fraction_length <= 24) & ~_near_tie(values, mantissa, fraction_length > 16)
    np.negative(values, where=negative, out=values)
    return values.astype(np.float32), plain


def _digits_after(
    text: Bytes, points: Positions, lengths: Positions, group: int
) -> tuple[_Words, _Flags]:
    """Return the eight digits of a group after the point, zeros added to the right."""
    words = _eight_bytes(text)[points + (1 + 8 * group)]
    keep = _LEFTMOST.take(lengths - 8 * group, mode="clip")
    return _to_integers((words & keep) | (_ZEROS & ~keep))


def _digits_before(text: Bytes, points: Positions, lengths: Positions) -> tuple[_Words, _Flags]:
    """Return the number before the point."""
    if (lengths == 1).all():  # as in nearly all files
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
    """Turn words of eight ASCII digits into integers; the flag says they were all digits."""
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
    """Flag values that might round to another float32 than the exact number does.

    Beyond 2**53 the quotient is off by up to two units in its last place, and by 1e-16 more if
    digits were left out. That matters only next to the middle between two float32 numbers: where
    the 29 bits to be cut are about 1000…
    """
    long = (mantissa > _EXACT) | truncated
    if not long.any():
        return long
    cut = (values.view(np.int64) & 0x1FFFFFFF) - (1 << 28)
    margin = 8 + truncated * (2 / np.maximum(values, 1e-99))  # in units of the last place
    near: _Flags = np.abs(cut) <= margin
    return long & near
