"""Dictionaries in the formats people use, and back: write, read, check before long work."""

from __future__ import annotations

from bilex.export.contents import Dictionary
from bilex.export.formats import FORMATS, check_output
from bilex.export.read import read_dictionary
from bilex.export.write import write_dictionary

__all__ = ["FORMATS", "Dictionary", "check_output", "read_dictionary", "write_dictionary"]
