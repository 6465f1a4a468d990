"""Format numbers for reports: percentages, points, durations, sizes."""

from __future__ import annotations

from collections.abc import Sequence

DASH = "–"
"""Shown if there is no number, because a job was not run or failed."""

MINUS = "−"


def percent(value: float | None) -> str:
    """Write a share as a percentage without the percent sign: 61.4."""
    return DASH if value is None else f"{100 * value:.1f}"


def points(value: float) -> str:
    """Write a difference of shares in percentage points with plus or minus: +0.8."""
    rounded = round(100 * value, 1)
    if rounded == 0:
        return "0.0"
    return f"{'+' if rounded > 0 else MINUS}{abs(rounded):.1f}"


def decimal(value: float | None, digits: int = 2) -> str:
    """Write a number with a fixed number of decimals."""
    return DASH if value is None else f"{value:.{digits}f}".replace("-", MINUS)


def whole(value: float | None) -> str:
    """Write a whole number with commas: 1,242."""
    return DASH if value is None else f"{value:,.0f}".replace("-", MINUS)


def seconds(value: float | None) -> str:
    """Write a time in seconds, with one decimal below 100."""
    if value is None:
        return DASH
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def mebibytes(value: float | None) -> str:
    """Write a number of bytes in MiB."""
    return DASH if value is None else whole(value / 2**20)


def size_label(size: int) -> str:
    """Write a number of seeds in short form, as in the literature: 500, 1k, 2.5k."""
    if size < 1_000:
        return str(size)
    return f"{size / 1_000:.3f}".rstrip("0").rstrip(".") + "k"


def p_text(value: float) -> str:
    """Write a p-value."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Write "1 job" or "2 jobs"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(items: Sequence[str], last: str = "and") -> str:
    """Write "a", "a and b" or "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"
