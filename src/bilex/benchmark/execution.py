"""Run one job: train a method, score it, and return the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from bilex.answers import Translation
from bilex.benchmark.hubness import measure_hubness
from bilex.benchmark.jobs import SCHEMA, Job
from bilex.benchmark.models import aligned_model, train_model
from bilex.benchmark.seed_pairs import Pairs
from bilex.calibration import calibration_error
from bilex.evaluation import Evaluation, Outcome, Ranker, score_rankers
from bilex.evaluation.units import known_forms
from bilex.jobs.peak_memory import peak_memory, reset_peak
from bilex.jobs.task import Result, error_of
from bilex.model import CALIBRATED, TrainedModel
from bilex.storage.manifest import versions
from bilex.values import Compute, EmbeddingSpace

DEEPEST_RANK = 20
"""Ranks of correct answers are recorded down to this one."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """The inputs of a job."""

    source: EmbeddingSpace
    target: EmbeddingSpace
    pairs: Pairs


Measure = Callable[[TrainedModel, Inputs], Mapping[str, object]]
"""Returns additional fields of a result."""


def run_job(
    job: Job,
    read: Callable[[], Inputs],
    *,
    memory: int = Compute().memory,
    measure: Measure | None = None,
) -> Result:
    """Train the method of a job, score it, and return the result.

    The format of the result is described in docs/research/benchmark.md.

    Args:
        job: The job to run.
        read: Returns the inputs; its time and memory are counted as those of the job.
        memory: Bytes that a search may use; it does not change the result.
        measure: Called with a model trained by this job, after its time was measured.
    """
    reset_peak()
    began = time.process_time()
    inputs = read()
    source, target, pairs = inputs.source, inputs.target, inputs.pairs
    if job.method.tables is None:
        model = aligned_model(source, target, memory=memory)
    else:
        model = train_model(job, source, target, pairs, memory=memory)
    begin = time.perf_counter()
    answers = _Answers(model.rankers[model.own_ranking])
    found = score_rankers(
        {**model.rankers, model.own_ranking: answers.ranker},
        pairs.gold,
        source.index,
        target.index,
        rules=job.rules,
        lemmas=job.lemmas,
        rng=torch.Generator().manual_seed(0),
    )
    seconds = time.perf_counter() - begin
    forms = known_forms(source.index, job.rules), known_forms(target.index, job.rules)
    words = [_word(outcome) for outcome in _covered(found, model.own_ranking, forms[1])]
    calibrated: dict[str, object] = {}
    if model.own_ranking == CALIBRATED:
        calibrated["calibration_error"] = _add_probabilities(words, answers.by_word, forms)
    result = {
        **_head(job, "done"),
        "error": None,
        "scores": _scores(found),
        "ranker": model.own_ranking,
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
        **({} if model.trained is None else {"warnings": list(model.trained.report.warnings)}),
        **calibrated,
        **({"held_out": True} if job.held_out else {}),
        **_wrong_seeds(model.trained, pairs),
        "words": words,
    }
    if measure is not None and model.trained is not None:
        result |= measure(model.trained, inputs)
    return result


def failed_result(job: Job, problem: BaseException) -> Result:
    """Return the result of a job that ended in an error."""
    return {
        **_head(job, "failed"),
        "error": error_of(problem),
        "scores": {},
        "coverage": None,
        "settings": job.method.tables or {},
        "manifest": {"versions": versions(), "hashes": dict(job.hashes)},
        "words": [],
    }


def _head(job: Job, status: str) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "key": job.key,
        "suite": job.suite,
        "job": job.identity,
        "status": status,
        "external": job.method.tables is None,
        "protocol": {"name": job.rules.name, "primary": job.rules.primary},
    }


def _scores(found: Evaluation) -> dict[str, dict[str, object]]:
    return {
        name: {
            "p_at_1": scores.p_at_1,
            "p_at_5": scores.p_at_5,
            "p_at_10": scores.p_at_10,
            "mrr": scores.mrr,
            "p_at_1_interval": list(scores.p_at_1_interval),
            "by_spelling": scores.to_dict()["by_spelling"],
            **({} if scores.lemma is None else {"p_at_1_lemma": scores.lemma.p_at_1}),
        }
        for name, scores in found.scores.items()
    }


class _Answers:
    """Records the answers of a ranker while it is scored."""

    def __init__(self, ranker: Ranker) -> None:
        self._ranker = ranker
        self.by_word: dict[str, Translation] = {}

    def ranker(self, words: Sequence[str], k: int) -> Sequence[Translation]:
        """Return the answers of the ranker, and record them."""
        answers = self._ranker(words, k)
        self.by_word.update((answer.word, answer) for answer in answers)
        return answers


def _covered(found: Evaluation, ranker: str, known: Mapping[str, str]) -> list[Outcome]:
    """Return the outcomes of a ranker for all units covered by the vocabularies."""
    return [
        outcome
        for outcome in found.outcomes[ranker]
        if outcome.frequency_rank is not None and any(word in known for word in outcome.gold)
    ]


def _word(outcome: Outcome) -> dict[str, object]:
    return {
        "word": outcome.word,
        "gold": list(outcome.gold),
        "rank": outcome.rank if (outcome.rank or DEEPEST_RANK + 1) <= DEEPEST_RANK else None,
        "best": outcome.predicted,
        "identical": outcome.identical,
        "frequency_rank": outcome.frequency_rank,
        "similarity": outcome.similarity,
    }


def _add_probabilities(
    words: list[dict[str, object]],
    answers: Mapping[str, Translation],
    forms: tuple[Mapping[str, str], Mapping[str, str]],
) -> float | None:
    """Add the probability of the best answer to each word; return the calibration error.

    `forms` are the spellings of source and target words, by the form that the rules compare.
    """
    source_forms, target_forms = forms
    for word in words:
        best = target_forms.get(str(word["best"]))
        candidates = answers[source_forms[str(word["word"])]].candidates
        word["probability"] = next((c.probability for c in candidates if c.word == best), None)
    known = [word for word in words if word["probability"] is not None]
    if not known:
        return None
    probabilities = torch.tensor([word["probability"] for word in known])
    right = torch.tensor([float(word["rank"] == 1) for word in known])
    return calibration_error(probabilities, right)


def _wrong_seeds(model: TrainedModel | None, pairs: Pairs) -> dict[str, object]:
    """Return how many seeds were made wrong, and how many of these the model found doubtful."""
    if model is None or pairs.wrong is None:
        return {}
    known = {pair for pair in pairs.wrong if _is_known(pair, model)}
    doubtful = set(model.report.doubtful_seeds)
    return {
        "wrong_seeds": {
            "wrong": len(known),
            "doubtful": len(doubtful),
            "doubtful_wrong": len(doubtful & known),
        }
    }


def _is_known(pair: tuple[str, str], model: TrainedModel) -> bool:
    return pair[0] in model.source.index and pair[1] in model.target.index


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
