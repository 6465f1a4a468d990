"""Detect from the first lines whether a file is plain text or word vectors."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from bilex.errors import InputFileError
from bilex.text.corpus import Corpus
from bilex.text.words import UNSPACED, Words

_VECTOR_ENDINGS = (".vec", ".bin", ".kv", ".safetensors", ".npy")
_COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst", ".zip")
_HEADER = re.compile(r"\s*\d+[ \t]+\d+\s*")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_LINES = 200
_FEWEST_WORDS = 50
_WORDS_OF_A_LINE = 3  # a word list or a dictionary has fewer


def is_text(path: str | Path) -> bool:
    """Return whether a file, or a folder of files, is running text rather than word vectors.

    False for a missing or binary file, vectors in any format, word lists, dictionaries, and fewer
    than 50 words.
    """
    path = Path(path)
    name = path.name.lower()
    for ending in _COMPRESSIONS:
        name = name.removesuffix(ending)
    if name.endswith(_VECTOR_ENDINGS) or (path / "manifest.json").exists():
        return False
    try:
        lines = [line.text for line in islice(Corpus.of([path]).lines(), _LINES)]
    except (InputFileError, OSError):
        return False
    lines = [line for line in lines if line.strip()]
    return bool(lines) and not _are_vectors(lines) and _is_running_text(lines)


def _are_vectors(lines: list[str]) -> bool:
    """Return whether lines end in numbers, as those of vectors do."""
    if _HEADER.fullmatch(lines[0]):
        return True
    rows = sum(_ends_in_numbers(line) for line in lines)
    return 2 * rows >= len(lines)


def _ends_in_numbers(line: str) -> bool:
    last = line.rsplit(maxsplit=2)[-2:]
    return len(last) == 2 and all(_NUMBER.fullmatch(field) for field in last)


def _is_running_text(lines: list[str]) -> bool:
    """Return whether lines have several words each, or long runs of a script without spaces."""
    words = Words()
    found = sum(len(words.of(line)) for line in lines)
    unspaced = sum(len(run) for line in lines for run in UNSPACED.findall(line))
    found += unspaced // 2
    return found >= max(_FEWEST_WORDS, _WORDS_OF_A_LINE * len(lines))
