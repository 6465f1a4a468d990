"""A sequence of preprocessing operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from bilex.errors import SettingError
from bilex.protocols import Preprocessor
from bilex.registry import plugin_class, resolve
from bilex.values import Matrix, Normalization, NormalizationStep


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Apply preprocessors one after the other; each learns from the output of the one before.

    The default (unit length, centering, unit length) is that of Artetxe et al. (2016) and most
    later work.

    Attributes:
        steps: The names of the preprocessors, in order.
    """

    steps: tuple[str, ...] = ("unit", "center", "unit")

    def __post_init__(self) -> None:
        if "pipeline" in self.steps:
            raise SettingError(
                "preprocessing.steps contains 'pipeline': a pipeline cannot contain itself; remove "
                "it"
            )
        for name in self.steps:
            plugin_class("preprocessing", name)

    def learn(self, vectors: Matrix) -> Normalization:
        """Return the learned operations, in order."""
        learned: list[NormalizationStep] = []
        for name in self.steps:
            preprocessor = cast(Preprocessor, resolve("preprocessing", name))
            normalization = preprocessor.learn(vectors)
            vectors = normalization.apply(vectors)
            learned.extend(normalization.steps)
        return Normalization(tuple(learned))
