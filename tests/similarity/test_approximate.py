"""Approximate neighbors for training: almost the best, without repeats, for scores of any sign."""

from __future__ import annotations

import pytest
import torch

from bilex.similarity import SearchPool, approximate_csls
from bilex.similarity import kernel as kernel_module
from bilex.similarity.approximate import best_among
from bilex.values import Compute, Neighbors, unit_rows
from exact_csls import csls_both_ways


@pytest.fixture(params=["int8", "bfloat16", "float32"], autouse=True)
def product(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Propose with the coarse products and with the fine one, whatever this machine has."""
    monkeypatch.setattr(kernel_module, "fast_bfloat16", lambda _: request.param == "bfloat16")
    monkeypatch.setattr(kernel_module, "fast_int8", lambda _: request.param == "int8")


def vectors(n: int, dim: int, draw: int) -> torch.Tensor:
    return unit_rows(torch.randn(n, dim, generator=torch.Generator().manual_seed(draw)))


def assert_as_good(found: Neighbors, best: Neighbors) -> None:
    assert found.ids.shape == best.ids.shape
    assert all(len(set(row)) == len(row) for row in found.ids.tolist())
    torch.testing.assert_close(found.scores, best.scores, atol=2e-3, rtol=0)
    assert float((found.ids == best.ids).float().mean()) > 0.99


@pytest.mark.parametrize("m", [1, 9, 200, 257, 5_000])
@pytest.mark.parametrize("biased", [True, False])
def test_they_are_as_good_as_the_best(m: int, biased: bool) -> None:
    x, y = vectors(300, 24, 1), vectors(m, 24, 2)
    bias = torch.randn(m, generator=torch.Generator().manual_seed(3)) / 9 if biased else None
    pool = SearchPool(y, bias=bias)
    query_bias = torch.linspace(-1, 1, len(x))
    found = best_among(pool.propose(x, 9), pool, x, 3, query_bias=query_bias)
    assert_as_good(found, pool.topk(x, 3, query_bias=query_bias))


@pytest.mark.parametrize("positive", [0, 1, 2, 5])
def test_where_few_scores_are_positive_all_are_searched(positive: int) -> None:
    """Beyond the first queries, by which the product is chosen, below zero and beside padding."""
    y = unit_rows(vectors(300, 8, 4) + 2)  # all on one side
    y[300 - positive :] *= -1  # the last ones on the other
    x = torch.cat([y[:1].expand(1_024, -1), -y[:50]])
    pool = SearchPool(y)
    assert_as_good(best_among(pool.propose(x, 10), pool, x, 4), pool.topk(x, 4))


def test_memory_bounds_the_blocks_and_not_the_answer() -> None:
    x, y = vectors(3_000, 64, 5), vectors(800, 64, 6)
    pools = SearchPool(y), SearchPool(y, compute=Compute(memory=2**20))
    whole, small = (best_among(pool.propose(x, 10), pool, x, 4) for pool in pools)
    assert torch.equal(small.ids, whole.ids)
    assert torch.equal(small.scores, whole.scores)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 40), (31, 20), (900, 700)])
def test_csls_by_two_searches_is_csls_by_four(n: int, m: int) -> None:
    x, y = vectors(n, 16, 7), vectors(m, 16, 8)
    for found, best in zip(approximate_csls(x, y, 2), csls_both_ways(x, y, 2), strict=True):
        assert_as_good(found, best)


def test_two_searches_miss_a_best_row_that_is_not_near() -> None:
    crowd = unit_rows(torch.tensor([[0.7, 0.7, 0.0]]) + vectors(40, 3, 9) / 100)
    alone = unit_rows(torch.tensor([[0.6, 0.0, 0.8]]))  # farther from the first row, and no hub
    source = torch.cat([torch.tensor([[1.0, 0.0, 0.0]]), crowd])
    target = torch.cat([crowd, alone])
    assert int(csls_both_ways(source, target, 1).forward.ids[0, 0]) == 40
    assert int(approximate_csls(source, target, 1).forward.ids[0, 0]) < 40


def test_no_query_has_no_neighbors() -> None:
    pool, empty = SearchPool(vectors(500, 4, 0)), torch.empty(0, 4)
    found = best_among(pool.propose(empty, 9), pool, empty, 3)
    assert found.ids.shape == found.scores.shape == (0, 3)
