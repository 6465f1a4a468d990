"""What every retriever must do."""

from __future__ import annotations

from typing import Any, cast

import pytest
import torch

from bilex.protocols import Retriever, TwoWayIndex
from bilex.registry import plugin_class, plugin_names
from bilex.values import Compute, unit_rows

NAMES = plugin_names("retrieval")


def make(name: str) -> Retriever:
    return cast(Retriever, plugin_class("retrieval", name)())


def spaces(n: int = 80, m: int = 70) -> tuple[torch.Tensor, torch.Tensor]:
    rng = torch.Generator().manual_seed(0)
    x = unit_rows(torch.randn(n, 12, generator=rng))
    return x, unit_rows(x[:m] + 0.1 * torch.randn(m, 12, generator=rng))


def index(name: str, x: torch.Tensor, y: torch.Tensor, **settings: Any) -> TwoWayIndex:  # noqa: ANN401
    return make(name).build(x, y, compute=Compute(), **settings)


@pytest.mark.parametrize("name", NAMES)
def test_it_finds_the_twin_in_both_directions(name: str) -> None:
    x, y = spaces()
    both = index(name, x, y)
    for found in (both.forward.search(x[:70], k=3), both.backward.search(y, k=3)):
        assert found.ids.shape == (70, 3)
        assert found.ids[:, 0].tolist() == list(range(70))
        assert bool((found.scores[:, :-1] >= found.scores[:, 1:]).all())


@pytest.mark.parametrize("name", NAMES)
def test_a_word_is_ranked_alike_alone_and_with_others(name: str) -> None:
    x, y = spaces()
    both = index(name, x, y)
    for search, queries in ((both.forward, x), (both.backward, y)):
        together, alone = search.search(queries, k=5), search.search(queries[8:9], k=5)
        assert torch.equal(together.ids[8:9], alone.ids)
        assert torch.equal(together.scores[8:9], alone.scores)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("searched", [False, True])
def test_the_state_rebuilds_the_same_index(name: str, searched: bool) -> None:
    x, y = spaces()
    first = index(name, x, y)
    if searched:
        first.forward.search(x[:3], k=2)
    state = first.state()
    again = index(name, x, y, state=state)
    assert again.state().keys() == state.keys()
    assert all(torch.equal(tensor, again.state()[key]) for key, tensor in state.items())
    for one, two, queries in (
        (first.forward, again.forward, x),
        (first.backward, again.backward, y),
    ):
        found, expected = two.search(queries, k=4), one.search(queries, k=4)
        assert torch.equal(found.ids, expected.ids)
        assert torch.equal(found.scores, expected.scores)


@pytest.mark.parametrize("name", NAMES)
def test_row_numbers_never_change_an_answer(name: str) -> None:
    x, y = spaces()
    rows = torch.tensor([9, 0, 33, 9])
    fresh, measured = index(name, x, y), index(name, x, y)
    measured.state()
    for both in (fresh, measured, index(name, x, y, state=measured.state())):
        for search, queries in ((both.forward, x[rows]), (both.backward, y[rows])):
            alone = search.search(queries, k=4)
            spared = search.search(queries, k=4, rows=rows)
            assert torch.equal(alone.ids, spared.ids)
            assert torch.equal(alone.scores, spared.scores)


@pytest.mark.parametrize("name", NAMES)
def test_the_backward_direction_is_the_forward_one_of_swapped_languages(name: str) -> None:
    x, y = spaces()
    found, expected = (
        search.search(y, k=4) for search in (index(name, x, y).backward, index(name, y, x).forward)
    )
    assert torch.equal(found.ids, expected.ids)
    assert torch.equal(found.scores, expected.scores)


@pytest.mark.parametrize("name", NAMES)
def test_vectors_need_not_have_unit_length(name: str) -> None:
    x, y = spaces()
    expected = index(name, x, y).forward.search(x, k=4).ids
    scaled = index(name, 0.2 * x, 3 * y).forward.search(7 * x, k=4).ids
    assert torch.equal(expected, scaled)


@pytest.mark.parametrize("name", NAMES)
def test_one_candidate_is_enough(name: str) -> None:
    x, y = spaces()
    both = index(name, x[:1], y[:1])
    for search, queries in ((both.forward, x), (both.backward, y)):
        assert search.search(queries[:2], k=10).ids.tolist() == [[0], [0]]


@pytest.mark.parametrize("name", NAMES)
def test_inputs_stay_as_they_are(name: str) -> None:
    x, y = (3 * rows for rows in spaces())
    both = index(name, x, y)
    both.forward.search(x, k=2)
    both.state()
    for rows, untouched in zip((x, y), spaces(), strict=True):
        assert torch.equal(rows, 3 * untouched)
