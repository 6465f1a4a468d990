"""Candidates and their own backward lists, against brute force over all pairs."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.candidates.lists import (
    BACK_DEPTH,
    SHARPNESS,
    BackwardLists,
    Queries,
    list_candidates,
)
from bilex.values import unit_rows
from candidates import csls_of, known_direction

sizes = st.one_of(st.integers(1, 4), st.integers(5, 45))


@settings(deadline=None, max_examples=40)
@given(size=sizes, targets=sizes, k=st.integers(1, 60), draw=st.integers(0, 99), data=st.data())
def test_lists_are_those_of_all_pairs(
    size: int, targets: int, k: int, draw: int, data: st.DataObject
) -> None:
    reverse = data.draw(st.booleans())
    known = known_direction(size, min(size, targets), draw=draw, reverse=reverse)
    words, candidates = known.csls.shape
    found = list_candidates(known.direction, known.direction.queries(torch.arange(words)), k=k)
    best = known.csls.sort(dim=1, descending=True, stable=True)
    assert found.ids.shape == (words, min(k, candidates))
    torch.testing.assert_close(
        found.scores.double(), best.values[:, :k], atol=1e-5, rtol=0
    )  # of equal scores, either may come first
    scores = known.csls.gather(1, found.ids)
    torch.testing.assert_close(found.scores.double(), scores, atol=1e-5, rtol=0)
    theirs = known.csls.T[found.ids]  # (n, k, n): all scores of each candidate
    ahead = (theirs > scores[..., None] + 1e-6).sum(-1)
    assert torch.equal(found.back_ranks, 1 + ahead.clamp(max=BACK_DEPTH + 1))
    mass = (SHARPNESS * theirs.sort(dim=-1, descending=True).values[..., :BACK_DEPTH]).exp()
    torch.testing.assert_close(found.back_mass.double(), mass.sum(-1).log(), atol=1e-3, rtol=0)
    own = torch.eye(words, dtype=torch.bool)[:, None]
    rivals = theirs.masked_fill(own, -torch.inf).amax(-1) if words > 1 else scores
    torch.testing.assert_close(found.rivals.double(), rivals, atol=1e-5, rtol=0)


@settings(deadline=None, max_examples=20)
@given(size=sizes, draw=st.integers(0, 99))
def test_a_word_outside_the_vocabulary_is_no_rival_of_others(size: int, draw: int) -> None:
    known = known_direction(size, draw=draw)
    rng = torch.Generator().manual_seed(draw + 1)
    vectors = unit_rows(torch.randn(3, 5, generator=rng))
    queries = Queries(("x", "y", "z"), vectors, torch.full((3,), float(size)))
    scores = csls_of(known, vectors)
    found = list_candidates(known.direction, queries, k=4)
    expected = scores.gather(1, found.ids)
    torch.testing.assert_close(found.scores.double(), expected, atol=1e-5, rtol=0)
    theirs = known.csls.T[found.ids]
    ahead = (theirs > expected[..., None] + 1e-6).sum(-1)
    assert torch.equal(found.back_ranks, 1 + ahead.clamp(max=BACK_DEPTH + 1))
    torch.testing.assert_close(found.rivals.double(), theirs.amax(-1), atol=1e-5, rtol=0)


def test_lists_made_before_change_nothing() -> None:
    direction = known_direction().direction
    queries = direction.queries(torch.tensor([3, 0, 17]))
    everything = BackwardLists(direction)
    everything.add(torch.arange(40))
    fresh = list_candidates(direction, queries, k=7)
    kept = list_candidates(direction, queries, k=7, backward=everything)
    for name in ("ids", "scores", "back_ranks", "rivals", "back_mass"):
        torch.testing.assert_close(getattr(kept, name), getattr(fresh, name))


def test_the_first_of_a_long_list_are_the_short_list() -> None:
    direction = known_direction().direction
    queries = direction.queries(torch.arange(40))
    short, long = (list_candidates(direction, queries, k=k) for k in (5, 30))
    for name in ("ids", "scores", "back_ranks", "rivals", "back_mass"):
        assert torch.equal(getattr(long.first(5), name), getattr(short, name))


def test_without_queries_nothing_is_found() -> None:
    direction = known_direction().direction
    found = list_candidates(direction, direction.queries(torch.arange(0)), k=5)
    assert found.ids.shape == found.rivals.shape == (0, 5)
