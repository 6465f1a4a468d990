"""Remembering parsed files as stores, so that the second load takes no time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from bilex.embeddings.report import LoadedEmbeddings, Selection
from bilex.embeddings.store import VERSION, read_manifest, read_store, write_store
from bilex.embeddings.subwords import FastTextSubwords
from bilex.errors import BilexError
from bilex.files import beside
from bilex.values import EmbeddingSpace

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CacheEntry:
    """Where the store of one file, loaded with one selection, is kept."""

    folder: Path
    path: Path
    source: dict[str, object]

    @classmethod
    def of(cls, cache: Path, path: Path, selection: Selection) -> Self:
        """Name the entry after all that its content depends on."""
        resolved, stat = path.resolve(), path.stat()
        source: dict[str, object] = {
            "path": str(resolved),
            "size": stat.st_size,
            "mtime_ns": stat.st_mtime_ns,
            "limit": selection.limit,
            "lowercase": selection.lowercase,
            "store_version": VERSION,
        }
        digest = hashlib.sha256(json.dumps(source, sort_keys=True).encode()).hexdigest()
        return cls(cache / f"{path.name}-{digest[:16]}", path, source)

    def recall(self) -> LoadedEmbeddings | None:
        """Return what was remembered; None if there is nothing, or nothing usable."""
        if not self.folder.is_dir():
            return None
        try:
            manifest = read_manifest(self.folder)
            loaded = read_store(self.folder, Selection())
        except (BilexError, OSError) as error:
            _log.warning("replacing a damaged cache entry: %s", error)
            self._discard()
            return None
        if manifest.get("source") != self.source:
            self._discard()
            return None
        space = loaded.space
        if manifest.get("subwords"):
            space = EmbeddingSpace(space.words, space.vectors, FastTextSubwords(self.path))
        return LoadedEmbeddings(space, replace(loaded.report, from_cache=True))

    def remember(self, loaded: LoadedEmbeddings) -> None:
        """Write the entry; a cache that cannot be written slows loading but does not stop it.

        Of several processes at once the first wins: what it wrote may be in use already, so the
        others leave it alone. That is why `bilex.files.writing`, which replaces, is not used.
        """
        temporary = beside(self.folder)
        try:
            write_store(loaded, temporary, source=self.source)
            temporary.rename(self.folder)
        except OSError as error:
            if not self.folder.is_dir():
                _log.warning("could not write the cache entry %s: %s", self.folder, error)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def _discard(self) -> None:
        """Take the entry away in one step, so that nobody meets half of it."""
        aside = beside(self.folder)
        with contextlib.suppress(OSError):  # another process was faster
            self.folder.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)
