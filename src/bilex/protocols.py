"""The interfaces between the parts: one method each, one return type each.

A plugin is a frozen dataclass whose fields are its settings (and its TOML keys) and which has
the one method of its protocol. Ours and other packages' are found alike, by entry point.
"""

from __future__ import annotations

from typing import Protocol

import torch

from bilex.values import (
    Compute,
    IndexedLexicon,
    LinearMap,
    Matrix,
    Neighbors,
    Normalization,
    SpacePair,
    Vector,
)


class Preprocessor(Protocol):
    """Learns how to normalize the rows of one space."""

    def learn(self, vectors: Matrix) -> Normalization:
        """Return operations that normalize `vectors` and any later row of the same space."""
        ...


class SupervisedStep(Protocol):
    """Learns a map from pairs of words."""

    def fit_map(
        self,
        pair: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
    ) -> LinearMap:
        """Return a map that brings the paired words together, from `start` where it helps."""
        ...


class Strategy(Protocol):
    """Combines steps into one training run."""

    def run(self, pair: SpacePair, lexicon: IndexedLexicon, *, rng: torch.Generator) -> LinearMap:
        """Return the final map."""
        ...


class SearchIndex(Protocol):
    """Answers which of the indexed rows are best for a query."""

    @property
    def penalties(self) -> Vector:
        """Return one number a candidate: all that was measured, so that it can be kept."""
        ...

    def search(self, queries: Matrix, *, k: int) -> Neighbors:
        """Return the k best rows for each query (fewer if there are fewer), best first."""
        ...


class Retriever(Protocol):
    """Builds a search index over one side of an aligned pair of spaces."""

    def build(
        self,
        candidates: Matrix,
        queries: Matrix,
        *,
        compute: Compute,
        penalties: Vector | None = None,
    ) -> SearchIndex:
        """Index `candidates`.

        Args:
            candidates: The rows to be found.
            queries: All rows of the other language, mapped into the same space: what makes a
                candidate a hub is seen only against all of them, so that the answer for a word
                never depends on which other words are asked with it.
            compute: Memory and precision; never changes the answer.
            penalties: What an earlier index of the same rows measured, to be spared doing so.
        """
        ...
