from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.candidates.scorers import LinearScorer, Scorer, StepScorer, TreeScorer, mean_of


def random_trees(depth: int, trees: int, draw: int) -> TreeScorer:
    """Make trees whose thresholds are whole numbers, so that values often equal them."""
    rng = torch.Generator().manual_seed(draw)
    nodes = 2**depth - 1
    return TreeScorer(
        torch.randint(6, (trees, nodes), generator=rng),
        torch.randint(-2, 3, (trees, nodes), generator=rng).float(),
        torch.randn(trees, nodes + 1, generator=rng),
        torch.tensor(0.25),
    )


def descend(scorer: TreeScorer, tree: int, row: list[float]) -> float:
    """Follow the values of one candidate from the root of one tree to its leaf."""
    nodes, node = scorer.columns.shape[1], 0
    while node < nodes:
        value = row[int(scorer.columns[tree, node])]
        node = 2 * node + (1 if value <= float(scorer.thresholds[tree, node]) else 2)
    return float(scorer.leaves[tree, node - nodes])


@settings(deadline=None)
@given(
    depth=st.integers(1, 4),
    trees=st.integers(1, 5),
    draw=st.integers(0, 999),
    words=st.lists(
        st.lists(
            st.lists(st.integers(-3, 3).map(float), min_size=3, max_size=3), min_size=2, max_size=2
        ),
        max_size=4,
    ),
)
def test_every_candidate_falls_where_it_would_walk(
    depth: int, trees: int, draw: int, words: list[list[list[float]]]
) -> None:
    scorer = random_trees(depth, trees, draw)
    scorer.check(3)
    expected = []
    for candidates in words:
        means = [sum(values) / 2 for values in zip(*candidates, strict=True)]
        for row in candidates:
            values = row + [value - mean for value, mean in zip(row, means, strict=True)]
            expected.append(sum(descend(scorer, tree, values) for tree in range(trees)) + 0.25)
    found = scorer.log_odds(torch.tensor(words).reshape(-1, 2, 3))
    assert found.flatten().tolist() == pytest.approx(expected, abs=1e-5)


def test_many_words_fall_as_each_alone() -> None:
    scorer = random_trees(3, 4, draw=1)
    words = torch.randn(5_000, 7, 3, generator=torch.Generator().manual_seed(2))
    some = [0, 2_047, 2_048, 4_999]
    assert torch.equal(scorer.log_odds(words)[some], scorer.log_odds(words[some]))


def test_steps_are_joined_by_lines_and_end_flat() -> None:
    scorer = StepScorer(
        torch.tensor(1), torch.tensor([0.0, 1.0, 3.0]), torch.tensor([-2.0, 0.0, 1.0])
    )
    scorer.check(2)
    values = torch.tensor([-5.0, 0.0, 0.25, 1.0, 2.0, 3.0, 9.0])
    found = scorer.log_odds(torch.stack([torch.full((7,), 7.0), values], dim=1)[None])
    assert found[0].tolist() == pytest.approx([-2, -2, -1.5, 0, 0.5, 1, 1])


def test_a_weighted_sum_of_standardized_features() -> None:
    scorer = LinearScorer(
        torch.tensor([1.0, 2.0]),
        torch.tensor([2.0, 4.0]),
        torch.tensor([3.0, -1.0]),
        torch.tensor(0.5),
    )
    scorer.check(2)
    assert scorer.log_odds(torch.tensor([[[5.0, 6.0]]])).tolist() == [[3.0 * 2 - 1.0 + 0.5]]


LINE = LinearScorer(torch.zeros(3), torch.ones(3), torch.ones(3), torch.tensor(1.0))


@pytest.mark.parametrize(
    "two",
    [random_trees(2, 3, draw=2), random_trees(3, 3, draw=2), LINE],
    ids=["trees", "deeper trees", "another kind"],
)
def test_several_scorers_speak_with_one_voice(two: Scorer) -> None:
    one = random_trees(2, 3, draw=1)
    rows = torch.randn(2, 6, 3, generator=torch.Generator().manual_seed(0))
    expected = (one.log_odds(rows) + two.log_odds(rows)) / 2
    together = mean_of([one, two])
    together.check(3)
    torch.testing.assert_close(together.log_odds(rows), expected)


def random_line(draw: int) -> LinearScorer:
    rng = torch.Generator().manual_seed(draw)
    return LinearScorer(
        torch.randn(3, generator=rng),
        torch.rand(3, generator=rng) + 0.1,
        torch.randn(3, generator=rng),
        torch.randn((), generator=rng),
    )


@settings(deadline=None)
@given(trees=st.integers(0, 3), lines=st.integers(0, 3), draw=st.integers(0, 99))
def test_each_of_many_scorers_counts_the_same(trees: int, lines: int, draw: int) -> None:
    scorers: list[Scorer] = [random_trees(2, 3, draw + n) for n in range(trees)]
    scorers += [random_line(draw + n) for n in range(lines)]
    if not scorers:
        scorers = [LINE]
    rows = torch.randn(2, 6, 3, generator=torch.Generator().manual_seed(draw))
    together = mean_of(scorers)
    together.check(3)
    expected = torch.stack([scorer.log_odds(rows) for scorer in scorers]).mean(0)
    torch.testing.assert_close(together.log_odds(rows), expected, atol=1e-4, rtol=1e-4)


good = random_trees(2, 3, draw=0)
MISFITS: dict[str, Scorer] = {
    "a feature there is not": TreeScorer(good.columns + 5, good.thresholds, good.leaves, good.bias),
    "a feature below zero": TreeScorer(good.columns - 1, good.thresholds, good.leaves, good.bias),
    "an incomplete tree": TreeScorer(
        good.columns[:, :2], good.thresholds[:, :2], good.leaves[:, :3], good.bias
    ),
    "no tree": TreeScorer(good.columns[:0], good.thresholds[:0], good.leaves[:0], good.bias),
    "too few leaves": TreeScorer(good.columns, good.thresholds, good.leaves[:, :3], good.bias),
    "too few thresholds": TreeScorer(good.columns, good.thresholds[:2], good.leaves, good.bias),
    "columns that are no numbers of columns": TreeScorer(
        good.columns.float(), good.thresholds, good.leaves, good.bias
    ),
    "several biases": TreeScorer(good.columns, good.thresholds, good.leaves, torch.zeros(2)),
    "one knot": StepScorer(torch.tensor(0), torch.zeros(1), torch.zeros(1)),
    "fewer heights": StepScorer(torch.tensor(0), torch.zeros(3), torch.zeros(2)),
    "a column there is not": StepScorer(torch.tensor(3), torch.zeros(2), torch.zeros(2)),
    "fewer weights": LinearScorer(torch.zeros(3), torch.ones(3), torch.zeros(2), torch.tensor(0.0)),
}


@pytest.mark.parametrize("name", MISFITS)
def test_tensors_that_do_not_fit_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="inconsistent shapes or types"):
        MISFITS[name].check(3)
