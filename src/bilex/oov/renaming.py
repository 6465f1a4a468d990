"""Other forms of a word: its lemma, or the same letters in another case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bilex.errors import SettingError
from bilex.lexicons import read_lexicon
from bilex.oov.vocabulary import ResolvedWord, Vocabulary
from bilex.registry import import_extra

SIMPLEMMA = "simplemma:"
"""Begins the name of lemmas of the package simplemma, which the code of a language follows."""


@dataclass(frozen=True)
class Lemmas:
    """Looks up an unknown form by its lemma.

    Attributes:
        lemma_of: A function from a form to its lemma; None if there is no lemma.
        name: The name of the lemmas in messages and results.

    Example:
        >>> Lemmas({"houses": "house"}.get).lemma_of("houses")
        'house'
    """

    lemma_of: Callable[[str], str | None]
    name: str = "lemmas"

    @classmethod
    def read(cls, source: Path | str) -> Self:
        """Read forms and their lemmas from a file of pairs, or from the package simplemma.

        Args:
            source: A file with the form first, or `simplemma:` and the code of a language, such as
                `simplemma:fr`.

        Raises:
            LexiconFileError: If the file is damaged or contains no pair.
            SettingError: If simplemma does not know the language.
            MissingExtraError: If simplemma is requested and not installed.
        """
        if str(source).startswith(SIMPLEMMA):
            return cls(_simplemma(str(source).removeprefix(SIMPLEMMA)), str(source))
        translations = read_lexicon(source).translations
        return cls(
            {form: lemmas[0] for form, lemmas in translations.items()}.get, Path(source).name
        )

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


def _simplemma(language: str) -> Callable[[str], str | None]:
    """Return the lemmas of simplemma; None for words that it does not change."""
    lemmatize = import_extra("simplemma", "lemmas of a language need", extra="lemmas").lemmatize
    try:
        lemmatize("a", lang=language)
    except ValueError:
        raise SettingError(
            f"simplemma has no lemmas of the language {language!r}: expected one of its language "
            "codes, such as en, de or fr; for another language, give a file of forms and lemmas"
        ) from None

    def lemma_of(form: str) -> str | None:
        found = str(lemmatize(form, lang=language))
        return None if found == form else found

    return lemma_of
