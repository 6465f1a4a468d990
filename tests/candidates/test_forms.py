from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.candidates.forms import Forms
from bilex.candidates.word_parts import WordPairs
from bilex.values import EmbeddingSpace
from naive_parts import naive_fit, naive_usual

WORDS = st.lists(st.text("abBß日 ", min_size=1, max_size=5), min_size=1, max_size=6)


def space(words: list[str]) -> EmbeddingSpace:
    return EmbeddingSpace(tuple(words), torch.ones(len(words), 1))


def pairs_of(*rows: tuple[int, int]) -> WordPairs:
    ids = torch.tensor(rows, dtype=torch.long).reshape(-1, 2)
    return WordPairs(ids[:, 0], ids[:, 1])


@settings(deadline=None)
@given(WORDS, WORDS, st.data())
def test_endings_of_seeds_are_counted_as_one_would_by_hand(
    sources: list[str], targets: list[str], data: st.DataObject
) -> None:
    targets = list(dict.fromkeys(targets))
    one_pair = st.tuples(st.integers(0, len(sources) - 1), st.integers(0, len(targets) - 1))
    rows = data.draw(st.lists(one_pair, max_size=8))
    forms = Forms(pairs_of(*rows), space(sources), space(targets))
    ids = torch.arange(len(targets)).expand(len(sources), -1)
    usual, together = forms.usual(ids), forms.together(sources, ids)
    seeds = {targets[j] for _, j in rows}
    pairs = [(sources[i], targets[j]) for i, j in rows]
    for row, word in enumerate(sources):
        for column, candidate in enumerate(targets):
            by_hand = naive_usual(seeds, targets, candidate)
            assert float(usual[row, column]) == pytest.approx(by_hand, abs=1e-4)
            by_hand = naive_fit(pairs, word, candidate)[1]
            assert float(together[row, column]) == pytest.approx(by_hand, abs=1e-4)


def test_the_form_that_seeds_have_is_the_usual_one() -> None:
    """Half of the vocabulary are base forms, but all seeds are."""
    stems = ("koi", "huo", "laa", "mie", "sua")
    targets = [f"{stem}{end}" for stem in stems for end in ("nen", "sta")]
    seeds = pairs_of(*((row, row) for row in range(0, 8, 2)))
    usual = Forms(seeds, space(targets), space(targets)).usual(torch.tensor([[8, 9]]))
    base, other = usual[0].tolist()
    assert base > 0 > other


@pytest.mark.parametrize("seeds", [None, pairs_of()])
def test_without_seeds_no_form_is_usual(seeds: WordPairs | None) -> None:
    forms = Forms(seeds, space(["a"]), space(["b"]))
    ids = torch.zeros(1, 1, dtype=torch.long)
    assert forms.usual(ids).tolist() == forms.together(["a"], ids).tolist() == [[0.0]]
