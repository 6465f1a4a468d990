"""A vocabulary that can also look up words it does not hold, through a chain of resolvers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from bilex.errors import DimensionError
from bilex.values import EmbeddingSpace, Normalization, Vector


@dataclass(frozen=True, eq=False)
class ResolvedWord:
    """How a word was looked up, and its vector.

    Attributes:
        how: "known", "unknown", or the name of the way its vector was found.
        vector: Normalized as its space is; None if the word stays unknown.
        parts: The words whose vectors were used; none if it is made of parts of words.
        missing: The words of a term that stay unknown.
    """

    how: str
    vector: Vector | None = None
    parts: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class WordResolver(Protocol):
    """A way to find a vector for a word that the vocabulary does not hold."""

    def resolve(self, word: str, vocabulary: Vocabulary) -> ResolvedWord | None:
        """Return the resolved word, or None if this resolver does not apply to it.

        `vocabulary` holds the other resolvers of the chain, for looking up parts of the word.
        """
        ...


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The normalized space of one language, and the resolvers for other words, in order.

    A word of the space never goes to a resolver, so its vector does not depend on them.
    """

    space: EmbeddingSpace
    normalization: Normalization
    resolvers: tuple[WordResolver, ...] = ()

    def resolve(self, word: str) -> ResolvedWord:
        """Return the word as found by the first resolver that has a vector for it."""
        row = self.space.index.get(word)
        if row is not None:
            return ResolvedWord("known", self.space.vectors[row], (word,))
        missing: tuple[str, ...] = ()
        for number, resolver in enumerate(self.resolvers):
            # A resolver never receives its own look-ups, so the recursion ends.
            others = (*self.resolvers[:number], *self.resolvers[number + 1 :])
            found = resolver.resolve(word, replace(self, resolvers=others))
            if found is not None and found.vector is not None:
                return found
            missing = missing or (found.missing if found is not None else ())
        return ResolvedWord("unknown", missing=missing)

    def rename(self, names: Iterable[str], how: str) -> ResolvedWord | None:
        """Return the first of other names for a word that is one word of the space."""
        for name in names:
            found = self.resolve(name)
            if found.vector is not None and len(found.parts) == 1:
                return replace(found, how=how)
        return None

    def normalize(self, raw: Vector) -> Vector:
        """Normalize a raw vector as those of the space were normalized."""
        if raw.shape != (self.space.dim,):
            raise DimensionError(
                f"a vector of {raw.numel()} numbers for a space of {self.space.dim} dimensions: "
                "are the subwords from the vectors that the model was trained on?"
            )
        return self.normalization.apply(raw.to(self.space.vectors)[None])[0]
