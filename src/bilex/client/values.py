"""What a service says about a pair of languages and about a word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bilex.lexicons.dictionary import DictionaryEntry


@dataclass(frozen=True, kw_only=True)
class PairInfo:
    """A pair of languages that a service has.

    Attributes:
        name: Its name, such as "en-es".
        source: The source language, as a tag such as "en".
        target: The target language.
        model: The identity of the model; None if there are only entries that people gave.
        source_words: Number of words of the source language.
        target_words: Number of words of the target language.
        calibrated: Whether translations have probabilities.
        own_entries: Number of entries that people decided or that a dictionary gives.
    """

    name: str
    source: str
    target: str
    model: str | None
    source_words: int
    target_words: int
    calibrated: bool
    own_entries: int


@dataclass(frozen=True, kw_only=True)
class WordEntry:
    """All that a service knows about a word.

    Attributes:
        word: The word.
        rank: Its rank by frequency, from 1; None if only people have an entry for it.
        entries: Its translations, the best first.
        near: Words of the same language with similar vectors.
        near_first: Words with vectors like that of the first translation.
        provenance: The model, its versions and its size.
    """

    word: str
    rank: int | None
    entries: tuple[DictionaryEntry, ...]
    near: tuple[str, ...]
    near_first: tuple[str, ...]
    provenance: Mapping[str, object]
