"""Custom terminologies for Amazon Translate, in one direction: CSV and TMX.

Sources: "Creating a custom terminology" (a header of language codes, source first), "Guidelines and
quotas" and "TerminologyData" (at most 10,485,760 bytes, and 200 bytes for each source and target),
"Best practices" (no two translations of one source; case matters). How a CSV file is quoted is
documented only for parallel data, in "Parallel data input files": a field with a comma is in double
quotes, and no field starts with +, -, = or @. Its example of an escaped double quote is not
standard CSV, so such words are left out there; TMX holds them.
"""

from __future__ import annotations

from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.formats import tmx
from bilex.lexicons.formats.delimited import fixed_table
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.glossary_file import (
    MEBIBYTES_10,
    PLAIN,
    GlossaryFile,
    at_most,
    comma_row,
    held_by_xml,
    language_row,
    not_starting_with,
    on_one_line,
    stripped,
)

_LONGEST = at_most(200)


def _start_of_tmx(metadata: DictionaryMetadata) -> str:
    languages = DictionaryMetadata(
        source_language=metadata.source_language, target_language=metadata.target_language
    )
    return tmx.start(languages)


def _unit(entry: DictionaryEntry, metadata: DictionaryMetadata) -> str:
    return tmx.unit(entry, metadata)


_CSV = GlossaryFile(
    row=comma_row,
    start=language_row,
    checks=(*PLAIN, not_starting_with("+-=@"), _LONGEST),
    largest=MEBIBYTES_10,
)
_TMX = GlossaryFile(
    row=_unit,
    start=_start_of_tmx,
    end=tmx.END,
    checks=(on_one_line, stripped, held_by_xml, _LONGEST),
    largest=MEBIBYTES_10,
)

AWS = Format(
    name="aws",
    extensions=(".aws.csv",),
    summary="A custom terminology for Amazon Translate: one translation a word.",
    keeps=("source", "target"),
    render=_CSV.render,
    select=_CSV.select,
    table=fixed_table(",", has_header=True),
    needs_languages=True,
)

AWS_TMX = Format(
    name="aws-tmx",
    extensions=(".aws.tmx",),
    summary="The same terminology as TMX, which also holds words with double quotes.",
    keeps=("source", "target"),
    render=_TMX.render,
    select=_TMX.select,
    needs_languages=True,
)
