"""Several operations, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from bilex.errors import SettingError
from bilex.protocols import Preprocessor
from bilex.registry import plugin_class, resolve
from bilex.values import Matrix, Normalization, NormalizationStep


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """Apply preprocessors by name, each learning from what the one before left.

    The default, unit length, centering, unit length again, is that of Artetxe et al. (2016) and
    of nearly all later work.
    """

    steps: tuple[str, ...] = ("unit", "center", "unit")

    def __post_init__(self) -> None:
        if "pipeline" in self.steps:
            raise SettingError("preprocessing.steps holds 'pipeline': a pipeline can't hold itself")
        for name in self.steps:
            plugin_class("preprocessing", name)

    def learn(self, vectors: Matrix) -> Normalization:
        """Return all operations learned, in order."""
        learned: list[NormalizationStep] = []
        for name in self.steps:
            preprocessor = cast(Preprocessor, resolve("preprocessing", name))
            normalization = preprocessor.learn(vectors)
            vectors = normalization.apply(vectors)
            learned.extend(normalization.steps)
        return Normalization(tuple(learned))
