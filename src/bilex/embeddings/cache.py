"""A cache of parsed files, kept as stores that are mapped into memory."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from bilex.embeddings.collector import Selection
from bilex.embeddings.fasttext_binary import FastTextSubwords
from bilex.embeddings.store import VERSION, read_manifest, read_store, write_store
from bilex.errors import BilexError
from bilex.storage.files import beside
from bilex.values import EmbeddingSpace, LoadReport

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CacheEntry:
    """The store of one file, loaded with one selection."""

    folder: Path
    path: Path
    source: dict[str, object]

    @classmethod
    def of(cls, cache: Path, path: Path, selection: Selection) -> Self:
        """Name the entry by a hash of everything its content depends on."""
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

    def read(self) -> EmbeddingSpace | None:
        """Return the cached space; None if there is none or it is damaged."""
        if not self.folder.is_dir():
            return None
        try:
            manifest = read_manifest(self.folder)
            space = read_store(self.folder, Selection())
        except (BilexError, OSError) as error:
            _log.warning("replacing a damaged cache entry: %s", error)
            self._discard()
            return None
        report = space.report
        if manifest.get("source") != self.source or report is None:
            self._discard()
            return None
        subwords = FastTextSubwords(self.path) if manifest.get("subwords") else None
        return replace(space, subwords=subwords, report=replace(report, from_cache=True))

    def write(self, space: EmbeddingSpace, report: LoadReport) -> None:
        """Write the entry; if the cache cannot be written, only log a warning.

        If several processes write the same entry, the first one is kept, because it may already be
        mapped into memory. That is why this does not use `bilex.storage.files.writing`, which
        replaces existing files.
        """
        temporary = beside(self.folder)
        try:
            write_store(space, temporary, report=report, source=self.source)
            temporary.rename(self.folder)
        except OSError as error:
            if not self.folder.is_dir():
                _log.warning("could not write the cache entry %s: %s", self.folder, error)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def _discard(self) -> None:
        """Rename the entry, then delete it, so that no process reads half of it."""
        aside = beside(self.folder)
        with contextlib.suppress(OSError):  # another process was faster
            self.folder.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)
