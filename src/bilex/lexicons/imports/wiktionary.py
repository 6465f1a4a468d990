"""Wiktionary, as JSON Lines of wiktextract (kaikki.org): the translations in its entries.

Only translations are pairs. The glosses of an entry are definitions in the language of the
edition, so an entry of another language has no pair.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from bilex.errors import LexiconFileError
from bilex.lexicons.imports.importer import Importer
from bilex.lexicons.imports.languages import Language, PairRequest
from bilex.lexicons.imports.lines import json_object, numbered_byte_lines, objects
from bilex.lexicons.imports.start import ResourceStart
from bilex.lexicons.imports.tally import Tally, pair_name
from bilex.lexicons.imports.words import EMPTY
from bilex.values import Entry

PROVENANCE = "wiktionary"

SURVEYED = 100_000
"""Entries whose languages are counted for the message that a pair is missing."""


def _read(path: Path, request: PairRequest, tally: Tally) -> Iterator[Entry]:
    mentions = _Mentions(request)
    found = False
    for number, line in numbered_byte_lines(path, tally):
        if not line.strip():
            continue
        _check_ends(path, number, line)
        tally.entries += 1
        if mentions.pair_in(line):
            for entry in _pairs(json_object(path, number, line), request, tally):
                found = True
                yield entry
    if not found:
        _survey(path, tally)


def _check_ends(path: Path, number: int, line: bytes) -> None:
    """Raise if a line is not a JSON object; it is parsed later, only if it may hold a pair."""
    stripped = line.strip()
    if not (stripped.startswith(b"{") and stripped.endswith(b"}")):
        raise LexiconFileError(
            path, "expected one JSON object a line: is the file cut short?", line=number
        )


class _Mentions:
    """Finds the lines that may hold a pair, without parsing them.

    A line with a pair has a code of each language as a JSON string: `"fi"`, or `"fi-` for a
    variety. The codes of Wiktionary are in lower case. They could also be written with escapes for
    ASCII letters, which no extract does; a line with such an escape is parsed too.
    """

    def __init__(self, request: PairRequest) -> None:
        self._find_source = _code_of(request.source).search
        self._find_target = _code_of(request.target).search

    def pair_in(self, line: bytes) -> bool:
        """Return whether a line may hold a pair, or is a redirect, which is counted."""
        if self._find_target(line) and self._find_source(line):
            return True
        return b'"redirect"' in line or b"\\u00" in line


def _code_of(language: Language) -> re.Pattern[bytes]:
    codes = dict.fromkeys((language.requested.lower(), *language.spellings()))
    return re.compile(f'"(?:{"|".join(map(re.escape, codes))})["_-]'.encode())


def _pairs(record: dict[str, Any], request: PairRequest, tally: Tally) -> Iterator[Entry]:
    word = record.get("word")
    if not isinstance(word, str):
        tally.leave_out("redirects" if "redirect" in record else EMPTY)
        return
    language = record.get("lang_code")
    backward = request.target.matches(language)
    if not backward and not request.source.matches(language):
        return
    wanted = request.source if backward else request.target
    for translation in _translations(record):
        if not wanted.matches(_code(translation)):
            continue
        other = translation.get("word")
        if not isinstance(other, str):
            tally.leave_out(EMPTY)
        elif backward:
            yield Entry(other, word, provenance=PROVENANCE)
        else:
            yield Entry(word, other, provenance=PROVENANCE)


def _translations(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the translations of the word and of its senses."""
    senses = objects(record.get("senses"))
    lists = (objects(sense.get("translations")) for sense in senses)
    return chain(objects(record.get("translations")), chain.from_iterable(lists))


def _code(translation: dict[str, Any]) -> object:
    return translation.get("lang_code") or translation.get("code")


def _survey(path: Path, tally: Tally) -> None:
    """Count the pairs of languages in the first entries."""
    lines = numbered_byte_lines(path, Tally())
    for number, line in islice(lines, SURVEYED):
        if line.strip():
            record = json_object(path, number, line)
            for translation in _translations(record):
                tally.saw(pair_name(record.get("lang_code"), _code(translation)))
    lines.close()
    if tally.entries > SURVEYED:
        tally.note(f"Only the first {SURVEYED:,} entries were searched for other languages.")


def _sniff(start: ResourceStart) -> float:
    if not start.first.startswith(b"{"):
        return 0.0
    has = [key in start.data for key in (b'"lang_code"', b'"word"', b'"pos"', b'"senses"')]
    if sum(has) >= 3:
        return 0.9
    return 0.8 if b'"redirect"' in start.data and b'"title"' in start.data else 0.0


WIKTIONARY = Importer(
    name="wiktionary",
    files=".jsonl, .jsonl.gz",
    summary="Wiktionary as extracted by wiktextract (kaikki.org).",
    license="CC-BY-SA-4.0",
    sniff=_sniff,
    read=_read,
)
