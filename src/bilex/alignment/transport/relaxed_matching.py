"""Wasserstein–Procrustes for vocabularies that do not match one to one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bilex.alignment.transport.wasserstein_procrustes import WassersteinProcrustes
from bilex.errors import SettingError


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaxedMatching(WassersteinProcrustes):
    """Let popular target words be matched more often than others (Zhao et al., 2020).

    The same step and settings as `WassersteinProcrustes`, except that target words need not all
    be used alike: a language has synonyms and inflections that the other lacks.
    """

    _name: ClassVar[str] = "relaxed-matching"

    target_relaxation: float | None = 1.0

    def __post_init__(self) -> None:
        WassersteinProcrustes.__post_init__(self)
        if self.target_relaxation is None:
            raise SettingError(
                "unsupervised.target_relaxation is None: give a number, or use "
                "'wasserstein-procrustes', which uses all target words alike"
            )
