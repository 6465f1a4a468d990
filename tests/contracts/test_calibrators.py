"""What holds for every way to learn how far candidates can be trusted."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bilex.calibration import (
    Calibration,
    Calibrator,
    plain_contents,
    read_calibration,
    write_calibration,
)
from bilex.calibration.candidate_lists import list_candidates
from bilex.calibration.evidence import evidence
from bilex.calibration.verdicts import make_direction
from bilex.registry import plugin_names, resolve
from bilex.retrieval import Csls, Nearest
from bilex.strategies import Single
from bilex.supervised import Procrustes
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


def run(calibrator: Calibrator, twins: Twins, seeds: int, retrieval: Csls | Nearest) -> Calibration:
    lexicon = IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:seeds]), twins.pair)
    return calibrator.calibrate(
        twins.pair,
        lexicon,
        LinearMap(twins.rotation),
        strategy=Single(supervised=Procrustes()),
        retrieval=retrieval,
        rng=torch.Generator().manual_seed(0),
    )


@pytest.mark.parametrize("retrieval", [Csls(), Nearest()], ids=["csls", "nearest"])
@pytest.mark.parametrize("reverse", [False, True])
def test_every_candidate_gets_a_probability_and_right_ones_a_higher_one(
    calibrator: Calibrator, noisy: Twins, retrieval: Csls | Nearest, reverse: bool
) -> None:
    found = run(calibrator, noisy, SEEDS, retrieval)
    model = found.model(reverse=reverse)
    assert model is not None
    mapping = LinearMap(noisy.rotation)
    direction = make_direction(noisy.pair, mapping, found.second, retrieval)
    direction = direction.reversed() if reverse else direction
    fresh = torch.tensor(
        [row for row, word in enumerate(direction.asked.space.words) if int(word[1:]) >= SEEDS]
    )
    asked = direction.words(fresh)
    lists = list_candidates(direction, asked, k=found.candidates)
    told = model.probabilities(evidence(direction, asked, lists, model.features))
    assert told.shape == lists.ids.shape
    assert bool(((told >= 0) & (told <= 1)).all())
    names = direction.answering.space.words
    right = torch.tensor(
        [
            [names[i][1:] == word[1:] for i in ids]
            for word, ids in zip(asked.words, lists.ids.tolist(), strict=True)
        ]
    )
    assert float(told[right].mean()) > float(told[~right].mean()) + 0.3


def test_same_chance_same_bytes_and_inputs_stay_as_they_are(
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


def test_it_can_be_kept(calibrator: Calibrator, noisy: Twins, tmp_path: Path) -> None:
    found = run(calibrator, noisy, SEEDS, Csls())
    write_calibration(found, tmp_path)
    kept = read_calibration(tmp_path)
    assert kept is not None
    assert plain_contents(kept)[0] == plain_contents(found)[0]
