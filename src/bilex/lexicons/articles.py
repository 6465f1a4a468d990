"""Articles and particles before a word, as dictionaries write them: `le symbole`, `to go`.

Vocabularies of word vectors contain single words. A word that is not in the vocabulary is looked
up without its article. The table is the same for all languages: the first word must be in it, and
the rest in the vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from dataclasses import dataclass, replace

from bilex.values import EmbeddingSpace, Lexicon

_BEFORE = {
    "English": "the a an to",
    "French": "le la les un une des du se",
    "Spanish": "el la los las lo un una unos unas",
    "Portuguese": "o a os as um uma uns umas",
    "Italian": "il lo la i gli le un uno una",
    "Catalan": "el la els les en na un una uns unes",
    "Romanian": "un o a",
    "German": "der die das den dem des ein eine einen einem einer sich zu",
    "Dutch": "de het een te zich",
    "Swedish": "en ett den det att sig",
    "Danish, Norwegian": "en et ei den det de at å sig seg",
    "Icelandic": "að",
    "Hungarian": "a az egy",
    "Greek": "ο η το οι τα ένας μία ένα να",
    "Irish, Welsh": "an na y yr",
    "Albanian": "një të",
    "Basque, Maltese": "bat il",
    "Esperanto": "la",
    "Yiddish": "דער די דאָס אַ אַן",
    "Arabic, in Latin letters": "al el",
}
_ELIDED = {
    "French, Catalan": "l' d' s' qu'",
    "Italian": "l' un' dell' all' nell' sull' dall' d' gl'",
    "English, Dutch": "'t 's",
    "Maltese": "l-",
    "Arabic, in Latin letters": "al- el- ad- ar- as- at- az- an- ash-",
}
_PREFIXES = ("ال",)  # the article of Arabic

REGULAR_SHARE = 0.5
"""A prefix of `_PREFIXES` is an article if at least this share of a column starts with it."""

_ARTICLES = frozenset(word for words in _BEFORE.values() for word in words.split())
_ELISIONS = tuple(
    sorted({word for words in _ELIDED.values() for word in words.split()}, key=len, reverse=True)
)
_APOSTROPHES = re.compile("[’ʼ]")
_EXAMPLES = 3

Vocabulary = Container[str]


@dataclass(frozen=True)
class Shortened:
    """How many words of a lexicon are used without their article, and the first of them."""

    words: int = 0
    examples: tuple[tuple[str, str], ...] = ()

    def describe(self) -> str:
        """Return a sentence for the user."""
        shown = ", ".join(f"{word} → {found}" for word, found in self.examples)
        plural = "words are" if self.words > 1 else "word is"
        return f"{self.words:,} {plural} used without article or particle ({shown})"


def is_article(word: str) -> bool:
    """Return whether a word is an article or particle of some language in the table."""
    word = _APOSTROPHES.sub("'", word.lower())
    return word in _ARTICLES or word in _ELISIONS


def without_articles(
    lexicon: Lexicon, source: EmbeddingSpace, target: EmbeddingSpace
) -> tuple[Lexicon, Shortened]:
    """Remove the articles of words that are in the vocabulary only without their article."""
    return shorten_words(lexicon, source.index, target.index)


def shorten_words(
    lexicon: Lexicon, source: Vocabulary, target: Vocabulary
) -> tuple[Lexicon, Shortened]:
    """Do the same as `without_articles`, for vocabularies that are not those of vectors."""
    shorten_source = _shortener([e.source for e in lexicon.entries], source)
    shorten_target = _shortener([e.target for e in lexicon.entries], target)
    changed: dict[str, str] = {}
    entries = []
    for entry in lexicon.entries:
        words = shorten_source(entry.source), shorten_target(entry.target)
        for word, found in zip(entry[:2], words, strict=True):
            if word != found:
                changed.setdefault(word, found)
        entries.append(entry._replace(source=words[0], target=words[1]))
    if not changed:
        return lexicon, Shortened()
    shown = tuple(list(changed.items())[:_EXAMPLES])
    return replace(lexicon, entries=tuple(entries)), Shortened(len(changed), shown)


def without_article(word: str, vocabulary: Vocabulary) -> str | None:
    """Return a word without its article if the rest is in the vocabulary, else None.

    Example:
        >>> without_article("le symbole", {"symbole"}), without_article("le temps", {"symbole"})
        ('symbole', None)
    """
    first, _, rest = word.partition(" ")
    if rest in vocabulary and is_article(first):
        return rest
    rest, _, last = word.rpartition(", ")  # Hund, der
    if rest in vocabulary and is_article(last):
        return rest
    start = _APOSTROPHES.sub("'", word[:6].lower())
    for elision in _ELISIONS:
        if start.startswith(elision) and word[len(elision) :].lstrip(" ") in vocabulary:
            return word[len(elision) :].lstrip(" ")
    return None


def _shortener(words: list[str], vocabulary: Vocabulary) -> Callable[[str], str]:
    prefixes = [
        prefix
        for prefix in _PREFIXES
        if sum(word.startswith(prefix) for word in words) >= REGULAR_SHARE * len(words)
    ]

    def shorten(word: str) -> str:
        if word in vocabulary:
            return word
        for prefix in prefixes:
            if word.startswith(prefix) and word[len(prefix) :] in vocabulary:
                return word[len(prefix) :]
        return without_article(word, vocabulary) or word

    return shorten
