"""Score a model, or any rankers, against a gold lexicon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import torch

from bilex.candidates.answering import Ranker
from bilex.errors import SettingError, warn_user
from bilex.evaluation import metrics
from bilex.evaluation.intervals import SMALLEST_BOOTSTRAP, percentile_intervals, resampled_means
from bilex.evaluation.lemmas import lemma_lookup, resolve_lemmas, warn_if_useless
from bilex.evaluation.outcomes import Outcome, query_ranker, score_units
from bilex.evaluation.results import SHARED_KEYS, Evaluation, LemmaScores, Scores, Share
from bilex.evaluation.scoring_rules import ScoringRules, resolve_rules
from bilex.evaluation.units import known_forms, scored_units
from bilex.lexicons import leakage
from bilex.oov import Lemmas
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
    lemmas: Lemmas | Path | str | None = None,
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
        lemmas: Also score by lemma: a file with form and lemma on each line, "simplemma:LANG" (the
            code of a language), or a `Lemmas` object. They are of the language of the answers.
        bootstrap: Number of bootstrap resamples for the 95 % intervals.
        random_state: State of the random generator of the resamples.

    Raises:
        SettingError: If the rules are unknown or a setting is out of bounds.
        EmptyLexiconError: If no gold pair has both words in the vocabularies.
        LexiconFileError: If the file of lemmas is damaged.
        MissingExtraError: If simplemma is requested and not installed.
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
        lemmas=lemmas,
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
    lemmas: Lemmas | Path | str | None = None,
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
        lemmas: Also score by lemma, as for `evaluate`.
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
    known_lemmas = resolve_lemmas(lemmas)
    _check_settings(rankers, bootstrap)
    target_forms = known_forms(target_index, chosen)
    scored = scored_units(gold, source_index, target_forms, chosen)
    depth = min(chosen.depth, len(target_index))
    lemma_of = None
    if known_lemmas is not None:
        lemma_of = lemma_lookup(known_lemmas, target_forms, chosen)
    outcomes = {}
    for name, ranker in rankers.items():
        answers = query_ranker(name, ranker, scored.units, depth)
        outcomes[name] = score_units(scored.units, answers, target_forms, chosen, depth, lemma_of)
    if known_lemmas is not None and lemma_of is not None:
        warn_if_useless(known_lemmas.name, lemma_of, _target_words(outcomes.values()))
    return Evaluation(
        rules=chosen,
        depth=depth,
        covered=scored.covered,
        total=scored.total,
        copy_baseline=sum(unit.word in unit.gold for unit in scored.units) / len(scored.units),
        scores=_scores(outcomes, scored.total, bootstrap, rng, by_lemma=lemma_of is not None),
        outcomes=outcomes,
        lemmas=None if known_lemmas is None else known_lemmas.name,
    )


def _target_words(outcomes: Iterable[Sequence[Outcome]]) -> Iterator[str]:
    """Return all gold translations and first answers."""
    for each in outcomes:
        for outcome in each:
            yield from outcome.gold
            if outcome.predicted is not None:
                yield outcome.predicted


def _scores(
    outcomes: Mapping[str, Sequence[Outcome]],
    total: int,
    bootstrap: int,
    rng: torch.Generator,
    *,
    by_lemma: bool,
) -> dict[str, Scores]:
    """Return the scores of each ranker; rankers share the resamples of their intervals."""
    units = next(iter(outcomes.values()))  # groups depend on the units, not on the ranker
    right = torch.tensor([[outcome.rank == 1 for outcome in row] for row in outcomes.values()])
    lemma = torch.tensor(
        [[outcome.lemma_rank == 1 for outcome in row] for row in outcomes.values()]
    )
    both = torch.cat([right, lemma])  # (rankers by form and by lemma, units)
    intervals = percentile_intervals(resampled_means(both, bootstrap, rng))
    by_frequency = _shares(right, metrics.by_frequency(units), bootstrap, rng)
    by_string = _shares(right, metrics.by_string(units), bootstrap, rng)
    by_spelling = _shares(right, metrics.by_spelling(units), bootstrap, rng)
    scores = {}
    for place, (name, found) in enumerate(outcomes.items()):
        ranks = [outcome.rank for outcome in found]
        scores[name] = Scores(
            p_at_1=metrics.precision_at(ranks, 1),
            p_at_5=metrics.precision_at(ranks, 5),
            p_at_10=metrics.precision_at(ranks, 10),
            mrr=metrics.mean_reciprocal_rank(ranks),
            p_at_1_interval=intervals[place],
            p_at_1_uncovered_as_errors=metrics.hits_at(ranks, 1) / total,
            by_frequency=by_frequency[place],
            by_string=by_string[place],
            by_spelling=by_spelling[place],
            lemma=_lemma_scores(found, intervals[len(outcomes) + place]) if by_lemma else None,
        )
    return scores


def _shares(
    right: torch.Tensor, groups: metrics.Groups, bootstrap: int, rng: torch.Generator
) -> list[dict[str, Share]]:
    """Return the shares of each ranker, a row of `right`, by group."""
    shares: list[dict[str, Share]] = [{} for _ in right]
    for name, members in groups.items():
        own = right[:, members]
        intervals = percentile_intervals(resampled_means(own, bootstrap, rng))
        for found, row, interval in zip(shares, own, intervals, strict=True):
            found[name] = Share(int(row.sum()) / len(members), len(members), interval)
    return shares


def _lemma_scores(outcomes: Sequence[Outcome], interval: tuple[float, float]) -> LemmaScores:
    ranks = [outcome.lemma_rank for outcome in outcomes]
    return LemmaScores(
        p_at_1=metrics.precision_at(ranks, 1),
        p_at_5=metrics.precision_at(ranks, 5),
        p_at_10=metrics.precision_at(ranks, 10),
        mrr=metrics.mean_reciprocal_rank(ranks),
        p_at_1_interval=interval,
    )


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
