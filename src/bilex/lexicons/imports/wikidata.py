"""Lexemes of Wikidata, as a dump in JSON: senses that translate each other or share an item.

A sense has a statement "translation" (P5972) with another sense, or "item for this sense" (P5137);
senses of two languages with the same item are a pair. Senses are joined in a temporary database,
so that memory is bounded whatever the size of the dump.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from bilex.lexicons.imports.importer import Importer
from bilex.lexicons.imports.languages import PairRequest
from bilex.lexicons.imports.lines import json_object, numbered_byte_lines, objects
from bilex.lexicons.imports.scratch import restored, scratch_database, stored
from bilex.lexicons.imports.start import ResourceStart
from bilex.lexicons.imports.tally import Tally
from bilex.lexicons.imports.words import UNEXPECTED, clean_label
from bilex.values import Entry

MOST_PAIRS = 10_000
"""Of one item; more cannot be synonyms."""

_TRANSLATION, _ITEM = "P5972", "P5137"
_SCHEMA = """
CREATE TABLE sense (id BLOB, side INTEGER, word BLOB);
CREATE TABLE translation (sense BLOB, other BLOB);
CREATE TABLE item (id BLOB, side INTEGER, word BLOB);
"""
_INDEXES = f"""
CREATE INDEX of_sense ON sense (id, side);
CREATE INDEX of_item ON item (id, side);
CREATE TABLE large AS SELECT id FROM item GROUP BY id
HAVING sum(side = 0) * sum(side = 1) > {MOST_PAIRS};
"""  # noqa: S608 - a number of ours
_TRANSLATIONS = """
SELECT a.word, b.word, a.side, translation.sense FROM translation
JOIN sense a ON a.id = translation.sense
JOIN sense b ON b.id = translation.other AND b.side != a.side
ORDER BY translation.rowid, a.rowid, b.rowid
"""
_ITEMS = """
SELECT a.word, b.word, 0, a.id FROM item a JOIN item b ON b.id = a.id AND b.side = 1
WHERE a.side = 0 AND a.id NOT IN (SELECT id FROM large) ORDER BY a.rowid, b.rowid
"""


def _read(path: Path, request: PairRequest, tally: Tally) -> Iterator[Entry]:
    with scratch_database(path, _SCHEMA) as database:
        for number, line in numbered_byte_lines(path, tally):
            text = line.strip().removesuffix(b",")
            if text in (b"", b"[", b"]"):
                continue
            tally.entries += 1
            _store(json_object(path, number, text), request, tally, database)
        database.executescript(_INDEXES)
        (large,) = database.execute("SELECT count(*) FROM large").fetchone()
        tally.leave_out(f"items with more than {MOST_PAIRS:,} pairs", large)
        for first, second, side, origin in chain(
            database.execute(_TRANSLATIONS), database.execute(_ITEMS)
        ):
            words = restored(first), restored(second)
            source, target = reversed(words) if side else words
            yield Entry(source, target, provenance=f"wikidata:{clean_label(restored(origin))}")


def _store(
    record: dict[str, Any], request: PairRequest, tally: Tally, database: sqlite3.Connection
) -> None:
    words = [(side, stored(word)) for side, word in _lemmas(record.get("lemmas"), request, tally)]
    if not words:
        return
    for sense in objects(record.get("senses")):
        name = sense.get("id")
        if not isinstance(name, str):
            tally.leave_out(UNEXPECTED)
            continue
        claims = sense.get("claims")  # an empty list if there are none
        claims = claims if isinstance(claims, dict) else {}
        database.executemany(
            "INSERT INTO sense VALUES (?, ?, ?)", ((stored(name), *word) for word in words)
        )
        for other in _values(claims.get(_TRANSLATION), tally):
            database.execute("INSERT INTO translation VALUES (?, ?)", (stored(name), stored(other)))
        for item in _values(claims.get(_ITEM), tally):
            database.executemany(
                "INSERT INTO item VALUES (?, ?, ?)", ((stored(item), *word) for word in words)
            )


def _lemmas(lemmas: object, request: PairRequest, tally: Tally) -> Iterator[tuple[int, str]]:
    for code, lemma in lemmas.items() if isinstance(lemmas, dict) else ():
        word = lemma.get("value") if isinstance(lemma, dict) else None
        tally.saw(code)
        for side, language in enumerate((request.source, request.target)):
            if language.matches(code) and isinstance(word, str):
                yield side, word


def _values(statements: object, tally: Tally) -> Iterator[str]:
    """Yield what valid statements are about: the id of a sense or an item."""
    for statement in objects(statements):
        snak = statement.get("mainsnak")
        if statement.get("rank") == "deprecated":
            tally.leave_out("deprecated statements")
        elif not isinstance(snak, dict) or snak.get("snaktype") != "value":
            tally.leave_out("statements without a value")
        else:
            value = snak.get("datavalue")
            value = value.get("value") if isinstance(value, dict) else None
            found = value.get("id") if isinstance(value, dict) else None
            if isinstance(found, str):
                yield found
            else:
                tally.leave_out(UNEXPECTED)


def _sniff(start: ResourceStart) -> float:
    if not start.first.startswith((b"[", b"{")) or b'"lemmas"' not in start.data:
        return 0.0
    return 0.95 if b'"lexicalCategory"' in start.data or b'"senses"' in start.data else 0.5


WIKIDATA = Importer(
    name="wikidata",
    files=".json, .json.gz, .json.bz2",
    summary="Lexemes of Wikidata (latest-lexemes.json).",
    license="CC0-1.0",
    sniff=_sniff,
    read=_read,
)
