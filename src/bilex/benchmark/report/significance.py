"""Significance tests and confidence intervals for differences between methods.

Differences are between two methods on the same words. A word in the test sets of several language
pairs is one unit, because its answers are not independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bilex.benchmark.report.test_words import Integers, Numbers

RESAMPLES = 4_000
"""Number of bootstrap resamples for an interval."""

FLIPS = 49_999
"""Number of random sign assignments if there are too many to count exactly."""

LEVEL = 0.05
"""A difference is significant if its corrected p-value is below this."""

_NUMBERS_IN_A_BLOCK = 2**22  # 32 MiB


@dataclass(frozen=True, eq=False, slots=True)
class Sample:
    """Measurements on the test words of one language pair.

    Attributes:
        source: The language of the words.
        words: The number of the word of each row; equal numbers are the same word, in all samples
            of the language.
        values: One column per measurement; NaN for words without it.
    """

    source: str
    words: Integers  # (n_rows,)
    values: Numbers  # (n_rows, n_columns)


def resampled_means(
    samples: Sequence[Sample], rng: np.random.Generator, *, resamples: int = RESAMPLES
) -> Numbers:
    """Return the mean of each column of each sample over words drawn with replacement.

    All samples and columns share each draw of the words of a language.

    Returns:
        An array (n_samples, resamples, n_columns); NaN where no word with a value was drawn.
    """
    n_columns = samples[0].values.shape[1]
    means = np.full((len(samples), resamples, n_columns), np.nan)
    for source in sorted({sample.source for sample in samples}):
        group = [i for i, sample in enumerate(samples) if sample.source == source]
        together = np.concatenate([samples[i].words for i in group])
        distinct, rows = np.unique(together, return_inverse=True)
        if not len(distinct):
            continue
        ends = np.cumsum([len(samples[i].words) for i in group])[:-1]
        places = np.split(rows, ends)  # of each sample's rows among the distinct words
        height = max(1, _NUMBERS_IN_A_BLOCK // len(distinct))
        for start in range(0, resamples, height):
            stop = min(resamples, start + height)
            times = _times_drawn(stop - start, len(distinct), rng)
            for i, place in zip(group, places, strict=True):
                means[i, start:stop] = _weighted_means(times[:, place], samples[i].values)
    return means


def interval(means: Numbers) -> tuple[float, float]:
    """Return the 95 % percentile interval of resampled means."""
    low, high = np.nanquantile(means, [0.025, 0.975])
    return float(low), float(high)


def exact_p_value(differences: Integers) -> float:
    """Return the exact two-sided p-value of the sign-flip test, over all sign assignments.

    If two methods are equally good, the difference of each word could as well have the opposite
    sign. The p-value is the share of the 2ⁿ sign assignments whose sum is at least as far from
    zero as the observed one. They are counted without listing them: n differences of the same size
    j add j (2b − n), where b of the n signs are positive. With one run of each method this is
    McNemar's exact test.

    Args:
        differences: Whole numbers, one for each word.
    """
    sizes, counts = np.unique(np.abs(differences[differences != 0]), return_counts=True)
    reached = np.ones(1)  # reached[s]: probability that the positive sizes add up to s
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        step = np.zeros(size * count + 1)
        step[::size] = _fair_binomial(count)
        reached = np.convolve(reached, step)
    sums = 2 * np.arange(len(reached)) - int((sizes * counts).sum())
    return float(min(1.0, reached[np.abs(sums) >= abs(int(differences.sum()))].sum()))


def drawn_p_values(
    contributions: Numbers, rng: np.random.Generator, *, flips: int = FLIPS
) -> Numbers:
    """Return the two-sided p-values of sign-flip tests with random sign assignments.

    The observed assignment is counted as one of the random ones, so that no p-value is zero.

    Args:
        contributions: The contribution of each word (row) to each tested sum (column).
        rng: Random generator of the signs; all columns share them.
        flips: How many assignments to draw.
    """
    n_words = len(contributions)
    observed = np.abs(contributions.sum(axis=0))
    # Sums that are equal in exact arithmetic must count as equal here.
    bound = observed - 1e-9 * np.abs(contributions).sum(axis=0)
    beyond = np.ones(contributions.shape[1])
    height = max(1, _NUMBERS_IN_A_BLOCK // max(1, n_words))
    for start in range(0, flips, height):
        rows = min(height, flips - start)
        bits = np.frombuffer(rng.bytes(rows * -(-n_words // 8)), dtype=np.uint8)
        ones = np.unpackbits(bits.reshape(rows, -1), axis=1, count=n_words)
        sums = (2.0 * ones - 1.0) @ contributions
        beyond += (np.abs(sums) >= bound).sum(axis=0)
    return beyond / (flips + 1)


def holm(p_values: Numbers) -> Numbers:
    """Correct p-values for multiple comparisons (Holm, 1979).

    The probability that any true null hypothesis of the family is rejected stays below the level,
    also if the tests are dependent.
    """
    count = len(p_values)
    order = np.argsort(p_values, kind="stable")
    raised = p_values[order] * np.arange(count, 0, -1)
    corrected = np.empty(count)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(raised))
    return corrected


def _times_drawn(resamples: int, n_words: int, rng: np.random.Generator) -> Numbers:
    draws = rng.integers(n_words, size=(resamples, n_words))
    draws += np.arange(resamples)[:, None] * n_words
    times = np.bincount(draws.ravel(), minlength=resamples * n_words)
    return times.reshape(resamples, n_words).astype(np.float64)


def _weighted_means(weights: Numbers, values: Numbers) -> Numbers:
    known = ~np.isnan(values)
    totals = weights @ np.where(known, values, 0.0)
    sizes = weights @ known.astype(np.float64)
    means: Numbers = np.divide(totals, sizes, out=np.full_like(totals, np.nan), where=sizes > 0)
    return means


def _fair_binomial(n: int) -> Numbers:
    """Return the probabilities of 0, …, n heads in n tosses of a fair coin."""
    k = np.arange(1, n + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log((n + 1 - k) / k))]) - n * np.log(2.0)
    chances: Numbers = np.exp(logs)
    return chances
