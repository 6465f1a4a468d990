"""Rows of a file that are not used: the reasons, their count in words, and the list of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bilex.values import LeftOut

COMMENT = "comment"
NO_TRANSLATION = "no translation"
NO_SOURCE = "no source word"
UNREVIEWED = "not reviewed"
MARKED_WRONG = "marked wrong"

LINES_SHOWN = 3
"""How many line numbers of each reason a summary shows."""

_PHRASES = {
    COMMENT: ("comment", "comments"),
    NO_TRANSLATION: ("row without a translation", "rows without a translation"),
    NO_SOURCE: ("row without a source word", "rows without a source word"),
    UNREVIEWED: (
        "induced entry that nobody reviewed",
        "induced entries that nobody reviewed",
    ),
    MARKED_WRONG: ("row marked wrong", "rows marked wrong"),
}
_HEADER = ("line", "reason", "row")


def describe_left_out(rows: Sequence[LeftOut]) -> str:
    """Return how many rows were left out, why, and the first lines of each reason.

    Example:
        >>> describe_left_out([LeftOut(3, NO_TRANSLATION, "dog"), LeftOut(7, COMMENT, "# x")])
        '1 row without a translation (line 3), 1 comment (line 7)'
    """
    lines: dict[str, list[int]] = {}
    for row in rows:
        lines.setdefault(row.reason, []).append(row.line)
    return ", ".join(_phrase(reason, found) for reason, found in lines.items())


def left_out_table(rows: Iterable[LeftOut]) -> str:
    """Return a tab-separated table of all rows that were left out, with line and reason."""
    cells = [_HEADER, *((str(row.line or ""), row.reason, row.text) for row in rows)]
    return "".join("\t".join(map(_one_line, row)) + "\n" for row in cells)


def _phrase(reason: str, lines: Sequence[int]) -> str:
    one, several = _PHRASES.get(reason, (f"row: {reason}", f"rows: {reason}"))
    counted = f"{len(lines):,} {one if len(lines) == 1 else several}"
    known = [line for line in lines if line]
    if not known:
        return counted
    shown = ", ".join(f"{line:,}" for line in known[:LINES_SHOWN])
    more = ", …" if len(known) > LINES_SHOWN else ""
    return f"{counted} (line{'s' if len(known) > 1 else ''} {shown}{more})"


def _one_line(text: str) -> str:
    return " ".join(text.replace("\t", " | ").split("\n")).strip()
