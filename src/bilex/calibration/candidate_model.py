"""The candidate model: the probability that a candidate is right, which is also the final order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import torch

from bilex.calibration.features import FEATURES
from bilex.calibration.scorers import KINDS, Scorer, mean_log_odds
from bilex.values import Matrix


@dataclass(frozen=True, eq=False)
class CandidateModel:
    """Probabilities from features.

    Attributes:
        features: The names of the features, in order.
        learner: What learned the scorers.
        scorers: Their log-odds are averaged; each saw other words.
        slope: What the mean log-odds are multiplied with, so that probabilities come true.
        intercept: What is added then.
        reorders: Whether the probability is the order; else candidates stay in the order of
            their scores, because held-out seeds showed a loss.
        report: What held-out seeds said.
    """

    features: tuple[str, ...]
    learner: str
    scorers: tuple[Scorer, ...]
    slope: float
    intercept: float
    reorders: bool
    report: Mapping[str, object] = field(default_factory=dict)

    def probabilities(self, features: Matrix) -> Matrix:
        """Return the probability of each candidate: (n_words, k) from (n_words, k, n_features)."""
        odds = mean_log_odds(self.scorers, features.flatten(0, 1))
        return torch.sigmoid(self.slope * odds + self.intercept).view(features.shape[:2])

    def to(self, device: torch.device | str) -> Self:
        """Return the same model, computing elsewhere."""
        moved = tuple(
            dataclasses.replace(scorer, **{name: t.to(device) for name, t in _fields(scorer)})  # type: ignore[type-var]
            for scorer in self.scorers
        )
        return dataclasses.replace(self, scorers=moved)

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return everything that was learned, by name."""
        return {
            f"{number}.{name}": tensor.cpu().contiguous()
            for number, scorer in enumerate(self.scorers)
            for name, tensor in _fields(scorer)
        }

    def facts(self) -> dict[str, object]:
        """Return the rest as plain values."""
        return {
            "features": list(self.features),
            "learner": self.learner,
            "slope": self.slope,
            "intercept": self.intercept,
            "reorders": self.reorders,
            "report": dict(self.report),
        }

    @classmethod
    def restore(cls, facts: Mapping[str, object], tensors: Mapping[str, torch.Tensor]) -> Self:
        """Return the model that `facts` and `tensors` describe.

        Raises:
            KeyError, ValueError, TypeError: If they describe none.
        """
        kind = KINDS[str(facts["learner"])]
        names = [one.name for one in dataclasses.fields(kind)]
        count = len(tensors) // len(names)
        scorers = tuple(
            kind(**{name: tensors[f"{number}.{name}"] for name in names}) for number in range(count)
        )
        if not scorers or len(tensors) != count * len(names):
            raise ValueError(f"{len(tensors)} tensors do not make up {facts['learner']} scorers")
        features = tuple(facts["features"])  # type: ignore[arg-type, var-annotated]
        if not features or not set(features) <= set(FEATURES):
            raise ValueError(f"the features {features} are not all known")
        for scorer in scorers:
            scorer.check(len(features))
        return cls(
            features=features,
            learner=str(facts["learner"]),
            scorers=scorers,
            slope=float(facts["slope"]),  # type: ignore[arg-type]
            intercept=float(facts["intercept"]),  # type: ignore[arg-type]
            reorders=bool(facts["reorders"]),
            report=dict(facts["report"]),  # type: ignore[call-overload]
        )


def _fields(scorer: Scorer) -> list[tuple[str, torch.Tensor]]:
    return [
        (one.name, getattr(scorer, one.name))
        for one in dataclasses.fields(scorer)  # type: ignore[arg-type]
    ]
