"""Paths through a third language, against sums over all paths one by one."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.candidates.features import compute_features
from bilex.candidates.lists import Direction, list_candidates
from bilex.candidates.paths import LinkLexicon, Paths, Translations
from bilex.retrieval import Nearest, build_index
from bilex.values import Compute
from candidates import known_direction

SIZES = 9, 7, 8  # words of the first, the third and the second language


def translations(words: int, candidates: int, m: int, rng: torch.Generator) -> Translations:
    ids = torch.stack([torch.randperm(candidates, generator=rng)[:m] for _ in range(words)])
    return Translations(ids, torch.rand(words, m, generator=rng))


def random_paths(draw: int, m: int = 3, sizes: tuple[int, int, int] = SIZES) -> Paths:
    rng = torch.Generator().manual_seed(draw)
    first, third, second = sizes
    return Paths(
        *(
            LinkLexicon(translations(own, third, m, rng), translations(third, own, m, rng))
            for own in (first, second)
        )
    )


def entries(table: Translations) -> dict[tuple[int, int], float]:
    return {
        (word, int(i)): float(chance)
        for word, (ids, chances) in enumerate(zip(*table, strict=True))
        for i, chance in zip(ids, chances, strict=True)
    }


@given(draw=st.integers(0, 1000))
@settings(deadline=None, max_examples=20)
def test_sums_are_those_of_all_paths(draw: int) -> None:
    paths = random_paths(draw)
    rows, ids = torch.tensor([0, 5, 8]), torch.arange(8).expand(3, 8)
    found = paths.sums(rows, ids)
    to_third, from_third = entries(paths.source.to_third), entries(paths.source.from_third)
    their_to, their_from = entries(paths.target.to_third), entries(paths.target.from_third)
    for place, word in enumerate(rows.tolist()):
        for i in range(8):
            third = range(SIZES[1])
            ahead = sum(to_third.get((word, t), 0) * their_from.get((t, i), 0) for t in third)
            back = sum(their_to.get((i, t), 0) * from_third.get((t, word), 0) for t in third)
            met = sum(to_third.get((word, t), 0) * their_to.get((i, t), 0) for t in third)
            assert found.ahead[place, i] == pytest.approx(ahead, abs=1e-6)
            assert found.back[place, i] == pytest.approx(back, abs=1e-6)
            assert found.meeting[place, i] == pytest.approx(met, abs=1e-6)


@given(draw=st.integers(0, 1000), k=st.integers(1, 12))
@settings(deadline=None, max_examples=20)
def test_proposals_are_the_ends_with_the_largest_sums(draw: int, k: int) -> None:
    paths = random_paths(draw)
    rows = torch.arange(9)
    proposed = paths.proposals(rows, k)
    sums = paths.sums(rows, torch.arange(8).expand(9, 8)).ahead
    for ids, chances, expected in zip(*proposed, sums, strict=True):
        named = {int(i): float(c) for i, c in zip(ids, chances, strict=True) if c > 0}
        best = expected[expected > 1e-9].sort(descending=True).values[:k]
        assert sorted(named.values(), reverse=True) == pytest.approx(best.tolist(), abs=1e-5)
        assert all(float(expected[i]) == pytest.approx(c, abs=1e-5) for i, c in named.items())


def test_back_sums_are_those_of_the_reversed_paths() -> None:
    paths = random_paths(3)
    there = paths.sums(torch.arange(9), torch.arange(8).expand(9, 8))
    back = paths.reversed().sums(torch.arange(8), torch.arange(9).expand(8, 9))
    torch.testing.assert_close(there.back, back.ahead.T)
    torch.testing.assert_close(there.meeting, back.meeting.T)


def with_paths(size: int = 40, draw: int = 0) -> Direction:
    paths = random_paths(draw, m=5, sizes=(size, 30, size))
    return replace(known_direction(size, draw=draw).direction, paths=paths)


@pytest.mark.parametrize("reverse", [False, True])
def test_half_of_the_candidates_are_those_of_paths(reverse: bool) -> None:
    direction = with_paths()
    direction = direction.reversed() if reverse else direction
    assert direction.paths is not None
    rows = torch.arange(40)
    plain = list_candidates(replace(direction, paths=None), direction.queries(rows), k=40)
    found = list_candidates(direction, direction.queries(rows), k=8)
    proposed = direction.paths.proposals(rows, 8)
    scores = torch.zeros(40, 40).scatter(1, plain.ids, plain.scores)
    torch.testing.assert_close(found.scores, scores.gather(1, found.ids), atol=1e-5, rtol=0)
    assert bool((found.scores.diff(dim=1) <= 0).all())
    for row in rows.tolist():
        ids = found.ids[row].tolist()
        near, theirs = plain.ids[row, :4].tolist(), proposed.ids[row].tolist()
        assert len(set(ids)) == 8
        assert set(near) <= set(ids)
        assert set([i for i in theirs if i not in near][:4]) <= set(ids)


def test_without_paths_of_a_word_its_candidates_are_the_nearest() -> None:
    direction = with_paths()
    assert direction.paths is not None
    link = direction.paths.source
    none = link.to_third._replace(probabilities=torch.zeros_like(link.to_third.probabilities))
    empty = Paths(link._replace(to_third=none), direction.paths.target)
    queries = direction.queries(torch.arange(40))
    found = list_candidates(replace(direction, paths=empty), queries, k=8)
    plain = list_candidates(replace(direction, paths=None), queries, k=8)
    assert torch.equal(found.ids, plain.ids)


def test_scores_by_cosine_have_candidates_of_paths_too() -> None:
    direction = with_paths()
    index = build_index(Nearest(), direction.source, direction.target, compute=Compute())
    direction = replace(direction, forward=index.forward, backward=index.backward)
    queries = direction.queries(torch.arange(40))
    found = list_candidates(direction, queries, k=8)
    plain = list_candidates(replace(direction, paths=None), queries, k=40)
    scores = torch.zeros(40, 40).scatter(1, plain.ids, plain.scores)
    torch.testing.assert_close(found.scores, scores.gather(1, found.ids), atol=1e-5, rtol=0)
    assert not torch.equal(found.ids, plain.ids[:, :8])


class _SearchOnly:
    """An index of a plugin that finds candidates but does not score given ones."""

    def __init__(self, direction: Direction) -> None:
        self.search = direction.forward.search


def test_a_retriever_that_scores_no_given_pairs_has_only_its_own_candidates() -> None:
    direction = with_paths()
    queries = direction.queries(torch.arange(40))
    found = list_candidates(replace(direction, forward=_SearchOnly(direction)), queries, k=8)
    plain = list_candidates(replace(direction, paths=None), queries, k=8)
    assert torch.equal(found.ids, plain.ids)


def test_features_are_logarithms_of_sums() -> None:
    direction = with_paths()
    queries = direction.queries(torch.tensor([3, 7]))
    lists = list_candidates(direction, queries, k=6)
    assert direction.paths is not None
    assert queries.rows is not None
    sums = direction.paths.sums(queries.rows, lists.ids)
    names = ("path", "path_to_best", "back_path", "meeting")
    found = compute_features(direction, queries, lists, names)
    for row in range(2):
        best = float(sums.ahead[row].max())
        for place in range(6):
            ahead = float(sums.ahead[row, place])
            expected = [
                math.log(ahead + 1e-3),
                math.log(ahead + 1e-3) - math.log(best + 1e-3),
                math.log(float(sums.back[row, place]) + 1e-3),
                math.log(float(sums.meeting[row, place]) + 1e-3),
            ]
            assert found[row, place].tolist() == pytest.approx(expected, abs=1e-4)


def test_a_word_outside_the_vocabulary_has_no_paths() -> None:
    direction = with_paths()
    queries = replace(direction.queries(torch.tensor([3])), rows=None)
    lists = list_candidates(direction, queries, k=6)
    found = compute_features(direction, queries, lists, ("path", "path_to_best"))
    torch.testing.assert_close(found[..., 0], torch.full((1, 6), math.log(1e-3)))
    assert not found[..., 1].any()
