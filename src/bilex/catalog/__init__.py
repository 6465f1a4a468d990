"""A catalog of published vectors, seeds, test sets and texts, and downloads from it."""

from __future__ import annotations

from bilex.catalog.catalog_file import catalog
from bilex.catalog.download import Downloaded, Patience, download, place, readable
from bilex.catalog.entry import Entry, Kind, Pair, RemoteFile
from bilex.catalog.selection import choose, find

__all__ = [
    "Downloaded",
    "Entry",
    "Kind",
    "Pair",
    "Patience",
    "RemoteFile",
    "catalog",
    "choose",
    "download",
    "find",
    "place",
    "readable",
]
