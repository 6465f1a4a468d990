from __future__ import annotations

from typing import Any

import pytest
import torch

from bilex.alignment.messages import LEAST_WEIGHT, MutualPairs
from bilex.errors import SettingError
from bilex.values import IndexedLexicon, Lexicon, LinearMap, Mode
from twins import Twins, make_twins

MODES: tuple[Mode, ...] = ("exact", "fast")


def paper_steps(
    twins: Twins, weight: torch.Tensor, rivals: int, neighborhood: int
) -> list[tuple[float, int, int]]:
    """Read the paper's four steps literally, on full matrices; return (credit, i, j)."""
    x, y = (twins.source.vectors @ weight).double(), twins.target.vectors.double()
    x = x / x.norm(dim=1, keepdim=True)
    cosine = x @ y.T
    r_x = cosine.topk(neighborhood, dim=1).values.mean(1)
    r_y = cosine.topk(neighborhood, dim=0).values.mean(0)
    distance = -(2 * cosine - r_x[:, None] - r_y[None])  # (1)
    forward = {(i, int(distance[i].argmin())) for i in range(len(x))}  # (2)
    backward = {(int(distance[:, j].argmin()), j) for j in range(len(y))}
    found = []
    for i, j in forward & backward:  # (3)
        row, column = distance[i].sort().values, distance[:, j].sort().values
        credit = (row[1 : rivals + 1].mean() - row[0]) + (column[1 : rivals + 1].mean() - column[0])
        found.append((float(credit), i, j))
    return sorted(found, reverse=True)  # (4)


@pytest.mark.parametrize("rivals", [1, 3])
def test_it_is_the_paper_read_literally_on_500_words(rivals: int) -> None:
    twins = make_twins(500, dim=12, noise=0.35)
    given = IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:5]), twins.spaces)
    expected = paper_steps(twins, twins.rotation, rivals, 10)
    message = MutualPairs(size=100, rivals=rivals)

    found = message.extend(twins.spaces, LinearMap(twins.rotation), given)

    known = set(zip(given.source_ids.tolist(), given.target_ids.tolist(), strict=True))
    added = [(i, j) for _, i, j in expected if (i, j) not in known][:100]
    pairs = list(zip(found.source_ids.tolist(), found.target_ids.tolist(), strict=True))
    assert pairs[:5] == list(zip(given.source_ids.tolist(), given.target_ids.tolist(), strict=True))
    assert pairs[5:] == added
    assert len(expected) > 110


def test_given_pairs_stay_with_their_weights_even_if_wrong() -> None:
    twins = make_twins(60)
    wrong = IndexedLexicon(torch.tensor([3, 3]), torch.tensor([7, 9]), torch.tensor([0.5, 2.0]))
    found = MutualPairs().extend(twins.spaces, LinearMap(twins.rotation), wrong)
    assert found.source_ids[:2].tolist() == [3, 3]
    assert found.weights[:2].tolist() == [0.5, 2.0]
    assert set(found.weights[2:].tolist()) == {1.0}
    assert len(found) == 62


def test_doubtful_pairs_count_less() -> None:
    twins = make_twins(300, dim=12, noise=0.4)
    given = IndexedLexicon(torch.tensor([3]), torch.tensor([7]), torch.tensor([2.0]))
    mapping = LinearMap(3 * twins.rotation)  # of any length
    found = MutualPairs(weighting="similarity").extend(twins.spaces, mapping, given)
    equal = MutualPairs().extend(twins.spaces, mapping, given)
    assert torch.equal(found.source_ids, equal.source_ids)
    assert torch.equal(found.target_ids, equal.target_ids)
    x = mapping.apply(twins.source.vectors)[found.source_ids[1:]]
    cosine = torch.cosine_similarity(x, twins.target.vectors[found.target_ids[1:]])
    torch.testing.assert_close(found.weights, torch.cat([torch.tensor([2.0]), cosine]))
    assert float(cosine.max() - cosine.min()) > 0.2


def test_even_opposites_count_a_little() -> None:
    twins = make_twins(1, dim=2)
    empty = IndexedLexicon.locate(Lexicon(()), twins.spaces)
    away = LinearMap(-twins.rotation)
    found = MutualPairs(weighting="similarity").extend(twins.spaces, away, empty)
    assert found.weights.tolist() == [pytest.approx(LEAST_WEIGHT)]


def test_rank_limit_keeps_rare_words_out() -> None:
    twins = make_twins(60)
    empty = IndexedLexicon.locate(Lexicon(()), twins.spaces)
    found = MutualPairs(rank_limit=20).extend(twins.spaces, LinearMap(twins.rotation), empty)
    assert 0 < len(found) <= 20
    assert int(found.source_ids.max()) < 20
    assert int(found.target_ids.max()) < 20


def test_relabeling_words_permutes_the_result() -> None:
    twins = make_twins(80, noise=0.3)
    order = torch.randperm(80, generator=torch.Generator().manual_seed(3))
    words = tuple(twins.source.words[i] for i in order.tolist())
    shuffled = Twins(
        type(twins.source)(words, twins.source.vectors[order]),
        twins.target,
        twins.lexicon,
        twins.rotation,
    )

    def named(some: Twins) -> list[tuple[str, str]]:
        empty = IndexedLexicon.locate(Lexicon(()), some.spaces)
        found = MutualPairs(size=30).extend(some.spaces, LinearMap(some.rotation), empty)
        return [
            (some.source.words[i], some.target.words[j])
            for i, j in zip(found.source_ids.tolist(), found.target_ids.tolist(), strict=True)
        ]

    assert named(twins) == named(shuffled)


def test_a_single_word_on_each_side_is_a_pair() -> None:
    twins = make_twins(1, dim=2)
    empty = IndexedLexicon.locate(Lexicon(()), twins.spaces)
    found = MutualPairs().extend(twins.spaces, LinearMap(twins.rotation), empty)
    assert (found.source_ids.tolist(), found.target_ids.tolist()) == ([0], [0])


def test_fast_mode_finds_nearly_the_same_pairs() -> None:
    twins = make_twins(2_000, dim=24, noise=0.3)
    given = IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:5]), twins.spaces)
    exact, fast = (
        MutualPairs(mode=mode).extend(twins.spaces, LinearMap(twins.rotation), given)
        for mode in MODES
    )
    pairs, others = (
        set(zip(found.source_ids.tolist(), found.target_ids.tolist(), strict=True))
        for found in (exact, fast)
    )
    assert len(pairs) > 1_000
    assert len(pairs & others) > 0.99 * len(pairs | others)


@pytest.mark.parametrize("name", ["size", "rivals", "rank_limit", "neighborhood"])
def test_settings_are_checked(name: str) -> None:
    wrong: dict[str, Any] = {name: 0}
    with pytest.raises(SettingError, match=rf"lexicon_update\.{name} is 0: give 1 or more"):
        MutualPairs(**wrong)
