"""Score a model, or any rankers, against a gold lexicon."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import torch

from bilex.candidates.answering import Ranker
from bilex.errors import SettingError, warn_user
from bilex.evaluation import metrics
from bilex.evaluation.intervals import SMALLEST_BOOTSTRAP, percentile_intervals, resampled_means
from bilex.evaluation.outcomes import Outcome, query_ranker, score_units
from bilex.evaluation.results import SHARED_KEYS, Evaluation, Scores, Share
from bilex.evaluation.scoring_rules import ScoringRules, resolve_rules
from bilex.evaluation.units import known_forms, scored_units
from bilex.lexicons import leakage
from bilex.values import EmbeddingSpace, Lexicon


class Evaluable(Protocol):
    """A trained model, or any object that ranks translations in the same way."""

    @property
    def source(self) -> EmbeddingSpace:
        """Return the source vocabulary."""
        ...

    @property
    def target(self) -> EmbeddingSpace:
        """Return the target vocabulary."""
        ...

    @property
    def seeds(self) -> Lexicon:
        """Return the seed pairs of training."""
        ...

    def rankers(self, *, reverse: bool = False) -> Mapping[str, Ranker]:
        """Return the rankers to score, by name."""
        ...


def evaluate(
    model: Evaluable,
    gold: Lexicon,
    *,
    reverse: bool = False,
    rules: ScoringRules | str = "vecmap",
    bootstrap: int = 1000,
    random_state: int = 0,
) -> Evaluation:
    """Score each ranker of a model on test pairs.

    Args:
        model: A trained model.
        gold: Correct test pairs, from source to target language.
        reverse: Score translations from the target language to the source language.
        rules: What is scored and what counts as correct: a name of `SCORING_RULES`, or your own
            `ScoringRules`.
        bootstrap: Number of bootstrap resamples for the 95 % intervals.
        random_state: State of the random generator of the resamples.

    Raises:
        SettingError: If the rules are unknown or a setting is out of bounds.
        EmptyLexiconError: If no gold pair has both words in the vocabularies.
    """
    seeds, source, target = model.seeds, model.source, model.target
    if reverse:
        gold, seeds, source, target = gold.reversed(), seeds.reversed(), target, source
    found = score_rankers(
        model.rankers(reverse=reverse),
        gold,
        source.index,
        target.index,
        rules=rules,
        bootstrap=bootstrap,
        rng=torch.Generator().manual_seed(random_state),
    )
    leaked = leakage(seeds, gold).shared_pairs
    if leaked:
        warn_user(
            f"{leaked:,} test pairs were also training pairs, so the scores are too high: remove "
            "them from the seeds or from the test pairs"
        )
    return replace(found, leaked_pairs=leaked)


def score_rankers(
    rankers: Mapping[str, Ranker],
    gold: Lexicon,
    source_index: Mapping[str, int],
    target_index: Mapping[str, int],
    *,
    rules: ScoringRules | str = "vecmap",
    bootstrap: int = 1000,
    rng: torch.Generator,
) -> Evaluation:
    """Score several rankers on the same gold lexicon.

    Args:
        rankers: Rankers by name, such as "csls" and "nearest". Each is called once, for all words.
        gold: Correct test pairs; repeated pairs count once.
        source_index: The frequency rank of each source word; 0 is the most frequent.
        target_index: The frequency rank of each target word.
        rules: What is scored and what counts as correct: a name of `SCORING_RULES`, or your own
            `ScoringRules`. The mean reciprocal rank counts candidates up to their `depth`.
        bootstrap: Number of bootstrap resamples for the 95 % intervals.
        rng: Random generator of the resamples.

    Raises:
        SettingError: If the rules are unknown, a setting is out of bounds, or a ranker does
            not return one translation for each word, in order.
        EmptyLexiconError: If no gold pair has both words in the vocabularies.

    Example:
        >>> import torch
        >>> from bilex.evaluation import score_rankers
        >>> from bilex.answers import Candidate, Translation
        >>> from bilex.values import Lexicon
        >>> def guess(words, k):
        ...     return [Translation(word, (Candidate("chat", 1.0),)[:k]) for word in words]
        >>> gold = Lexicon.of([("cat", "chat"), ("dog", "chien")])
        >>> source, target = {"cat": 0, "dog": 1}, {"chien": 0, "chat": 1}
        >>> found = score_rankers({"guess": guess}, gold, source, target, rng=torch.Generator())
        >>> found.scores["guess"].p_at_1
        0.5
    """
    chosen = resolve_rules(rules)
    _check_settings(rankers, bootstrap)
    target_forms = known_forms(target_index, chosen)
    scored = scored_units(gold, source_index, target_forms, chosen)
    depth = min(chosen.depth, len(target_index))
    outcomes = {}
    for name, ranker in rankers.items():
        answers = query_ranker(name, ranker, scored.units, depth)
        outcomes[name] = score_units(scored.units, answers, target_forms, chosen, depth)
    intervals = _intervals(outcomes.values(), bootstrap, rng)
    return Evaluation(
        rules=chosen,
        depth=depth,
        covered=scored.covered,
        total=scored.total,
        copy_baseline=sum(unit.word in unit.gold for unit in scored.units) / len(scored.units),
        scores={
            name: _scores(found, interval, scored.total)
            for (name, found), interval in zip(outcomes.items(), intervals, strict=True)
        },
        outcomes=outcomes,
    )


def _scores(outcomes: Sequence[Outcome], interval: tuple[float, float], total: int) -> Scores:
    ranks = [outcome.rank for outcome in outcomes]
    return Scores(
        p_at_1=metrics.precision_at(ranks, 1),
        p_at_5=metrics.precision_at(ranks, 5),
        p_at_10=metrics.precision_at(ranks, 10),
        mrr=metrics.mean_reciprocal_rank(ranks),
        p_at_1_interval=interval,
        p_at_1_uncovered_as_errors=metrics.hits_at(ranks, 1) / total,
        by_frequency=_shares(metrics.by_frequency(outcomes)),
        by_string=_shares(metrics.by_string(outcomes)),
    )


def _shares(groups: Mapping[str, Sequence[Outcome]]) -> dict[str, Share]:
    return {
        name: Share(metrics.precision_at([outcome.rank for outcome in members], 1), len(members))
        for name, members in groups.items()
    }


def _intervals(
    outcomes: Collection[Sequence[Outcome]], bootstrap: int, rng: torch.Generator
) -> list[tuple[float, float]]:
    right = torch.tensor([[outcome.rank == 1 for outcome in row] for row in outcomes])
    return percentile_intervals(resampled_means(right, bootstrap, rng))


def _check_settings(rankers: Mapping[str, Ranker], bootstrap: int) -> None:
    if not rankers:
        raise SettingError("there are no rankers: give at least one, by name")
    reserved = sorted(set(rankers) & set(SHARED_KEYS))
    if reserved:
        raise SettingError(
            f"a ranker has the name {reserved[0]!r}, which is a key of the result: "
            f"choose a name other than {', '.join(SHARED_KEYS)}"
        )
    if bootstrap < SMALLEST_BOOTSTRAP:
        raise SettingError(
            f"bootstrap is {bootstrap}, expected {SMALLEST_BOOTSTRAP} resamples or more"
        )
