"""Build the index of a text: a copy of it, its words in order, and where they occur."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from bilex.errors import SettingError
from bilex.storage.files import writing
from bilex.text.corpus import Corpus, OnBytes, TextLine
from bilex.text.unspaced import LearnedPieces, learn_words
from bilex.text.words import Token, Words

VERSION = 1
"""Increased whenever the layout changes."""

MANIFEST, TEXT, PIECES = "index.json", "text.utf8", "pieces.model"
WORDS, WORD_ENDS, COUNTS = "words.utf8", "word_ends.npy", "counts.npy"
POSITION_ENDS, POSITIONS, LINES = "position_ends.npy", "positions.npy", "lines.npy"
LINES_OF_A_MARK = 256
"""The position of the first of every so many lines is stored, to compute line numbers."""

Numbers = npt.NDArray[np.uint64]

_IN_MEMORY = 1 << 20  # occurrences; more are moved to a file
_KEPT = 6  # from 2^7 on, 2^6 occurrences of a word are kept in each range from 2^n to 2^(n + 1)


def build_index(
    paths: Sequence[str | Path],
    folder: Path,
    *,
    keep_case: bool = False,
    segmented: bool = False,
    on_bytes: OnBytes | None = None,
) -> None:
    """Index a text; memory grows with the number of different words, not with the text.

    Raises:
        InputFileError: If a file is missing or is not UTF-8 text.
        SettingError: If the text has no words.
    """
    corpus = Corpus.of(paths)
    words = learn_words(corpus, keep_case=keep_case, segmented=segmented)
    with writing(folder) as part:
        part.mkdir()
        occurrences = _Occurrences(part)
        with (part / TEXT).open("wb") as copy:
            text = _CopiedText(copy)
            for line in corpus.lines(on_bytes):
                offset = text.add(line)
                occurrences.add(words.located(line.text), line.text, offset)
        if not occurrences.counts:
            raise SettingError("the text has no words to index: give a file of plain text")
        occurrences.write()
        np.save(part / LINES, np.array(text.marks, dtype="<u8"))
        if words.pieces is not None:
            (part / PIECES).write_bytes(words.pieces)
        manifest = {
            "format": "bilex-text-index",
            "version": VERSION,
            "keep_case": keep_case,
            "pieces": words.pieces is not None,
            "files": text.files,
        }
        record = json.dumps(manifest, indent=2) + "\n"
        (part / MANIFEST).write_text(record, encoding="utf-8", newline="\n")


class _CopiedText:
    """Writes lines to one file, and records where files and lines begin."""

    def __init__(self, copy: IO[bytes]) -> None:
        self.files: list[dict[str, object]] = []
        self.marks: list[int] = []
        self._copy, self._size, self._lines = copy, 0, 0
        self._path: Path | None = None
        self._in_line = False

    def add(self, line: TextLine) -> int:
        """Write a line; return where it begins."""
        if line.path != self._path:
            if self._in_line:
                self._write(b"\n")
            self._path = line.path
            self.files.append({"name": line.path.name, "first_line": self._lines})
        offset = self._size
        if not self._in_line and self._lines % LINES_OF_A_MARK == 0:
            self.marks.append(offset)
        self._write(line.raw)
        return offset

    def _write(self, raw: bytes) -> None:
        self._copy.write(raw)
        self._size += len(raw)
        self._in_line = not raw.endswith(b"\n")
        self._lines += not self._in_line


class _Occurrences:
    """Where words occur: all positions of rare words, a sample for frequent ones."""

    def __init__(self, folder: Path) -> None:
        self.counts: list[int] = []
        self._folder = folder
        self._ids: dict[str, int] = {}
        self._kept_ids, self._kept_places = array("I"), array("Q")
        self._files = (folder / "ids.part", folder / "places.part")

    def add(self, tokens: Sequence[Token], line: str, offset: int) -> None:
        ids, counts = self._ids, self.counts
        characters = place = 0
        for token in tokens:
            number = ids.setdefault(token.word, len(counts))
            if number == len(counts):
                counts.append(0)
            counts[number] += 1
            if not _is_kept(counts[number]):
                continue
            place += len(line[characters : token.start].encode())
            characters = token.start
            self._kept_ids.append(number)
            self._kept_places.append(offset + place)
        if len(self._kept_ids) >= _IN_MEMORY:
            self._move_to_files()

    def write(self) -> None:
        """Write the words sorted by bytes, and the positions of each in the order of the text."""
        self._move_to_files()
        words = sorted((word.encode(), number) for word, number in self._ids.items())
        order = np.array([number for _, number in words], dtype=np.int64)
        with (self._folder / WORDS).open("wb") as file:
            file.writelines(word for word, _ in words)
        lengths = np.array([len(word) for word, _ in words], dtype="<u8")
        np.save(self._folder / WORD_ENDS, np.cumsum(lengths, dtype="<u8"))
        np.save(self._folder / COUNTS, np.array(self.counts, dtype="<u8")[order])
        self._write_places(order)

    def _move_to_files(self) -> None:
        for path, kept in zip(self._files, (self._kept_ids, self._kept_places), strict=True):
            with path.open("ab") as file:
                kept.tofile(file)
            del kept[:]

    def _write_places(self, order: npt.NDArray[np.int64]) -> None:
        """Write the kept positions grouped by word, block by block."""
        ranks = np.empty_like(order)
        ranks[order] = np.arange(len(order))
        ids_file, places_file = self._files
        all_ids = np.memmap(ids_file, dtype=np.uint32, mode="r")
        all_places = np.memmap(places_file, dtype=np.uint64, mode="r")
        starts = [*range(0, len(all_ids), _IN_MEMORY), len(all_ids)]
        kept = np.zeros(len(order), dtype=np.int64)
        for first, last in pairwise(starts):
            kept += np.bincount(ranks[all_ids[first:last]], minlength=len(order))
        ends = np.cumsum(kept)
        np.save(self._folder / POSITION_ENDS, ends.astype("<u8"))
        free = ends - kept  # where the next place of each word goes
        places = np.lib.format.open_memmap(
            self._folder / POSITIONS, mode="w+", dtype="<u8", shape=(len(all_ids),)
        )
        for first, last in pairwise(starts):
            block = ranks[all_ids[first:last]]
            by_word = np.argsort(block, kind="stable")
            block = block[by_word]
            is_first = np.r_[True, block[1:] != block[:-1]]
            run_starts = np.maximum.accumulate(np.where(is_first, np.arange(len(block)), 0))
            places[free[block] + np.arange(len(block)) - run_starts] = all_places[first:last][
                by_word
            ]
            free += np.bincount(block, minlength=len(order))
        places.flush()
        del all_ids, all_places, places
        for path in self._files:
            path.unlink()


def _is_kept(occurrence: int) -> bool:
    """Return whether the n-th occurrence of a word is kept: all below 128, then 64 per doubling."""
    step = max(occurrence.bit_length() - 1 - _KEPT, 0)
    return occurrence & ((1 << step) - 1) == 0


def words_of(keep_case: bool, pieces: bytes | None) -> Words:
    """Return the word splitter that an index was built with."""
    runs = LearnedPieces(pieces) if pieces is not None else None
    return Words(keep_case=keep_case, runs=runs)
