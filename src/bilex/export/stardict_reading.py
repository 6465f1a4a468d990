"""Read StarDict folders whose articles are plain text, ours and those of other tools."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.errors import LexiconFileError
from bilex.export.contents import Dictionary
from bilex.export.entry_rules import entry_of, read_details_line
from bilex.export.stardict import ARTICLE_TYPE, MAGIC, stem_of
from bilex.lexicons.entries import RowProblem

LONGEST_ARTICLE = 2**22
"""In bytes; a damaged index must not fill the memory."""

LARGEST_INDEX = 2**30

Place = tuple[int, int, str]
"""Where an article starts, its length, its word."""


def find_description(path: Path) -> Path:
    """Return the .ifo file: the path itself, or the only one in a folder.

    Raises:
        LexiconFileError: If there is none, or more than one.
    """
    if not path.is_dir():
        return path
    found = sorted(path.glob("*.ifo"))
    if len(found) != 1:
        raise LexiconFileError(
            path, f"found {len(found)} .ifo files, expected the one of a StarDict dictionary"
        )
    return found[0]


def read_stardict(path: Path) -> Dictionary:
    """Read each line of an article as a translation; synonyms (.syn) are not read.

    Raises:
        LexiconFileError: If a file is missing or damaged, or the articles are not plain text.
    """
    ifo = find_description(path)
    options = _options(ifo)
    kind = options.get("sametypesequence", "")
    if kind != ARTICLE_TYPE:
        raise LexiconFileError(
            ifo,
            f"its articles are of type {kind or 'mixed'!r}, expected plain text ('m'): convert it "
            "first, for example with PyGlossary",
        )
    entries: list[DictionaryEntry] = []
    empty = 0
    article, last = "", (-1, -1)
    with _opened(ifo, ".dict", ".dict.dz") as file:
        for start, length, word in sorted(_places(ifo, options)):
            if (start, length) != last:  # words may share an article, and going back is slow
                article, last = _article(ifo, file, start, length, word), (start, length)
            before = len(entries)
            entries += _pairs(ifo, word, article)
            empty += len(entries) == before
    notes = [f"words without a translation: {empty:,}"] if empty else []
    if ifo.with_suffix(".syn").exists():
        notes.append("synonyms (.syn)")
    return Dictionary(entries, _facts(options), tuple(notes))


def _options(ifo: Path) -> dict[str, str]:
    try:
        first, *lines = ifo.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise LexiconFileError(ifo, "not in UTF-8, expected the .ifo file of StarDict") from None
    except OSError as error:
        raise LexiconFileError(ifo, f"cannot be read: {error.strerror or error}") from None
    if first.strip() != MAGIC:
        raise LexiconFileError(ifo, f"starts with {first[:40]!r}, expected {MAGIC!r}", line=1)
    pairs = (line.strip().partition("=") for line in lines if "=" in line)
    return {name.strip(): text.strip() for name, _, text in pairs}


def _facts(options: dict[str, str]) -> DictionaryFacts:
    facts = DictionaryFacts(
        source_language=options.get("source_language", "und"),
        target_language=options.get("target_language", "und"),
        title=options.get("bookname", ""),
        license=options.get("license", ""),
    )
    if facts.title == stem_of(facts):  # written when there is none
        return DictionaryFacts(
            source_language=facts.source_language,
            target_language=facts.target_language,
            license=facts.license,
        )
    return facts


def _places(ifo: Path, options: dict[str, str]) -> Iterator[Place]:
    with _opened(ifo, ".idx", ".idx.gz") as file:
        index = file.read(LARGEST_INDEX)
    place = struct.Struct(">QI" if options.get("idxoffsetbits") == "64" else ">II")
    position = 0
    while position < len(index):
        end = index.find(b"\0", position)
        if end < 0 or end + 1 + place.size > len(index):
            raise LexiconFileError(ifo.with_suffix(".idx"), "ends in the middle of a word")
        start, length = place.unpack_from(index, end + 1)
        if length > LONGEST_ARTICLE:
            raise LexiconFileError(
                ifo.with_suffix(".idx"), f"an article has {length:,} bytes: the index is damaged"
            )
        yield start, length, _decoded(ifo, index[position:end])
        position = end + 1 + place.size


def _article(ifo: Path, file: IO[bytes], start: int, length: int, word: str) -> str:
    file.seek(start)
    data = file.read(length)
    if len(data) < length:
        raise LexiconFileError(
            ifo.with_suffix(".dict"), f"ends before the article of {word!r}: it was cut short"
        )
    return _decoded(ifo, data)


def _decoded(ifo: Path, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise LexiconFileError(ifo, f"{data[:40]!r} is not UTF-8") from None


def _pairs(ifo: Path, word: str, article: str) -> Iterator[DictionaryEntry]:
    for line in article.split("\n"):
        target, _, rest = line.partition("\t")
        details = read_details_line(rest)
        if details is None:
            target = " ".join(line.split("\t"))
        target = target.strip(" \r\0")
        if target:
            try:
                yield entry_of(word.strip(" "), target, details or {})
            except RowProblem as problem:
                raise LexiconFileError(ifo, f"article {word!r}: {problem}") from None


@contextmanager
def _opened(ifo: Path, plain: str, packed: str) -> Iterator[IO[bytes]]:
    """Open the file beside a description that has one of two endings."""
    stem = ifo.name.removesuffix(".ifo")
    for ending in (plain, packed):
        path = ifo.with_name(stem + ending)
        if path.exists():
            break
    else:
        raise LexiconFileError(ifo, f"there is no {stem}{plain} beside it")
    try:
        with path.open("rb") if ending == plain else gzip.open(path) as file:
            yield file  # type: ignore[misc]  # a gzip file reads bytes too
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise LexiconFileError(path, f"the archive is damaged ({error})") from None
    except OSError as error:
        raise LexiconFileError(path, f"cannot be read: {error.strerror or error}") from None
