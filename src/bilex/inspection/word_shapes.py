"""Case, script, numerals and terms of several words in a vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bilex.lexicons.entries import is_multi_word
from bilex.lexicons.writing_systems import ScriptMix, script_mix

WORDS_LOOKED_AT = 100_000
"""The most frequent words; the rest of a large vocabulary is similar or noisier."""

SCRIPTS_SHOWN = 5

JAPANESE = frozenset({"Han", "Hiragana", "Katakana"})
"""Scripts that Japanese uses together."""

MIXED_SCRIPTS = 0.1
"""A second script with a smaller share is normal: foreign names."""


@dataclass(frozen=True)
class WordShapes:
    """Shares of the most frequent words."""

    words: int
    with_capitals: float
    multi_word: float  # joined by spaces or underscores
    multi_word_example: str | None  # the most frequent one
    numerals: float  # digits, and no letter
    punctuation: float  # neither letter nor digit
    scripts: ScriptMix  # of the words with letters, the most common ones

    @property
    def is_mixed(self) -> bool:
        """Return whether the words are in scripts of different languages."""
        second = self.scripts[1:2]
        if not second or second[0][1] < MIXED_SCRIPTS:
            return False
        return not {script for script, _ in self.scripts[:2]} <= JAPANESE


def describe_words(words: Sequence[str]) -> WordShapes:
    """Describe the most frequent words of a vocabulary."""
    words = words[:WORDS_LOOKED_AT]
    terms = [word for word in words if is_multi_word(word)]
    bare = [word for word in words if not any(map(str.isalpha, word))]
    numerals = sum(map(is_numeral, bare))
    return WordShapes(
        words=len(words),
        with_capitals=_share(sum(word != word.lower() for word in words), len(words)),
        multi_word=_share(len(terms), len(words)),
        multi_word_example=terms[0] if terms else None,
        numerals=_share(numerals, len(words)),
        punctuation=_share(len(bare) - numerals, len(words)),
        scripts=script_mix(words)[:SCRIPTS_SHOWN],
    )


def is_numeral(word: str) -> bool:
    """Return whether a word has digits and no letter, such as 1984 or 3.14."""
    return any(map(str.isdigit, word)) and not any(map(str.isalpha, word))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
