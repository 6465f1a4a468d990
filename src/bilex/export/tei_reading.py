"""Read TEI dictionaries laid out as FreeDict's, ours among them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.errors import LexiconFileError
from bilex.export.contents import Dictionary
from bilex.export.entry_rules import entry_of, read_details_line
from bilex.export.tei import NOTE
from bilex.export.two_languages import fits
from bilex.export.xml_nodes import LANGUAGE, Node, xml_parts
from bilex.lexicons.entries import RowProblem, is_number

ROOTS = {"TEI", "TEI.2"}
_TRANSLATIONS = {"trans", "translation", "translationEquivalent"}
_OF_OTHER_WORDS = {"re", "entry", "xr"}


def read_tei(path: Path, source_language: str | None, target_language: str | None) -> Dictionary:
    """Pair the forms of each entry with its translations; examples are left out.

    Raises:
        LexiconFileError: If it is no TEI file, or has several target languages and none is asked
            for.
    """
    parts = xml_parts(path, {"teiHeader", "entry"})
    root = next(parts)
    if root.name not in ROOTS:
        raise LexiconFileError(path, f"found <{root.name}>, expected <TEI>", line=root.line)
    reader = _Reader(path, source_language, target_language)
    title = terms = ""
    for part in parts:
        if part.name == "entry":
            reader.read(part)
        else:
            title, terms = _about(part)
    facts = DictionaryFacts(
        source_language=reader.source or "und",
        target_language=reader.target or "und",
        title=title,
        license=terms,
    )
    missing = reader.untranslated
    notes = (f"entries without a word or a translation: {missing:,}",) if missing else ()
    return Dictionary(reader.entries, facts, notes)


class _Reader:
    """Collects the entries, and learns the languages from the first."""

    def __init__(self, path: Path, source: str | None, target: str | None) -> None:
        self._path = path
        self._asked = target
        self.source = source
        self.target = target
        self.entries: list[DictionaryEntry] = []
        self.untranslated = 0

    def read(self, entry: Node) -> None:
        """Add the pairs of one entry."""
        self.source = self.source or entry.language or None
        words = [
            orth.text
            for form in entry.children
            if form.name == "form"
            for orth in form.children
            if orth.name == "orth"
        ]
        before = len(self.entries)
        try:
            for citation in _translations(entry):
                self._add(words, citation)
        except RowProblem as problem:
            raise LexiconFileError(self._path, str(problem), line=entry.line) from None
        self.untranslated += len(self.entries) == before

    def _add(self, words: list[str], citation: Node) -> None:
        details = _details(citation)
        for quote in citation.all("quote", "orth"):
            language = quote.attributes.get(LANGUAGE) or citation.attributes.get(LANGUAGE)
            if self._is_wanted(language, quote.line):
                self.entries += (entry_of(word, quote.text, details) for word in words)

    def _is_wanted(self, language: str | None, line: int) -> bool:
        if language is None:
            return True
        self.target = self.target or language
        if fits(self.target, language):
            return True
        if self._asked is None:
            raise LexiconFileError(
                self._path,
                f"found translations into {self.target} and {language}: say which to read "
                "(target_language)",
                line=line,
            )
        return False


def _translations(node: Node) -> Iterator[Node]:
    """Yield the citations that translate the word itself, not an example or a related word."""
    for child in node.children:
        if child.name == "cit":
            if child.attributes.get("type") in _TRANSLATIONS:
                yield child
        elif child.name not in _OF_OTHER_WORDS:
            yield from _translations(child)


def _details(citation: Node) -> dict[str, str]:
    certainty = citation.attributes.get("cert", "")  # may also be a word such as "high"
    details = {"probability": certainty if is_number(certainty) else ""}
    for note in citation.all("note"):
        if note.attributes.get("type") == NOTE:
            details |= read_details_line(note.text) or {}
    return details


def _about(header: Node) -> tuple[str, str]:
    title = next((node.text for node in header.all("title")), "")
    terms = ""
    for availability in header.all("availability"):
        if availability.attributes.get("status") != "unknown":
            licences = [node.text for node in availability.all("licence")]
            terms = " ".join(licences or [availability.text])
            break
    return title, terms
