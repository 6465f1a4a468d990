"""Import word pairs from existing resources: one object for each, entry points `bilex.import`."""

from __future__ import annotations

from bilex.lexicons.imports.collect import import_pairs
from bilex.lexicons.imports.importer import Importer
from bilex.lexicons.imports.languages import Language, PairRequest, parse_pair
from bilex.lexicons.imports.lookup import find_importer, installed_importers, recognize_importer
from bilex.lexicons.imports.start import ResourceStart
from bilex.lexicons.imports.tally import ImportedPairs, ImportReport, Tally
from bilex.lexicons.imports.write import write_imported

__all__ = [
    "ImportReport",
    "ImportedPairs",
    "Importer",
    "Language",
    "PairRequest",
    "ResourceStart",
    "Tally",
    "find_importer",
    "import_pairs",
    "installed_importers",
    "parse_pair",
    "recognize_importer",
    "write_imported",
]
