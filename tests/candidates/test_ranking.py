"""The final order of candidates, and the proposals that feedback uses."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from bilex.candidates.ranking import Ranking
from bilex.errors import SettingError
from bilex.values import Compute
from candidates import known_direction, linear_model

SIZE, DEPTH = 300, 50


@pytest.fixture(scope="module")
def ranking() -> Ranking:
    # The worse the score, the more probable.
    model = linear_model(("csls",), weight=-6.0, reorders=True)
    return Ranking(known_direction(SIZE).direction, model, DEPTH, Compute())


def test_a_proposal_is_the_first_candidate_with_its_probability(ranking: Ranking) -> None:
    rows = torch.tensor([7, 0, 120])
    found = ranking.propose(rows)
    ranked = ranking.rank(ranking.direction.queries(rows), k=1)
    assert ranked.probabilities is not None
    assert torch.equal(found.target_ids, ranked.ids[:, 0])
    assert torch.equal(found.probabilities, ranked.probabilities[:, 0])


def test_memory_changes_no_proposal(ranking: Ranking) -> None:
    small = replace(ranking, compute=Compute(memory=2**20))
    assert small.words_at_once(1) < SIZE < ranking.words_at_once(1)
    few, many = (each.propose(torch.arange(SIZE)) for each in (small, ranking))
    assert torch.equal(few.target_ids, many.target_ids)
    torch.testing.assert_close(few.probabilities, many.probabilities, atol=1e-5, rtol=0)


def test_without_a_model_there_is_nothing_to_propose(ranking: Ranking) -> None:
    with pytest.raises(SettingError, match="this model has no probabilities: train it again"):
        replace(ranking, model=None).propose(torch.arange(3))


def test_without_a_model_candidates_have_no_probabilities(ranking: Ranking) -> None:
    found = replace(ranking, model=None).rank(ranking.direction.queries(torch.arange(3)), k=4)
    assert found.probabilities is None
    assert found.chances() == [[None] * 4] * 3
    assert bool((found.scores.diff() <= 0).all())
