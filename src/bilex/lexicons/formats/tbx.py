"""TBX, the exchange format of term bases (ISO 30042).

Files are written in the dialect TBX-Core in DCA style (ISO 30042:2019): a source word and its
translations are one concept, and the fields of a translation are a note, because TBX-Core has no
other place for them. All dialects of 2019 and the older TBX of ISO 30042:2008 (`martif`) are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from bilex.errors import DictionaryFileError
from bilex.lexicons.dictionary import Dictionary, DictionaryEntry, DictionaryMetadata
from bilex.lexicons.entries import RowProblem
from bilex.lexicons.formats.entry_rules import (
    by_source,
    details_line,
    entry_of,
    read_details_line,
)
from bilex.lexicons.formats.file_start import FileStart
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.two_languages import TwoLanguages
from bilex.lexicons.formats.xml_nodes import Node, root_name, xml_parts
from bilex.lexicons.formats.xml_text import escape

_NAMESPACE = "urn:iso:std:iso:30042:ed-2"
_LICENSE = "License: "
_ROOTS = {"tbx", "martif"}
_HEADERS = {"tbxHeader", "martifHeader"}
_CONCEPTS = {"conceptEntry", "termEntry"}
_LANGUAGES = {"langSec", "langSet"}
_TERMS = {"termSec", "tig", "ntig"}


def _render(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Iterator[str]:
    source_language, target_language = metadata.source_language, metadata.target_language
    yield from _header(metadata)
    for number, (source, group) in enumerate(by_source(entries), start=1):
        yield (
            f'<conceptEntry id="c{number}">\n'
            f'  <langSec xml:lang="{source_language}">'
            f"<termSec><term>{escape(source)}</term></termSec></langSec>\n"
            f'  <langSec xml:lang="{target_language}">\n'
        )
        for entry in group:
            note = escape(details_line(entry))
            yield (
                f"    <termSec><term>{escape(entry.target)}</term><note>{note}</note></termSec>\n"
            )
        yield "  </langSec>\n</conceptEntry>\n"
    yield "</body>\n</text>\n</tbx>\n"


def _header(metadata: DictionaryMetadata) -> Iterator[str]:
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<tbx type="TBX-Core" style="dca" xml:lang="{metadata.source_language}" '
        f'xmlns="{_NAMESPACE}">\n<tbxHeader>\n<fileDesc>\n'
    )
    if metadata.title:
        yield f"  <titleStmt><title>{escape(metadata.title)}</title></titleStmt>\n"
    if metadata.license:
        yield f"  <publicationStmt><p>{_LICENSE}{escape(metadata.license)}</p></publicationStmt>\n"
    yield (
        "  <sourceDesc><p>A bilingual dictionary written by bilex.</p></sourceDesc>\n"
        "</fileDesc>\n</tbxHeader>\n<text>\n<body>\n"
    )


def _read(path: Path, source_language: str | None, target_language: str | None) -> Dictionary:
    """Pair each source term of a concept with each target term."""
    languages = TwoLanguages(path, source_language, target_language)
    parts = xml_parts(path, _HEADERS | _CONCEPTS)
    root = next(parts)
    if root.name not in _ROOTS:
        raise DictionaryFileError(path, f"found <{root.name}>, expected <tbx>", line=root.line)
    entries: list[DictionaryEntry] = []
    title = terms = ""
    unpaired = 0
    for part in parts:
        if part.name in _HEADERS:
            title, terms = _about(part)
            continue
        before = len(entries)
        try:
            entries += _pairs(part, languages)
        except RowProblem as problem:
            raise DictionaryFileError(path, str(problem), line=part.line) from None
        unpaired += len(entries) == before
    metadata = DictionaryMetadata(
        source_language=languages.source or "und",
        target_language=languages.target or "und",
        title=title,
        license=terms,
    )
    notes = (f"concepts without a term in both languages: {unpaired:,}",) if unpaired else ()
    return Dictionary(tuple(entries), metadata, notes)


def _pairs(concept: Node, languages: TwoLanguages) -> Iterator[DictionaryEntry]:
    sections = [node for node in concept.children if node.name in _LANGUAGES]
    chosen = languages.choose([section.language for section in sections], concept.line)
    if chosen is None:
        return
    source, target = (sections[position] for position in chosen)
    targets = list(_terms(target))
    for word, _ in _terms(source):
        for translation, details in targets:
            yield entry_of(word, translation, details)


def _terms(section: Node) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each term and the fields in its note, if bilex wrote one."""
    for node in section.children:
        if node.name in _TERMS:
            notes = (read_details_line(note.text) for note in node.all("note"))
            details = next((details for details in notes if details is not None), {})
            for term in node.all("term"):
                yield term.text, details


def _about(header: Node) -> tuple[str, str]:
    title = next((node.text for node in header.all("title")), "")
    paragraphs = [p.text for node in header.all("publicationStmt") for p in node.all("p")]
    terms = (text.removeprefix(_LICENSE) for text in paragraphs if text.startswith(_LICENSE))
    return title, next(terms, "")


def _sniff(start: FileStart) -> float:
    return 1.0 if root_name(start.data) in _ROOTS else 0.0


TBX = Format(
    name="tbx",
    extensions=(".tbx",),
    summary="TBX (ISO 30042), for term bases and translation tools.",
    render=_render,
    read=_read,
    sniff=_sniff,
    compressible=True,
)
