"""Hashes of files and vocabularies, and a cache of them for files that do not change."""

from __future__ import annotations

import hashlib
import json
import logging
from pathlib import Path

from bilex.errors import InputFileError, ModelFolderError
from bilex.storage.files import writing

_log = logging.getLogger(__name__)


_WORDS_AT_ONCE = 10_000


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_words(words: tuple[str, ...]) -> str:
    """Return the SHA-256 of a vocabulary, one word per line."""
    digest = hashlib.sha256()
    for start in range(0, len(words), _WORDS_AT_ONCE):
        digest.update("\n".join((*words[start : start + _WORDS_AT_ONCE], "")).encode())
    return digest.hexdigest()


def read_vocabulary(path: Path, expected_hash: str) -> tuple[str, ...]:
    """Return the words of a vocabulary file in a model folder, one per line.

    Raises:
        ModelFolderError: If the words do not have the expected hash.
    """
    words = tuple(path.read_bytes().decode().split("\n")[:-1])
    if sha256_of_words(words) != expected_hash:
        raise ModelFolderError(path, "is not the vocabulary this model was made with")
    return words


class FileHashes:
    """Hashes files, with a cache file.

    A file whose size and modification time are unchanged is not read again.

    Args:
        memory: The cache file; None for no cache.
    """

    def __init__(self, memory: Path | None = None) -> None:
        self._memory = memory
        self._known: dict[str, list[object]] = _read_cache(memory) if memory is not None else {}
        self._changed = False

    def sha256(self, path: Path) -> str:
        """Return the hash of a file, or of all files in a folder.

        Raises:
            InputFileError: If there is no such file.
        """
        try:
            if path.is_dir():
                return self._folder(path)
            stat = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise InputFileError(
                path, "no such file; check the suite and the data folder (--data)"
            ) from None
        name, mark = str(path.resolve()), [stat.st_size, stat.st_mtime_ns]
        found = self._known.get(name)
        if found is None or found[:2] != mark:
            self._known[name] = [*mark, sha256_of(path)]
            self._changed = True
        return str(self._known[name][2])

    def save(self) -> None:
        """Write the cache file; if that fails, log a warning."""
        if self._memory is None or not self._changed:
            return
        try:
            with writing(self._memory) as part:
                text = json.dumps(self._known, indent=0) + "\n"
                part.write_text(text, encoding="utf-8", newline="\n")
        except OSError as problem:
            _log.warning("could not write the cache of file hashes: %s", problem)
        self._changed = False

    def _folder(self, folder: Path) -> str:
        digest = hashlib.sha256()
        files = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
        # By parts and with /, so that the hash of a folder is the same on Windows.
        for file in sorted(files, key=lambda file: file.parts):
            digest.update(f"{file.as_posix()}\t{self.sha256(folder / file)}\n".encode())
        return digest.hexdigest()


def _read_cache(memory: Path) -> dict[str, list[object]]:
    try:
        known = json.loads(memory.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # no cache yet, or a damaged one: hash again
        return {}
    if not isinstance(known, dict):
        return {}
    return {name: mark for name, mark in known.items() if isinstance(mark, list) and len(mark) == 3}
