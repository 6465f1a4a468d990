"""What every retriever must do."""

from __future__ import annotations

from typing import cast

import pytest
import torch

from bilex.protocols import Retriever
from bilex.registry import plugin_class, plugin_names
from bilex.values import Compute, unit_rows

NAMES = plugin_names("retrieval")


def make(name: str) -> Retriever:
    return cast(Retriever, plugin_class("retrieval", name)())


def spaces(n: int = 80, m: int = 70) -> tuple[torch.Tensor, torch.Tensor]:
    rng = torch.Generator().manual_seed(0)
    x = unit_rows(torch.randn(n, 12, generator=rng))
    return x, unit_rows(x[:m] + 0.1 * torch.randn(m, 12, generator=rng))


@pytest.mark.parametrize("name", NAMES)
def test_it_finds_the_twin(name: str) -> None:
    x, y = spaces()
    found = make(name).build(y, x, compute=Compute()).search(x[:70], k=3)
    assert found.ids.shape == (70, 3)
    assert found.ids[:, 0].tolist() == list(range(70))
    assert bool((found.scores[:, :-1] >= found.scores[:, 1:]).all())


@pytest.mark.parametrize("name", NAMES)
def test_a_word_is_ranked_alike_alone_and_in_company(name: str) -> None:
    x, y = spaces()
    index = make(name).build(y, x, compute=Compute())
    together, alone = index.search(x, k=5), index.search(x[8:9], k=5)
    assert torch.equal(together.ids[8:9], alone.ids)
    assert torch.equal(together.scores[8:9], alone.scores)


@pytest.mark.parametrize("name", NAMES)
def test_kept_penalties_rebuild_the_same_index(name: str) -> None:
    x, y = spaces()
    first = make(name).build(y, x, compute=Compute())
    again = make(name).build(y, x, compute=Compute(), penalties=first.penalties)
    assert torch.equal(first.search(x, k=4).scores, again.search(x, k=4).scores)
    assert first.penalties.shape == (len(y),)


@pytest.mark.parametrize("name", NAMES)
def test_vectors_need_not_have_unit_length(name: str) -> None:
    x, y = spaces()
    expected = make(name).build(y, x, compute=Compute()).search(x, k=4).ids
    scaled = make(name).build(3 * y, 0.2 * x, compute=Compute()).search(7 * x, k=4).ids
    assert torch.equal(expected, scaled)


@pytest.mark.parametrize("name", NAMES)
def test_one_candidate_is_enough(name: str) -> None:
    x, y = spaces()
    found = make(name).build(y[:1], x[:1], compute=Compute()).search(x[:2], k=10)
    assert found.ids.tolist() == [[0], [0]]


@pytest.mark.parametrize("name", NAMES)
def test_what_the_other_direction_measured_changes_no_answer(name: str) -> None:
    x, y = spaces()
    there, back = (make(name).build(*rows, compute=Compute()) for rows in ((y, x), (x, y)))
    alone = there.search(x, k=4)
    spared = there.search(x, k=4, query_penalties=back.penalties)
    assert torch.equal(alone.ids, spared.ids)
    assert torch.equal(alone.scores, spared.scores)
