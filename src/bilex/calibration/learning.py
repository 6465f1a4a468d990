"""Learn a candidate model from held-out words with known translations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from bilex.calibration.calibration_error import calibration_error, log_loss
from bilex.calibration.labels import LabeledCandidates
from bilex.calibration.learners import LEARNERS, Learner
from bilex.calibration.logistic import fit_platt
from bilex.candidates.model import CandidateModel, lead_of
from bilex.candidates.scorers import Scorer
from bilex.values import Matrix, Vector

FOLDS = 5
SMALLEST = min(learner.smallest for learner in LEARNERS.values())
"""Fewer labeled words than this are too few to learn from."""

SMALLEST_SAMPLE = 100
"""A random sample of words must have this many to calibrate probabilities on it alone."""

TOGETHER = ("logistic", "boosted")
"""The mean of these two learners competes with each learner. It is usually the best: sums of
features extend to candidates unlike those of the seeds, and trees find which features interact."""

_BANDS = 8  # frequency bands, each with its own weight
_LARGEST_WEIGHT = 4.0


@dataclass(frozen=True, eq=False)
class _Trial:
    """The result of a learner, or of two; each word is scored by scorers not trained on it."""

    name: str
    scorers: tuple[Scorer, ...]
    log_odds: Matrix  # (n_words, k)
    loss: float


def learn(labeled: LabeledCandidates, names: Sequence[str]) -> CandidateModel | None:
    """Return the model of the best learner, or None.

    Learners are compared by 5-fold cross-validation: each is fitted five times on 80 % of the words
    and scored on the rest. The mean of two of them (see `TOGETHER`) is one more to compare. All
    scorers of the best are kept. Their log-odds on unseen words are calibrated to probabilities,
    together with the lead of a candidate over the others of its word: of two candidates with equal
    log-odds, the one without a rival is right more often. For that, words are weighted by the
    frequencies of the whole vocabulary, because seeds are mostly frequent words; if at least
    `SMALLEST_SAMPLE` words are a random sample, only these are used. Candidates are ordered by
    probability unless that is clearly worse. The result is None with fewer than `SMALLEST` words,
    or if all or none of the candidates are right.
    """
    words = len(labeled.right)
    if words < SMALLEST or not 0 < float(labeled.right.mean()) < 1:
        return None
    trials = _trials(labeled, names)
    if not trials:
        return None
    best = min(trials, key=lambda trial: trial.loss)
    sampled = 0 if labeled.sampled is None else int(labeled.sampled.sum())
    if labeled.sampled is not None and sampled >= SMALLEST_SAMPLE:
        weights = labeled.sampled.float()
    else:
        sampled, weights = 0, vocabulary_weights(labeled.frequency_ranks, labeled.vocabulary)
    odds = best.log_odds.double()
    slope, lead, intercept = fit_platt(
        odds.flatten(),
        labeled.right.flatten().double(),
        others=(lead_of(odds).flatten(),),
        weights=weights[:, None].expand_as(odds).flatten().double(),
    )
    model = CandidateModel(
        features=tuple(names),
        learner=best.name,
        scorers=best.scorers,
        slope=slope,
        intercept=intercept,
        reorders=True,
        lead=lead,
    )
    probabilities = model.calibrated(odds)
    order, as_scored = probabilities.argmax(1), torch.zeros(words, dtype=torch.long)
    before, after = (_right(labeled, first) for first in (as_scored, order))
    reorders = not _proves_loss(after - before)
    return replace(
        model,
        reorders=reorders,
        report={
            "words": words,
            **({"sampled_words": sampled} if sampled else {}),
            "log_loss": {trial.name: round(trial.loss, 4) for trial in trials},
            "p_at_1": round(float(before.mean()), 4),
            "p_at_1_reordered": round(float(after.mean()), 4),
            **_outcome(probabilities, labeled, order if reorders else as_scored),
        },
    )


def vocabulary_weights(ranks: Vector, vocabulary: int) -> Vector:
    """Return weights of words that correct for the frequencies of the whole vocabulary.

    The words are divided into frequency bands of equal size. The weight of a band is its share of
    the vocabulary divided by its share of the words, limited to 0.25 to 4.
    """
    edges = torch.quantile(ranks.double(), torch.linspace(0, 1, _BANDS + 1, dtype=torch.float64))
    inner = edges[1:-1].contiguous()
    band = torch.bucketize(ranks.double(), inner)
    everywhere = torch.bucketize(torch.arange(1, vocabulary + 1, dtype=torch.float64), inner)
    wanted = everywhere.bincount(minlength=_BANDS) / vocabulary
    found = band.bincount(minlength=_BANDS).clamp_min(1) / len(ranks)
    weights = (wanted / found).clamp(1 / _LARGEST_WEIGHT, _LARGEST_WEIGHT)[band]
    return (weights / weights.mean()).float()


def _folds(words: int) -> list[torch.Tensor]:
    order = torch.randperm(words, generator=torch.Generator().manual_seed(0))
    return list(order.tensor_split(FOLDS))


def _trials(labeled: LabeledCandidates, names: Sequence[str]) -> list[_Trial]:
    """Return the results of all learners that have enough words, and of two learners together."""
    words = len(labeled.right)
    folds = _folds(words)
    found = {
        name: trial
        for name, learner in LEARNERS.items()
        if words >= learner.smallest and (trial := _try(name, learner, labeled, folds, names))
    }
    if found.keys() >= set(TOGETHER):
        parts = [found[name] for name in TOGETHER]
        log_odds = torch.stack([part.log_odds for part in parts]).mean(0)
        scorers = tuple(scorer for part in parts for scorer in part.scorers)
        name = "+".join(TOGETHER)
        loss = log_loss(torch.sigmoid(log_odds), labeled.right)
        found[name] = _Trial(name, scorers, log_odds, loss)
    return list(found.values())


def _try(
    name: str,
    learner: Learner,
    labeled: LabeledCandidates,
    folds: Sequence[torch.Tensor],
    names: Sequence[str],
) -> _Trial | None:
    words, k, _ = labeled.features.shape
    log_odds = torch.zeros(words, k)
    scorers = []
    for fold in folds:
        seen = torch.ones(words, dtype=torch.bool)
        seen[fold] = False
        right = labeled.right[seen].flatten()
        if not 0 < float(right.mean()) < 1:
            return None
        scorer = learner.learn(labeled.features[seen].flatten(0, 1), right, names)
        log_odds[fold] = scorer.log_odds(labeled.features[fold].flatten(0, 1)).view(-1, k)
        scorers.append(scorer)
    loss = log_loss(torch.sigmoid(log_odds), labeled.right)
    return _Trial(name, tuple(scorers), log_odds, loss)


def _right(labeled: LabeledCandidates, first: torch.Tensor) -> Vector:
    """Return, for each word, 1 if the candidate in column `first` is right, else 0."""
    return labeled.right.gather(1, first[:, None])[:, 0]


def _proves_loss(gains: Vector) -> bool:
    """Return whether a new order is worse by more than one standard error of the mean.

    The new order is nearly always better, so it is used unless the loss is clear.
    """
    return float(gains.mean()) < -float(gains.std()) / math.sqrt(len(gains))


def _outcome(
    probabilities: Matrix, labeled: LabeledCandidates, order: torch.Tensor
) -> dict[str, object]:
    """Return the calibration error of first answers, and their accuracy by frequency band."""
    first = probabilities.gather(1, order[:, None])[:, 0]
    right = _right(labeled, order)
    by_rank = labeled.frequency_ranks.argsort(stable=True)
    bands = []
    for band in by_rank.tensor_split(4):
        ranks = labeled.frequency_ranks[band]
        bands.append(
            {
                "ranks": [int(ranks.min()), int(ranks.max())],
                "words": len(band),
                "probability": round(float(first[band].mean()), 4),
                "right": round(float(right[band].mean()), 4),
            }
        )
    return {"calibration_error": round(calibration_error(first, right), 4), "bands": bands}
