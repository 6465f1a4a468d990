"""TEI P5 dictionaries in the layout of FreeDict: entries with a form and translations in senses.

The probability is the attribute `cert`, which may be a number from 0 to 1. A sense has the part of
speech (`gramGrp`) and the label (`usg`) of its translations. A rejected entry is a citation of
another type, so that other programs do not take it for a translation. Reviewers' notes and all
other fields are notes beside the translation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bilex.errors import DictionaryFileError
from bilex.lexicons.dictionary import Dictionary, DictionaryEntry, DictionaryMetadata
from bilex.lexicons.entries import RowProblem, is_number
from bilex.lexicons.formats.entry_rules import (
    by_meaning,
    by_source,
    details_line,
    entry_of,
    read_details_line,
)
from bilex.lexicons.formats.file_start import FileStart
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.two_languages import fits
from bilex.lexicons.formats.xml_nodes import LANGUAGE, Node, root_name, xml_parts
from bilex.lexicons.formats.xml_text import escape

_NAMESPACE = "http://www.tei-c.org/ns/1.0"
_NOTE, _REMARK = "provenance", "review"
_REJECTED = "rejected"
_LABEL = "hint"
_IN_ELEMENTS = {"probability", "part_of_speech", "sense", "note"}
ROOTS = {"TEI", "TEI.2"}
_TRANSLATIONS = {"trans", "translation", "translationEquivalent"}
_OF_OTHER_WORDS = {"re", "entry", "xr"}
_WORDS = {"quote", "orth"}
BESIDE_THE_WORD = {"cit", "colloc", "dicteg", "usg", "note", "gramGrp", *_OF_OTHER_WORDS}


def _render(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Iterator[str]:
    yield from _header(metadata)
    for source, group in by_source(entries):
        yield f"<entry>\n  <form><orth>{escape(source)}</orth></form>\n"
        for meaning, run in by_meaning(group):
            yield "  <sense>\n"
            if meaning.part_of_speech:
                yield f"    <gramGrp><pos>{escape(meaning.part_of_speech)}</pos></gramGrp>\n"
            if meaning.sense:
                yield f'    <usg type="{_LABEL}">{escape(meaning.sense)}</usg>\n'
            yield from (_citation(entry, metadata.target_language) for entry in run)
            yield "  </sense>\n"
        yield "</entry>\n"
    yield "</body>\n</text>\n</TEI>\n"


def _citation(entry: DictionaryEntry, language: str) -> str:
    kind = _REJECTED if entry.origin == "rejected" else "trans"
    certainty = "" if entry.probability is None else f' cert="{float(entry.probability)!r}"'
    # The type alone says that an entry is rejected, so that one edit takes it back.
    origin = "reviewed" if entry.origin == "rejected" else entry.origin
    details = escape(details_line(entry._replace(origin=origin), _IN_ELEMENTS))
    remark = f'<note type="{_REMARK}">{escape(entry.note)}</note>' if entry.note else ""
    return (
        f'    <cit type="{kind}" xml:lang="{language}"{certainty}>'
        f"<quote>{escape(entry.target)}</quote>"
        f'<note type="{_NOTE}">{details}</note>{remark}</cit>\n'
    )


def _header(metadata: DictionaryMetadata) -> Iterator[str]:
    if metadata.license:
        terms = f"<availability><licence>{escape(metadata.license)}</licence></availability>"
    else:
        terms = '<availability status="unknown"><p>No license was stated.</p></availability>'
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<TEI xmlns="{_NAMESPACE}">\n<teiHeader>\n<fileDesc>\n'
        f"  <titleStmt><title>{escape(metadata.title)}</title></titleStmt>\n"
        f"  <publicationStmt><publisher>unknown</publisher>{terms}</publicationStmt>\n"
        "  <sourceDesc><p>A bilingual dictionary written by bilex.</p></sourceDesc>\n"
        "</fileDesc>\n<profileDesc>\n  <langUsage>"
        f'<language ident="{metadata.source_language}">source</language>'
        f'<language ident="{metadata.target_language}">target</language></langUsage>\n'
        f'</profileDesc>\n</teiHeader>\n<text>\n<body xml:lang="{metadata.source_language}">\n'
    )


def _read(path: Path, source_language: str | None, target_language: str | None) -> Dictionary:
    """Pair the forms of each entry with its translations; examples are left out."""
    parts = xml_parts(path, {"teiHeader", "entry"})
    root = next(parts)
    if root.name not in ROOTS:
        raise DictionaryFileError(path, f"found <{root.name}>, expected <TEI>", line=root.line)
    reader = _Reader(path, source_language, target_language)
    title = terms = ""
    for part in parts:
        if part.name == "entry":
            reader.read(part)
        else:
            title, terms = about(part)
    metadata = DictionaryMetadata(
        source_language=reader.source or "und",
        target_language=reader.target or "und",
        title=title,
        license=terms,
    )
    missing = reader.untranslated
    notes = (f"entries without a word or a translation: {missing:,}",) if missing else ()
    return Dictionary(tuple(reader.entries), metadata, notes)


class _Reader:
    """Collects the entries; languages that were not requested are those of the first entry."""

    def __init__(self, path: Path, source: str | None, target: str | None) -> None:
        self._path = path
        self._requested = target
        self.source = source
        self.target = target
        self.entries: list[DictionaryEntry] = []
        self.untranslated = 0

    def read(self, entry: Node) -> None:
        """Add the pairs of one entry."""
        self.source = self.source or entry.language or None
        words = headwords(entry)
        before = len(self.entries)
        try:
            for citation, context in _citations(entry, {}):
                self._add(words, citation, context)
        except RowProblem as problem:
            raise DictionaryFileError(self._path, str(problem), line=entry.line) from None
        self.untranslated += len(self.entries) == before

    def _add(self, words: list[str], citation: Node, context: Mapping[str, str]) -> None:
        details = {**context, **_details(citation)}
        for quote in quotes(citation):
            language = quote.attributes.get(LANGUAGE) or citation.attributes.get(LANGUAGE)
            if self._is_wanted(language, quote.line):
                self.entries += (entry_of(word, quote.text, details) for word in words)

    def _is_wanted(self, language: str | None, line: int) -> bool:
        if language is None:
            return True
        self.target = self.target or language
        if fits(self.target, language):
            return True
        if self._requested is None:
            raise DictionaryFileError(
                self._path,
                f"found translations into {self.target} and {language}: say which to read "
                "(target_language)",
                line=line,
            )
        return False


def headwords(entry: Node) -> list[str]:
    """Return the spellings of the word that an entry is about."""
    return [
        orth.text
        for form in entry.children
        if form.name == "form"
        for orth in form.children
        if orth.name == "orth"
    ]


def translations(node: Node) -> Iterator[Node]:
    """Yield the citations that translate the word itself, not an example or a related word."""
    for citation, _ in _citations(node, {}):
        if citation.attributes.get("type") != _REJECTED:
            yield citation


def _citations(node: Node, around: Mapping[str, str]) -> Iterator[tuple[Node, Mapping[str, str]]]:
    """Yield translations and rejected ones, with the part of speech and the label around them."""
    context = {**around, **dict(_context(node))}
    for child in node.children:
        if child.name == "cit":
            if child.attributes.get("type") in {*_TRANSLATIONS, _REJECTED}:
                yield child, context
        elif child.name not in _OF_OTHER_WORDS:
            yield from _citations(child, context)


def _context(node: Node) -> Iterator[tuple[str, str]]:
    for child in node.children:
        if child.name == "gramGrp":
            yield from (("part_of_speech", pos.text) for pos in child.all("pos"))
        elif child.name == "usg" and child.attributes.get("type") == _LABEL:
            yield "sense", child.text


def quotes(citation: Node) -> Iterator[Node]:
    """Yield the words of a translation, not those of examples or labels in it."""
    for child in citation.children:
        if child.name in _WORDS:
            yield child
        elif child.name not in BESIDE_THE_WORD:
            yield from quotes(child)


def _details(citation: Node) -> dict[str, str]:
    certainty = citation.attributes.get("cert", "")  # may also be a word such as "high"
    details = {"probability": certainty if is_number(certainty) else ""}
    for note in citation.all("note"):
        if note.attributes.get("type") == _NOTE:
            details |= read_details_line(note.text) or {}
        elif note.attributes.get("type") == _REMARK:
            details["note"] = note.text
    if citation.attributes.get("type") == _REJECTED:
        details["origin"] = "rejected"
    return details


def about(header: Node) -> tuple[str, str]:
    """Return the title and the license in a header; empty if it has none."""
    title = next((node.text for node in header.all("title")), "")
    terms = ""
    for availability in header.all("availability"):
        if availability.attributes.get("status") != "unknown":
            licences = [node.text for node in availability.all("licence")]
            terms = " ".join(licences or [availability.text])
            break
    return title, terms


def _sniff(start: FileStart) -> float:
    return 1.0 if root_name(start.data) in ROOTS else 0.0


TEI = Format(
    name="tei",
    extensions=(".tei", ".tei.xml"),
    summary="TEI P5 in the layout of FreeDict, for lexicographers.",
    render=_render,
    read=_read,
    sniff=_sniff,
    compressible=True,
    keeps_rejected=True,
)
