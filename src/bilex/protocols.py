"""The interfaces between the parts: one method each, one return type each.

A plugin is a frozen dataclass whose fields are its settings (and its TOML keys) and which has
the one method of its protocol. Ours and other packages' are found alike, by entry point.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import torch

from bilex.values import (
    Compute,
    IndexedLexicon,
    LinearMap,
    Matrix,
    Neighbors,
    Normalization,
    OnRound,
    Round,
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


class Prior(Protocol):
    """What one map believes about which words translate each other, for another to use."""

    def log_weights(self, source_ids: torch.Tensor, target_ids: torch.Tensor) -> Matrix:
        """Return log Γ of these pairs, (n_sources, n_targets), up to a constant for each row."""
        ...


@runtime_checkable
class BilinearPrior(Prior, Protocol):
    """A prior whose log is an inner product with the target rows and a bias: cheap to add."""

    def queries(self, source_ids: torch.Tensor) -> Matrix:
        """Return rows whose inner products with target rows are log Γ without the bias."""
        ...

    def target_bias(self, target_ids: torch.Tensor) -> Vector:
        """Return what is added for each target."""
        ...


class UnsupervisedStep(Protocol):
    """Learns a map from the shape of the two spaces alone."""

    def fit_map(
        self,
        pair: SpacePair,
        *,
        rng: torch.Generator,
        start: LinearMap,
        prior: Prior | None = None,
    ) -> LinearMap:
        """Return a better map than `start`, drawn towards `prior` if one is given."""
        ...


class PriorMessage(Protocol):
    """Passes what a supervised map has learned to an unsupervised step."""

    def make_prior(self, pair: SpacePair, mapping: LinearMap) -> Prior:
        """Return the belief that this map amounts to."""
        ...


class LexiconMessage(Protocol):
    """Passes what an unsupervised map has found to a supervised step."""

    def extend(
        self, pair: SpacePair, mapping: LinearMap, lexicon: IndexedLexicon
    ) -> IndexedLexicon:
        """Return the given pairs, in their order, followed by pairs the map is sure of."""
        ...


class Start(Protocol):
    """Finds a first map without any seed pair."""

    def begin(self, pair: SpacePair, *, rng: torch.Generator) -> LinearMap:
        """Return a rough map to improve on."""
        ...


class Strategy(Protocol):
    """Combines steps into one training run."""

    def run(
        self,
        pair: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
        on_round: OnRound | None = None,
        resume: Round | None = None,
    ) -> LinearMap:
        """Return the final map.

        Args:
            pair: The normalized spaces.
            lexicon: The seed pairs; may be empty only if there is a `start`.
            rng: Where all chance comes from.
            start: A first map, for a run without seeds.
            on_round: Told of each finished round but the last.
            resume: A round told before: go on after it, as if never interrupted.
        """
        ...


class SearchIndex(Protocol):
    """Answers which of the indexed rows are best for a query."""

    @property
    def penalties(self) -> Vector:
        """Return one number a candidate: all that was measured, so that it can be kept."""
        ...

    def search(
        self, queries: Matrix, *, k: int, query_penalties: Vector | None = None
    ) -> Neighbors:
        """Return the k best rows for each query (fewer if there are fewer), best first.

        Args:
            queries: Rows of the other language, mapped into the same space.
            k: How many to find.
            query_penalties: What an index of the other direction measured of these rows, to be
                spared doing so; never changes the answer.
        """
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
