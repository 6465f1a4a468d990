"""FreeDict dictionaries for dictd (`.index` and `.dict.dz`), as Debian packages hold them.

An article starts with a line of the headword, its pronunciation between slashes and its part of
speech in angle brackets. Translations follow: on the next line, or on lines that start with the
number of a sense; commas separate them. All other lines are definitions, examples or references.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from bilex.errors import LexiconFileError
from bilex.lexicons.imports.importer import Importer
from bilex.lexicons.imports.languages import PairRequest
from bilex.lexicons.imports.licenses import license_id
from bilex.lexicons.imports.lines import (
    BUFFER,
    LONGEST_ROW,
    numbered_byte_lines,
    opened,
    text_of,
)
from bilex.lexicons.imports.named import NamedLanguages
from bilex.lexicons.imports.start import ResourceStart
from bilex.lexicons.imports.tally import Tally
from bilex.values import Entry

LONGEST_ARTICLE = 2**20
"""In bytes; an article about the dictionary itself may have some ten thousand."""

_DIGITS = {
    digit: value
    for value, digit in enumerate(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    )
}
_MOST_DIGITS = 8
_DATABASE = re.compile("00-?database")
_PRONUNCIATION = re.compile(r" +//?[^/]*//?(?= |$)")
_LABELS = re.compile(r" *(?:<[^<>]*>|\[[^][]*\])")
_SENSE = re.compile(r"(\d+)\. +(.+)")
_NEXT_SENSE = re.compile(r" +\d+\.$")
_MIXED = re.compile(r"(?:^|\s)/[^/]+/(?=$|\s|[,;])|>[^\s,;.)<\[]")
_BESIDE = re.compile(r'"|see: |Synonyms?: |Notes?: |\d+\.$')
_SEPARATOR = re.compile(r"[,;] +(?![^()]*\))")
_AVAILABILITY = re.compile(r"Availability:\s*(.+?)(?:\n\s*\n\S|\Z)", re.DOTALL)


def _read(path: Path, request: PairRequest, tally: Tally) -> Iterator[Entry]:
    index, articles = _files(path)
    languages = NamedLanguages(index, request, tally)
    provenance = languages.provenance("freedict")
    for start, article in _articles(articles, _places(index, tally), tally):
        if _DATABASE.match(article) or start.startswith("00"):
            _read_about(article, tally)
            continue
        tally.entries += 1
        tally.saw(languages.name)
        if languages.is_reversed is None:
            continue
        for word, translation in _pairs(article, tally):
            pair = (translation, word) if languages.is_reversed else (word, translation)
            yield Entry(*pair, provenance=provenance)


def _files(path: Path) -> tuple[Path, Path]:
    """Return the index and the articles, of which either may be given."""
    for end in (".index", ".dict.dz", ".dict"):
        if path.name.endswith(end):
            stem = path.name.removesuffix(end)
            break
    else:
        raise LexiconFileError(path, "expected a file that ends in .index, .dict.dz or .dict")
    index = path.with_name(f"{stem}.index")
    packed, plain = path.with_name(f"{stem}.dict.dz"), path.with_name(f"{stem}.dict")
    articles = packed if packed.exists() else plain
    for file in (index, articles):
        if not file.is_file():
            raise LexiconFileError(file, f"no such file; it belongs to {path.name}")
    return index, articles


def _places(index: Path, tally: Tally) -> list[tuple[int, int, bool]]:
    """Return where articles start, their lengths, and if they are about the dictionary; sorted."""
    starts, lengths, about = array("q"), array("q"), bytearray()
    for number, line in numbered_byte_lines(index, tally, longest=LONGEST_ROW):
        cells = text_of(index, number, line).split("\t")
        if len(cells) < 3:
            raise LexiconFileError(
                index, "expected headword, start and length separated by tabs", line=number
            )
        starts.append(_number(cells[1], index, number))
        lengths.append(_number(cells[2], index, number))
        about.append(_DATABASE.match(cells[0]) is not None)
        if lengths[-1] > LONGEST_ARTICLE:
            raise LexiconFileError(
                index, f"an article of {lengths[-1]:,} bytes: is it a dictionary?", line=number
            )
    # Several headwords may share an article.
    return sorted(set(zip(starts, lengths, map(bool, about), strict=True)))


def _number(text: str, index: Path, line: int) -> int:
    """Return a number in the base 64 of dictd."""
    value = 0
    if not 0 < len(text) <= _MOST_DIGITS or not _DIGITS.keys() >= set(text):
        raise LexiconFileError(
            index,
            f"the position is {text[:20]!r}, expected 1 to {_MOST_DIGITS} letters, digits, + or /",
            line=line,
        )
    for digit in text:
        value = value * 64 + _DIGITS[digit]
    return value


def _articles(
    path: Path, places: list[tuple[int, int, bool]], tally: Tally
) -> Iterator[tuple[str, str]]:
    """Yield the articles in the order of the file, which is read only once."""
    with opened(path) as (plain, raw):
        position, size = 0, path.stat().st_size
        for start, length, is_about in places:
            if start < position:
                continue  # the same text under another headword
            _skip(path, plain, start - position)
            data = plain.read(length)
            if len(data) < length:
                raise LexiconFileError(
                    path, "is shorter than its .index says: is the file cut short?"
                )
            position = start + length
            tally.advance(raw.tell(), size)
            yield "00" if is_about else "", text_of(path, 0, data)


def _skip(path: Path, plain: IO[bytes], size: int) -> None:
    while size > 0:
        data = plain.read(min(size, BUFFER))
        if not data:
            raise LexiconFileError(path, "is shorter than its .index says: is the file cut short?")
        size -= len(data)


def _read_about(article: str, tally: Tally) -> None:
    found = _AVAILABILITY.search(article)
    if found is not None and not tally.license:
        tally.license = license_id(found[1])


def _pairs(article: str, tally: Tally) -> Iterator[tuple[str, str]]:
    lines = article.split("\n")
    word = headword(lines[0])
    found = False
    for place, line in enumerate(lines[1:]):
        text = _translations(line, is_first=place == 0)
        if not text:
            continue
        found = True
        if _MIXED.search(text):  # the abbreviation of a translation follows without a space
            tally.leave_out("lines with abbreviations")
            continue
        bare = _NEXT_SENSE.sub("", _LABELS.sub("", text))
        for translation in _SEPARATOR.split(bare):
            yield word, translation
    if not found:
        tally.leave_out("articles without a line of translations")


def _translations(line: str, *, is_first: bool) -> str:
    """Return the translations in a line; empty for a definition, an example or a reference."""
    sense = _SENSE.fullmatch(line)
    if sense is not None:
        return sense[2]
    text = line.strip()
    return text if is_first and not _BESIDE.match(text) else ""


def headword(line: str) -> str:
    """Return the headword of an article without pronunciations and parts of speech."""
    return _PRONUNCIATION.sub("", _LABELS.sub("", line)).strip(" ")


def _sniff(start: ResourceStart) -> float:
    if not start.path.name.endswith((".index", ".dict", ".dict.dz")):
        return 0.0
    try:
        _files(start.path)
    except LexiconFileError:
        return 0.0
    return 0.9


DICTD = Importer(
    name="dictd",
    files=".index with .dict.dz beside it",
    summary="FreeDict dictionaries for dictd, as in the Debian packages dict-freedict-*.",
    sniff=_sniff,
    read=_read,
)
