from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import orthogonal_procrustes

from bilex.alignment.supervised import Procrustes
from bilex.values import IndexedLexicon
from twins import Twins, make_twins


def fit(twins: Twins, located: IndexedLexicon | None = None) -> torch.Tensor:
    located = located or IndexedLexicon.locate(twins.lexicon, twins.spaces)
    return Procrustes().fit_map(twins.spaces, located, rng=torch.Generator()).weight


def test_it_finds_the_rotation(twins: Twins) -> None:
    torch.testing.assert_close(fit(twins), twins.rotation, atol=1e-5, rtol=0)


def test_it_agrees_with_scipy() -> None:
    twins = make_twins(50, noise=0.3)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    x = twins.source.vectors[located.source_ids].double().numpy()
    y = twins.target.vectors[located.target_ids].double().numpy()
    expected, _ = orthogonal_procrustes(x, y)
    torch.testing.assert_close(fit(twins), torch.from_numpy(expected).float(), atol=1e-5, rtol=0)


@given(
    source_dim=st.integers(1, 8),
    dim=st.integers(1, 8),
    pairs=st.integers(1, 30),
    draw=st.integers(0, 99),
)
@settings(deadline=None, max_examples=40)
def test_the_map_is_semi_orthogonal(source_dim: int, dim: int, pairs: int, draw: int) -> None:
    weight = fit(make_twins(pairs, source_dim=source_dim, dim=dim, draw=draw)).double()
    gram = weight.T @ weight if source_dim >= dim else weight @ weight.T
    torch.testing.assert_close(gram, torch.eye(min(source_dim, dim)).double(), atol=1e-5, rtol=0)


def test_relabeling_words_changes_nothing() -> None:
    twins = make_twins(40, noise=0.2)
    order = torch.randperm(40, generator=torch.Generator().manual_seed(1))
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    shuffled = IndexedLexicon(
        located.source_ids[order], located.target_ids[order], located.weights[order]
    )
    torch.testing.assert_close(fit(twins), fit(twins, shuffled), atol=1e-6, rtol=0)


def test_a_weight_counts_like_repetition() -> None:
    twins = make_twins(30, noise=0.5)
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    twice = torch.cat([torch.arange(30), torch.arange(10)])
    repeated = IndexedLexicon(located.source_ids[twice], located.target_ids[twice], torch.ones(40))
    weights = torch.ones(30)
    weights[:10] = 2
    weighted = IndexedLexicon(located.source_ids, located.target_ids, weights)
    torch.testing.assert_close(fit(twins, repeated), fit(twins, weighted), atol=1e-6, rtol=0)
