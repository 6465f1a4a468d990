"""Glossaries for Google Cloud Translation: one-way pairs, and equivalent term sets.

Sources: "GlossaryInputConfig" of the client libraries (one-way: two columns, source first, no
header; term sets: CSV), "REST Resource: projects.locations.glossaries" (at most 10 million Unicode
code points), and "Custom glossary format" of the Google Translator Toolkit, where term sets come
from (a header of language codes; commas in double quotes). What Google does with a repeated term
could not be confirmed: bilex writes each source once, and in term sets, which are used in both
directions, each target once. The Toolkit escapes a double quote by a backslash, unlike other CSV
files, so words with one are left out.
"""

from __future__ import annotations

from bilex.lexicons.formats.delimited import fixed_table
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.glossary_file import (
    ONE_SOURCE,
    ONE_TARGET,
    PLAIN,
    GlossaryFile,
    comma_row,
    language_row,
)

_CODE_POINTS = 10_000_000

_ONE_WAY = GlossaryFile(
    row=comma_row, checks=PLAIN, largest=_CODE_POINTS, size=len, unit="characters"
)
_TERM_SETS = GlossaryFile(
    row=comma_row,
    start=language_row,
    checks=PLAIN,
    once=(ONE_TARGET, ONE_SOURCE),
    largest=_CODE_POINTS,
    size=len,
    unit="characters",
)

GOOGLE = Format(
    name="google",
    extensions=(".google.csv",),
    summary="A one-way glossary for Google Cloud Translation: one translation a word.",
    keeps=("source", "target"),
    render=_ONE_WAY.render,
    select=_ONE_WAY.select,
    table=fixed_table(","),
)

GOOGLE_TERMS = Format(
    name="google-terms",
    extensions=(".google-terms.csv",),
    summary="Equivalent term sets for Google Cloud Translation, for both directions.",
    keeps=("source", "target"),
    render=_TERM_SETS.render,
    select=_TERM_SETS.select,
    table=fixed_table(",", has_header=True),
    needs_languages=True,
)
