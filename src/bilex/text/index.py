"""An index of a text that finds examples of a word in a few milliseconds."""

from __future__ import annotations

import bisect
import json
import mmap
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from bilex.errors import InputFileError
from bilex.storage.files import recover
from bilex.text import index_building as layout
from bilex.text.choice import most_useful
from bilex.text.corpus import OnBytes
from bilex.text.index_building import Numbers, build_index, words_of
from bilex.text.sentences import Sentence, sentence_around
from bilex.text.words import UNSPACED, Token, Words

_FOR_A_WORD, _FOR_A_TERM = 60, 200  # occurrences that are examined
_ENOUGH = 40  # sentences to choose from
_TERM_LENGTH = 80  # characters to each side in which a term must lie
_FARTHEST = 2_000  # bytes to each side of a word that are read


@dataclass(frozen=True)
class Example:
    """A word in a sentence of a text.

    Attributes:
        left: The sentence before the word.
        word: The word as it is written there.
        right: The sentence after the word.
        file: The name of the file.
        line: The number of the line, from 1.
    """

    left: str
    word: str
    right: str
    file: str
    line: int


class TextIndex:
    """Finds examples of words; use it in a `with` statement, or call `close`.

    Example:
        >>> with TextIndex.build(["novel.txt"], "novel.index") as index:  # doctest: +SKIP
        ...     for example in index.examples("casa", k=5):
        ...         print(example.left, example.word, example.right)
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        manifest = _read_manifest(folder)
        try:
            self._files: list[dict[str, Any]] = manifest["files"]
            self._keep_case = bool(manifest["keep_case"])
            self._has_pieces = bool(manifest["pieces"])
            self._words, self._text = (_mapped(folder / n) for n in (layout.WORDS, layout.TEXT))
            self._word_ends = _numbers(folder / layout.WORD_ENDS)
            self._counts = _numbers(folder / layout.COUNTS)
            self._position_ends = _numbers(folder / layout.POSITION_ENDS)
            self._positions = _numbers(folder / layout.POSITIONS)
            self._marks = _numbers(folder / layout.LINES)
        except (OSError, ValueError, KeyError) as error:
            raise InputFileError(
                folder, f"a damaged index of a text ({error}): build it again"
            ) from error
        pieces = (folder / layout.PIECES).read_bytes() if self._has_pieces else None
        self.words = words_of(self._keep_case, pieces)

    @classmethod
    def build(
        cls,
        paths: Sequence[str | Path],
        folder: str | Path,
        *,
        keep_case: bool = False,
        segmented: bool = False,
        on_bytes: OnBytes | None = None,
    ) -> Self:
        """Index text files, or folders of them, and open the index.

        The index has a copy of the text, so it works without the files. Memory grows with the
        number of different words, not with the length of the text.

        Args:
            paths: UTF-8 text files, plain or compressed with gzip, bzip2 or xz, and folders.
            folder: Where to write the index; replaced if it exists.
            keep_case: Keep capital letters. Use the setting that the vectors were trained with.
            segmented: Spaces separate the words in any script. Use the setting that the vectors
                were trained with.
            on_bytes: Called with the bytes read so far and the size of all files.

        Raises:
            InputFileError: If a file is missing or is not UTF-8 text.
            SettingError: If the text has no words.
        """
        build_index(
            paths, Path(folder), keep_case=keep_case, segmented=segmented, on_bytes=on_bytes
        )
        return cls(Path(folder))

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """Open an index that `build` wrote.

        Raises:
            InputFileError: If the folder is not an index of this version, or damaged.
        """
        recover(Path(folder))
        return cls(Path(folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the files."""
        self._words.close()
        self._text.close()

    def __len__(self) -> int:
        """Return how many different words the text has."""
        return len(self._word_ends)

    def vocabulary(self) -> list[str]:
        """Return all words of the text."""
        return [self._word(row).decode() for row in range(len(self))]

    def count(self, word: str) -> int:
        """Return how often a word occurs in the text; 0 for a term of several words."""
        row = self._row(self.words.normal(word))
        return 0 if row is None else int(self._counts[row])

    def examples(self, word: str, k: int = 10) -> list[Example]:
        """Return up to `k` sentences with a word; the same call returns the same sentences.

        Complete sentences of moderate length with different words around it are preferred. The
        words of a term are joined by `_` or a space; a term is searched for at the occurrences of
        its rarest word.
        """
        parts = word.replace("_", " ").split()
        terms = [found for part in parts for found in self.words.of(part)]
        rows = [self._row(term) for term in terms]
        known = [row for row in rows if row is not None]
        if not terms or len(known) < len(rows):
            return []
        rarest = min(known, key=lambda row: int(self._counts[row]))
        places = self._places(rarest, _FOR_A_WORD if len(terms) == 1 else _FOR_A_TERM)
        found: dict[str, tuple[Sentence, int]] = {}
        for place in places:
            sentence = self._sentence(place, terms)
            if sentence is not None:
                found.setdefault(sentence.text.casefold(), (sentence, place))
            if len(found) == _ENOUGH:
                break
        chosen = most_useful([sentence for sentence, _ in found.values()], k)
        return [self._example(*found[sentence.text.casefold()]) for sentence in chosen]

    def _row(self, word: str) -> int | None:
        wanted = word.encode()
        row = bisect.bisect_left(range(len(self)), wanted, key=self._word)
        return row if row < len(self) and self._word(row) == wanted else None

    def _word(self, row: int) -> bytes:
        start = int(self._word_ends[row - 1]) if row else 0
        return self._words[start : int(self._word_ends[row])]

    def _places(self, row: int, most: int) -> list[int]:
        """Return positions of a word, spread over the whole text, in a fixed shuffled order."""
        start = int(self._position_ends[row - 1]) if row else 0
        places = self._positions[start : int(self._position_ends[row])]
        if len(places) > most:
            places = places[np.linspace(0, len(places) - 1, most).astype(np.int64)]
        return sorted(places.tolist(), key=lambda place: zlib.crc32(b"%d" % place))

    def _sentence(self, place: int, terms: list[str]) -> Sentence | None:
        """Return the sentence with these words at a position of the text; None without them."""
        lowest, highest = max(place - _FARTHEST, 0), min(place + _FARTHEST, len(self._text))
        start = max(self._text.rfind(b"\n", lowest, place) + 1, lowest)
        end = self._text.find(b"\n", place, highest)
        raw = self._text[start : highest if end < 0 else end]
        # Far from the place, a character may be cut.
        before = raw[: place - start].decode(errors="ignore")
        line = before + raw[place - start :].decode(errors="ignore").rstrip("\r")
        span = self._span(line, len(before), terms)
        return None if span is None else sentence_around(line, *span)

    def _span(self, line: str, start: int, terms: list[str]) -> tuple[int, int] | None:
        """Return start and end of these words around position `start` of a line, or None."""
        if len(terms) == 1:
            only = self.words.at(line, start)
            if only is not None and only.word == terms[0]:
                return only.start, only.end
        elif not _is_near(self.words, line, start, terms):
            return None
        tokens = _tokens_around(self.words, line, start)
        for number in range(len(tokens) - len(terms) + 1):
            part = tokens[number : number + len(terms)]
            is_there = part[0].start <= start < part[-1].end
            if is_there and [token.word for token in part] == terms:
                return part[0].start, part[-1].end
        return None

    def _example(self, sentence: Sentence, place: int) -> Example:
        mark = int(np.searchsorted(self._marks, place, side="right")) - 1
        between = self._text[int(self._marks[mark]) : place].count(b"\n")
        line = mark * layout.LINES_OF_A_MARK + between
        file = next(each for each in reversed(self._files) if each["first_line"] <= line)
        return Example(*sentence, file=file["name"], line=line - int(file["first_line"]) + 1)


def _is_near(words: Words, line: str, start: int, terms: list[str]) -> bool:
    """Return whether a term may be around a position: faster than finding all words there."""
    near = words.spelled(line[max(start - _TERM_LENGTH, 0) : start + _TERM_LENGTH])
    return re.search(r"[\W_]*".join(map(re.escape, terms)), near) is not None


def _tokens_around(words: Words, line: str, start: int) -> list[Token]:
    """Return the words around a position; in scripts without spaces, those of the whole line."""
    if UNSPACED.match(line, start):
        return words.located(line)
    first, last = max(start - _TERM_LENGTH, 0), start + _TERM_LENGTH
    found = words.located(line[first:last])
    return [Token(word, first + begin, first + end) for word, begin, end in found]


def _read_manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / layout.MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputFileError(
            folder, "not an index of a text; build one with `bilex examples -o`"
        ) from None
    if not isinstance(manifest, dict) or manifest.get("version") != layout.VERSION:
        raise InputFileError(folder, "an index of another version of bilex: build it again")
    return manifest


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _numbers(path: Path) -> Numbers:
    found: Numbers = np.load(path, mmap_mode="r", allow_pickle=False)
    if found.ndim != 1 or found.dtype != np.dtype("<u8"):
        raise ValueError(f"{path.name} is not a list of positions")
    return found
