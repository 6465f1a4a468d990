"""A short measurement of this machine: one thread, a search, a small fit and its lexicons.

The cost of all other sizes follows from it by the law in `bilex.fleet.plan`.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from bilex.embeddings import load_embeddings
from bilex.errors import BilexWarning
from bilex.fleet.fleet import Fleet, Language
from bilex.inducer import LexiconInducer
from bilex.model import TrainedModel
from bilex.similarity import SearchPool
from bilex.values import EmbeddingSpace, Lexicon, Matrix, unit_rows

WORDS = 1_000
"""Of each language of the small fit."""

SEEDS = 800
QUERIES, CANDIDATES, GROUPS = 2_048, 50_000, 500
WORDS_READ = 2_000

_NOISE = 2.4  # length of the difference between a word and its translation, which have length 1


@dataclass(frozen=True, slots=True)
class Measurement:
    """What this machine needs, in seconds of one core.

    Attributes:
        product: A multiplication and an addition of a search.
        fit: The small fit.
        ranking: A word of a lexicon, without the search.
        reading: A number of a file of vectors.
        learning: Learning probabilities after the small fit; 0 if the method learns none.
    """

    product: float
    fit: float
    ranking: float
    reading: float
    learning: float


def measure(fleet: Fleet, dim: int) -> Measurement:
    """Measure this machine with one thread, in about 20 seconds.

    Args:
        fleet: The fleet, whose method is used on synthetic languages.
        dim: The dimensions of these languages.
    """
    with _one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", BilexWarning)
        product = _product(dim)
        source, target, seeds = _twins(dim)
        LexiconInducer("procrustes").fit(source, target, seeds)  # imports what a fit needs
        inducer = LexiconInducer(fleet.method.tables, random_state=fleet.method.random_state)
        fit = _timed(lambda: inducer.fit(source, target, seeds))
        return Measurement(
            product=product,
            fit=fit,
            ranking=_ranking(inducer.model_) / (2 * WORDS),
            reading=_reading(next(iter(fleet.languages.values()))),
            learning=0.0 if inducer.cross_fit_ is None else _timed(inducer.cross_fit_.learn),
        )


def _product(dim: int) -> float:
    rng = torch.Generator().manual_seed(0)
    groups = unit_rows(torch.randn(GROUPS, dim, generator=rng))  # real words have neighbors

    def words(count: int) -> Matrix:
        own = groups[torch.randint(GROUPS, (count,), generator=rng)]
        return unit_rows(own + unit_rows(torch.randn(count, dim, generator=rng)))

    queries, pool = words(QUERIES), SearchPool(words(CANDIDATES))
    pool.topk(queries, 10)  # prepares the candidates, once for a whole language
    seconds = min(_timed(lambda: pool.topk(queries, 10)) for _ in "12")
    return seconds / (QUERIES * CANDIDATES * dim)


def _twins(dim: int) -> tuple[EmbeddingSpace, EmbeddingSpace, Lexicon]:
    """Return two languages that are a rotation apart, and seeds."""
    rng = torch.Generator().manual_seed(0)
    x = unit_rows(torch.randn(WORDS, dim, generator=rng))
    turn = torch.linalg.qr(torch.randn(dim, dim, generator=rng)).Q
    y = unit_rows(x @ turn + _NOISE / dim**0.5 * torch.randn(WORDS, dim, generator=rng))
    names = [tuple(f"{letter}{row}" for row in range(WORDS)) for letter in "ab"]
    seeds = Lexicon.of(list(zip(*names, strict=True))[:SEEDS])
    return EmbeddingSpace(names[0], x), EmbeddingSpace(names[1], y), seeds


def _ranking(model: TrainedModel) -> float:
    return _timed(model.with_answers)


def _reading(language: Language) -> float:
    begin = time.process_time()
    space = load_embeddings(language.vectors, limit=min(language.limit or WORDS_READ, WORDS_READ))
    return (time.process_time() - begin) / (len(space) * space.dim)


def _timed(body: Callable[[], object]) -> float:
    begin = time.process_time()
    body()
    return time.process_time() - begin


@contextmanager
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
