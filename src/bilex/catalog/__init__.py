"""Where to get more: published vectors, seeds and test sets, and how to download them."""

from __future__ import annotations

from bilex.catalog.catalog_file import catalog
from bilex.catalog.download import Downloaded, Patience, download, place, readable
from bilex.catalog.entry import Entry, Kind, Pair, RemoteFile
from bilex.catalog.selection import choose, find
from bilex.catalog.transfer import DownloadError

__all__ = [
    "DownloadError",
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
