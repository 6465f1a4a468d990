"""Words, candidates and models for tests of calibration, with answers known by brute force."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import NamedTuple

import torch

from bilex import LexiconInducer, TrainedModel
from bilex.calibration.labels import LabeledCandidates
from bilex.candidates.features import FEATURES
from bilex.candidates.lists import Direction, make_direction
from bilex.candidates.model import CandidateModel, CandidateModels
from bilex.candidates.scorers import LinearScorer
from bilex.config import load_preset
from bilex.retrieval import Csls
from bilex.values import (
    EmbeddingSpace,
    IndexedLexicon,
    Lexicon,
    LinearMap,
    Matrix,
    Vector,
    unit_rows,
)
from twins import Twins, make_twins

NEIGHBORHOOD = 3
NAMES = ("margin", "similarity", "noise")


class Known(NamedTuple):
    """A direction, and all its similarities in float64: (n_words, n_targets) each."""

    direction: Direction
    csls: Matrix
    cosines: Matrix
    second: Matrix  # cosines by the second map


def known_direction(
    size: int = 40, targets: int | None = None, *, draw: int = 0, reverse: bool = False
) -> Known:
    """Make a direction over noisy twins; with fewer targets than words if `targets` is given."""
    twins = make_twins(size, dim=5, noise=0.2, draw=draw)
    mapping = LinearMap(twins.rotation)
    tilt = torch.randn(5, 5, generator=torch.Generator().manual_seed(draw))
    second = LinearMap(torch.linalg.qr(twins.rotation + 0.1 * tilt).Q.contiguous())
    sides = {False: twins.source, True: twins.target}
    sides[not reverse] = _first(sides[not reverse], targets or size)
    spaces = dataclasses.replace(twins.spaces, source=sides[False], target=sides[True])
    retrieval = Csls(neighborhood=NEIGHBORHOOD)
    seeds = IndexedLexicon.locate(twins.lexicon, spaces)
    direction = make_direction(spaces, mapping, second, retrieval, seeds.take(slice(0, None, 3)))
    direction = direction.reversed() if reverse else direction
    cosines = _cosines(spaces.source, spaces.target, mapping)
    others = _cosines(spaces.source, spaces.target, second)
    if reverse:
        cosines, others = cosines.T, others.T
    means = [_mean_of_best(cosines)[:, None], _mean_of_best(cosines.T)[None]]
    return Known(direction, 2 * cosines - means[0] - means[1], cosines, others)


def csls_of(known: Known, vectors: Matrix) -> Matrix:
    """Return the CSLS of new source vectors with every target of a direction."""
    mapped = unit_rows(known.direction.source.carry(vectors).double())
    cosines = mapped @ known.direction.target.space.vectors.double().T
    return 2 * cosines - _mean_of_best(cosines)[:, None] - _mean_of_best(known.cosines.T)[None]


def _first(space: EmbeddingSpace, size: int) -> EmbeddingSpace:
    return EmbeddingSpace(space.words[:size], space.vectors[:size])


def _cosines(source: EmbeddingSpace, target: EmbeddingSpace, mapping: LinearMap) -> Matrix:
    return unit_rows(source.vectors.double() @ mapping.weight.double()) @ target.vectors.double().T


def _mean_of_best(cosines: Matrix) -> Vector:
    best = cosines.sort(dim=1, descending=True).values[:, :NEIGHBORHOOD]
    return best.mean(1)


class Synthetic(NamedTuple):
    """Labeled candidates whose true probabilities are known."""

    labeled: LabeledCandidates
    chances: Matrix


def synthetic(
    words: int,
    *,
    k: int = 4,
    draw: int = 0,
    margin: float = 2.0,
    similarity: float = 0.0,
    both: float = 0.0,
    bias: float = -1.0,
) -> Synthetic:
    """Draw features, and labels by a logistic law of them; the third feature is only noise."""
    rng = torch.Generator().manual_seed(draw)
    features = torch.randn(words, k, len(NAMES), generator=rng)
    features[..., 0] = features[..., 0].sort(dim=1, descending=True).values
    odds = margin * features[..., 0] + similarity * features[..., 1] + bias
    chances = torch.sigmoid(odds + both * features[..., 0].sign() * features[..., 1].sign())
    right = (torch.rand(words, k, generator=rng) < chances).float()
    ranks = torch.arange(1, words + 1, dtype=torch.float32)
    return Synthetic(LabeledCandidates(features, right, ranks), chances)


def linear_model(
    features: tuple[str, ...] = ("csls",), *, weight: float = 6.0, reorders: bool = False
) -> CandidateModel:
    """Make a candidate model by hand: the log-odds are the sum of features times the weight."""
    zeros = torch.zeros(len(features))
    scorer = LinearScorer(zeros, zeros + 1, zeros + weight, torch.tensor(-1.0))
    return CandidateModel(features, "listwise", (scorer,), 1.0, 0.0, reorders)


def nameless(twins: Twins) -> Twins:
    """Return the twins under target names that say nothing about the source."""
    rng = torch.Generator().manual_seed(9)

    def name() -> str:
        letters = torch.randint(26, (7,), generator=rng).tolist()
        return "".join(chr(ord("a") + letter) for letter in letters)

    names = {word: name() for word in twins.target.words}
    target = EmbeddingSpace(tuple(names.values()), twins.target.vectors)
    pairs = [(entry.source, names[entry.target]) for entry in twins.lexicon.entries]
    return twins._replace(target=target, lexicon=Lexicon.of(pairs))


def calibrated_method(**settings: object) -> dict[str, dict[str, object]]:
    """Return the quickest method that learns probabilities."""
    return {**load_preset("procrustes"), "calibration": {"name": "held-out-seeds", **settings}}


def fit(twins: Twins, seeds: int, **settings: object) -> TrainedModel:
    """Fit a calibrated model to the first seeds of twins."""
    lexicon = Lexicon(twins.lexicon.entries[:seeds])
    inducer = LexiconInducer(calibrated_method(**settings))
    return inducer.fit(twins.source, twins.target, lexicon).model_


def noisy_twins() -> Twins:
    return make_twins(150, dim=8, noise=0.3)


@cache
def calibrated_model() -> TrainedModel:
    """Return a model of noisy twins that reorders, since their names are so similar."""
    return fit(noisy_twins(), 90)


@cache
def scored_model() -> TrainedModel:
    """Return a model with probabilities that ranks by score."""
    dropped = [name for name in FEATURES if name not in ("csls", "margin")]
    model = fit(nameless(noisy_twins()), 90, without=dropped)
    known = candidate_models(model)
    assert known.forward is not None
    assert known.backward is not None
    by_score = dataclasses.replace(
        known,
        forward=dataclasses.replace(known.forward, reorders=False),
        backward=dataclasses.replace(known.backward, reorders=False),
    )
    return with_candidate_models(model, by_score)


def candidate_models(model: TrainedModel) -> CandidateModels:
    """Return the candidate models of a calibrated model."""
    found = model.contents.candidate_models
    assert found is not None
    return found


def with_candidate_models(model: TrainedModel, models: CandidateModels) -> TrainedModel:
    """Return the model with other candidate models."""
    contents = dataclasses.replace(model.contents, candidate_models=models)
    return dataclasses.replace(model, contents=contents)


def precision_area(trust: Vector, right: Vector) -> float:
    """Return the area under precision against coverage: candidates taken in order of trust."""
    order = trust.sort(descending=True, stable=True).indices
    hits = right[order].double().cumsum(0)
    return float((hits / torch.arange(1, len(hits) + 1, device=hits.device)).mean())


def edits(left: str, right: str) -> int:
    """Return the Levenshtein distance, by its definition."""
    if not (left and right):
        return len(left) + len(right)
    if left[0] == right[0]:
        return edits(left[1:], right[1:])
    return 1 + min(edits(left[1:], right), edits(left, right[1:]), edits(left[1:], right[1:]))
