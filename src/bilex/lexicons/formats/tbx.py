"""TBX, the exchange format of term bases (ISO 30042).

Files are written in the dialect TBX-Basic in DCA style (ISO 30042:2019): a sense of a source word
and its translations are one concept. What reviewers decided is the administrative status of a
translation: preferred for the best one, admitted for others, deprecated for rejected ones. Fields
that TBX-Basic has no place for are a note. All dialects of 2019 and the older TBX of ISO 30042:2008
(`martif`) are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from bilex.errors import DictionaryFileError
from bilex.lexicons.dictionary import Dictionary, DictionaryEntry, DictionaryMetadata, Origin
from bilex.lexicons.entries import RowProblem
from bilex.lexicons.formats.entry_rules import (
    by_meaning,
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
_DEFINITION_GROUPS = {"descrip", "descripGrp", "definition"}
PREFERRED, _ADMITTED = "preferredTerm-admn-sts", "admittedTerm-admn-sts"
_DEPRECATED = "deprecatedTerm-admn-sts"
FORBIDDEN = "forbidden"  # of Weblate, like obsolete
_ORIGINS: dict[str, Origin] = {
    PREFERRED: "reviewed",
    _ADMITTED: "reviewed",
    _DEPRECATED: "rejected",
    FORBIDDEN: "rejected",
    "obsolete": "rejected",
}
_PARTS_OF_SPEECH = {"noun", "verb", "adjective", "adverb"}
_OTHER = "other"  # the part of speech that stands for all those that TBX-Basic does not name
_IN_ELEMENTS = {"sense", "note", "reviewer"}


def _render(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Iterator[str]:
    yield _header(metadata)
    for number, (meaning, group) in enumerate(by_meaning(entries), start=1):
        yield (
            f'<conceptEntry id="c{number}">\n'
            f'  <langSec xml:lang="{metadata.source_language}">'
            f"{typed('descrip', 'definition', meaning.sense)}"
            f"<termSec>{source_term(meaning.source, meaning.part_of_speech)}</termSec>"
            "</langSec>\n"
            f'  <langSec xml:lang="{metadata.target_language}">\n'
        )
        best = next((entry for entry in group if entry.origin == "reviewed"), None)
        for entry in group:
            status = _status(entry.origin, is_best=entry is best)
            yield f"    <termSec>{target_term(entry, status)}</termSec>\n"
        yield "  </langSec>\n</conceptEntry>\n"
    yield "</body>\n</text>\n</tbx>\n"


def source_term(word: str, part_of_speech: str) -> str:
    """Return a source word and its part of speech; one that TBX-Basic does not name is "other"."""
    is_known = part_of_speech in _PARTS_OF_SPEECH or not part_of_speech
    shown = part_of_speech if is_known else _OTHER
    return f"<term>{escape(word)}</term>{typed('termNote', 'partOfSpeech', shown)}"


def target_term(entry: DictionaryEntry, status: str, *, remark: str = "<note>") -> str:
    """Return a translation with all fields of the entry.

    Args:
        entry: The entry.
        status: The administrative status; empty if there is none.
        remark: The tag of the reviewer's note.
    """
    is_named = entry.part_of_speech in _PARTS_OF_SPEECH
    note = details_line(entry, _IN_ELEMENTS | {"part_of_speech"} if is_named else _IN_ELEMENTS)
    return (
        f"<term>{escape(entry.target)}</term>"
        + typed("termNote", "administrativeStatus", status)
        + f"<note>{escape(note)}</note>"
        + (f"{remark}{escape(entry.note)}</note>" if entry.note else "")
        + _transaction(entry)
    )


def _status(origin: Origin, *, is_best: bool) -> str:
    if origin == "reviewed":
        return PREFERRED if is_best else _ADMITTED
    return _DEPRECATED if origin == "rejected" else ""


def _transaction(entry: DictionaryEntry) -> str:
    """Return who reviewed an entry, and on which day."""
    if not entry.reviewer and not entry.reviewed_at:
        return ""
    day = entry.reviewed_at[:10]
    return (
        f"<transacGrp>{typed('transac', 'transactionType', 'modification')}"
        + (f"<date>{day}</date>" if day else "")
        + f"{typed('transacNote', 'responsibility', entry.reviewer)}</transacGrp>"
    )


def typed(element: str, kind: str, text: str) -> str:
    """Return an element with a data category as its type; empty without a text."""
    return f'<{element} type="{kind}">{escape(text)}</{element}>' if text else ""


def _header(metadata: DictionaryMetadata) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<tbx type="TBX-Basic" style="dca" xml:lang="{metadata.source_language}" '
        f'xmlns="{_NAMESPACE}">\n<tbxHeader>\n{file_description(metadata)}'
        "</tbxHeader>\n<text>\n<body>\n"
    )


def file_description(metadata: DictionaryMetadata) -> str:
    """Return title and license, as the header of a file holds them."""
    lines = ["<fileDesc>"]
    if metadata.title:
        lines.append(f"  <titleStmt><title>{escape(metadata.title)}</title></titleStmt>")
    if metadata.license:
        terms = f"{_LICENSE}{escape(metadata.license)}"
        lines.append(f"  <publicationStmt><p>{terms}</p></publicationStmt>")
    lines.append("  <sourceDesc><p>A bilingual dictionary written by bilex.</p></sourceDesc>")
    return "\n".join([*lines, "</fileDesc>", ""])


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
    sense = _definition(source) or _definition(concept)
    targets = [(term.text, _details(node)) for node, term in _terms(target)]
    for node, word in _terms(source):
        part_of_speech = _category(node, "partOfSpeech")
        for translation, details in targets:
            given = dict(details, sense=sense)
            if part_of_speech != _OTHER or "part_of_speech" not in details:
                given["part_of_speech"] = part_of_speech
            yield entry_of(word.text, translation, given)


def _terms(section: Node) -> Iterator[tuple[Node, Node]]:
    """Yield each term with the element around it that describes it."""
    for node in section.children:
        if node.name in _TERMS:
            for term in node.all("term"):
                yield node, term


def _details(section: Node) -> dict[str, str]:
    """Return the fields of a translation: in the note that bilex wrote, and in elements."""
    details: dict[str, str] = {}
    remarks = []
    for note in section.all("note"):
        found = None if details else read_details_line(note.text)
        if found is None:
            remarks.append(note.text)
        else:
            details = found
    if details:  # a transaction of another program need not be a review
        details["reviewer"] = _category(section, "responsibility")
    details["note"] = " ".join(filter(None, remarks))
    status = _ORIGINS.get(_category(section, "administrativeStatus"))
    return details if status is None else {**details, "origin": status}


def _category(node: Node, name: str) -> str:
    """Return the text of a data category, in either style: an element, or the type of one."""
    for found in node.all("termNote", "transacNote", "descrip", name):
        if found.name == name or found.attributes.get("type") == name:
            return found.text
    return ""


def _definition(node: Node) -> str:
    """Return the definition of a concept or language section itself, not that of a part of it."""
    for child in node.children:
        if child.name in _DEFINITION_GROUPS:
            if child.name == "definition" or child.attributes.get("type") == "definition":
                return child.text
            if found := _category(child, "definition"):
                return found
    return ""


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
    keeps_rejected=True,
)
