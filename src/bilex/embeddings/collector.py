"""Collect words and rows while reading any format: duplicates dropped, up to the limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from bilex.errors import SettingError, VectorFileError
from bilex.values import EmbeddingSpace, LoadReport, SubwordVectors

Floats = npt.NDArray[np.float32]

MAX_DIM = 1 << 20
"""A file that claims longer vectors is damaged."""

_FIRST_ROWS = 1024
_EXAMPLES = 5


@dataclass(frozen=True)
class Selection:
    """Which words of a file to keep."""

    limit: int | None = None
    lowercase: bool = False

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise SettingError(
                f"limit is {self.limit}: expected 1 or more words, or None to keep all of them"
            )


class Collector:
    """Collects words and rows; allocates at most about twice the size of the rows added."""

    def __init__(self, path: Path, selection: Selection) -> None:
        self._path = path
        self._selection = selection
        self._words: list[str] = []
        self._kept: set[str] = set()
        self._originals: set[str] = set()  # as spelled in the file; only used with `lowercase`
        self._rows: Floats = np.empty((0, 0), dtype=np.float32)
        self._duplicates: list[str] = []
        self._n_duplicates = 0
        self._n_merged = 0
        self.offered = 0

    @property
    def full(self) -> bool:
        """Return whether the limit is reached."""
        return self._selection.limit is not None and len(self._words) >= self._selection.limit

    def add(self, words: Sequence[str], rows: Floats) -> None:
        """Keep the rows whose words are new; `rows` has one row for each word."""
        new = self._new_positions(words)
        kept = rows if len(new) == len(rows) else rows[new]
        finite = np.isfinite(kept).all(axis=1)
        if not finite.all():
            word = words[new[int(np.argmin(finite))]]
            raise VectorFileError(
                self._path,
                f"the vector of {word!r} contains NaN, infinity or a number too large for "
                "float32; expected finite numbers: the file is damaged or its training failed",
            )
        self._append(kept)

    def finish(
        self,
        *,
        format: str,
        compression: str | None = None,
        words_in_file: int | None = None,
        subwords: SubwordVectors | None = None,
    ) -> EmbeddingSpace:
        """Return the space collected so far, with its report."""
        if not self._words:
            raise VectorFileError(
                self._path, "contains no word vectors: was it cut short while being written?"
            )
        self._rows.resize((len(self._words), self._rows.shape[1]), refcheck=False)
        report = LoadReport(
            format=format,
            compression=compression,
            words_in_file=words_in_file,
            kept=len(self._words),
            dim=self._rows.shape[1],
            duplicates=self._n_duplicates,
            duplicate_examples=tuple(self._duplicates),
            merged_case_variants=self._n_merged,
            words_with_spaces=sum(" " in word for word in self._words),
            zero_vectors=int((~self._rows.any(axis=1)).sum()),
        )
        return EmbeddingSpace(tuple(self._words), torch.from_numpy(self._rows), subwords, report)

    def _new_positions(self, words: Sequence[str]) -> list[int]:
        lowercase, kept = self._selection.lowercase, self._kept
        new: list[int] = []
        for position, original in enumerate(words):
            self.offered += 1
            word = original.lower() if lowercase else original
            if word in kept:
                self._drop(original)
                continue
            kept.add(word)
            if lowercase:
                self._originals.add(original)
            self._words.append(word)
            new.append(position)
            if self.full:
                break
        return new

    def _drop(self, word: str) -> None:
        if self._selection.lowercase and word not in self._originals:
            self._originals.add(word)
            self._n_merged += 1
            return
        self._n_duplicates += 1
        if len(self._duplicates) < _EXAMPLES and word not in self._duplicates:
            self._duplicates.append(word)

    def _append(self, rows: Floats) -> None:
        end = len(self._words)
        start = end - len(rows)
        if end > self._rows.shape[0]:
            # In place, so that the system remaps large buffers instead of copying them.
            capacity = max(_FIRST_ROWS, end, start + start // 2)
            if start:
                self._rows.resize((capacity, rows.shape[1]), refcheck=False)
            else:
                self._rows = np.empty((capacity, rows.shape[1]), dtype=np.float32)
        self._rows[start:end] = rows


def decode_words(raw: Sequence[bytes]) -> list[str]:
    r"""Decode words without `\n` in one call, which is much faster than one by one.

    Raises:
        UnicodeDecodeError: If any of them is not UTF-8.
    """
    return b"\n".join(raw).decode().split("\n") if raw else []
