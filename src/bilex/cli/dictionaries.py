"""Writing the dictionary of a model, for the commands that do."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bilex.cli.screen import note

if TYPE_CHECKING:
    from bilex.candidates.induced_dictionary import InducedDictionary
    from bilex.lexicons import DictionaryEntry


def write_induced(
    entries: Iterable[DictionaryEntry],
    found: InducedDictionary,
    output: Path,
    *,
    format: str | None,
    languages: tuple[str | None, str | None],
    title: str | None,
    license: str | None,
) -> None:
    """Write some entries of an induced dictionary with its metadata, and print how many."""
    from bilex.lexicons import write_dictionary

    metadata = found.metadata(
        source_language=languages[0] or "und",
        target_language=languages[1] or "und",
        title=title or "",
        license=license or "",
    )
    count = write_dictionary(entries, output, metadata, format=format)
    note(f"{output}: {count:,} entries")
