"""Select entries of a catalog by name, kind, language or pair."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bilex.catalog.catalog_file import catalog
from bilex.catalog.entry import Entry, RemoteFile
from bilex.errors import SettingError
from bilex.registry import did_you_mean


def find(
    name: str,
    *,
    language: str | None = None,
    pair: str | None = None,
    files: Sequence[Path | str] = (),
) -> RemoteFile:
    """Return a file of the catalog, to be given to `download`.

    Args:
        name: Name of the entry.
        language: A code, for entries with a file for each language.
        pair: Two codes, such as en-fi, for entries with a file for each pair.
        files: Further catalogs; see `catalog`.

    Raises:
        SettingError: If there is no such entry or file; the message suggests similar ones.

    Example:
        >>> find("fasttext-crawl", language="fi").name
        'cc.fi.300.vec.gz'
    """
    entries = {entry.name: entry for entry in catalog(*files)}
    if name not in entries:
        raise SettingError(
            f"no data is called {name!r}{did_you_mean(name, list(entries))}; there are: "
            f"{', '.join(entries)}"
        )
    return entries[name].at(language=language, pair=pair)


def choose(
    entries: Sequence[Entry],
    *,
    kind: str | None = None,
    language: str | None = None,
    pair: str | None = None,
) -> list[Entry]:
    """Return the entries of a kind that have, or may have, files for a language or pair."""
    return [
        entry
        for entry in entries
        if (kind is None or entry.kind == kind)
        and (language is None or entry.offers(language))
        and (pair is None or entry.offers_pair(pair))
    ]
