"""What every calibrator must do."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bilex.alignment.strategies import Single
from bilex.alignment.supervised import Procrustes
from bilex.calibration import Calibrator
from bilex.candidates.features import compute_features
from bilex.candidates.lists import list_candidates, make_direction
from bilex.candidates.model import (
    CandidateModels,
    plain_contents,
    read_candidate_models,
    write_candidate_models,
)
from bilex.registry import plugin_names, resolve
from bilex.retrieval import Csls, Nearest
from bilex.values import IndexedLexicon, Lexicon, LinearMap
from twins import Twins, make_twins

SEEDS = 40


@pytest.fixture(scope="module")
def noisy() -> Twins:
    return make_twins(100, dim=6, noise=0.25)


@pytest.fixture(params=plugin_names("calibration"))
def calibrator(request: pytest.FixtureRequest) -> Calibrator:
    found: Calibrator = resolve("calibration", request.param)  # type: ignore[assignment]
    return found


def run(
    calibrator: Calibrator, twins: Twins, seeds: int, retrieval: Csls | Nearest
) -> CandidateModels:
    lexicon = IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:seeds]), twins.spaces)
    found = calibrator.cross_fit(
        twins.spaces,
        lexicon,
        LinearMap(twins.rotation),
        strategy=Single(supervised=Procrustes()),
        retrieval=retrieval,
        rng=torch.Generator().manual_seed(0),
    )
    return found.learn()


@pytest.mark.parametrize("retrieval", [Csls(), Nearest()], ids=["csls", "nearest"])
@pytest.mark.parametrize("reverse", [False, True])
def test_every_candidate_gets_a_probability_and_right_ones_a_higher_one(
    calibrator: Calibrator, noisy: Twins, retrieval: Csls | Nearest, reverse: bool
) -> None:
    found = run(calibrator, noisy, SEEDS, retrieval)
    model = found.model(reverse=reverse)
    assert model is not None
    mapping = LinearMap(noisy.rotation)
    direction = make_direction(noisy.spaces, mapping, found.second, retrieval)
    direction = direction.reversed() if reverse else direction
    fresh = torch.tensor(
        [row for row, word in enumerate(direction.source.space.words) if int(word[1:]) >= SEEDS]
    )
    queries = direction.queries(fresh)
    lists = list_candidates(direction, queries, k=found.depth)
    chances = model.probabilities(compute_features(direction, queries, lists, model.features))
    assert chances.shape == lists.ids.shape
    assert bool(((chances >= 0) & (chances <= 1)).all())
    names = direction.target.space.words
    right = torch.tensor(
        [
            [names[i][1:] == word[1:] for i in ids]
            for word, ids in zip(queries.words, lists.ids.tolist(), strict=True)
        ]
    )
    assert float(chances[right].mean()) > float(chances[~right].mean()) + 0.3


def test_same_random_state_same_bytes_and_inputs_stay_as_they_are(
    calibrator: Calibrator, noisy: Twins
) -> None:
    (text, tensors), (again, same) = (
        plain_contents(run(calibrator, noisy, SEEDS, Csls())) for _ in range(2)
    )
    assert text == again
    assert tensors.keys() == same.keys()
    assert all(torch.equal(tensor, same[name]) for name, tensor in tensors.items())
    untouched = make_twins(100, dim=6, noise=0.25)
    assert torch.equal(noisy.source.vectors, untouched.source.vectors)
    assert torch.equal(noisy.target.vectors, untouched.target.vectors)


def test_one_seed_gives_a_warning_instead_of_a_model(calibrator: Calibrator, noisy: Twins) -> None:
    found = run(calibrator, noisy, 1, Csls())
    assert (found.forward, found.backward) == (None, None)
    assert found.warnings


def test_what_was_learned_can_be_saved(
    calibrator: Calibrator, noisy: Twins, tmp_path: Path
) -> None:
    found = run(calibrator, noisy, SEEDS, Csls())
    write_candidate_models(found, tmp_path)
    kept = read_candidate_models(tmp_path)
    assert kept is not None
    assert plain_contents(kept)[0] == plain_contents(found)[0]
