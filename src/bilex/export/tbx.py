"""TBX, the exchange format of term bases: dialect TBX-Core, DCA style (ISO 30042:2019).

A source word and its translations are one concept. TBX-Core has no data categories but the note,
so what is known of a translation is written as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.export.entry_rules import by_source, details_line
from bilex.export.xml_text import escape

NAMESPACE = "urn:iso:std:iso:30042:ed-2"
LICENSE = "License: "


def tbx(entries: Iterable[DictionaryEntry], facts: DictionaryFacts) -> Iterator[str]:
    """Yield the header, a concept for each source word, and the end."""
    source_language, target_language = facts.source_language, facts.target_language
    yield from _header(facts)
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


def _header(facts: DictionaryFacts) -> Iterator[str]:
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<tbx type="TBX-Core" style="dca" xml:lang="{facts.source_language}" '
        f'xmlns="{NAMESPACE}">\n<tbxHeader>\n<fileDesc>\n'
    )
    if facts.title:
        yield f"  <titleStmt><title>{escape(facts.title)}</title></titleStmt>\n"
    if facts.license:
        yield f"  <publicationStmt><p>{LICENSE}{escape(facts.license)}</p></publicationStmt>\n"
    yield (
        "  <sourceDesc><p>A bilingual dictionary written by bilex.</p></sourceDesc>\n"
        "</fileDesc>\n</tbxHeader>\n<text>\n<body>\n"
    )
