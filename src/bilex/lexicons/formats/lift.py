"""LIFT 0.13, the exchange format of FieldWorks (FLEx) and WeSay.

A source word is an entry, and each translation is a sense with one gloss. The part of speech is
`grammatical-info`, and the status that FieldWorks shows is a trait: Confirmed for reviewed entries,
Disproved for rejected ones, which are also kept out of its main dictionary. All other fields are
custom fields of the sense. Files of FieldWorks and WeSay are read with their glosses, or with their
definitions where a sense has no gloss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC
from pathlib import Path
from uuid import UUID, uuid5

from bilex.errors import DictionaryFileError
from bilex.lexicons.dictionary import Dictionary, DictionaryEntry, DictionaryMetadata, Origin
from bilex.lexicons.entries import RowProblem
from bilex.lexicons.formats.entry_rules import DETAILS, by_source, entry_of, texts_of, time_of
from bilex.lexicons.formats.file_start import FileStart
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.two_languages import fits
from bilex.lexicons.formats.xml_nodes import LANGUAGE, Node, root_name, xml_parts
from bilex.lexicons.formats.xml_text import escape, unescape
from bilex.storage.version import __version__

ROOT = "lift"
PARTS = {"header", "entry"}
_SENSES = ("sense", "subsense")
_NAMESPACE = UUID("6c1fb9f3-0f5b-5d0e-9a52-2a6f3a4d6c11")  # of the ids that bilex makes
_FIELD = "bilex-"
_FIELDS = tuple(name for name in DETAILS if name not in ("part_of_speech", "note"))
_STATUS: dict[Origin, str] = {"reviewed": "Confirmed", "rejected": "Disproved"}
_ORIGINS = {status: origin for origin, status in _STATUS.items()}
_HIDDEN = '<trait name="do-not-publish-in" value="Main Dictionary"/>'
_LICENSE = "license"

Form = tuple[str, str]
"""A language and a text in it."""


def _render(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Iterator[str]:
    yield from _header(metadata)
    seen: Counter[str] = Counter()  # a word that comes back must have another id
    both = f"{metadata.source_language}\t{metadata.target_language}"
    for source, group in by_source(entries):
        seen[source] += 1
        guid = uuid5(_NAMESPACE, f"{both}\t{source}\t{seen[source]}")
        yield (
            f'<entry id="{guid}" guid="{guid}"{_modified(group)}>\n'
            f"  <lexical-unit>{_form(source, metadata.source_language)}</lexical-unit>\n"
        )
        targets: Counter[str] = Counter()
        for entry in group:
            targets[entry.target] += 1
            sense = uuid5(guid, f"{entry.target}\t{targets[entry.target]}")
            yield f'  <sense id="{sense}">\n'
            yield from (f"    {line}\n" for line in _sense(entry, metadata.target_language))
            yield "  </sense>\n"
        yield "</entry>\n"
    yield "</lift>\n"


def _header(metadata: DictionaryMetadata) -> Iterator[str]:
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<lift version="0.13" producer="bilex {__version__}">\n<header>\n'
    )
    if metadata.title or metadata.license:
        terms = escape(metadata.license)
        terms = terms and f'<span class="{_LICENSE}">{terms}</span>'
        about = " ".join(filter(None, (escape(metadata.title), terms)))
        yield f'  <description><form lang="en"><text>{about}</text></form></description>\n'
    yield "  <fields>\n"
    for name in _FIELDS:
        yield (
            f'    <field tag="{_FIELD}{name}">{_form(f"{name} of a bilex dictionary", "en")}'
            '<form lang="qaa-x-spec"><text>Class=LexSense; Type=String; WsSelector=kwsAnal</text>'
            "</form></field>\n"
        )
    yield "  </fields>\n</header>\n"


def _sense(entry: DictionaryEntry, language: str) -> Iterator[str]:
    if entry.part_of_speech:
        yield f'<grammatical-info value="{escape(entry.part_of_speech)}"/>'
    yield f'<gloss lang="{language}"><text>{escape(entry.target)}</text></gloss>'
    if entry.note:
        yield f"<note>{_form(entry.note, language)}</note>"
    texts = dict(zip(DETAILS, texts_of(entry)[2:], strict=True))
    for name in _FIELDS:
        if texts[name]:
            yield f'<field type="{_FIELD}{name}">{_form(texts[name], language)}</field>'
    if entry.origin in _STATUS:
        yield f'<trait name="status" value="{_STATUS[entry.origin]}"/>'
    if entry.origin == "rejected":
        yield _HIDDEN


def _form(text: str, language: str) -> str:
    return f'<form lang="{language}"><text>{escape(text)}</text></form>'


def _modified(group: list[DictionaryEntry]) -> str:
    """Return when the last of the entries was reviewed; FieldWorks reads whole seconds of UTC."""
    found = []
    for moment in filter(None, (time_of(entry.reviewed_at) for entry in group)):
        try:
            found.append(moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC))
        except OverflowError:  # before the year 1 or after 9999 in UTC
            continue
    if not found:
        return ""
    return f' dateModified="{max(found).replace(microsecond=0, tzinfo=None).isoformat()}Z"'


def _read(path: Path, source_language: str | None, target_language: str | None) -> Dictionary:
    """Pair the word of each entry with the glosses of its senses."""
    parts = xml_parts(path, PARTS)
    root = next(parts)
    if root.name != ROOT:
        raise DictionaryFileError(path, f"found <{root.name}>, expected <{ROOT}>", line=root.line)
    reader = _Reader(path, source_language, target_language)
    title = terms = ""
    for part in parts:
        if part.name == "header":
            title, terms = _about(part)
        elif not is_deleted(part):
            reader.read(part)
    metadata = DictionaryMetadata(
        source_language=reader.source or "und",
        target_language=reader.target or "und",
        title=title,
        license=terms,
    )
    return Dictionary(tuple(reader.entries), metadata, tuple(reader.notes()))


class _Reader:
    """Collects the entries; languages that were not requested are those of the first entry."""

    def __init__(self, path: Path, source: str | None, target: str | None) -> None:
        self._path = path
        self._requested = target
        self.source = source
        self.target = target
        self.entries: list[DictionaryEntry] = []
        self._untranslated = 0
        self._other_forms: dict[str, None] = {}  # languages of forms that are not read

    def read(self, entry: Node) -> None:
        """Add the pairs of one entry."""
        word = self._word(words(entry))
        before = len(self.entries)
        try:
            for sense in senses(entry) if word else ():
                details = _details(entry, sense)
                self.entries += (entry_of(word, text, details) for text in self._texts(sense))
        except RowProblem as problem:
            raise DictionaryFileError(self._path, str(problem), line=entry.line) from None
        self._untranslated += len(self.entries) == before

    def notes(self) -> Iterator[str]:
        """Yield what was not read."""
        if self._untranslated:
            yield f"entries without a word or a translation: {self._untranslated:,}"
        if self._other_forms:
            yield f"words in other writing systems: {', '.join(self._other_forms)}"

    def _word(self, forms: list[Form]) -> str:
        if self.source is None and forms:
            self.source = forms[0][0]
        chosen = next(iter(_in_language(forms, self.source or "")), None)
        self._other_forms |= dict.fromkeys(form[0] for form in forms if form != chosen)
        return "" if chosen is None else chosen[1]

    def _texts(self, sense: Node) -> Iterator[str]:
        """Yield the glosses of a sense in the target language, else its definition."""
        found, meanings = glosses(sense), definitions(sense)
        if self.target is None:
            self.target = next((language for language, _ in found or meanings), None)
        wanted = self.target or ""
        for language, _ in found:
            if self._requested is None and not fits(wanted, language):
                raise DictionaryFileError(
                    self._path,
                    f"found translations into {wanted} and {language}: say which to read "
                    "(target_language)",
                    line=sense.line,
                )
        for _, text in _in_language(found, wanted) or _in_language(meanings, wanted):
            yield text


def _in_language(forms: list[Form], wanted: str) -> list[Form]:
    """Return the forms in a language; those in a variety of it if there are no others."""
    exact = [form for form in forms if form[0].lower() == wanted.lower()]
    return exact or [form for form in forms if fits(wanted, form[0])]


def words(entry: Node) -> list[Form]:
    """Return the forms of the word that an entry is about."""
    return _forms(entry, "lexical-unit") or _forms(entry, "citation")


def senses(entry: Node) -> Iterator[Node]:
    """Yield the senses of an entry, and the senses in them."""
    return entry.all(*_SENSES)


def glosses(sense: Node) -> list[Form]:
    """Return the glosses of a sense, without those of the senses in it."""
    found = (_form_of(child) for child in sense.children if child.name == "gloss")
    return [form for form in found if form[1]]


def definitions(sense: Node) -> list[Form]:
    """Return the definition of a sense in each language."""
    return _forms(sense, "definition")


def is_deleted(entry: Node) -> bool:
    """Return whether an entry only says that it was deleted."""
    return "dateDeleted" in entry.attributes


def is_rejected(sense: Node) -> bool:
    """Return whether a reviewer said that the glosses of a sense are wrong."""
    return _status(sense) == "rejected"


def _details(entry: Node, sense: Node) -> dict[str, str]:
    details: dict[str, str] = {}
    for child in sense.children:
        kind = child.attributes.get("type", "")
        if child.name == "field" and kind.startswith(_FIELD):
            details[kind.removeprefix(_FIELD)] = _first(child)
        elif child.name == "grammatical-info":
            details["part_of_speech"] = unescape(child.attributes.get("value", "").strip(" "))
    details["note"] = _general_note(sense) or _general_note(entry)
    details["origin"] = _status(sense) or details.get("origin", "")
    return details


def _status(sense: Node) -> Origin | None:
    for child in sense.children:
        if child.name == "trait" and child.attributes.get("name") == "status":
            return _ORIGINS.get(child.attributes.get("value", ""))
    return None


def _general_note(node: Node) -> str:
    for child in node.children:
        if child.name == "note" and child.attributes.get("type", "general") == "general":
            return _first(child)
    return ""


def _forms(node: Node, name: str) -> list[Form]:
    found = (
        _form_of(form)
        for child in node.children
        if child.name == name
        for form in child.children
        if form.name == "form"
    )
    return [form for form in found if form[1]]


def _first(node: Node) -> str:
    """Return the text in the first language that has one."""
    texts = (_form_of(form)[1] for form in node.children if form.name == "form")
    return next(filter(None, texts), "")


def _form_of(form: Node) -> Form:
    """Return the language and text of a form; annotations beside it are no part of the text."""
    text = next((child.text for child in form.children if child.name == "text"), "")
    return form.attributes.get(LANGUAGE, ""), text


def _about(header: Node) -> tuple[str, str]:
    """Return the title and the license in a header."""
    for description in header.children:
        if description.name == "description":
            for text in description.all("text"):
                terms = [one for one in text.all("span") if one.attributes.get("class") == _LICENSE]
                text.content = [piece for piece in text.content if piece not in terms]
                return text.text, terms[0].text if terms else ""
    return "", ""


def _sniff(start: FileStart) -> float:
    return 1.0 if root_name(start.data) == ROOT else 0.0


LIFT = Format(
    name="lift",
    extensions=(".lift",),
    summary="LIFT 0.13, for FieldWorks (FLEx) and WeSay.",
    keeps_rejected=True,
    render=_render,
    read=_read,
    sniff=_sniff,
)
