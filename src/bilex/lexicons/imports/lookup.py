"""Find the importer of a file: by name or by content."""

from __future__ import annotations

from pathlib import Path

from bilex.errors import LexiconFileError
from bilex.lexicons.imports.importer import Importer
from bilex.lexicons.imports.start import ResourceStart
from bilex.registry import plugin_object, plugin_objects

KIND = "import"
"""The kind of plugin: importers are found under the entry-point group `bilex.import`."""


def installed_importers() -> dict[str, Importer]:
    """Return all installed importers by name, sorted.

    Raises:
        PluginError: If one of them cannot be loaded or is not an `Importer`.
    """
    return plugin_objects(KIND, Importer)


def find_importer(path: Path | str, name: str | None = None) -> Importer:
    """Return the importer for a file: the one with this name, or by the content.

    Raises:
        LexiconFileError: If there is no such file, or no importer recognizes it.
        UnknownPluginError: If no importer has this name.
    """
    path = Path(path)
    if name is not None:
        ResourceStart.of(path)  # raises if it is not there
        return plugin_object(KIND, name, Importer)
    found = recognize_importer(path)
    if found is None:
        known = ", ".join(installed_importers())
        raise LexiconFileError(
            path,
            f"is not recognized, expected a file of one of {known}; if it is, name it (--from)",
        )
    return found


def recognize_importer(path: Path | str) -> Importer | None:
    """Return the importer that recognizes a file with the most certainty; None if none does.

    Raises:
        LexiconFileError: If there is no such file.
    """
    start = ResourceStart.of(Path(path))
    certainty = {one: one.sniff(start) for one in installed_importers().values()}
    best = max(certainty, key=lambda one: certainty[one], default=None)
    return best if best is not None and certainty[best] > 0 else None
