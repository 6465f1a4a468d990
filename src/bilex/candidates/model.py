"""The candidate model: the probability that a candidate is correct, used to order candidates.

A model folder stores it as plain data:

- `candidates.json`: names, settings and results on held-out seeds, by direction
- `candidates.safetensors`: the learned parameters, and the second map
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Self

import torch

from bilex.candidates.features import over_best_rival
from bilex.candidates.scorers import KINDS, Scorer, mean_of
from bilex.candidates.word_parts import WordPairs
from bilex.storage.tensors import read_tensors, write_tensors
from bilex.values import LinearMap, Matrix

CANDIDATE_FILES = FACTS, TENSORS = "candidates.json", "candidates.safetensors"

LARGEST_LEAD = 3.0
"""A lead over the other candidates counts up to this difference of log-odds."""

SOFTNESS = 0.5
"""Factor of the log-odds in the share of a candidate."""


@dataclass(frozen=True, eq=False)
class CandidateModel:
    """Computes the probability of a candidate from its features.

    Attributes:
        features: The names of the features, in order.
        learner: The name of the learner that trained the scorers, or of two, joined by +.
        scorers: Each is trained on a different part of the words; their log-odds are averaged.
        slope: Calibration: factor of the mean log-odds.
        intercept: Calibration: added after the factors.
        reorders: Whether candidates are ordered by probability. If not, they keep the order of
            their scores, because reordering was worse on held-out seeds.
        lead: Calibration: factor of the difference between the mean log-odds and those of the best
            other candidate of the word.
        share: Calibration: factor of the log of the candidate's share among all candidates of the
            word.
        report: Results on held-out seeds.
    """

    features: tuple[str, ...]
    learner: str
    scorers: tuple[Scorer, ...]
    slope: float
    intercept: float
    reorders: bool
    lead: float = 0.0
    share: float = 0.0
    report: Mapping[str, object] = field(default_factory=dict)

    def probabilities(self, features: Matrix) -> Matrix:
        """Return the probability of each candidate: (n_words, k) from (n_words, k, n_features)."""
        return self.calibrated(self._scorer.log_odds(features))

    def calibrated(self, odds: Matrix) -> Matrix:
        """Return probabilities from mean log-odds: (n_words, k), all candidates of each word."""
        # In float64, then rounded: vectorized and scalar instructions differ in the last digit.
        odds = odds.double()
        corrected = self.slope * odds + self.intercept
        corrected += self.lead * lead_of(odds) + self.share * share_of(odds)
        return torch.sigmoid(corrected).float()

    @cached_property
    def _scorer(self) -> Scorer:
        """Return all scorers combined; cached, because building its tables is slow."""
        return mean_of(self.scorers)

    def to(self, device: torch.device | str) -> Self:
        """Return the same model on another device."""
        moved = tuple(
            dataclasses.replace(scorer, **{name: t.to(device) for name, t in _fields(scorer)})  # type: ignore[type-var]
            for scorer in self.scorers
        )
        return dataclasses.replace(self, scorers=moved)

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return the learned parameters, by name."""
        return {
            f"{number}.{name}": tensor.cpu().contiguous()
            for number, scorer in enumerate(self.scorers)
            for name, tensor in _fields(scorer)
        }

    def facts(self) -> dict[str, object]:
        """Return everything except the tensors as plain values."""
        return {
            "features": list(self.features),
            "learner": self.learner,
            "slope": self.slope,
            "intercept": self.intercept,
            "lead": self.lead,
            "share": self.share,
            "reorders": self.reorders,
            "report": dict(self.report),
        }

    @classmethod
    def restore(cls, facts: Mapping[str, object], tensors: Mapping[str, torch.Tensor]) -> Self:
        """Return the model from its `facts` and `tensors`.

        Raises:
            KeyError, ValueError, TypeError: If they are not those of a valid model.
        """
        kinds = [KINDS[name] for name in str(facts["learner"]).split("+")]
        names = [[one.name for one in dataclasses.fields(kind)] for kind in kinds]
        count = len(tensors) // sum(map(len, names))  # of scorers of each kind
        scorers = tuple(
            kind(**{name: tensors[f"{place * count + number}.{name}"] for name in own})
            for place, (kind, own) in enumerate(zip(kinds, names, strict=True))
            for number in range(count)
        )
        if not scorers or len(tensors) != count * sum(map(len, names)):
            raise ValueError(
                f"{len(tensors)} tensors, expected a multiple of {sum(map(len, names))} for "
                f"{facts['learner']} scorers"
            )
        features = tuple(facts["features"])  # type: ignore[arg-type, var-annotated]
        if not features or not all(isinstance(name, str) for name in features):
            raise ValueError(f"features are {features}, expected names")
        for scorer in scorers:
            scorer.check(len(features))
        return cls(
            features=features,
            learner=str(facts["learner"]),
            scorers=scorers,
            slope=float(facts["slope"]),  # type: ignore[arg-type]
            intercept=float(facts["intercept"]),  # type: ignore[arg-type]
            reorders=bool(facts["reorders"]),
            lead=float(facts.get("lead", 0.0)),  # type: ignore[arg-type]
            share=float(facts.get("share", 0.0)),  # type: ignore[arg-type]
            report=dict(facts["report"]),  # type: ignore[call-overload]
        )


def lead_of(odds: Matrix) -> Matrix:
    """Return the log-odds minus those of the best other candidate, within `LARGEST_LEAD`."""
    return over_best_rival(odds).clamp(-LARGEST_LEAD, LARGEST_LEAD)


def share_of(odds: Matrix) -> Matrix:
    """Return the log of each candidate's share of its word: a softmax of the log-odds."""
    return (SOFTNESS * odds).log_softmax(1)


@dataclass(frozen=True, eq=False)
class CandidateModels:
    """The candidate models of both directions; None if there were too few seeds to learn one.

    Attributes:
        second: A second map between the spaces, whose scores are features.
        depth: How many candidates of a word get a probability.
        forward: The model for words of the source language.
        backward: The model for words of the target language.
        warnings: Messages to the user.
        pairs: Words that are each other's nearest under the map; None if no model uses them.
    """

    second: LinearMap
    depth: int
    forward: CandidateModel | None = None
    backward: CandidateModel | None = None
    warnings: tuple[str, ...] = ()
    pairs: WordPairs | None = None

    def model(self, *, reverse: bool) -> CandidateModel | None:
        """Return the model of one direction."""
        return self.backward if reverse else self.forward

    def to(self, device: torch.device | str) -> Self:
        """Return the same models on another device."""
        return dataclasses.replace(
            self,
            second=dataclasses.replace(self.second, weight=self.second.weight.to(device)),
            forward=None if self.forward is None else self.forward.to(device),
            backward=None if self.backward is None else self.backward.to(device),
        )


def plain_contents(models: CandidateModels) -> tuple[str, dict[str, torch.Tensor]]:
    """Return the contents of the two files: JSON text, and tensors by name."""
    facts: dict[str, object] = {
        "candidates": models.depth,
        "second": dict(models.second.report),
        "warnings": list(models.warnings),
    }
    tensors = {"second": models.second.weight.cpu().contiguous()}
    for name, model in (("forward", models.forward), ("backward", models.backward)):
        if model is not None:
            facts[name] = model.facts()
            tensors |= {f"{name}.{key}": value for key, value in model.tensors().items()}
    if models.pairs is not None:
        tensors["pairs"] = torch.stack(models.pairs).int()
    return json.dumps(facts, indent=2, ensure_ascii=False, sort_keys=True) + "\n", tensors


def write_candidate_models(models: CandidateModels, folder: Path) -> None:
    """Write both files into the folder of a model."""
    text, tensors = plain_contents(models)
    (folder / FACTS).write_text(text, encoding="utf-8", newline="\n")
    write_tensors(tensors, folder / TENSORS, like=folder / FACTS)


def read_candidate_models(folder: Path) -> CandidateModels | None:
    """Return the candidate models stored in a folder; None if there are none.

    Raises:
        ValueError, KeyError, TypeError, OverflowError, OSError, SafetensorError: If a file is
            damaged, or one of the two is missing.
    """
    if not ((folder / FACTS).exists() or (folder / TENSORS).exists()):
        return None
    facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    json.dumps(facts, ensure_ascii=False).encode()  # raises ValueError for a lone surrogate
    tensors = read_tensors(folder / TENSORS)
    depth = int(facts["candidates"])
    if depth < 1:
        raise ValueError(f"the number of candidates is {depth}, expected 1 or more")
    return CandidateModels(
        second=LinearMap(tensors["second"], dict(facts["second"])),
        depth=depth,
        forward=_model("forward", facts, tensors),
        backward=_model("backward", facts, tensors),
        warnings=tuple(facts["warnings"]),
        pairs=_pairs(tensors),
    )


def _pairs(tensors: dict[str, torch.Tensor]) -> WordPairs | None:
    if "pairs" not in tensors:
        return None
    found = tensors["pairs"]
    if found.ndim != 2 or len(found) != 2 or found.is_floating_point() or bool((found < 0).any()):
        raise ValueError(
            f"pairs are {tuple(found.shape)} {found.dtype}, expected two lists of rows"
        )
    return WordPairs(*found.long())


def _model(
    name: str, facts: dict[str, dict[str, object]], tensors: dict[str, torch.Tensor]
) -> CandidateModel | None:
    if name not in facts:
        return None
    own = {
        key.removeprefix(f"{name}."): tensor
        for key, tensor in tensors.items()
        if key.startswith(f"{name}.")
    }
    return CandidateModel.restore(facts[name], own)


def _fields(scorer: Scorer) -> list[tuple[str, torch.Tensor]]:
    return [
        (one.name, getattr(scorer, one.name))
        for one in dataclasses.fields(scorer)  # type: ignore[arg-type]
    ]
