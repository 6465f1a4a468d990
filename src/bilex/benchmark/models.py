"""What a job scores: a model that was just trained, or vectors aligned by another tool."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from bilex import aligned
from bilex.aligned import Ranker, Side
from bilex.benchmark.jobs import Job
from bilex.benchmark.seed_pairs import Pairs
from bilex.errors import DimensionError
from bilex.inducer import LexiconInducer
from bilex.retrieval import Csls, Nearest
from bilex.values import (
    Compute,
    EmbeddingSpace,
    IndexedLexicon,
    Matrix,
    Normalization,
    SpacePair,
)


@dataclass(frozen=True, eq=False)
class Model:
    """Two aligned spaces: how they rank, and their rows in one space."""

    rankers: Mapping[str, Ranker]
    mapped: Matrix  # source rows in the target space
    target: Matrix
    seed_pairs: int | None  # that training could use; None if it happened elsewhere
    seconds: float  # of training


def train_model(
    job: Job, source: EmbeddingSpace, target: EmbeddingSpace, pairs: Pairs, *, memory: int
) -> Model:
    """Train the method of a job; its draw is the random state."""
    inducer = LexiconInducer(
        job.method.tables or {}, start=job.method.start, random_state=job.draw, memory=memory
    )
    begin = time.perf_counter()
    inducer.fit(source, target, pairs.seeds)
    seconds = time.perf_counter() - begin
    usable = IndexedLexicon.locate(inducer.seeds_, SpacePair(source, target))
    return Model(
        rankers=inducer.rankers(),
        mapped=inducer.map_.apply(inducer.source_.vectors),
        target=inducer.target_.vectors,
        seed_pairs=len(usable),
        seconds=seconds,
    )


def aligned_model(source: EmbeddingSpace, target: EmbeddingSpace, *, memory: int) -> Model:
    """Take vectors that lie in one space already, as they are; ranking scales them to length 1.

    Raises:
        DimensionError: If the two files have different dimensions.
    """
    if source.dim != target.dim:
        raise DimensionError(
            f"the source vectors have {source.dim} dimensions, the target vectors {target.dim}: "
            "aligned files have the same; are these the files that the tool wrote?"
        )
    asked, answering = Side(source, Normalization()), Side(target, Normalization())
    compute = Compute(memory=memory)
    rankers: dict[str, Ranker] = {}
    for name, retrieval in (("csls", Csls()), ("nearest", Nearest())):
        index = aligned.build_index(retrieval, asked, answering, compute=compute)
        rankers[name] = aligned.ranker(index, asked, answering)
    return Model(rankers, source.vectors, target.vectors, seed_pairs=None, seconds=0.0)
