"""Glossaries for DeepL: tab-separated pairs without a header.

At most 10 MiB, 1,024 bytes of UTF-8 for each source and target, and no source twice (DeepL API
documentation, "Manage glossaries"). No word is empty, has white space around it, control characters
or Unicode line separators (DeepL's Python client). Whether words in TSV are quoted is not clear,
so words with a double quote are left out.
"""

from __future__ import annotations

from bilex.lexicons.formats.delimited import fixed_table
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.glossary_file import (
    MEBIBYTES_10,
    PLAIN,
    GlossaryFile,
    at_most,
    tab_row,
)

_FILE = GlossaryFile(row=tab_row, checks=(*PLAIN, at_most(1_024)), largest=MEBIBYTES_10)

DEEPL = Format(
    name="deepl",
    extensions=(".deepl.tsv",),
    summary="A glossary for DeepL: one translation a word.",
    keeps=("source", "target"),
    render=_FILE.render,
    select=_FILE.select,
    table=fixed_table("\t"),
)
