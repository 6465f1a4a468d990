"""FreeDict dictionaries in TEI: the headwords of an entry with the translations in its senses.

A dictionary may be spread over several files by XInclude; only files in the same folder, or in
folders inside it, are included.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bilex.errors import LexiconFileError
from bilex.lexicons.formats.tei import (
    BESIDE_THE_WORD,
    ROOTS,
    about,
    headwords,
    quotes,
    translations,
)
from bilex.lexicons.formats.xml_nodes import LANGUAGE, Node, root_name, xml_parts
from bilex.lexicons.imports.importer import Importer
from bilex.lexicons.imports.languages import PairRequest
from bilex.lexicons.imports.licenses import license_id
from bilex.lexicons.imports.named import NamedLanguages
from bilex.lexicons.imports.start import ResourceStart
from bilex.lexicons.imports.tally import Tally, pair_name
from bilex.lexicons.imports.words import EMPTY
from bilex.values import Entry

DEEPEST = 3
"""Levels of files that include each other."""

MOST_FILES = 1_000
_PARTS = {"teiHeader", "entry", "include"}


def _read(path: Path, request: PairRequest, tally: Tally) -> Iterator[Entry]:
    parts = xml_parts(path, _PARTS, tally.advance)
    root = next(parts)
    if root.name not in ROOTS:
        raise LexiconFileError(path, f"found <{root.name}>, expected <TEI>", line=root.line)
    reader = _Reader(path, request, tally)
    for part in _with_included(path, parts, Included(path)):
        if part.name == "entry":
            yield from reader.pairs(part)
        elif not tally.license:
            tally.license = license_id(about(part)[1])


class Included:
    """The files of one dictionary, so that none is read twice and none is outside its folder."""

    def __init__(self, path: Path) -> None:
        self._folder = path.parent.resolve()
        self._files = {path.resolve()}

    def add(self, path: Path, include: Node) -> Path | None:
        """Return the file to include; None if it was included before or is included as text.

        Raises:
            LexiconFileError: If it is not a file in the folder of the dictionary.
        """
        name = include.attributes.get("href", "")
        if include.attributes.get("parse") == "text" or not name:
            return None
        try:
            found = (path.parent / name).resolve()
            is_inside = found.is_relative_to(self._folder) and found.is_file()
        except (OSError, ValueError):
            is_inside = False
        if "://" in name or not is_inside:
            raise LexiconFileError(
                path,
                f"includes {name[:100]!r}, expected a file in the folder of the dictionary",
                line=include.line,
            )
        if found in self._files:
            return None
        self._files.add(found)
        if len(self._files) > MOST_FILES:
            raise LexiconFileError(path, f"includes more than {MOST_FILES:,} files")
        return found


def _with_included(
    path: Path, parts: Iterator[Node], included: Included, depth: int = 0
) -> Iterator[Node]:
    """Yield the parts of a file, with those of included files in their place."""
    for part in parts:
        if part.name != "include":
            yield part
            continue
        file = included.add(path, part)
        if file is None:
            continue
        if depth == DEEPEST:
            raise LexiconFileError(
                path, f"more than {DEEPEST} levels of included files", line=part.line
            )
        inner = (part for part in xml_parts(file, _PARTS) if part.name in _PARTS)
        yield from _with_included(file, inner, included, depth + 1)


class _Reader:
    """Pairs the headwords of entries with their translations into the requested language."""

    def __init__(self, path: Path, request: PairRequest, tally: Tally) -> None:
        self._request = request
        self._tally = tally
        named = NamedLanguages(path, request, Tally())
        self._codes = named.codes
        self._provenance = named.provenance("freedict")

    def pairs(self, entry: Node) -> Iterator[Entry]:
        """Yield the pairs of an entry as they are in the file."""
        self._tally.entries += 1
        words = headwords(entry)
        if not words:
            self._tally.leave_out(EMPTY)
        for citation in translations(entry):
            for quote in quotes(citation):
                backward = self._is_reversed(entry, citation, quote)
                if backward is None:
                    continue
                text = _text(quote)
                for word in words:
                    pair = (text, word) if backward else (word, text)
                    yield Entry(*pair, provenance=self._provenance)

    def _is_reversed(self, entry: Node, citation: Node, quote: Node) -> bool | None:
        """Compare languages, first by the file name: few files state the language of headwords."""
        source = self._codes[0] if self._codes else _known(entry.language)
        target = _known(quote.attributes.get(LANGUAGE)) or _known(citation.attributes.get(LANGUAGE))
        target = target or (self._codes[1] if self._codes else "")
        source = source or self._assumed(target, 0)
        target = target or self._assumed(source, 1)
        self._tally.saw(pair_name(source, target))
        return self._request.is_reversed(source, target)

    def _assumed(self, other: str, place: int) -> str:
        """Return the requested language in place of one that the file does not state."""
        both = (self._request.source, self._request.target)
        self._tally.note(
            "The file does not say all its languages: the requested ones are assumed for the "
            "others."
        )
        if not other:
            return both[place].requested
        return both[0].requested if both[1].matches(other) else both[1].requested


def _known(code: str | None) -> str:
    """Return a code; empty if the language is unknown."""
    return "" if code is None or code == "und" else code


def _text(quote: Node) -> str:
    """Return the text of a word without labels in it."""
    if not quote.children:
        return quote.text
    bare = Node(quote.name, quote.attributes, quote.line, quote.language)
    bare.content = [
        piece
        for piece in quote.content
        if isinstance(piece, str) or piece.name not in BESIDE_THE_WORD
    ]
    return bare.text


def _sniff(start: ResourceStart) -> float:
    return 1.0 if root_name(start.data) in ROOTS else 0.0


FREEDICT = Importer(
    name="freedict",
    files=".tei, .tei.gz",
    summary="FreeDict dictionaries in TEI; the license is that of each file.",
    sniff=_sniff,
    read=_read,
)
