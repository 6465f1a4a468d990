"""File formats of dictionaries: one object for each, found by the entry points `bilex.format`."""

from __future__ import annotations

from bilex.lexicons.entries import RowProblem, make_pairs
from bilex.lexicons.formats.file_start import FileStart
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.lookup import check_output, find_format, installed_formats
from bilex.lexicons.formats.reference import formats_table
from bilex.lexicons.formats.selection import LeftOutEntry, Selection
from bilex.lexicons.formats.text_rows import Layout

__all__ = [
    "FileStart",
    "Format",
    "Layout",
    "LeftOutEntry",
    "RowProblem",
    "Selection",
    "check_output",
    "find_format",
    "formats_table",
    "installed_formats",
    "make_pairs",
]
