"""Glossaries for Weblate: TBX of 2008 with forbidden translations, and simple CSV.

"TermBase eXchange format" of the Weblate documentation: a term whose administrative status is
`forbidden` is a forbidden translation, and a note from the translator is its explanation. Each
entry is a `termEntry` with one term in each language, which all versions of Weblate read; its id
depends only on the words, so that Weblate recognizes the entry in a newer file.

"CSV files": a header with `source` and `target`. Weblate guesses separator and quoting, and
recommends not to quote, so words that need it are left out. CSV has no forbidden translations.
"""

from __future__ import annotations

from hashlib import sha256

from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.formats.delimited import fixed_table
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.glossary_file import (
    ONE_PAIR,
    PLAIN,
    GlossaryFile,
    comma_row,
    held_by_xml,
    on_one_line,
    stripped,
    without,
)
from bilex.lexicons.formats.tbx import (
    FORBIDDEN,
    PREFERRED,
    TBX,
    file_description,
    source_term,
    target_term,
    typed,
)

_DOCTYPE = (
    '<!DOCTYPE martif PUBLIC "ISO 12200:1999A//DTD MARTIF core (DXFcdV04)//EN" "TBXcdv04.dtd">'
)
_EXPLANATION = '<note from="translator">'
_STATUS = {"reviewed": PREFERRED, "rejected": FORBIDDEN}


def _start(metadata: DictionaryMetadata) -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n{_DOCTYPE}\n'
        f'<martif type="TBX" xml:lang="{metadata.source_language}">\n<martifHeader>\n'
        f"{file_description(metadata)}</martifHeader>\n<text>\n<body>\n"
    )


def _row(entry: DictionaryEntry, metadata: DictionaryMetadata) -> str:
    name = sha256(f"{entry.source}\t{entry.target}".encode()).hexdigest()[:16]
    status = _STATUS.get(entry.origin, "")
    return (
        f'<termEntry id="t{name}">\n'
        f'  <langSet xml:lang="{metadata.source_language}">'
        f"{typed('descrip', 'definition', entry.sense)}"
        f"<tig>{source_term(entry.source, entry.part_of_speech)}</tig></langSet>\n"
        f'  <langSet xml:lang="{metadata.target_language}">'
        f"<tig>{target_term(entry, status, remark=_EXPLANATION)}</tig></langSet>\n"
        "</termEntry>\n"
    )


_TBX = GlossaryFile(
    row=_row,
    start=_start,
    end="</body>\n</text>\n</martif>\n",
    checks=(on_one_line, stripped, held_by_xml),
    once=(ONE_PAIR,),
)
_CSV = GlossaryFile(
    row=comma_row,
    start=lambda metadata: "source,target\n",
    checks=(*PLAIN, without(",;", "comma or semicolon")),
)

WEBLATE = Format(
    name="weblate",
    extensions=(".weblate.tbx",),
    summary="A glossary for Weblate (TBX of 2008); rejected entries are forbidden translations.",
    keeps_rejected=True,
    render=_TBX.render,
    select=_TBX.select,
    read=TBX.read,
    needs_languages=True,
)

WEBLATE_CSV = Format(
    name="weblate-csv",
    extensions=(".weblate.csv",),
    summary="A simple glossary for Weblate: one translation a word.",
    keeps=("source", "target"),
    render=_CSV.render,
    select=_CSV.select,
    table=fixed_table(",", has_header=True),
)
