"""Vectors made of character n-grams, as in fastText."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.oov.vocabulary import ResolvedWord, Vocabulary
from bilex.values import SubwordVectors, unit_rows

_COMPARED = 100


@dataclass(frozen=True)
class Subwords:
    """Makes a vector from the character n-grams of a word.

    Terms with a space are left to other resolvers, because subwords are learned from single words.
    """

    vectors: SubwordVectors

    def resolve(self, word: str, vocabulary: Vocabulary) -> ResolvedWord | None:
        """Return the vector of the word if any of its n-grams is known."""
        if any(character.isspace() for character in word):
            return None
        raw = self.vectors.vector(word)
        return None if raw is None else ResolvedWord("subwords", vocabulary.normalize(raw))


def agreement(subwords: SubwordVectors, vocabulary: Vocabulary) -> float:
    """Return the mean cosine between frequent words' vectors and their vectors made of subwords.

    It is near 1 if the subwords belong to the vectors. It is near 0 if they are from another
    model; then the vectors made of them are meaningless.
    """
    words = vocabulary.space.words[:_COMPARED]
    spelled = [(row, subwords.vector(word)) for row, word in enumerate(words)]
    pairs = [(row, vocabulary.normalize(raw)) for row, raw in spelled if raw is not None]
    if not pairs:
        return 0.0
    known = vocabulary.space.vectors[[row for row, _ in pairs]]
    made = torch.stack([vector for _, vector in pairs])
    return float((unit_rows(known) * unit_rows(made)).sum(dim=1).mean())
