"""The layout of fastText `.bin` files: settings, dictionary, matrix of words and n-grams."""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bilex.embeddings.collecting import MAX_DIM, Floats
from bilex.errors import VectorFileError

_SETTINGS = struct.Struct("<14id")  # magic, version, 12 settings, sampling threshold
_COUNTS = struct.Struct("<3i2q")  # entries, words, labels, tokens, size of the pruning table
_ENTRY = struct.Struct("<qb")  # after each word and its NUL: frequency, 0 for a word
_MATRIX = struct.Struct("<?2q")  # is it quantized, rows, columns


@dataclass(frozen=True)
class FastTextFile:
    """An opened file; its matrix stays on disk and only the rows asked for are read."""

    path: Path
    dim: int
    words: list[str]
    n_buckets: int
    shortest: int  # n-gram
    longest: int
    matrix_offset: int

    @property
    def n_words(self) -> int:
        """Return the number of words, which is also the row of the first n-gram."""
        return len(self.words)

    @property
    def has_subwords(self) -> bool:
        """Return whether there are n-grams to spell new words with."""
        return self.longest > 0 and self.n_buckets > 0

    @cached_property
    def _matrix(self) -> npt.NDArray[np.uint8]:
        # Bytes, as the matrix starts anywhere and unaligned floats would be copied as a whole.
        shape = (self.n_words + self.n_buckets, 4 * self.dim)
        return np.memmap(self.path, np.uint8, "r", self.matrix_offset, shape)

    def matrix_rows(self, rows: npt.NDArray[np.int64]) -> Floats:
        """Return a copy of some rows."""
        return self._matrix.take(rows, axis=0).view("<f4")


def open_fasttext(path: Path) -> FastTextFile:
    """Read the settings and the dictionary.

    Raises:
        VectorFileError: If the file is damaged, quantized or of an unknown version.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            return _parse(path, data)
        except struct.error:
            raise _cut_short(path) from None


def _parse(path: Path, data: mmap.mmap) -> FastTextFile:
    _, version, dim, *_, buckets, shortest, longest, _, _ = _SETTINGS.unpack_from(data, 0)
    entries, n_words, n_labels, _, pruned = _COUNTS.unpack_from(data, _SETTINGS.size)
    _check_settings(path, version, dim, buckets)
    if not 0 <= n_words <= entries or n_words + n_labels != entries or pruned > len(data):
        raise VectorFileError(
            path,
            f"the dictionary claims {entries} entries, {n_words} words and {n_labels} labels, "
            "which do not add up; the file is damaged: download it again",
        )
    words, end = _read_words(path, data, entries, n_words)
    end += 8 * max(0, pruned)
    quantized, n_rows, n_columns = _MATRIX.unpack_from(data, end)
    if quantized or pruned >= 0:
        raise VectorFileError(
            path,
            "the model is quantized (.ftz), so its vectors are only approximate; "
            "expected a full model: use the .bin file that it was made from",
        )
    if (n_rows, n_columns) != (n_words + buckets, dim):
        raise VectorFileError(
            path,
            f"the matrix claims {n_rows} x {n_columns} numbers, expected {n_words + buckets} x "
            f"{dim} from the settings; the file is damaged: download it again",
        )
    if end + _MATRIX.size + 4 * n_rows * n_columns > len(data):
        raise _cut_short(path)
    return FastTextFile(path, dim, words, buckets, shortest, longest, end + _MATRIX.size)


def _check_settings(path: Path, version: int, dim: int, buckets: int) -> None:
    if version not in (11, 12):
        raise VectorFileError(
            path,
            f"found version {version} of the fastText format, expected 11 or 12; "
            "save the model again with a current fastText",
        )
    if not 1 <= dim <= MAX_DIM or buckets < 0:
        raise VectorFileError(
            path,
            f"the settings say {dim} dimensions and {buckets} n-gram buckets; "
            "the file is damaged: download it again",
        )


def _read_words(path: Path, data: mmap.mmap, entries: int, n_words: int) -> tuple[list[str], int]:
    """Return the words, without the labels that follow them, and where the dictionary ends."""
    words: list[str] = []
    position = _SETTINGS.size + _COUNTS.size
    for number in range(1, entries + 1):
        end = data.find(b"\0", position)
        if end < 0:
            raise _cut_short(path)
        if number <= n_words:
            words.append(_decode(path, data[position:end], number))
        position = end + 1 + _ENTRY.size
    return words, position


def _decode(path: Path, word: bytes, number: int) -> str:
    try:
        decoded = word.decode()
    except UnicodeDecodeError:
        decoded = ""
    if not decoded or "\n" in decoded:
        shown = word[:40].decode("utf-8", "backslashreplace")
        raise VectorFileError(
            path,
            f"word number {number} is {shown!r}; expected a word in UTF-8: the file is damaged, "
            "or was trained on text in another encoding",
        )
    return decoded


def _cut_short(path: Path) -> VectorFileError:
    return VectorFileError(path, "the file is cut short or damaged; download or copy it again")
