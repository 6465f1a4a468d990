"""Word pairs as they were read from a file, and what was counted while reading them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bilex.errors import DictionaryFileError
from bilex.lexicons.dictionary import DictionaryEntry
from bilex.lexicons.entries import RowLeftOut, RowProblem
from bilex.lexicons.formats.entry_rules import DEFAULT_ORIGIN, ORIGINS
from bilex.lexicons.left_out import (
    COMMENT,
    NO_SOURCE,
    NO_TRANSLATION,
    describe_left_out,
)
from bilex.values import Entry, LeftOut

LONGEST_SHOWN = 100
"""Characters that are kept of each cell that was left out."""

Row = TypeVar("Row")
Content = TypeVar("Content", str, list[str])


@dataclass(frozen=True, slots=True)
class PairRows:
    """The word pairs of a file, and what was counted while reading them.

    The fields have the same meaning as in `LexiconReport`.
    """

    pairs: tuple[Entry, ...]
    columns: tuple[str, ...]
    ignored_columns: tuple[str, ...] = ()
    lines: int = 0
    blank_lines: int = 0
    rows: int = 0
    encoding: str = "UTF-8"
    sheet: str = ""
    source_column: str = ""
    target_columns: tuple[str, ...] = ()
    split_cells: int = 0
    decimal_commas: int = 0
    reviewed: int = 0
    left_out: tuple[LeftOut, ...] = ()
    entry_lines: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()

    def left_out_notes(self) -> tuple[str, ...]:
        """Return what a dictionary made from these pairs does not contain."""
        notes = []
        if self.ignored_columns:
            notes.append(f"columns: {', '.join(self.ignored_columns)}")
        if any(pair.weight != 1 for pair in self.pairs):
            notes.append("weights")
        if self.left_out:
            notes.append(describe_left_out(self.left_out))
        return tuple(notes)


class RowReader:
    """Turns rows of a file into pairs or entries, and keeps what is left out."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = 0
        self.blank_lines = 0
        self.rows = 0
        self.left_out: list[LeftOut] = []

    def parsed(self, line: int, row: Content, parse: Callable[[Content], Row]) -> Row | None:
        """Return what a row holds, by its text or cells; None if it is left out.

        Raises:
            DictionaryFileError: If the row is not valid.
        """
        self.rows += 1
        try:
            return parse(row)
        except RowLeftOut as reason:
            self.left_out.append(LeftOut(line, str(reason), _shown(row)))
            return None
        except RowProblem as problem:
            raise DictionaryFileError(self.path, str(problem), line=line) from None

    def leave_out(self, line: int, reason: str, row: str | Sequence[str]) -> None:
        """Count a row that is not used."""
        self.rows += 1
        self.left_out.append(LeftOut(line, reason, _shown(row)))

    def require_pairs(self, pairs: int) -> None:
        """Raise if the rows hold no pair, or if most of them lack a word.

        Raises:
            DictionaryFileError: If so; a wrong separator has this effect.
        """
        reasons = Counter(row.reason for row in self.left_out)
        lacking = reasons[NO_TRANSLATION] + reasons[NO_SOURCE]
        if not pairs and not lacking:
            found = "comments" if reasons[COMMENT] else "a header line"
            raise DictionaryFileError(self.path, f"found {found} but no word pair below it")
        if lacking > pairs:
            first = next(row for row in self.left_out if row.reason in (NO_TRANSLATION, NO_SOURCE))
            word = "translation" if first.reason == NO_TRANSLATION else "source word"
            raise DictionaryFileError(
                self.path,
                f"{lacking:,} of {self.rows:,} rows have only one word, such as "
                f"{first.text.strip()[:40]!r} without a {word}: expected a source and a target "
                "word; if they are in other columns, name them, for example "
                "--columns source=1,target=3",
                line=first.line,
            )

    def notes(self) -> tuple[str, ...]:
        """Return a summary of the rows that were left out."""
        return (describe_left_out(self.left_out),) if self.left_out else ()


def _shown(row: str | Sequence[str]) -> str:
    cells = row.split("\t") if isinstance(row, str) else row
    return "\t".join(cell[:LONGEST_SHOWN] for cell in cells[:LONGEST_SHOWN])


def entry_of_pair(pair: Entry) -> DictionaryEntry:
    """Return a word pair as an entry: a seed, unless its provenance is the name of an origin."""
    origin = next((name for name in ORIGINS if name == pair.provenance), DEFAULT_ORIGIN)
    return DictionaryEntry(pair.source, pair.target, origin=origin)
