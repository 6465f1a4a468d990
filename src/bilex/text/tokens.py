"""A text split into words, kept in a temporary file while vectors are trained on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bilex.text.corpus import Corpus, OnBytes
from bilex.text.words import Words

MOST_WORDS = 5_000_000
"""Different words in memory; if there are more, the rarest are dropped."""

_WORDS_OF_A_SENTENCE = 1_000


@dataclass(frozen=True, eq=False)
class Tokens:
    """The words of a text: a file with one sentence per line, and how often each word occurs.

    Attributes:
        path: The file; words are separated by spaces.
        sentences: How many lines it has.
        total: How many words it has.
        counts: How often each word occurs: most frequent first, ties in order of spelling.
        left_out: How many numbers and overlong words were left out.
    """

    path: Path
    sentences: int
    total: int
    counts: dict[str, int]
    left_out: int = 0

    def __iter__(self) -> Iterator[list[str]]:
        """Yield the sentences."""
        with self.path.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                yield line.split()

    def rewritten(self, path: Path, change: Callable[[list[str]], list[str]]) -> Tokens:
        """Write a file of changed sentences."""
        return replace(_write(map(change, self), path), left_out=self.left_out)


def write_tokens(
    corpus: Corpus, words: Words, path: Path, *, on_bytes: OnBytes | None = None
) -> Tokens:
    """Split a text into words; the text is never in memory as a whole."""
    sentences = _Sentences(corpus, words, on_bytes)
    return replace(_write(sentences, path), left_out=sentences.left_out)


@dataclass
class _Sentences:
    """The words of each line; a very long line becomes several sentences."""

    corpus: Corpus
    words: Words
    on_bytes: OnBytes | None
    left_out: int = 0

    def __iter__(self) -> Iterator[list[str]]:
        for line in self.corpus.lines(self.on_bytes):
            found = self.words.with_gaps(line.text)
            kept = [word for word in found if word]
            self.left_out += len(found) - len(kept)
            for start in range(0, len(kept), _WORDS_OF_A_SENTENCE):
                yield kept[start : start + _WORDS_OF_A_SENTENCE]


def _write(sentences: Iterable[list[str]], path: Path) -> Tokens:
    counts: Counter[str] = Counter()
    lines = total = rarest = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for sentence in sentences:
            file.write(" ".join(sentence) + "\n")
            counts.update(sentence)
            lines += 1
            total += len(sentence)
            while len(counts) > MOST_WORDS:
                rarest += 1
                counts = Counter({word: n for word, n in counts.items() if n > rarest})
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return Tokens(path, lines, total, dict(ranked))
