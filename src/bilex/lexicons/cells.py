"""Cells that hold several words, such as `symbole; symboles`, and where to split them.

- A semicolon, a vertical bar, or a slash with spaces around it separates words.
- A comma and a space, or a slash, separates words if the column uses them regularly: in at least
  two of its cells, and in 5 % of them. Otherwise it is part of a phrase.
- Nothing is split inside brackets, and a cell is kept as it is if one of its parts would be without
  a letter or digit. Beside a comma or slash, a part has no more than three words, and is neither an
  article (`Hund, der`) nor a gender (`chien, n.m.`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bilex.lexicons.articles import is_article

REGULAR_CELLS = 2
REGULAR_SHARE = 0.05
"""A column uses a separator regularly if this many cells, and this share of them, have it."""

MOST_PARTS = 50
"""A cell with more is kept as it is: a text, not a list of translations."""

LONGEST_PART = 3
"""In words; a longer part beside a comma belongs to a sentence."""

_ALWAYS = re.compile(r"[;；|｜]|(?<=\s)/(?=\s)")  # the spaces beside it are dropped
_COMMA = re.compile(r",(?=\s)|[、،，]")
_SLASH = re.compile(r"/")
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_LABEL = re.compile(r"(?:n|v|adj|adv|m|f|nt|neut|masc|fem|pl|sg|sing)\b[. ]*(?:\w{1,2}\.?)?")


@dataclass(frozen=True, slots=True)
class CellSplitter:
    """Splits the cells of one column.

    Attributes:
        at_commas: Whether commas separate words in this column.
        at_slashes: Whether slashes do.
    """

    at_commas: bool = False
    at_slashes: bool = False

    @classmethod
    def for_column(cls, cells: Iterable[str]) -> CellSplitter:
        """Return the splitter for a column, from its cells or a sample of them."""
        filled = [cell for cell in cells if cell.strip()]
        return cls(
            at_commas=_is_regular(_COMMA, filled, _is_short_word),
            at_slashes=_is_regular(_SLASH, filled, _is_long_word),
        )

    def split(self, cell: str) -> list[str]:
        """Return the words of a cell; the cell itself if there is nothing to split.

        Example:
            >>> CellSplitter().split("symbole; symboles"), CellSplitter().split("well, yes")
            (['symbole', 'symboles'], ['well, yes'])
        """
        parts = _parts(_ALWAYS, [cell], _is_word)
        if self.at_commas:
            parts = _parts(_COMMA, parts, _is_short_word)
        if self.at_slashes:
            parts = _parts(_SLASH, parts, _is_long_word)
        return parts


_IsWord = Callable[[str], bool]


def looks_listed(cell: str) -> bool:
    """Return whether a cell would be split in some column."""
    return len(CellSplitter(at_commas=True).split(cell)) > 1


def _is_regular(separator: re.Pattern[str], cells: Sequence[str], is_word: _IsWord) -> bool:
    with_it = sum(len(_split_at(separator, cell, is_word)) > 1 for cell in cells)
    return with_it >= REGULAR_CELLS and with_it >= REGULAR_SHARE * len(cells)


def _parts(separator: re.Pattern[str], cells: Iterable[str], is_word: _IsWord) -> list[str]:
    return [part for cell in cells for part in _split_at(separator, cell, is_word)]


def _split_at(separator: re.Pattern[str], cell: str, is_word: _IsWord) -> list[str]:
    """Split at separators outside brackets; keep the cell if a part is not a word."""
    if separator.search(cell) is None:
        return [cell]
    hidden = _BRACKETED.sub(lambda found: "\0" * len(found[0]), cell)
    cuts = [found.span() for found in separator.finditer(hidden)]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(cell)]
    parts = [cell[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    filled = [part for part in parts if part]
    if not 0 < len(filled) <= MOST_PARTS:
        return [cell]
    return filled if all(map(is_word, filled)) else [cell]


def _is_word(part: str) -> bool:
    return any(map(str.isalnum, part))


def _is_short_word(part: str) -> bool:
    is_a_label = is_article(part) or _LABEL.fullmatch(part.lower()) is not None
    return any(map(str.isalpha, part)) and part.count(" ") < LONGEST_PART and not is_a_label


def _is_long_word(part: str) -> bool:
    """Return whether a part of a cell with slashes is a word, unlike those of km/h and 24/7."""
    return _is_short_word(part) and sum(map(str.isalpha, part)) > 1 and not part[0].isdigit()
