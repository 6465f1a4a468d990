"""TMX 1.4b, the exchange format of translation memories: one unit for each entry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.formats.entry_rules import DETAILS, texts_of
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.xml_text import escape
from bilex.storage.version import __version__

END = "</body>\n</tmx>\n"
"""The text after the units."""


def _render(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Iterator[str]:
    yield start(metadata)
    for entry in entries:
        texts = zip(DETAILS, texts_of(entry)[2:], strict=True)
        properties = "".join(_property(name, text) for name, text in texts if text)
        yield unit(entry, metadata, properties)
    yield END


def start(metadata: DictionaryMetadata) -> str:
    """Return the text before the units."""
    given = (("title", metadata.title), ("license", metadata.license))
    properties = "".join(f"  {_property(name, text)}\n" for name, text in given if text)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
        f'<header creationtool="bilex" creationtoolversion="{__version__}" '
        'datatype="plaintext" segtype="phrase" adminlang="en" '
        f'srclang="{metadata.source_language}" o-tmf="bilex">\n'
        f"{properties}</header>\n<body>\n"
    )


def unit(entry: DictionaryEntry, metadata: DictionaryMetadata, properties: str = "") -> str:
    """Return the unit of an entry."""
    source, target = metadata.source_language, metadata.target_language
    return (
        f"<tu>{properties}\n"
        f'  <tuv xml:lang="{source}"><seg>{escape(entry.source)}</seg></tuv>\n'
        f'  <tuv xml:lang="{target}"><seg>{escape(entry.target)}</seg></tuv>\n'
        "</tu>\n"
    )


def _property(name: str, text: str) -> str:
    return f'<prop type="x-{name}">{escape(text)}</prop>'


TMX = Format(
    name="tmx",
    extensions=(".tmx",),
    summary="TMX 1.4b, for translation memories such as OmegaT, Trados and memoQ.",
    render=_render,
    compressible=True,
)
