"""Vectors from parts of words, as fastText makes them: the mean over character n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from bilex.embeddings.collecting import Floats
from bilex.embeddings.fasttext_file import FastTextFile, open_fasttext
from bilex.errors import VectorFileError
from bilex.values import Vector

_Ids = npt.NDArray[np.int64]

_END_OF_SENTENCE = "</s>"  # the one word that fastText gives no n-grams


@dataclass(frozen=True)
class FastTextSubwords:
    """Spells vectors for any word out of a fastText `.bin` file, opened when first asked."""

    path: Path

    @cached_property
    def _file(self) -> FastTextFile:
        return open_fasttext(self.path)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in reversed(list(enumerate(self._file.words)))}

    def vector(self, word: str) -> Vector | None:
        """Return the mean over the word, if the file has it, and its n-grams; None without any."""
        _, rows = ngram_rows(self._file, [word])
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
                f"the n-grams of {word!r} hold NaN or infinity; the file is damaged: "
                "download it again",
            )
        return torch.from_numpy(mean)

    def __getstate__(self) -> dict[str, object]:
        return {"path": self.path}  # what was opened stays behind


def word_vectors(file: FastTextFile, first: int, words: Sequence[str]) -> Floats:
    """Return the vectors of words of the file, the first of which is in row `first`."""
    own = np.arange(len(words), dtype=np.int64)
    owners, rows = ngram_rows(file, words)
    owners, rows = np.concatenate([own, owners]), np.concatenate([own + first, rows])
    order = np.argsort(owners, kind="stable")
    counts = np.bincount(owners, minlength=len(words))
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    with np.errstate(over="ignore", invalid="ignore"):  # the collector refuses what comes of it
        sums = np.add.reduceat(file.matrix_rows(rows[order]), starts, axis=0)
        return (sums / counts[:, None]).astype(np.float32)


def ngram_rows(file: FastTextFile, words: Sequence[str]) -> tuple[_Ids, _Ids]:
    """Return the matrix rows of all n-grams of `<word>`, and which word each belongs to."""
    if not file.has_subwords:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    marked = ["" if word == _END_OF_SENTENCE else f"<{word}>" for word in words]
    text = np.frombuffer("".join(marked).encode(), dtype=np.uint8)
    starts = np.append(np.flatnonzero((text & 0xC0) != 0x80), len(text))  # of characters, and end
    lengths = np.array([len(word) for word in marked], dtype=np.int64)
    owner = np.repeat(np.arange(len(words)), lengths)  # (n_characters,)
    word_end = np.repeat(np.cumsum(lengths), lengths)
    word_start = np.repeat(np.cumsum(lengths) - lengths, lengths)
    positions = np.arange(len(owner))
    owners: list[_Ids] = []
    rows: list[_Ids] = []
    for n in range(max(1, file.shortest), min(file.longest, int(lengths.max(initial=0))) + 1):
        fits = positions + n <= word_end
        if n == 1:  # the marks alone say nothing
            fits &= (positions > word_start) & (positions + 1 < word_end)
        begin = positions[fits]
        hashes = _fnv1a(text, starts[begin], starts[begin + n])
        owners.append(owner[fits])
        rows.append(file.n_words + (hashes % file.n_buckets).astype(np.int64))
    empty = np.empty(0, dtype=np.int64)
    return np.concatenate([empty, *owners]), np.concatenate([empty, *rows])


def _fnv1a(text: npt.NDArray[np.uint8], begin: _Ids, end: _Ids) -> npt.NDArray[np.uint32]:
    """Return the FNV-1a hash of each stretch of bytes, with the sign extension of fastText."""
    # fastText mixes in bytes as signed numbers, so those above 127 set all higher bits too.
    signed = text.view(np.int8).astype(np.int32).view(np.uint32)
    hashes = np.full(len(begin), 2166136261, dtype=np.uint32)
    for offset in range(int((end - begin).max(initial=0))):
        inside = begin + offset < end
        mixed = (hashes[inside] ^ signed[begin[inside] + offset]) * np.uint32(16777619)
        hashes[inside] = mixed
    return hashes
