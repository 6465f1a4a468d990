"""How commands write the dictionary of a model."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bilex.cli.screen import note
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.candidates.induced_dictionary import InducedDictionary
    from bilex.lexicons import DictionaryEntry


def check_excel(output: Path, format: str | None, excel: bool) -> None:
    """Raise a `SettingError` if --excel is given for another format than CSV."""
    from bilex.lexicons.formats import find_format

    if excel and find_format(output, format).name != "csv":
        raise SettingError("--excel is for .csv files: leave it out; .xlsx files do not need it")


def check_languages(
    output: Path, format: str | None, languages: tuple[str | None, str | None]
) -> None:
    """Raise a `SettingError`, before long work, if the format needs languages that are missing."""
    from bilex.lexicons import DictionaryMetadata
    from bilex.lexicons.formats import find_format

    source, target = (language or "und" for language in languages)
    metadata = DictionaryMetadata(source_language=source, target_language=target)
    find_format(output, format).check_languages(metadata)


def write_induced(
    entries: Iterable[DictionaryEntry],
    found: InducedDictionary,
    output: Path,
    *,
    format: str | None,
    languages: tuple[str | None, str | None],
    title: str | None,
    license: str | None,
    excel: bool = False,
) -> None:
    """Write some entries of an induced dictionary with its metadata, and print how many."""
    from bilex.lexicons import write_dictionary

    metadata = found.metadata(
        source_language=languages[0] or "und",
        target_language=languages[1] or "und",
        title=title or "",
        license=license or "",
    )
    count = write_dictionary(entries, output, metadata, format=format, byte_order_mark=excel)
    note(f"{output}: {count:,} entries")
