"""Word vectors from counts: which words occur near each other, reduced to few dimensions.

A word is counted with the contexts around it. Words with the same first letters are one context
(*walk*, *walked*, *walking*), because counts of single forms are small. Counts are converted to
positive pointwise mutual information (PPMI, with smoothed context frequencies). The vectors are the
leading singular vectors of that matrix, weighted by a power of the singular values (Levy, Goldberg
and Dagan, 2015). On texts of up to a million words they translate better than skip-gram vectors and
take a fraction of the time. Only the start of the singular value decomposition is random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bilex.text.settings import VectorSettings
from bilex.text.tokens import Tokens

MOST_PAIRS = 15_000_000
"""Different pairs of words in memory; if there are more, the rarest are dropped."""

OnSentences = Callable[[int, int], None]
"""Called with the number of counted sentences and the total."""

_TOKENS_AT_ONCE = 500_000
_NO_ID = -1  # of a word that is neither a row nor a context
_SVD_ROUNDS = 5

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Sparse = Any
"""A scipy matrix, which has no types."""


@dataclass(frozen=True, eq=False)
class Contexts:
    """How much the words of a text attract each context.

    Attributes:
        matrix: The mutual information where it is positive; a row for each word of the vocabulary,
            a column for each context.
        columns: The column of each word that is a context.
    """

    matrix: Sparse
    columns: dict[str, int]


def contexts_of(
    tokens: Tokens,
    vocabulary: dict[str, int],
    settings: VectorSettings,
    on_sentences: OnSentences | None = None,
) -> Contexts:
    """Count the contexts of each word of the vocabulary in a text.

    A word that is too rare for a vector is a context, too, if words with the same first letters
    are frequent enough together.
    """
    columns, frequencies = _columns(tokens.counts, settings)
    counts = _count(tokens, vocabulary, columns, settings.window or 1, on_sentences)
    if settings.sample:
        row_rates, column_rates = (
            np.sqrt(settings.sample * tokens.total / np.array(list(each))).clip(max=1)
            for each in (vocabulary.values(), frequencies)
        )
        counts.data *= row_rates[_rows(counts)] * column_rates[counts.indices]
    return Contexts(_ppmi(counts, settings.smoothing or 0.0), columns)


def reduced(matrix: Sparse, settings: VectorSettings, *, random_state: int, threads: int) -> Floats:
    """Return the rows of a matrix in few dimensions."""
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits

    dim = settings.dim or 1
    vectors = np.zeros((matrix.shape[0], dim), dtype=np.float32)  # a small text leaves zeros
    if not matrix.nnz:
        return vectors
    with threadpool_limits(threads):
        left, strengths, _ = randomized_svd(
            matrix, min(dim, *matrix.shape), n_iter=_SVD_ROUNDS, random_state=random_state
        )
    weights = (strengths / strengths[0]) ** (settings.power or 0.0)
    vectors[:, : len(strengths)] = left * weights
    vectors[np.diff(matrix.indptr) == 0] = 0  # without rounding errors
    return vectors


def _columns(
    counts: Mapping[str, int], settings: VectorSettings
) -> tuple[dict[str, int], list[int]]:
    """Return the column of each word that is a context, and how often each context occurs."""
    letters = settings.context_letters or None
    frequencies: Counter[str] = Counter()
    for word, count in counts.items():
        frequencies[word[:letters]] += count
    least = settings.min_count or 1
    kept = {start: n for start, n in frequencies.items() if n >= least}
    numbers = {start: number for number, start in enumerate(kept)}
    columns = {word: numbers[word[:letters]] for word in counts if word[:letters] in numbers}
    return columns, list(kept.values())


def _count(
    tokens: Tokens,
    vocabulary: Mapping[str, int],
    columns: Mapping[str, int],
    window: int,
    on_sentences: OnSentences | None,
) -> Sparse:
    """Return how often each word of the vocabulary occurs near each context.

    A neighbor counts `window`, a word that is `window` words away counts 1. Counts are integers,
    so that sums do not depend on the order of addition.
    """
    from scipy.sparse import csr_array

    size = len(vocabulary)
    rows = {word: row for row, word in enumerate(vocabulary)}
    # Words without a row are counted by context, after the rows.
    ids = {word: rows.get(word, size + column) for word, column in columns.items()}
    width = max(columns.values()) + 1
    pairs = csr_array((size + width, size + width), dtype=np.int64)  # an upper triangle
    for done, block in _blocks(tokens, ids, window):
        pairs = pairs + _pairs_of(block, window, size + width)
        if pairs.nnz > MOST_PAIRS:
            rank = pairs.nnz - MOST_PAIRS // 2
            pairs.data[pairs.data <= np.partition(pairs.data, rank)[rank]] = 0
            pairs.eliminate_zeros()
        if on_sentences is not None:
            on_sentences(done, tokens.sentences)
    column_of = np.array([columns[word] for word in vocabulary] + list(range(width)))
    merging = csr_array(
        (np.ones(size + width, dtype=np.int64), column_of, np.arange(size + width + 1)),
        shape=(size + width, width),
    )
    return ((pairs + pairs.T)[:size] @ merging).astype(np.float64)


def _blocks(tokens: Tokens, ids: Mapping[str, int], window: int) -> Iterator[tuple[int, Ids]]:
    """Yield the number of sentences read, and the ids of words with gaps between sentences."""
    gap = [_NO_ID] * window
    block: list[int] = []
    done = 0
    for done, sentence in enumerate(tokens, start=1):
        block += [ids.get(word, _NO_ID) for word in sentence]
        block += gap
        if len(block) >= _TOKENS_AT_ONCE:
            yield done, np.array(block)
            block = []
    yield done, np.array(block, dtype=np.int64)


def _pairs_of(block: Ids, window: int, size: int) -> Sparse:
    from scipy.sparse import coo_array

    lower, upper, weights = [], [], []
    for distance in range(1, window + 1):
        one, other = block[:-distance], block[distance:]
        both = (one >= 0) & (other >= 0)
        one, other = one[both], other[both]
        lower.append(np.minimum(one, other).astype(np.int32))
        upper.append(np.maximum(one, other).astype(np.int32))
        weights.append(np.full(len(one), window + 1 - distance))
    places = (np.concatenate(lower), np.concatenate(upper))
    return coo_array((np.concatenate(weights), places), shape=(size, size)).tocsr()


def _ppmi(counts: Sparse, smoothing: float) -> Sparse:
    """Return log(p(word, context) / (p(word) p(context))) where it is positive."""
    rows = _rows(counts)
    contexts = counts.sum(axis=0) ** smoothing
    contexts /= max(contexts.sum(), 1e-300)
    expected = counts.sum(axis=1)[rows] * contexts[counts.indices]
    counts.data = np.maximum(np.log(counts.data / expected), 0)
    counts.eliminate_zeros()
    return counts.astype(np.float32)


def _rows(matrix: Sparse) -> npt.NDArray[np.int32]:
    """Return the row of each number that is stored."""
    return np.repeat(np.arange(matrix.shape[0], dtype=np.int32), np.diff(matrix.indptr))
