from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.candidates.word_parts import WordPairs, WordParts, find_pairs
from bilex.retrieval import Side
from bilex.values import EmbeddingSpace, LinearMap, Normalization, unit_rows
from naive_parts import naive_fit
from twins import make_twins

WORDS = st.lists(st.text("aábBß日 ", min_size=1, max_size=5), min_size=1, max_size=6)


def space(words: list[str]) -> EmbeddingSpace:
    return EmbeddingSpace(tuple(words), torch.ones(len(words), 1))


def pairs_of(*rows: tuple[int, int]) -> WordPairs:
    ids = torch.tensor(rows, dtype=torch.long).reshape(-1, 2)
    return WordPairs(ids[:, 0], ids[:, 1])


@settings(deadline=None)
@given(WORDS, WORDS, st.data())
def test_parts_are_counted_as_one_would_by_hand(
    sources: list[str], targets: list[str], data: st.DataObject
) -> None:
    one_pair = st.tuples(st.integers(0, len(sources) - 1), st.integers(0, len(targets) - 1))
    rows = data.draw(st.lists(one_pair, max_size=8))
    queries = [*sources, data.draw(st.text(min_size=1, max_size=4))]
    ids = torch.arange(len(targets)).expand(len(queries), -1)
    parts = WordParts(pairs_of(*rows), space(sources), space(targets))
    beginnings, endings = parts.beginnings(queries, ids), parts.endings(queries, ids)
    pairs = [(sources[i], targets[j]) for i, j in rows]
    for row, word in enumerate(queries):
        for column, candidate in enumerate(targets):
            expected = naive_fit(pairs, word, candidate)
            found = float(beginnings[row, column]), float(endings[row, column])
            assert found == pytest.approx(expected, abs=1e-4)


def test_the_other_direction_has_the_same_numbers() -> None:
    sources, targets = ["cats", "dogs", "walking"], ["chats", "chiens", "marchant"]
    pairs = pairs_of((0, 0), (1, 1), (2, 2))
    ids = torch.arange(3).expand(3, -1)
    ahead = WordParts(pairs, space(sources), space(targets))
    back = WordParts(pairs.reversed(), space(targets), space(sources))
    torch.testing.assert_close(ahead.beginnings(sources, ids), back.beginnings(targets, ids).T)
    torch.testing.assert_close(ahead.endings(sources, ids), back.endings(targets, ids).T)


def test_endings_that_are_seen_together_fit_and_others_do_not() -> None:
    sources = [f"{stem}{end}" for stem in ("cat", "dog", "hat", "map") for end in ("s", "ing")]
    targets = [f"{stem}{end}" for stem in ("ko", "hu", "la", "mi") for end in ("t", "va")]
    pairs = pairs_of(*((row, row) for row in range(6)))
    parts = WordParts(pairs, space(sources), space(targets))
    plural, other = parts.endings(["maps"], torch.tensor([[6, 7]]))[0].tolist()
    assert plural > 0 > other


def test_without_pairs_nothing_is_known_of_parts() -> None:
    parts = WordParts(pairs_of(), space(["a"]), space(["b"]))
    for kind in (parts.beginnings, parts.endings):
        assert kind(["a", "x"], torch.zeros(2, 1, dtype=torch.long)).tolist() == [[0.0], [0.0]]


def test_pairs_are_words_that_are_each_others_nearest() -> None:
    twins = make_twins(60, dim=8, noise=0.3)
    source = Side(twins.source, Normalization(), LinearMap(twins.rotation))
    target = Side(twins.target, Normalization())
    found = find_pairs(source, target)
    x = unit_rows(twins.source.vectors.double() @ twins.rotation.double())
    cosines = x @ unit_rows(twins.target.vectors.double()).T
    means = [cosines.topk(10, dim=way).values.mean(way) for way in (1, 0)]
    csls = 2 * cosines - means[0][:, None] - means[1][None]
    best = csls.argmax(1).tolist()
    mutual = {(i, j) for i, j in enumerate(best) if int(csls[:, j].argmax()) == i}
    assert {*zip(found.source_ids.tolist(), found.target_ids.tolist(), strict=True)} == mutual
    assert mutual
