"""fastText `.bin` files: the vector of a word is the mean over the word and its n-grams.

A file contains settings, a dictionary, and one matrix with a row for each word and then for each
bucket of character n-grams. The n-grams also give vectors for words outside the dictionary.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from bilex.embeddings.collector import MAX_DIM, Collector, Floats, Selection
from bilex.errors import VectorFileError
from bilex.values import EmbeddingSpace, Progress, Vector

_Ids = npt.NDArray[np.int64]

_SETTINGS = struct.Struct("<14id")  # magic, version, 12 settings, sampling threshold
_COUNTS = struct.Struct("<3i2q")  # entries, words, labels, tokens, size of the pruning table
_ENTRY = struct.Struct("<qb")  # after each word and its NUL: frequency, 0 for a word
_MATRIX = struct.Struct("<?2q")  # is it quantized, rows, columns
_END_OF_SENTENCE = "</s>"  # the only word without n-grams
_BLOCK = 512  # words; each needs about 25 rows of the matrix


def read_fasttext_binary(
    path: Path, selection: Selection, on_progress: Progress | None = None
) -> EmbeddingSpace:
    """Read the words up to the limit; `subwords` of the space gives vectors for unknown words."""
    file = open_fasttext(path)
    collector = Collector(path, selection)
    total = path.stat().st_size
    for first in range(0, file.n_words, _BLOCK):
        words = file.words[first : first + _BLOCK]
        collector.add(words, _word_vectors(file, first, words))
        if on_progress is not None:
            on_progress(total * min(first + _BLOCK, file.n_words) // file.n_words, total)
        if collector.full:
            break
    subwords = FastTextSubwords(path) if file.has_subwords else None
    return collector.finish(format="fasttext-bin", words_in_file=file.n_words, subwords=subwords)


@dataclass(frozen=True)
class FastTextSubwords:
    """Vectors for any word, from a fastText `.bin` file that is opened at first use."""

    path: Path

    @cached_property
    def _file(self) -> FastTextFile:
        return open_fasttext(self.path)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in reversed(list(enumerate(self._file.words)))}

    def vector(self, word: str) -> Vector | None:
        """Return the mean over the word, if the file has it, and its n-grams; None without any."""
        _, rows = _ngram_rows(self._file, [word])
        known = self._rows.get(word)
        if known is not None:
            rows = np.append(rows, known)
        if not len(rows):
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            mean = self._file.matrix_rows(rows).mean(axis=0, dtype=np.float32)
        if not np.isfinite(mean).all():
            raise VectorFileError(
                self.path,
                f"the n-grams of {word!r} contain NaN or infinity; the file is damaged: "
                "download it again",
            )
        return torch.from_numpy(mean)

    def __getstate__(self) -> dict[str, object]:
        return {"path": self.path}  # without the opened file


@dataclass(frozen=True)
class FastTextFile:
    """An opened file; its matrix stays on disk and only the rows needed are read."""

    path: Path
    dim: int
    words: list[str]
    n_buckets: int
    shortest: int  # n-gram length
    longest: int
    matrix_offset: int

    @property
    def n_words(self) -> int:
        """Return the number of words, which is also the row of the first n-gram."""
        return len(self.words)

    @property
    def has_subwords(self) -> bool:
        """Return whether the model has n-grams."""
        return self.longest > 0 and self.n_buckets > 0

    @cached_property
    def _matrix(self) -> npt.NDArray[np.uint8]:
        # Bytes: the matrix may start at any offset, and NumPy would copy unaligned floats whole.
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


def _word_vectors(file: FastTextFile, first: int, words: Sequence[str]) -> Floats:
    """Return the vectors of consecutive words of the file, the first in row `first`."""
    own = np.arange(len(words), dtype=np.int64)
    owners, rows = _ngram_rows(file, words)
    owners, rows = np.concatenate([own, owners]), np.concatenate([own + first, rows])
    order = np.argsort(owners, kind="stable")
    counts = np.bincount(owners, minlength=len(words))
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    with np.errstate(over="ignore", invalid="ignore"):  # the collector reports infinities
        sums = np.add.reduceat(file.matrix_rows(rows[order]), starts, axis=0)
        return (sums / counts[:, None]).astype(np.float32)


def _ngram_rows(file: FastTextFile, words: Sequence[str]) -> tuple[_Ids, _Ids]:
    """Return, for all n-grams of `<word>`, the position of the word and the matrix row."""
    if not file.has_subwords:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    marked = ["" if word == _END_OF_SENTENCE else f"<{word}>" for word in words]
    text = np.frombuffer("".join(marked).encode(), dtype=np.uint8)
    starts = np.append(np.flatnonzero((text & 0xC0) != 0x80), len(text))  # characters, and the end
    lengths = np.array([len(word) for word in marked], dtype=np.int64)
    owner = np.repeat(np.arange(len(words)), lengths)  # (n_characters,)
    word_end = np.repeat(np.cumsum(lengths), lengths)
    word_start = np.repeat(np.cumsum(lengths) - lengths, lengths)
    positions = np.arange(len(owner))
    owners: list[_Ids] = []
    rows: list[_Ids] = []
    for n in range(max(1, file.shortest), min(file.longest, int(lengths.max(initial=0))) + 1):
        fits = positions + n <= word_end
        if n == 1:  # not the marks < and > alone
            fits &= (positions > word_start) & (positions + 1 < word_end)
        begin = positions[fits]
        hashes = _fnv1a(text, starts[begin], starts[begin + n])
        owners.append(owner[fits])
        rows.append(file.n_words + (hashes % file.n_buckets).astype(np.int64))
    empty = np.empty(0, dtype=np.int64)
    return np.concatenate([empty, *owners]), np.concatenate([empty, *rows])


def _fnv1a(text: npt.NDArray[np.uint8], begin: _Ids, end: _Ids) -> npt.NDArray[np.uint32]:
    """Return the FNV-1a hash of each range of bytes, with the sign extension of fastText."""
    # fastText treats bytes as signed, so those above 127 set all higher bits too.
    signed = text.view(np.int8).astype(np.int32).view(np.uint32)
    hashes = np.full(len(begin), 2166136261, dtype=np.uint32)
    for offset in range(int((end - begin).max(initial=0))):
        inside = begin + offset < end
        mixed = (hashes[inside] ^ signed[begin[inside] + offset]) * np.uint32(16777619)
        hashes[inside] = mixed
    return hashes
