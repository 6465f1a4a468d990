"""Indexes of texts kept in the cache folder, so that a text is indexed once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from bilex.errors import InputFileError
from bilex.text.corpus import Corpus, OnBytes
from bilex.text.index import TextIndex
from bilex.text.index_building import MANIFEST, VERSION


def cached_index(
    paths: Sequence[str | Path],
    cache: Path,
    *,
    keep_case: bool = False,
    segmented: bool = False,
    on_bytes: OnBytes | None = None,
) -> TextIndex:
    """Return the index of a text; build it if there is none, or the files have changed.

    Raises:
        InputFileError: If a file is missing or is not UTF-8 text.
        SettingError: If the text has no words.
    """
    folder = cache / f"index-{_digest(Corpus.of(paths), keep_case, segmented)[:16]}"
    if folder.is_dir():
        try:
            return TextIndex.open(folder)
        except InputFileError:  # damaged: build it again
            pass
    return TextIndex.build(
        paths, folder, keep_case=keep_case, segmented=segmented, on_bytes=on_bytes
    )


def is_index(path: Path) -> bool:
    """Return whether a path is a folder that `TextIndex.build` wrote."""
    return (path / MANIFEST).is_file()


def _digest(corpus: Corpus, keep_case: bool, segmented: bool) -> str:
    """Return a hash of the settings and of the path, size and modification time of each file."""
    stats = [(str(file.resolve()), file.stat()) for file in corpus.files]
    marks = [[name, stat.st_size, stat.st_mtime_ns] for name, stat in stats]
    return hashlib.sha256(json.dumps([VERSION, keep_case, segmented, marks]).encode()).hexdigest()
