"""TEI P5 as FreeDict lays dictionaries out: entries with a form, a sense and its translations.

The probability is `cert`, which may be a number from 0 to 1; what else is known of a translation
is a note beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.export.entry_rules import by_source, details_line
from bilex.export.xml_text import escape

NAMESPACE = "http://www.tei-c.org/ns/1.0"
NOTE = "provenance"


def tei(entries: Iterable[DictionaryEntry], facts: DictionaryFacts) -> Iterator[str]:
    """Yield the header, an entry for each source word, and the end."""
    yield from _header(facts)
    for source, group in by_source(entries):
        yield f"<entry>\n  <form><orth>{escape(source)}</orth></form>\n  <sense>\n"
        for entry in group:
            probability = entry.probability
            certainty = "" if probability is None else f' cert="{float(probability)!r}"'
            note = escape(details_line(entry._replace(probability=None)))
            yield (
                f'    <cit type="trans" xml:lang="{facts.target_language}"{certainty}>'
                f"<quote>{escape(entry.target)}</quote>"
                f'<note type="{NOTE}">{note}</note></cit>\n'
            )
        yield "  </sense>\n</entry>\n"
    yield "</body>\n</text>\n</TEI>\n"


def _header(facts: DictionaryFacts) -> Iterator[str]:
    if facts.license:
        terms = f"<availability><licence>{escape(facts.license)}</licence></availability>"
    else:
        terms = '<availability status="unknown"><p>No license was stated.</p></availability>'
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<TEI xmlns="{NAMESPACE}">\n<teiHeader>\n<fileDesc>\n'
        f"  <titleStmt><title>{escape(facts.title)}</title></titleStmt>\n"
        f"  <publicationStmt><publisher>unknown</publisher>{terms}</publicationStmt>\n"
        "  <sourceDesc><p>A bilingual dictionary written by bilex.</p></sourceDesc>\n"
        "</fileDesc>\n<profileDesc>\n  <langUsage>"
        f'<language ident="{facts.source_language}">source</language>'
        f'<language ident="{facts.target_language}">target</language></langUsage>\n'
        f'</profileDesc>\n</teiHeader>\n<text>\n<body xml:lang="{facts.source_language}">\n'
    )
