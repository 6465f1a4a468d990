"""One language as spellers see it, and the order in which they are asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from bilex.errors import DimensionError
from bilex.values import EmbeddingSpace, Normalization, Vector


@dataclass(frozen=True, eq=False)
class Spelling:
    """How a word was found, and the vector that stands for it.

    Attributes:
        how: "known", "unknown", or the name of the way that led to a vector.
        vector: Normalized as its space is; None if the word stays unknown.
        parts: The words whose vectors were used; none if it is made of less than words.
        missing: The words of a term that no way was found to.
    """

    how: str
    vector: Vector | None = None
    parts: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class Speller(Protocol):
    """A way to a vector for a word that the vocabulary does not hold."""

    def spell(self, word: str, vocabulary: Vocabulary) -> Spelling | None:
        """Return the word's spelling, or None if this is no word for this speller.

        `vocabulary` holds the other spellers of the chain, so that parts can be asked for.
        """
        ...


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The normalized space of one language, and the spellers to ask about other words, in order.

    A word of the space is never given to a speller: its answer does not depend on them.
    """

    space: EmbeddingSpace
    normalization: Normalization
    spellers: tuple[Speller, ...] = ()

    def spell(self, word: str) -> Spelling:
        """Return the spelling of a word by the first way that leads to a vector."""
        row = self.space.index.get(word)
        if row is not None:
            return Spelling("known", self.space.vectors[row], (word,))
        missing: tuple[str, ...] = ()
        for number, speller in enumerate(self.spellers):
            # A speller is not asked again about its own questions, so asking comes to an end.
            others = (*self.spellers[:number], *self.spellers[number + 1 :])
            found = speller.spell(word, replace(self, spellers=others))
            if found is not None and found.vector is not None:
                return found
            missing = missing or (found.missing if found is not None else ())
        return Spelling("unknown", missing=missing)

    def rename(self, names: Iterable[str], how: str) -> Spelling | None:
        """Return the first of other names for a word that leads to one word of the space."""
        for name in names:
            found = self.spell(name)
            if found.vector is not None and len(found.parts) == 1:
                return replace(found, how=how)
        return None

    def normalize(self, raw: Vector) -> Vector:
        """Treat a raw vector as those of the space were treated."""
        if raw.shape != (self.space.dim,):
            raise DimensionError(
                f"a vector of {raw.numel()} numbers for a space of {self.space.dim} dimensions: "
                "are the subwords from the vectors that the model was trained on?"
            )
        return self.normalization.apply(raw.to(self.space.vectors)[None])[0]
