"""TMX 1.4b, the exchange format of translation memories: one unit for each entry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bilex
from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.export.entry_rules import DETAILS, texts_of
from bilex.export.xml_text import escape


def tmx(entries: Iterable[DictionaryEntry], facts: DictionaryFacts) -> Iterator[str]:
    """Yield the header, a unit with its properties for each entry, and the end."""
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
        f'<header creationtool="bilex" creationtoolversion="{bilex.__version__}" '
        'datatype="plaintext" segtype="phrase" adminlang="en" '
        f'srclang="{facts.source_language}" o-tmf="bilex">\n'
    )
    for name, text in (("title", facts.title), ("license", facts.license)):
        if text:
            yield f"  {_property(name, text)}\n"
    yield "</header>\n<body>\n"
    for entry in entries:
        texts = zip(DETAILS, texts_of(entry)[2:], strict=True)
        properties = "".join(_property(name, text) for name, text in texts if text)
        yield (
            f"<tu>{properties}\n"
            f'  <tuv xml:lang="{facts.source_language}"><seg>{escape(entry.source)}</seg></tuv>\n'
            f'  <tuv xml:lang="{facts.target_language}"><seg>{escape(entry.target)}</seg></tuv>\n'
            "</tu>\n"
        )
    yield "</body>\n</tmx>\n"


def _property(name: str, text: str) -> str:
    return f'<prop type="x-{name}">{escape(text)}</prop>'
