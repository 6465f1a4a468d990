"""The writing system of words, from the Unicode names of their letters."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

ScriptMix = tuple[tuple[str, float], ...]
"""Scripts and their shares of the words that have one, largest first."""

# "LATIN SMALL LETTER A" → "LATIN": a name starts with the script, followed by one of these.
_KIND_OF_CHARACTER = re.compile(
    r"[ -](SMALL|CAPITAL|LETTER|SYLLABLE|SYLLABICS|VOWEL|CONSONANT|CHARACTER|UNIFIED|"
    r"COMPATIBILITY|IDEOGRAPH|LIGATURE|FINAL|SIGN|ITERATION|PROLONGED|HIRAGANA)\b.*"
)
_WIDTH = re.compile(r"^(FULLWIDTH|HALFWIDTH) ")
_RENAMED = {"CJK": "Han", "IDEOGRAPHIC": "Han"}
_LETTERS_OF_NO_SCRIPT = {"MODIFIER", "FEMININE", "MASCULINE", "MICRO"}


@lru_cache(maxsize=100_000)
def script_of_character(character: str) -> str | None:
    """Return the script of one character, None for what is not a letter.

    Example:
        >>> script_of_character("ж"), script_of_character("7")
        ('Cyrillic', None)
    """
    if not unicodedata.category(character).startswith("L"):
        return None
    name = _WIDTH.sub("", unicodedata.name(character, ""))
    first = _KIND_OF_CHARACTER.sub("", name)
    if not first or first.split()[0] in _LETTERS_OF_NO_SCRIPT:
        return None
    return _RENAMED.get(first, first.title())


def script_of(word: str) -> str | None:
    """Return the script of most letters of a word, the first of equals; None without letters."""
    if word.isascii():
        return "Latin" if any(character.isalpha() for character in word) else None
    counts = Counter(filter(None, map(script_of_character, word)))
    return counts.most_common(1)[0][0] if counts else None


def script_mix(words: Iterable[str]) -> ScriptMix:
    """Return the scripts of the words that have letters, with their shares, largest first."""
    counts = Counter(filter(None, map(script_of, words)))
    total = counts.total()
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple((script, count / total) for script, count in ranked)


def dominant_script(mix: ScriptMix) -> str | None:
    """Return the most common script, None when no word has letters."""
    return mix[0][0] if mix else None


def script_overlap(one: ScriptMix, other: ScriptMix) -> float:
    """Return how far two mixes agree: 1 for the same shares, 0 for no script in common.

    An empty mix (no word has letters) agrees with any other.
    """
    if not one or not other:
        return 1.0
    shares = dict(other)
    return sum(min(share, shares.get(script, 0.0)) for script, share in one)
