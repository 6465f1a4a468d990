"""The map that few pairs determine."""

from __future__ import annotations

import pytest
import torch

from bilex.alignment.supervised import Procrustes, SeedSpan
from bilex.errors import SettingError
from bilex.values import IndexedLexicon, Lexicon, LinearMap
from twins import Twins, make_twins


def seeds(twins: Twins, count: int) -> IndexedLexicon:
    return IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:count]), twins.spaces)


def precision(twins: Twins, mapping: LinearMap) -> float:
    mapped = torch.nn.functional.normalize(mapping.apply(twins.source.vectors), dim=1)
    best = (mapped @ twins.target.vectors.T).argmax(1).tolist()
    right = [
        twins.target.words[j][1:] == word[1:]
        for word, j in zip(twins.source.words, best, strict=True)
    ]
    share: float = sum(right) / len(right)
    return share


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_with_fewer_pairs_than_dimensions_it_keeps_to_what_they_tell(power: float) -> None:
    twins = make_twins(200, dim=40, noise=0.02)
    few = seeds(twins, 15)
    found = SeedSpan(power=power).fit_map(twins.spaces, few, rng=torch.Generator())
    assert int(torch.linalg.matrix_rank(found.weight)) == 15
    assert found.report == {"step": "seed-span", "pairs": 15}
    # A direction that no pair has a share in is mapped to nothing.
    x = twins.source.vectors[few.source_ids]
    unknown = torch.linalg.svd(x).Vh[15:]
    assert float(found.apply(unknown).abs().max()) < 1e-5


def test_it_is_right_more_often_than_a_rotation_filled_in_at_random() -> None:
    twins = make_twins(400, dim=40, noise=0.02)
    few = seeds(twins, 15)
    spanned, rotated = (
        precision(twins, step.fit_map(twins.spaces, few, rng=torch.Generator()))
        for step in (SeedSpan(), Procrustes())
    )
    assert spanned > 1.5 * rotated > 0


@pytest.mark.parametrize("power", [-0.1, 1.1])
def test_a_power_out_of_bounds_is_refused(power: float) -> None:
    with pytest.raises(SettingError, match=rf"supervised\.power is {power}: give a number from 0"):
        SeedSpan(power=power)
