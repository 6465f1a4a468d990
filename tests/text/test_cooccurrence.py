"""Counting pairs of words, and their mutual information."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sklearn.utils.extmath  # imported here, since it takes more than a second

from bilex.text import VectorSettings, cooccurrence
from bilex.text.cooccurrence import contexts_of, reduced
from bilex.text.tokens import Tokens

WINDOW = 3
assert sklearn.utils.extmath


def write(path: Path, sentences: list[str]) -> Tokens:
    path.write_text("".join(f"{sentence}\n" for sentence in sentences), encoding="utf-8")
    counts = Counter(" ".join(sentences).split())
    return Tokens(path, len(sentences), counts.total(), dict(counts.most_common()))


def some_sentences(draw: int = 0) -> list[str]:
    rng = random.Random(draw)
    return [" ".join(rng.choices("abcdefgh", range(1, 9), k=rng.randint(1, 9))) for _ in range(60)]


def ppmi_vectors(tokens: Tokens, settings: VectorSettings) -> np.ndarray:
    matrix = contexts_of(tokens, tokens.counts, settings).matrix
    return reduced(matrix, settings, random_state=0, threads=1)


def weights_by_hand(tokens: Tokens) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for sentence in tokens:
        for i, word in enumerate(sentence):
            for j in range(max(i - WINDOW, 0), min(i + WINDOW + 1, len(sentence))):
                if i != j:
                    found[word, sentence[j]] += WINDOW + 1 - abs(i - j)
    return found


@pytest.mark.parametrize("at_once", [7, 10_000])
def test_vectors_are_those_of_the_matrix_computed_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(cooccurrence, "_TOKENS_AT_ONCE", at_once)
    tokens = write(tmp_path / "t", some_sentences())
    words, sample, smoothing = list(tokens.counts), 0.1, 0.75
    kept = {w: min(1, math.sqrt(sample / (n / tokens.total))) for w, n in tokens.counts.items()}
    weights = {(a, b): n * kept[a] * kept[b] for (a, b), n in weights_by_hand(tokens).items()}
    totals = {w: sum(n for (a, _), n in weights.items() if a == w) for w in words}
    whole = sum(total**smoothing for total in totals.values())
    matrix = np.zeros((len(words), len(words)))
    for (a, b), n in weights.items():
        information = math.log(n / (totals[a] * totals[b] ** smoothing / whole))
        matrix[words.index(a), words.index(b)] = max(information, 0)
    u, s, _ = np.linalg.svd(matrix)
    expected = u * (s / s[0]) ** 2

    settings = VectorSettings(
        dim=len(words), window=WINDOW, sample=sample, smoothing=smoothing, power=2.0
    )
    found = ppmi_vectors(tokens, settings)

    # Singular vectors are unique up to their sign, dot products are unique.
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-5)


def test_words_of_different_sentences_are_no_context(tmp_path: Path) -> None:
    tokens = write(tmp_path / "t", ["a b", "c d", "e"] * 5)
    settings = VectorSettings(dim=5, window=WINDOW, power=1.0, smoothing=1.0)
    found = ppmi_vectors(tokens, settings)

    rows = dict(zip(tokens.counts, found, strict=True))
    assert abs(rows["a"] @ rows["c"]) < 1e-6
    assert not rows["e"].any()  # alone in its sentence
    assert found.shape == (5, 5)


def test_a_rare_word_in_between_keeps_its_place(tmp_path: Path) -> None:
    tokens = write(tmp_path / "t", [f"a x{i} y{i} b" for i in range(5)] + ["c d"] * 5)
    vocabulary = {word: n for word, n in tokens.counts.items() if n > 1}
    settings = VectorSettings(window=2, min_count=2, smoothing=1.0)
    found = contexts_of(tokens, vocabulary, settings).matrix.toarray()

    rows = dict(zip(vocabulary, found, strict=True))
    assert not rows["a"].any()  # b is three words away
    assert rows["c"].any()


def test_contexts_with_the_same_first_letters_are_one(tmp_path: Path) -> None:
    forms = ["walked", "walking", "walks", "walker"]
    tokens = write(tmp_path / "t", [f"a {form}" for form in forms] + ["b run", "a b"] * 2)
    vocabulary = {word: n for word, n in tokens.counts.items() if n > 1}
    assert set(vocabulary) == {"a", "b", "run"}
    settings = VectorSettings(window=1, min_count=2, sample=0, smoothing=1.0, context_letters=4)
    found = contexts_of(tokens, vocabulary, settings)

    assert len({found.columns[form] for form in forms}) == 1
    a = found.matrix.toarray()[list(vocabulary).index("a")]
    # Of twelve pairs of a row and a context, six have a, four have the context, and four have both.
    assert a[found.columns["walks"]] == pytest.approx(math.log(4 / (6 * 4 / 12)))
    apart = contexts_of(tokens, vocabulary, replace(settings, context_letters=0))
    assert set(apart.columns) == {"a", "b", "run"}  # each form is too rare on its own


def test_the_rarest_pairs_are_forgotten_if_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cooccurrence, "_TOKENS_AT_ONCE", 50)
    monkeypatch.setattr(cooccurrence, "MOST_PAIRS", 10)
    rare = [f"r{i} s{i}" for i in range(100)]
    tokens = write(tmp_path / "t", ["a b", "c d"] * 40 + rare)
    settings = VectorSettings(dim=4, window=1, power=1.0, smoothing=1.0)
    found = ppmi_vectors(tokens, settings)

    with_vector = {word for word, row in zip(tokens.counts, found, strict=True) if row.any()}
    assert {"a", "b", "c", "d"} <= with_vector
    assert len(with_vector) <= 24


def test_a_word_as_its_own_context_counts_twice(tmp_path: Path) -> None:
    tokens = write(tmp_path / "t", ["a a", "b c"] * 3)
    settings = VectorSettings(window=1, sample=0, smoothing=1.0)
    information = contexts_of(tokens, tokens.counts, settings).matrix.toarray()
    np.testing.assert_allclose(information, np.log([[2, 1, 1], [1, 1, 4], [1, 4, 1]]), atol=1e-6)
