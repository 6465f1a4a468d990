"""A vocabulary that finds vectors for other words through a chain of resolvers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from bilex.errors import DimensionError
from bilex.values import EmbeddingSpace, Normalization, Vector


@dataclass(frozen=True, eq=False)
class ResolvedWord:
    """A word, how its vector was found, and the vector.

    Attributes:
        how: "known", "unknown", or the method by which the vector was found, such as "lemma".
        vector: The vector, normalized like its space; None if the word is unknown.
        parts: The words whose vectors were used; empty if the vector is made of subwords.
        missing: The words of a term that are unknown.
    """

    how: str
    vector: Vector | None = None
    parts: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class WordResolver(Protocol):
    """Finds a vector for a word that is not in the vocabulary."""

    def resolve(self, word: str, vocabulary: Vocabulary) -> ResolvedWord | None:
        """Return the resolved word, or None if this resolver does not apply to it.

        `vocabulary` has the other resolvers of the chain, to look up parts of the word.
        """
        ...


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The normalized space of one language, and the resolvers for other words, in order.

    Resolvers are not used for words of the space.
    """

    space: EmbeddingSpace
    normalization: Normalization
    resolvers: tuple[WordResolver, ...] = ()

    def resolve(self, word: str) -> ResolvedWord:
        """Return the result of the first resolver that has a vector for the word."""
        row = self.space.index.get(word)
        if row is not None:
            return ResolvedWord("known", self.space.vectors[row], (word,))
        missing: tuple[str, ...] = ()
        for number, resolver in enumerate(self.resolvers):
            # A resolver looks up parts through the other resolvers only, so the recursion ends.
            others = (*self.resolvers[:number], *self.resolvers[number + 1 :])
            found = resolver.resolve(word, replace(self, resolvers=others))
            if found is not None and found.vector is not None:
                return found
            missing = missing or (found.missing if found is not None else ())
        return ResolvedWord("unknown", missing=missing)

    def rename(self, names: Iterable[str], how: str) -> ResolvedWord | None:
        """Return the first of these forms that resolves to a single word of the space."""
        for name in names:
            found = self.resolve(name)
            if found.vector is not None and len(found.parts) == 1:
                return replace(found, how=how)
        return None

    def normalize(self, raw: Vector) -> Vector:
        """Normalize a raw vector like those of the space."""
        if raw.shape != (self.space.dim,):
            raise DimensionError(
                f"the vector of an unknown word has {raw.numel()} dimensions, expected "
                f"{self.space.dim}: use the subwords of the vectors that the model was trained on"
            )
        return self.normalization.apply(raw.to(self.space.vectors)[None])[0]
