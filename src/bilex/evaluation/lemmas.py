"""Compare target words by their lemmas, under the scoring rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

from bilex.errors import warn_user
from bilex.evaluation.scoring_rules import ScoringRules
from bilex.oov import Lemmas

LemmaOf = Callable[[str], str]
"""Returns the lemma of a target word, both in the form that the rules compare."""


def resolve_lemmas(lemmas: Lemmas | Path | str | None) -> Lemmas | None:
    """Return the lemmas of a file or of simplemma; `Lemmas` and None are returned unchanged.

    Raises:
        LexiconFileError: If the file is damaged or contains no pair.
        SettingError: If simplemma does not know the language.
        MissingExtraError: If simplemma is requested and not installed.
    """
    return lemmas if lemmas is None or isinstance(lemmas, Lemmas) else Lemmas.read(lemmas)


def lemma_lookup(lemmas: Lemmas, target_forms: Mapping[str, str], rules: ScoringRules) -> LemmaOf:
    """Return a cached lookup; a word without a lemma is its own lemma.

    Args:
        lemmas: The lemmas of the target language.
        target_forms: The spelling of each word in the vocabulary, by the form that is compared.
            It is looked up first, because lemmas of German nouns, for example, have capitals.
        rules: What is compared.
    """

    @cache
    def lemma_of(form: str) -> str:
        spelling = target_forms.get(form, form)
        found = lemmas.lemma_of(spelling)
        if found is None and spelling != form:
            found = lemmas.lemma_of(form)
        return rules.fold(form if found is None else found)

    return lemma_of


def warn_if_useless(name: str, lemma_of: LemmaOf, words: Iterable[str]) -> None:
    """Warn if no word has a lemma other than itself."""
    distinct = set(words)
    if all(lemma_of(word) == word for word in distinct):
        warn_user(
            f"none of the {len(distinct):,} gold translations and first answers has another lemma "
            f"in {name}, so scores by lemma equal those by form: check that it is for the language "
            "of the answers"
        )
