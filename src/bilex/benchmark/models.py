"""The model of a job: trained by the job, or read as aligned vectors of another tool."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

from bilex.benchmark.jobs import Job
from bilex.benchmark.seed_pairs import Pairs
from bilex.candidates.answering import Ranker, ranker_by_score
from bilex.errors import BilexWarning, DimensionError
from bilex.inducer import LexiconInducer
from bilex.model import TrainedModel
from bilex.retrieval import Csls, Nearest, Side, build_index
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
    """Two aligned spaces: their rankers, and their rows in one space."""

    rankers: Mapping[str, Ranker]
    own_ranking: str  # the ranker that the method itself translates with
    mapped: Matrix  # source rows in the target space
    target: Matrix
    seed_pairs: int | None  # usable seed pairs; None if another tool trained
    seconds: float  # training time
    trained: TrainedModel | None = None  # None if another tool trained


def train_model(
    job: Job, source: EmbeddingSpace, target: EmbeddingSpace, pairs: Pairs, *, memory: int
) -> Model:
    """Train the method of a job; the draw of the job is the random state."""
    inducer = LexiconInducer(
        job.method.tables or {},
        start=job.method.start,
        random_state=job.draw,
        memory=memory,
        any_case=False,  # other tools use seeds as they are written
    )
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BilexWarning)  # they are in the report of the model
        model = inducer.fit(source, target, pairs.seeds).model_
    seconds = time.perf_counter() - begin
    return Model(
        rankers=model.rankers(),
        own_ranking=model.own_ranking,
        mapped=model.mapping.apply(model.source.vectors),
        target=model.target.vectors,
        seed_pairs=len(IndexedLexicon.locate(model.seeds, SpacePair(source, target))),
        seconds=seconds,
        trained=model,
    )


def aligned_model(source: EmbeddingSpace, target: EmbeddingSpace, *, memory: int) -> Model:
    """Return a model of vectors that are in one space already; ranking scales them to length 1.

    Raises:
        DimensionError: If the two files have different dimensions.
    """
    if source.dim != target.dim:
        raise DimensionError(
            f"the source vectors have {source.dim} dimensions, the target vectors {target.dim}, "
            "but aligned vectors have the same: check that these are the files that the tool wrote"
        )
    sides = Side(source, Normalization()), Side(target, Normalization())
    compute = Compute(memory=memory)
    rankers: dict[str, Ranker] = {}
    for name, retrieval in (("csls", Csls()), ("nearest", Nearest())):
        index = build_index(retrieval, *sides, compute=compute)
        rankers[name] = ranker_by_score(index.forward, *sides)
    return Model(rankers, "csls", source.vectors, target.vectors, seed_pairs=None, seconds=0.0)
