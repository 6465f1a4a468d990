"""Learn a candidate model from held-out words with known translations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from bilex.calibration.calibration_error import calibration_error, log_losses
from bilex.calibration.labels import LabeledCandidates
from bilex.calibration.learners import LEARNERS, Learner
from bilex.calibration.leveling import DISTORTED, level_shift
from bilex.calibration.logistic import fit_platt
from bilex.candidates.model import CandidateModel, lead_of, share_of
from bilex.candidates.scorers import Scorer
from bilex.values import Matrix, Vector

FOLDS = 5
SMALLEST = min(learner.smallest for learner in LEARNERS.values())
"""Fewer labeled words than this are too few to learn from."""

SMALLEST_SAMPLE = 100
"""A random sample of words must have this many to calibrate probabilities on it alone."""

TREES = "boosted"
TOGETHER = ("listwise", TREES)
"""The mean of these two learners competes with each learner: sums of features extend to candidates
unlike those of the seeds, and trees find which features interact."""


@dataclass(frozen=True, eq=False)
class _Trial:
    """The result of a learner, or of two; each word is scored by scorers not trained on it."""

    model: CandidateModel
    probabilities: Matrix  # (n_words, k)
    losses: Vector  # (n_words,)

    @property
    def loss(self) -> float:
        """Return the mean log-loss of the words."""
        return float(self.losses.mean())

    @classmethod
    def of(
        cls,
        learner: str,
        scorers: tuple[Scorer, ...],
        log_odds: Matrix,
        labeled: LabeledCandidates,
        weights: Vector,
        names: Sequence[str],
    ) -> _Trial:
        """Calibrate the log-odds of unseen words."""
        odds = log_odds.double()
        slope, lead, share, intercept = fit_platt(
            odds.flatten(),
            labeled.right.flatten().double(),
            others=(lead_of(odds).flatten(), share_of(odds).flatten()),
            weights=weights[:, None].expand_as(odds).flatten().double(),
        )
        model = CandidateModel(
            features=tuple(names),
            learner=learner,
            scorers=scorers,
            slope=slope,
            intercept=intercept,
            reorders=True,
            lead=lead,
            share=share,
        )
        probabilities = model.calibrated(odds)
        return cls(model, probabilities, log_losses(probabilities, labeled.right))


def learn(
    labeled: LabeledCandidates, names: Sequence[str], ordinary: Matrix | None = None
) -> CandidateModel | None:
    """Return the model of the best learner, or None.

    Learners are compared by 5-fold cross-validation: each is fitted five times on 80 % of the words
    and scored on the rest. The mean of two of them (see `TOGETHER`) is one more. Log-odds on
    unseen words are calibrated to probabilities, together with the lead of a candidate over the
    best other of its word, and its share among all of them: of two candidates with equal log-odds,
    the one without a rival is right more often. All words count the same; if at least
    `SMALLEST_SAMPLE` words are a random sample, only these do. (Rare words among frequent seeds are
    unusual words; if they stand for all rare words, probabilities are too low.) The smallest
    log-loss of probabilities wins, but trees alone only if it is clearly smaller: on words unlike
    the seeds they are worse. All scorers of the best are kept. Candidates are ordered by
    probability unless that is clearly worse. The result is None with fewer than `SMALLEST` words,
    or if all or none of the candidates are right.

    Args:
        labeled: Candidates of held-out seeds.
        names: Of the features.
        ordinary: Features of the candidates of ordinary words, to correct the level of the
            probabilities (see `bilex.calibration.leveling`); None leaves them as they are.
    """
    words = len(labeled.right)
    if words < SMALLEST or not 0 < float(labeled.right.mean()) < 1:
        return None
    weights, sampled = _weights(labeled)
    trials = _trials(labeled, names, weights)
    if not trials:
        return None
    best = _best(trials)
    shift = 0.0
    if ordinary is not None and not sampled:
        shift = _level_shift(best, labeled, names, weights, ordinary)
    order, as_scored = best.probabilities.argmax(1), torch.zeros(words, dtype=torch.long)
    before, after = (_right(labeled, first) for first in (as_scored, order))
    reorders = not _clearly_negative(after - before)  # the new order is nearly always better
    return replace(
        best.model,
        intercept=best.model.intercept + shift,
        reorders=reorders,
        report={
            "words": words,
            **({"sampled_words": sampled} if sampled else {}),
            "level_shift": round(shift, 4),
            "log_loss": {trial.model.learner: round(trial.loss, 4) for trial in trials},
            "p_at_1": round(float(before.mean()), 4),
            "p_at_1_reordered": round(float(after.mean()), 4),
            **_outcome(best.probabilities, labeled, order if reorders else as_scored),
        },
    )


def _level_shift(
    best: _Trial,
    labeled: LabeledCandidates,
    names: Sequence[str],
    weights: Vector,
    ordinary: Matrix,
) -> float:
    """Return the correction of the intercept: 0 if no feature is distorted, or all are."""
    kept = [number for number, name in enumerate(names) if name not in DISTORTED]
    if len(kept) in (0, len(names)):
        return 0.0
    without = replace(labeled, features=labeled.features[..., kept])
    trials = _trials(without, [names[number] for number in kept], weights)
    if not trials:
        return 0.0
    plain = _best(trials)
    before, after = (float(trial.probabilities.amax(1).mean()) for trial in (plain, best))
    first = plain.model.probabilities(ordinary[..., kept]).amax(1)
    return level_shift(best.model, ordinary, plain=first, gain=(before, after))


def _best(trials: Sequence[_Trial]) -> _Trial:
    """Return the result with the smallest loss; trees alone must be clearly better than others."""
    best, *others = sorted(trials, key=lambda trial: trial.loss)
    if (
        best.model.learner == TREES
        and others
        and not _clearly_negative(best.losses - others[0].losses)
    ):
        return others[0]
    return best


def learned_by_each(
    labeled: LabeledCandidates, names: Sequence[str]
) -> list[tuple[CandidateModel, float]]:
    """Return the model of each learner, and its log-loss on words that it was not trained on."""
    weights, _ = _weights(labeled)
    return [(trial.model, trial.loss) for trial in _trials(labeled, names, weights)]


def _weights(labeled: LabeledCandidates) -> tuple[Vector, int]:
    """Return the weights of words in calibration, and how many are of a random sample, if used."""
    sampled = 0 if labeled.sampled is None else int(labeled.sampled.sum())
    if labeled.sampled is not None and sampled >= SMALLEST_SAMPLE:
        return labeled.sampled.float(), sampled
    return torch.ones(len(labeled.right)), 0


def _folds(words: int) -> list[torch.Tensor]:
    order = torch.randperm(words, generator=torch.Generator().manual_seed(0))
    return list(order.tensor_split(FOLDS))


def _trials(labeled: LabeledCandidates, names: Sequence[str], weights: Vector) -> list[_Trial]:
    """Return the results of all learners that have enough words, and of two learners together."""
    words = len(labeled.right)
    folds = _folds(words)
    found = {
        name: scored
        for name, learner in LEARNERS.items()
        if words >= learner.smallest
        and (scored := _cross_validated(learner, labeled, folds, names)) is not None
    }
    if found.keys() >= set(TOGETHER):
        scorers, log_odds = zip(*(found[name] for name in TOGETHER), strict=True)
        mean = torch.stack(log_odds).mean(0)
        found["+".join(TOGETHER)] = tuple(one for some in scorers for one in some), mean
    return [
        _Trial.of(name, scorers, log_odds, labeled, weights, names)
        for name, (scorers, log_odds) in found.items()
    ]


def _cross_validated(
    learner: Learner,
    labeled: LabeledCandidates,
    folds: Sequence[torch.Tensor],
    names: Sequence[str],
) -> tuple[tuple[Scorer, ...], Matrix] | None:
    """Return a scorer trained without each fold, and the log-odds of the words of the folds."""
    words, k, _ = labeled.features.shape
    log_odds = torch.zeros(words, k)
    scorers = []
    for fold in folds:
        seen = torch.ones(words, dtype=torch.bool)
        seen[fold] = False
        right = labeled.right[seen]
        if not 0 < float(right.mean()) < 1:
            return None
        scorer = learner.learn(labeled.features[seen], right, names)
        log_odds[fold] = scorer.log_odds(labeled.features[fold])
        scorers.append(scorer)
    return tuple(scorers), log_odds


def _right(labeled: LabeledCandidates, first: torch.Tensor) -> Vector:
    """Return, for each word, 1 if the candidate in column `first` is right, else 0."""
    return labeled.right.gather(1, first[:, None])[:, 0]


def _clearly_negative(values: Vector) -> bool:
    """Return whether the mean is below zero by more than its standard error."""
    return float(values.mean()) < -float(values.std()) / math.sqrt(len(values))


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
