"""A trained model as far as publishing its vectors needs it."""

from __future__ import annotations

from typing import Protocol

from bilex.values import EmbeddingSpace, Lexicon, LinearMap


class Trained(Protocol):
    """What `bilex.model_folder.read_model` returns, or anything like it."""

    @property
    def config(self) -> dict[str, dict[str, object]]:
        """The settings, one table for each part."""
        ...

    @property
    def source(self) -> EmbeddingSpace:
        """The normalized source space."""
        ...

    @property
    def target(self) -> EmbeddingSpace:
        """The normalized target space."""
        ...

    @property
    def mapping(self) -> LinearMap:
        """What carries source rows into the target space."""
        ...

    @property
    def seeds(self) -> Lexicon:
        """The pairs it was trained on."""
        ...

    @property
    def random_state(self) -> int:
        """What made the run repeatable."""
        ...

    @property
    def report(self) -> dict[str, object]:
        """How training went."""
        ...
