"""Other forms of a word: its lemma, or the same letters in another case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bilex.lexicons import read_lexicon
from bilex.oov.vocabulary import ResolvedWord, Vocabulary


@dataclass(frozen=True)
class Lemmas:
    """Looks up an unknown form by its lemma.

    Attributes:
        lemma_of: A function from a form to its lemma; None if there is no lemma.

    Example:
        >>> Lemmas({"houses": "house"}.get).lemma_of("houses")
        'house'
    """

    lemma_of: Callable[[str], str | None]

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """Read forms and their lemmas from a file of pairs, with the form first.

        Raises:
            LexiconFileError: If the file is damaged or contains no pair.
        """
        translations = read_lexicon(path).translations
        return cls({form: lemmas[0] for form, lemmas in translations.items()}.get)

    def resolve(self, word: str, vocabulary: Vocabulary) -> ResolvedWord | None:
        """Return the vector of the lemma."""
        lemma = self.lemma_of(word)
        return None if lemma is None else vocabulary.rename([lemma], "lemma")


@dataclass(frozen=True)
class AnyCase:
    """Looks up an unknown word in lower case, then capitalized, then in capitals."""

    def resolve(self, word: str, vocabulary: Vocabulary) -> ResolvedWord | None:
        """Return the vector of the first variant that is known."""
        lower = word.lower()
        return vocabulary.rename([lower, lower[:1].upper() + lower[1:], word.upper()], "case")
