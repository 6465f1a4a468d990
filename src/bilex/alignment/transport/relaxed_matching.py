"""Wasserstein–Procrustes for vocabularies without a one-to-one match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bilex.alignment.transport.wasserstein_procrustes import WassersteinProcrustes
from bilex.errors import SettingError


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaxedMatching(WassersteinProcrustes):
    """Match some target words more often than others (Zhao et al., 2020).

    The same step and settings as `wasserstein-procrustes`, except that target words need not all be
    matched equally often: a language has synonyms and inflections that the other does not have.

    Attributes:
        target_relaxation: The price λ of unequal use of the target words, λ·KL(Pᵀ1‖uniform), on
            the scale of `epsilon`.
    """

    _name: ClassVar[str] = "relaxed-matching"

    target_relaxation: float | None = 1.0

    def __post_init__(self) -> None:
        WassersteinProcrustes.__post_init__(self)
        if self.target_relaxation is None:
            raise SettingError(
                "unsupervised.target_relaxation is None: give a number, or use "
                "'wasserstein-procrustes', which matches all target words equally often"
            )
