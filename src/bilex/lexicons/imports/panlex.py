"""PanLex as CSV tables: expressions of two languages that share a meaning.

A meaning belongs to a source, a source to a group of related sources. The score of a pair is the
sum over groups of the best quality in the group, so that copies of one dictionary count once; the
weight is the score divided by the highest one. Tables are joined in a temporary database, so that
memory is bounded whatever their size.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bilex.lexicons.imports.importer import Importer
from bilex.lexicons.imports.languages import PairRequest
from bilex.lexicons.imports.scratch import restored, scratch_database, stored
from bilex.lexicons.imports.start import ResourceStart
from bilex.lexicons.imports.tables import Table
from bilex.lexicons.imports.tally import Tally
from bilex.lexicons.imports.words import clean_label
from bilex.values import Entry

ROWS_AT_ONCE = 2**16
MOST_PAIRS = 10_000
"""Of one meaning; larger ones are word lists entered as one meaning, not synonyms."""

LOWEST_QUALITY = 0.5
"""Used for sources of lower quality, so that every weight is above 0."""

_NEEDED = ("langvar.csv", "expr.csv", "denotation.csv", "meaning.csv", "source.csv")
_MOST_DIGITS = 18
_SCHEMA = """
CREATE TABLE expr (id INTEGER PRIMARY KEY, side INTEGER, text BLOB);
CREATE TABLE denotation (meaning INTEGER, expr INTEGER, side INTEGER);
CREATE TABLE meaning (id INTEGER PRIMARY KEY, source INTEGER);
CREATE TABLE source (id INTEGER PRIMARY KEY, label TEXT, grp INTEGER, quality REAL);
"""
_TOO_LARGE = f"""
CREATE TABLE large AS SELECT meaning FROM denotation GROUP BY meaning
HAVING sum(side = 0) * sum(side = 1) > {MOST_PAIRS};
CREATE UNIQUE INDEX of_large ON large (meaning);
CREATE INDEX of_meaning ON denotation (meaning, side, expr);
"""  # noqa: S608 - a number of ours
# max() makes SQLite take the label of the row that has the maximum.
_PAIRS = f"""
CREATE TABLE pair AS
SELECT first, second, sum(quality) AS score, label, max(quality) FROM (
    SELECT a.expr AS first, b.expr AS second, coalesce(source.label, '') AS label,
        max(coalesce(source.quality, {LOWEST_QUALITY})) AS quality
    FROM denotation a
    JOIN denotation b ON b.meaning = a.meaning AND b.side = 1
    LEFT JOIN meaning ON meaning.id = a.meaning
    LEFT JOIN source ON source.id = meaning.source
    WHERE a.side = 0 AND a.meaning NOT IN (SELECT meaning FROM large)
    GROUP BY a.expr, b.expr, coalesce(source.grp, -1)
    ORDER BY a.expr, b.expr, quality DESC, label
) GROUP BY first, second;
"""  # noqa: S608 - a number of ours
_RESULT = """
SELECT a.text, b.text, score, label FROM pair
JOIN expr a ON a.id = first JOIN expr b ON b.id = second ORDER BY first, second
"""


def _read(path: Path, request: PairRequest, tally: Tally) -> Iterator[Entry]:
    varieties = _varieties(path, request, tally)
    with scratch_database(path, _SCHEMA) as database:
        expressions = _expressions(path, varieties, database, tally)
        meanings = _denotations(path, expressions, database, tally)
        _meanings(path, meanings, database, tally)
        _sources(path, database, tally)
        database.executescript(_TOO_LARGE)
        (large,) = database.execute("SELECT count(*) FROM large").fetchone()
        tally.leave_out(f"meanings with more than {MOST_PAIRS:,} pairs", large)
        database.executescript(_PAIRS)
        (best,) = database.execute("SELECT max(score) FROM pair").fetchone()
        for first, second, score, label in database.execute(_RESULT):
            provenance = f"panlex:{label}" if label else "panlex"
            yield Entry(restored(first), restored(second), score / best, provenance)


class _Variety(NamedTuple):
    """A variety of a language: its side of the pair, None for neither, and its code."""

    side: int | None
    code: str


def _varieties(path: Path, request: PairRequest, tally: Tally) -> dict[str, _Variety]:
    found: dict[str, _Variety] = {}
    for number, code in Table(path, "langvar.csv", ("id", "lang_code")).rows(tally):
        sides = [i for i, one in enumerate((request.source, request.target)) if one.matches(code)]
        found[number] = _Variety(sides[0] if sides else None, code[:20])
    return found


def _expressions(
    path: Path, varieties: dict[str, _Variety], database: sqlite3.Connection, tally: Tally
) -> tuple[np.ndarray, np.ndarray]:
    """Store the expressions of both languages; return their sorted numbers and their sides."""
    table = Table(path, "expr.csv", ("id", "langvar", "txt"))
    numbers, places = array("q"), array("b")
    unknown = _Variety(None, "?")

    def wanted() -> Iterator[tuple[int, int, bytes]]:
        for number, variety, text in table.rows(tally):
            side, code = varieties.get(variety, unknown)
            tally.entries += 1
            tally.saw(code)
            if side is not None:
                numbers.append(_number(table, number))
                places.append(side)
                yield numbers[-1], side, stored(text)

    database.executemany("INSERT OR REPLACE INTO expr VALUES (?, ?, ?)", wanted())
    found = np.frombuffer(numbers, np.int64) if numbers else np.empty(0, np.int64)
    sides_found = np.frombuffer(places, np.int8) if places else np.empty(0, np.int8)
    order = np.argsort(found, kind="stable")
    return found[order], sides_found[order]


def _denotations(
    path: Path,
    expressions: tuple[np.ndarray, np.ndarray],
    database: sqlite3.Connection,
    tally: Tally,
) -> np.ndarray:
    """Store the denotations of both languages; return the sorted numbers of their meanings."""
    table = Table(path, "denotation.csv", ("meaning", "expr"))
    found = array("q")
    for meanings, numbers in _blocks(table, tally):
        known, sides = expressions
        rows = np.searchsorted(known, numbers)
        rows[rows == len(known)] = 0
        kept = known[rows] == numbers if len(known) else np.zeros(len(numbers), bool)
        chosen = meanings[kept]
        found.frombytes(chosen.tobytes())
        database.executemany(
            "INSERT INTO denotation VALUES (?, ?, ?)",
            zip(chosen.tolist(), numbers[kept].tolist(), sides[rows[kept]].tolist(), strict=True),
        )
    return np.unique(np.frombuffer(found, np.int64)) if found else np.empty(0, np.int64)


def _meanings(path: Path, wanted: np.ndarray, database: sqlite3.Connection, tally: Tally) -> None:
    table = Table(path, "meaning.csv", ("id", "source"))
    for numbers, sources in _blocks(table, tally):
        kept = np.isin(numbers, wanted, kind="sort")
        database.executemany(
            "INSERT OR REPLACE INTO meaning VALUES (?, ?)",
            zip(numbers[kept].tolist(), sources[kept].tolist(), strict=True),
        )


def _sources(path: Path, database: sqlite3.Connection, tally: Tally) -> None:
    table = Table(path, "source.csv", ("id", "label", "grp", "quality"))
    for number, label, group, quality in table.rows(tally):
        row = (
            _number(table, number),
            clean_label(label),
            _number(table, group) if group else -_number(table, number) - 2,  # a group of its own
            max(float(_number(table, quality)) if quality else 0.0, LOWEST_QUALITY),
        )
        database.execute("INSERT OR REPLACE INTO source VALUES (?, ?, ?, ?)", row)


def _blocks(table: Table, tally: Tally) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield two columns of numbers, many rows at once."""
    rows = table.rows(tally)
    while block := list(islice(rows, ROWS_AT_ONCE)):
        first, second = zip(*block, strict=True)
        yield _numbers(table, first), _numbers(table, second)


def _numbers(table: Table, texts: tuple[str, ...]) -> np.ndarray:
    if max(map(len, texts)) > _MOST_DIGITS or not all(map(str.isdecimal, texts)):
        wrong = next(t for t in texts if len(t) > _MOST_DIGITS or not t.isdecimal())
        raise table.problem(f"found {wrong[:40]!r} in this or an earlier row, expected a number")
    return np.array(texts).astype(np.int64)


def _number(table: Table, text: str) -> int:
    if not text.isdecimal() or len(text) > _MOST_DIGITS:
        raise table.problem(f"found {text[:40]!r}, expected a number")
    return int(text)


def _sniff(start: ResourceStart) -> float:
    return 1.0 if set(_NEEDED) <= set(start.names) else 0.0


PANLEX = Importer(
    name="panlex",
    files="a folder or .zip of CSV tables",
    summary="PanLex, for thousands of languages; the weight grows with independent sources.",
    license="CC0-1.0",
    sniff=_sniff,
    read=_read,
)
