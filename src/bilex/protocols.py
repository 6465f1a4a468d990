"""The interfaces between the parts: the methods that a plugin of each kind must have.

A plugin is a frozen dataclass. Its fields are its settings and its TOML keys; it has the methods
of its protocol. Plugins of bilex and of other packages are found in the same way, by entry point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol, runtime_checkable

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
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
    ) -> LinearMap:
        """Return a map that brings the paired words together; it may begin at `start`."""
        ...


class Prior(Protocol):
    """How likely word pairs are translations according to one map; used by another step."""

    def log_weights(self, source_ids: torch.Tensor, target_ids: torch.Tensor) -> Matrix:
        """Return log Γ of these pairs, (n_sources, n_targets), up to a constant for each row."""
        ...


@runtime_checkable
class BilinearPrior(Prior, Protocol):
    """A prior whose log is an inner product with the target rows and a bias: cheap to add."""

    def queries(self, source_ids: torch.Tensor) -> Matrix:
        """Return rows whose inner products with target rows are log Γ without the bias."""
        ...

    def target_bias(self, source_ids: torch.Tensor, target_ids: torch.Tensor) -> Vector:
        """Return the bias of each target row when it is matched with these source rows."""
        ...


class UnsupervisedStep(Protocol):
    """Learns a map from the two spaces alone, without word pairs."""

    def fit_map(
        self,
        spaces: SpacePair,
        *,
        rng: torch.Generator,
        start: LinearMap,
        prior: Prior | None = None,
    ) -> LinearMap:
        """Return a map that improves on `start`, pulled towards `prior` if one is given."""
        ...


class PriorMessage(Protocol):
    """Passes what a supervised map has learned to an unsupervised step."""

    def make_prior(self, spaces: SpacePair, mapping: LinearMap) -> Prior:
        """Return the prior over word pairs that follows from this map."""
        ...


class LexiconMessage(Protocol):
    """Passes what an unsupervised map has found to a supervised step."""

    def extend(
        self, spaces: SpacePair, mapping: LinearMap, lexicon: IndexedLexicon
    ) -> IndexedLexicon:
        """Return the given pairs, in their order, followed by reliable pairs found by the map.

        Pairs that `spaces.reviewed` rejects are not added.
        """
        ...


class Start(Protocol):
    """Finds a first map without any seed pair."""

    def begin(self, spaces: SpacePair, *, rng: torch.Generator) -> LinearMap:
        """Return a rough map to improve on."""
        ...


class Strategy(Protocol):
    """Combines steps into one training run."""

    @property
    def rounds(self) -> int:
        """Return how many rounds a run has at most; 1 if it has no rounds."""
        ...

    @property
    def lexicon_update(self) -> LexiconMessage | None:
        """Return the part that adds pairs during a run; None if there is none."""
        ...

    def shortened(self, rounds: int) -> Strategy:
        """Return the same strategy with at most `rounds` rounds."""
        ...

    def run(
        self,
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
        on_round: OnRound | None = None,
        resume: Round | None = None,
    ) -> LinearMap:
        """Return the final map; its `warnings` are messages for the user.

        Args:
            spaces: The normalized spaces.
            lexicon: The seed pairs; may be empty only if there is a `start`.
            rng: Random generator.
            start: A first map, for a run without seeds.
            on_round: Called after each finished round but the last.
            resume: A round that `on_round` received. The run continues after it and returns the
                same map as a run without interruption.
        """
        ...


class Proposals(NamedTuple):
    """The most probable translation of each of some source words."""

    target_ids: torch.Tensor  # (n_words,), long
    probabilities: Vector  # (n_words,)


Propose = Callable[[torch.Tensor], Proposals]
"""Returns the most probable translation of each source row."""


class Feedback(Protocol):
    """Chooses pairs to train on once translations have probabilities."""

    def extend(
        self, spaces: SpacePair, lexicon: IndexedLexicon, propose: Propose
    ) -> IndexedLexicon:
        """Return the given pairs, in their order, followed by pairs that are probably right.

        Pairs that `spaces.reviewed` rejects are not added. Returns `lexicon` itself if too few are
        probable to learn from.
        """
        ...


class SearchIndex(Protocol):
    """Finds the best of the indexed rows for a query, in one direction."""

    def search(self, queries: Matrix, *, k: int, rows: torch.Tensor | None = None) -> Neighbors:
        """Return the k best rows for each query (fewer if there are fewer), best first.

        Args:
            queries: Rows of the other language, mapped into the same space.
            k: How many to find.
            rows: The row numbers of the queries in their vocabulary, if they are known words.
                The index may then reuse values it computed for them; the result is the same.
        """
        ...


class TwoWayIndex(Protocol):
    """Both directions of an aligned pair of spaces, ready to be searched."""

    @property
    def forward(self) -> SearchIndex:
        """Return the index that finds target rows for source rows."""
        ...

    @property
    def backward(self) -> SearchIndex:
        """Return the index that finds source rows for target rows."""
        ...

    def state(self) -> Mapping[str, torch.Tensor]:
        """Return computed tensors by name; they are saved with the model and passed to `build`."""
        ...


class Retriever(Protocol):
    """Ranks the words of one language for a word of the other."""

    def build(
        self,
        source: Matrix,
        target: Matrix,
        *,
        compute: Compute,
        state: Mapping[str, torch.Tensor] | None = None,
    ) -> TwoWayIndex:
        """Index an aligned pair of spaces.

        Args:
            source: All source rows, mapped into the target space. Hubs are measured against the
                whole vocabulary, so that the result for a word does not depend on which other
                words are searched with it.
            target: All target rows.
            compute: Memory and precision; does not change the result.
            state: The result of `TwoWayIndex.state` for the same rows, which then are not
                measured again.
        """
        ...
