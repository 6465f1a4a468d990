"""One job from its inputs to its result; an error becomes a result too."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from bilex.benchmark.hubness import measure_hubness
from bilex.benchmark.jobs import SCHEMA, Job, VectorFile
from bilex.benchmark.models import aligned_model, train_model
from bilex.benchmark.peak_memory import peak_memory, reset_peak
from bilex.benchmark.seed_pairs import Pairs
from bilex.embeddings import load_embeddings
from bilex.evaluation import Evaluation, Protocol, evaluate
from bilex.evaluation.units import spellings
from bilex.manifest import versions
from bilex.trained_model import CALIBRATED
from bilex.values import Compute, EmbeddingSpace

Result = Mapping[str, Any]
"""What is kept of a job, as plain values: see docs/benchmark.md."""

DEEPEST_RANK = 20
"""How far down a right answer is noted for each word."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """What a job works on."""

    source: EmbeddingSpace
    target: EmbeddingSpace
    pairs: Pairs


def run_job(job: Job, read: Callable[[], Inputs], *, memory: int = Compute().memory) -> Result:
    """Read the inputs of a job, train, score, and return the result.

    Args:
        job: What to do.
        read: Returns the inputs.
        memory: Bytes that a search may use; never changes a result.

    Returns:
        The result. If anything went wrong, it says what; only an interrupt gets through.
    """
    try:
        return _result(job, read, memory)
    except Exception as problem:  # noqa: BLE001 - a failing job must not stop the others
        return failed_result(job, problem)


def failed_result(job: Job, problem: BaseException) -> Result:
    """Return the result of a job that ended in an error."""
    return {
        **_head(job, "failed"),
        "error": {
            "type": type(problem).__name__,
            "message": str(problem),
            "traceback": "".join(traceback.format_exception(problem)),
        },
        "scores": {},
        "coverage": None,
        "settings": job.method.tables or {},
        "manifest": {"versions": versions(), "hashes": dict(job.hashes)},
        "words": [],
    }


def load_space(file: VectorFile, cache: Path | None) -> EmbeddingSpace:
    """Load vectors through the cache, whose files all processes share in memory.

    Without their subwords, which no test word needs: only words of the vocabularies are asked.
    """
    space = load_embeddings(
        file.path, limit=file.limit, lowercase=file.lowercase, cache=cache
    ).space
    return EmbeddingSpace(space.words, space.vectors)


def _result(job: Job, read: Callable[[], Inputs], memory: int) -> Result:
    reset_peak()
    began = time.process_time()
    inputs = read()
    source, target, pairs = inputs.source, inputs.target, inputs.pairs
    if job.method.tables is None:
        model = aligned_model(source, target, memory=memory)
    else:
        model = train_model(job, source, target, pairs, memory=memory)
    begin = time.perf_counter()
    found = evaluate(
        model.rankers,
        pairs.gold,
        source.index,
        target.index,
        protocol=job.protocol,
        rng=torch.Generator().manual_seed(0),
    )
    seconds = time.perf_counter() - begin
    own = CALIBRATED if CALIBRATED in found.scores else "csls"
    words = _words(found, own, target, job.protocol)
    return {
        **_head(job, "done"),
        "error": None,
        "scores": _scores(found),
        "ranker": own,
        "coverage": {"covered": found.covered, "total": found.total},
        "copy_baseline": found.copy_baseline,
        "identical_share": sum(bool(word["identical"]) for word in words) / len(words),
        "leakage_removed": pairs.leakage_removed if job.method.tables is not None else None,
        "seed_pairs": model.seed_pairs,
        "hubness": measure_hubness(model.mapped, model.target),
        "seconds": {
            "fit": round(model.seconds, 3),
            "evaluate": round(seconds, 3),
            "processor": round(time.process_time() - began, 3),
        },
        "peak_memory": peak_memory(),
        "threads": torch.get_num_threads(),
        "settings": job.method.tables or {},
        "manifest": _manifest(job, inputs),
        "words": words,
    }


def _head(job: Job, status: str) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "key": job.key,
        "suite": job.suite,
        "job": job.identity,
        "status": status,
        "external": job.method.tables is None,
        "protocol": {"name": job.protocol.name, "primary": job.protocol.primary},
    }


def _scores(found: Evaluation) -> dict[str, dict[str, object]]:
    return {
        name: {
            "p_at_1": scores.p_at_1,
            "p_at_5": scores.p_at_5,
            "p_at_10": scores.p_at_10,
            "mrr": scores.mrr,
            "p_at_1_interval": list(scores.p_at_1_interval),
        }
        for name, scores in found.scores.items()
    }


def _words(
    found: Evaluation, ranker: str, target: EmbeddingSpace, protocol: Protocol
) -> list[dict[str, object]]:
    """Return the answers by a ranker for all units that could be answered."""
    known = spellings(target.index, protocol)
    return [
        {
            "word": outcome.word,
            "gold": list(outcome.gold),
            "rank": outcome.rank if (outcome.rank or DEEPEST_RANK + 1) <= DEEPEST_RANK else None,
            "best": outcome.predicted,
            "identical": outcome.identical,
            "frequency_rank": outcome.frequency_rank,
        }
        for outcome in found.outcomes[ranker]
        if outcome.frequency_rank is not None and any(word in known for word in outcome.gold)
    ]


def _manifest(job: Job, inputs: Inputs) -> dict[str, object]:
    seeds = inputs.pairs.seeds
    return {
        "versions": versions(),
        "hashes": dict(job.hashes),
        "sizes": {
            "source_words": len(inputs.source),
            "target_words": len(inputs.target),
            "source_dim": inputs.source.dim,
            "target_dim": inputs.target.dim,
            "train_pairs": 0 if seeds is None else len(seeds),
            "test_pairs": len(inputs.pairs.gold),
        },
        "files": {role: path.name for role, path in sorted(job.files.items())},
    }
