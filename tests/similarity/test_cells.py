"""Approximate search: the scores of an exact search, most of its neighbors, always the same."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.errors import SettingError
from bilex.retrieval import Csls, Nearest
from bilex.similarity import (
    SearchPool,
    cells,
    csls_topk,
    describe_search,
    grid,
    is_approximate,
    neighborhood_means,
    topk,
)
from bilex.similarity.cells import FEWEST, Cells, Centers
from bilex.values import APPROXIMATE_FROM, Compute, Neighbors, unit_rows

EXACT, APPROXIMATE = Compute(search="exact"), Compute(search="approximate")
FEW = 600  # candidates; enough for cells in tests


@pytest.fixture
def small_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search few candidates by cells, and put each vector in few cells."""
    monkeypatch.setattr("bilex.similarity.kernel.FEWEST", FEW)
    monkeypatch.setattr(cells, "_CELLS", {True: 5, False: 8})


def clustered(n: int, dim: int = 32, draw: int = 0, groups: int = 150) -> torch.Tensor:
    """Return unit rows around common centers."""
    rng = torch.Generator().manual_seed(draw)
    centers = torch.randn(groups, dim, generator=torch.Generator().manual_seed(99))
    own = centers[torch.randint(groups, (n,), generator=rng)]
    return unit_rows(own + 0.7 * torch.randn(n, dim, generator=rng))


def recall(found: Neighbors, best: Neighbors) -> float:
    return float((found.ids[:, :, None] == best.ids[:, None, :]).any(1).float().mean())


@given(draw=st.integers(0, 2**32 - 1), biased=st.booleans(), k=st.integers(1, 15))
@settings(deadline=None, max_examples=15)
def test_what_is_found_has_the_scores_of_an_exact_search(draw: int, biased: bool, k: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bilex.similarity.kernel.FEWEST", FEW)
        patch.setattr(cells, "_CELLS", {True: 2, False: 2})
        rng = torch.Generator().manual_seed(draw)
        x, y = clustered(40, 16, draw), clustered(1_500, 16, draw + 1)
        candidate_bias = torch.randn(len(y), generator=rng) / 5 if biased else None
        query_bias = torch.randn(len(x), generator=rng) if biased else None
        found, everything = (
            topk(x, y, n, query_bias=query_bias, candidate_bias=candidate_bias, compute=compute)
            for n, compute in ((k, APPROXIMATE), (len(y), EXACT))
        )
    score_of = torch.empty_like(everything.scores).scatter_(1, everything.ids, everything.scores)
    assert torch.equal(score_of.gather(1, found.ids), found.scores)
    assert all(len(set(row)) == k for row in found.ids.tolist())
    assert (found.scores.diff(dim=1) <= 0).all()


def test_most_of_the_best_are_found() -> None:
    x, y = clustered(500, draw=1), clustered(20_000, draw=2)
    pool = SearchPool(y, compute=APPROXIMATE)
    assert recall(pool.topk(x, 10), topk(x, y, 10, compute=EXACT)) > 0.97


def test_the_type_of_the_product_does_not_change_what_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, y = clustered(100, draw=1), clustered(FEWEST, draw=2)
    found = []
    for fast in ("bfloat16", "int8", "float32"):
        monkeypatch.setattr(grid, "fast_bfloat16", lambda _, fast=fast: fast == "bfloat16")
        monkeypatch.setattr(grid, "fast_int8", lambda _, fast=fast: fast == "int8")
        found.append(Cells(y, Centers.of(y), APPROXIMATE).propose(x, 20).sort(dim=1).values)
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


@pytest.mark.usefixtures("small_cells")
def test_what_is_proposed_are_the_nearest_of_all_candidates_in_common_cells() -> None:
    """Found by brute force over the cells of each pair of words."""
    x, y = clustered(60, draw=14), clustered(1_000, draw=15)
    centers = Centers.of(y)
    nearest = [(rows @ centers.rows.T).topk(n).indices for rows, n in ((x, 8), (y, 5))]
    common = (nearest[0][:, None, :, None] == nearest[1][None, :, None, :]).flatten(2).any(2)
    scores = (x @ y.T).masked_fill(~common, -1)
    proposed = Cells(y, centers, APPROXIMATE).propose(x, 40)
    best = scores.topk(10)
    found = (proposed[:, :, None] == best.indices[:, None, :]).any(1)
    assert found[best.values > 0].float().mean() > 0.99  # cells and scores are rounded


@pytest.mark.usefixtures("small_cells")
def test_candidates_that_are_found_in_many_cells_displace_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, y = clustered(300, draw=21, groups=5), clustered(3_000, draw=22, groups=5)
    searched = Cells(y, Centers.of(y), APPROXIMATE)
    found = []
    for room in (cells._ROOM, 40):
        monkeypatch.setattr(cells, "_ROOM", room)
        ids = searched.propose(x, 40)
        scores = (x @ torch.cat([y, torch.zeros(1, 32)]).T).gather(1, ids.long())
        found.append(scores.sort(dim=1).values)
        assert all(len(set(row)) == 40 for row in ids.tolist())
    torch.testing.assert_close(*found, atol=0.02, rtol=0)  # keys with 8 bits have ties


def test_large_vocabularies_have_cells_in_proportion_to_their_words() -> None:
    def count(*sizes: int) -> int:
        return cells.number_of_centers(*(torch.empty(1, 1).expand(n, 1) for n in sizes))

    assert count(20_000) == 1_251  # one for 16 words
    assert count(100_000, 90_000) == 3_794  # 12 times the square root
    assert count(1_000_000, 1_000_000) == 31_250  # one for 32 words
    assert count(1_000_000, 16_000) == 1_001


def test_words_of_a_very_large_vocabulary_are_in_fewer_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = clustered(2_000, draw=23)
    for many, counts in ((2_001, cells._CELLS), (2_000, cells._CELLS_OF_MANY)):
        monkeypatch.setattr(cells, "_MANY", many)
        centers = Centers.of(x)
        assert {own: centers.cells(x[:10], own=own).shape[1] for own in (True, False)} == counts


def test_centers_are_those_of_the_language_with_clear_groups() -> None:
    x = clustered(5_000, draw=16)
    noise = torch.randn(5_000, 32, generator=torch.Generator().manual_seed(17))
    y = unit_rows(x + 0.25 * noise)
    for source, target in ((x, y), (y, x)):
        assert torch.equal(Centers.common(source, target).rows, Centers.of(x).rows)


def test_a_larger_language_with_less_clear_groups_has_no_advantage() -> None:
    x = clustered(1_000, draw=18)
    noise = torch.randn(20_000, 32, generator=torch.Generator().manual_seed(19))
    y = unit_rows(clustered(20_000, draw=20) + 0.2 * noise)
    for source, target in ((x, y), (y, x)):
        assert Centers.common(source, target).language is x


@pytest.mark.usefixtures("small_cells")
def test_answers_do_not_depend_on_threads_memory_or_other_queries() -> None:
    x, y = clustered(700, draw=3), clustered(3_000, draw=4)
    whole = topk(x, y, 10, compute=APPROXIMATE)
    threads = torch.get_num_threads()
    torch.set_num_threads(1 if threads > 1 else 2)
    try:
        again = topk(x, y, 10, compute=APPROXIMATE)
    finally:
        torch.set_num_threads(threads)
    little = topk(x, y, 10, compute=Compute(search="approximate", memory=2**20))
    alone = topk(x[650:651], y, 10, compute=APPROXIMATE)
    for other in (again, little):
        assert torch.equal(other.ids, whole.ids)
        assert torch.equal(other.scores, whole.scores)
    assert torch.equal(alone.ids, whole.ids[650:651])


@pytest.mark.parametrize("n", [1, 2, 50, FEWEST - 1])
def test_small_vocabularies_are_searched_exactly(n: int) -> None:
    x, y = clustered(30, draw=5), clustered(n, draw=6)
    found, best = topk(x, y, 10, compute=APPROXIMATE), topk(x, y, 10, compute=EXACT)
    assert torch.equal(found.ids, best.ids)
    assert torch.equal(found.scores, best.scores)


@pytest.mark.usefixtures("small_cells")
@pytest.mark.parametrize("kind", ["equal", "zero", "opposite"])
def test_odd_vectors_are_searched_too(kind: str) -> None:
    y = clustered(1_000, draw=7)
    x = y[:20]
    if kind == "equal":
        y = y[:1].repeat(1_000, 1)
    elif kind == "zero":
        y[::2] = 0
        x[:3] = 0
    else:
        y = unit_rows(y.abs())
        x = -y[:20]
    found = topk(x, y, 10, compute=APPROXIMATE)
    assert all(len(set(row)) == 10 for row in found.ids.tolist())
    assert int(found.ids.max()) < len(y)
    torch.testing.assert_close(
        found.scores.double(), (x.double() @ y.double().T).gather(1, found.ids), atol=1e-6, rtol=0
    )


@pytest.mark.usefixtures("small_cells")
def test_almost_all_candidates_can_be_requested() -> None:
    x, y = clustered(5, draw=8), clustered(700, draw=9)
    assert torch.equal(topk(x, y, 699, compute=APPROXIMATE).ids, topk(x, y, 699).ids)


@pytest.mark.usefixtures("small_cells")
def test_csls_is_close_to_exact_and_the_same_after_a_reload() -> None:
    x, y = clustered(4_000, draw=10), clustered(5_000, draw=11)
    index = Csls().build(x, y, compute=APPROXIMATE)
    rows = torch.arange(500)
    found = index.forward.search(x[rows], k=10, rows=rows)
    r_x, r_y = (neighborhood_means(a, b, 10) for a, b in ((x, y), (y, x)))
    best = csls_topk(x[rows], y, 10, query_means=r_x[rows], candidate_means=r_y)
    assert recall(found, best) > 0.9
    assert float((index.means("target") - r_y).abs().mean()) < 0.005
    reloaded = Csls().build(x, y, compute=APPROXIMATE, state=index.state())
    again = reloaded.forward.search(x[rows], k=10, rows=rows)
    assert torch.equal(again.ids, found.ids)
    assert torch.equal(again.scores, found.scores)


@pytest.mark.usefixtures("small_cells")
def test_ranking_by_cosine_is_approximate_too() -> None:
    x, y = clustered(100, draw=12), clustered(3_000, draw=13)
    index = Nearest().build(x, y, compute=APPROXIMATE)
    best = topk(x, y, 10, compute=EXACT)
    assert 0.8 < recall(index.forward.search(x, k=10), best) <= 1


def test_the_size_decides_unless_the_user_does() -> None:
    assert not is_approximate(Compute(), APPROXIMATE_FROM - 1)
    assert is_approximate(Compute(), APPROXIMATE_FROM)
    assert not is_approximate(EXACT, APPROXIMATE_FROM)
    assert is_approximate(APPROXIMATE, FEWEST)
    assert not is_approximate(APPROXIMATE, FEWEST - 1)


def test_one_line_says_how_large_vocabularies_are_searched() -> None:
    assert describe_search(Compute(), 200_000) is None
    assert describe_search(EXACT, 2_000_000) is None
    assert describe_search(Compute(), 1_200_000) == (
        "searching approximately, because there are 1,200,000 words (1,000,000 or more): add "
        "--search exact to find all best translations"
    )
    assert describe_search(APPROXIMATE, 10_000) == (
        "searching approximately, as requested: some of the best translations will be missed"
    )
    assert describe_search(APPROXIMATE, 50) == (
        "searching exactly: 50 words are too few for an approximate search (4,096 or more)"
    )


def test_an_unknown_kind_of_search_is_an_error() -> None:
    with pytest.raises(SettingError, match=r"search is 'fast': expected one of exact, approximate"):
        Compute(search="fast")  # type: ignore[arg-type]


LARGEST_MEMORY = """
import resource, torch
from bilex.similarity.cells import Centers
words = torch.nn.functional.normalize(torch.randn(40_000, 64))
centers = Centers(words[:4096], words)
centers.nearest(words[:1000], 40)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
centers.nearest(words, 40)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured on Linux")
def test_blocks_of_words_use_the_same_memory() -> None:
    """Results take 6 MiB. Kept block by block, they took 170 MiB more."""
    command = [sys.executable, "-c", LARGEST_MEMORY]
    found = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603

    assert int(found.stdout) < 60 * 1024


def test_words_stay_in_their_cells_under_a_similar_map(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = clustered(5_000, draw=30), clustered(6_000, draw=31)
    turned = unit_rows(x + 0.05 * torch.randn(x.shape, generator=torch.Generator().manual_seed(32)))
    drafts = Csls().for_drafts()
    drafts.build(x, y, compute=APPROXIMATE)
    monkeypatch.setattr(cells, "_train", None)  # centers are not trained again
    for _ in range(2):  # nor for the third map
        index = drafts.build(turned, y, compute=APPROXIMATE)
    exact = Csls().build(turned, y, compute=EXACT)

    for found, best, rows in (
        (index.forward, exact.forward, turned[:500]),
        (index.backward, exact.backward, y[:500]),
    ):
        assert recall(found.search(rows, k=10), best.search(rows, k=10)) > 0.95


def test_centers_of_the_target_language_stay_those_of_the_target() -> None:
    x = clustered(5_000, draw=16)
    y = unit_rows(x + 0.25 * torch.randn(5_000, 32, generator=torch.Generator().manual_seed(17)))
    for source, target, clear in ((x, y, 0), (y, x, 1)):
        before = Centers.common(source, target)
        cells_before = [before.cells(words, own=words is x) for words in (source, target)]
        pair = source.clone(), target.clone()
        after = before.moved(*pair)
        assert after.language is pair[clear]
        for words, found in zip(pair, cells_before, strict=True):
            assert after.cells(words, own=words is after.language) is found


def test_proposals_are_twice_as_many_as_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = clustered(300, draw=1), clustered(20_000, draw=2)
    pool = SearchPool(y, compute=APPROXIMATE)
    widths = []
    near = SearchPool.near

    def spied(self: SearchPool, queries: torch.Tensor, k: int) -> Neighbors:
        found = near(self, queries, k)
        widths.append(found.ids.shape[1])
        return found

    monkeypatch.setattr(SearchPool, "near", spied)
    assert recall(pool.propose(x, 40), topk(x, y, 40, compute=EXACT)) > 0.95
    assert widths == [80]


def test_a_draft_searches_a_few_words_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = clustered(5_000, draw=30), clustered(6_000, draw=31)
    draft = Csls().for_drafts().build(x, y, compute=APPROXIMATE)
    exact = Csls().build(x, y, compute=EXACT)
    exact.measured.update(draft.measured)
    few, many = torch.arange(100), torch.arange(2_000)
    by_cells = []
    propose = Cells.propose

    def spied(self: Cells, queries: torch.Tensor, count: int) -> torch.Tensor:
        by_cells.append(len(queries))
        return propose(self, queries, count)

    monkeypatch.setattr(Cells, "propose", spied)
    for rows in (few, many):
        found = draft.forward.search(x[rows], k=10, rows=rows)
        best = exact.forward.search(x[rows], k=10, rows=rows)
        assert recall(found, best) > 0.95
    assert by_cells == [len(many)]
