"""Read TBX: ours, other dialects of ISO 30042:2019, and the older TBX of ISO 30042:2008."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.errors import LexiconFileError
from bilex.export.contents import Dictionary
from bilex.export.entry_rules import entry_of, read_details_line
from bilex.export.tbx import LICENSE
from bilex.export.two_languages import TwoLanguages
from bilex.export.xml_nodes import Node, xml_parts
from bilex.lexicons.entries import RowProblem

ROOTS = {"tbx", "martif"}
_HEADERS = {"tbxHeader", "martifHeader"}
_CONCEPTS = {"conceptEntry", "termEntry"}
_LANGUAGES = {"langSec", "langSet"}
_TERMS = {"termSec", "tig", "ntig"}


def read_tbx(path: Path, source_language: str | None, target_language: str | None) -> Dictionary:
    """Pair each source term of a concept with each target term.

    Raises:
        LexiconFileError: If it is no TBX file, or has more than two languages and none are asked
            for.
    """
    languages = TwoLanguages(path, source_language, target_language)
    parts = xml_parts(path, _HEADERS | _CONCEPTS)
    root = next(parts)
    if root.name not in ROOTS:
        raise LexiconFileError(path, f"found <{root.name}>, expected <tbx>", line=root.line)
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
            raise LexiconFileError(path, str(problem), line=part.line) from None
        unpaired += len(entries) == before
    facts = DictionaryFacts(
        source_language=languages.source or "und",
        target_language=languages.target or "und",
        title=title,
        license=terms,
    )
    notes = (f"concepts without a term in both languages: {unpaired:,}",) if unpaired else ()
    return Dictionary(entries, facts, notes)


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
    """Yield each term and what a note of ours tells of it."""
    for node in section.children:
        if node.name in _TERMS:
            notes = (read_details_line(note.text) for note in node.all("note"))
            details = next((details for details in notes if details is not None), {})
            for term in node.all("term"):
                yield term.text, details


def _about(header: Node) -> tuple[str, str]:
    title = next((node.text for node in header.all("title")), "")
    paragraphs = [p.text for node in header.all("publicationStmt") for p in node.all("p")]
    terms = (text.removeprefix(LICENSE) for text in paragraphs if text.startswith(LICENSE))
    return title, next(terms, "")
