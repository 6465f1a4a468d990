"""Proposed neighbors: almost the best, and found without waiting for the device."""

from __future__ import annotations

import pytest
import torch

from bilex.errors import DimensionError
from bilex.similarity import SearchPool
from bilex.similarity import kernel as kernel_module
from bilex.values import Compute, unit_rows
from host_syncs import HostSyncs


def vectors(n: int, dim: int, draw: int) -> torch.Tensor:
    return unit_rows(torch.randn(n, dim, generator=torch.Generator().manual_seed(draw)))


@pytest.mark.parametrize("product", ["int8", "bfloat16", "float32"])
@pytest.mark.parametrize("m", [1, 9, 200, 257, 5_000])
@pytest.mark.parametrize("biased", [True, False])
def test_proposals_are_as_good_as_the_best(
    product: str, m: int, biased: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_module, "fast_bfloat16", lambda _: product == "bfloat16")
    monkeypatch.setattr(kernel_module, "fast_int8", lambda _: product == "int8")
    x, y = 3 * vectors(300, 24, 1), vectors(m, 24, 2)
    bias = torch.randn(m, generator=torch.Generator().manual_seed(3)) / 5 if biased else None
    pool = SearchPool(y, bias=bias)
    proposed = pool.propose(x, 10).ids
    best = pool.topk(x, 10)
    scores = x @ y.T if bias is None else x @ y.T + bias
    found = scores.gather(1, proposed).sort(dim=1, descending=True).values
    assert proposed.shape == best.ids.shape
    assert all(len(set(row)) == len(row) for row in proposed.tolist())
    torch.testing.assert_close(found, best.scores, atol=0.05, rtol=0)
    if product == "float32":
        torch.testing.assert_close(found, best.scores, atol=1e-5, rtol=0)


def test_negative_neighbors_are_found_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_module, "fast_bfloat16", lambda _: True)
    y = unit_rows(vectors(500, 8, 4) + 2)  # all on one side
    x = -y[:50]
    pool = SearchPool(y)
    found = (x @ y.T).gather(1, pool.propose(x, 5).ids).sort(dim=1, descending=True).values
    torch.testing.assert_close(found, pool.topk(x, 5).scores, atol=1e-5, rtol=0)


def test_many_queries_are_taken_in_blocks() -> None:
    x, y = vectors(3_000, 12, 5), vectors(800, 12, 6)
    whole = SearchPool(y).propose(x, 4).ids
    for memory in (2**20, 2**24):
        assert torch.equal(SearchPool(y, compute=Compute(memory=memory)).propose(x, 4).ids, whole)


def test_only_the_first_search_waits() -> None:
    x, y = vectors(400, 12, 7), vectors(900, 12, 8)
    pool = SearchPool(y)
    pool.propose(x, 10)
    with HostSyncs() as seen:
        pool.propose(x, 10)
    assert seen.found == []
    with HostSyncs() as seen:
        pool.topk(x, 10)
    assert seen.found  # `topk` does wait: it checks certificates, so the guard works


def test_a_query_of_the_wrong_size_is_an_error() -> None:
    with pytest.raises(DimensionError, match="queries have 3 dimensions, candidates 4"):
        SearchPool(vectors(500, 4, 0)).propose(vectors(2, 3, 0), 1)
