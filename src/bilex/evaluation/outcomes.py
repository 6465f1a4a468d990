"""The answer of a ranker for each scored unit, and the rank of the first correct answer."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bilex.answers import Translation
from bilex.candidates.answering import Ranker
from bilex.errors import SettingError
from bilex.evaluation.lemmas import LemmaOf
from bilex.evaluation.scoring_rules import ScoringRules
from bilex.evaluation.units import Unit


@dataclass(frozen=True, slots=True)
class Outcome:
    """One scored unit: the correct answers, the best candidate, and the rank of a correct one."""

    word: str
    gold: tuple[str, ...]
    predicted: str | None  # the best candidate; None if there is none
    rank: int | None  # of the first correct candidate, from 1; None if not retrieved
    frequency_rank: int | None  # of the source word; None if it is not in the vocabulary
    similarity: float  # the highest spelling similarity of the word to a correct answer
    lemma_rank: int | None = None  # of the first candidate with a correct lemma; None as for rank

    @property
    def identical(self) -> bool:
        """Return whether copying the word is a correct answer."""
        return self.word in self.gold


def query_ranker(
    name: str, ranker: Ranker, units: Sequence[Unit], k: int
) -> dict[str, Translation]:
    """Translate each distinct word once, all in one call of the ranker.

    Raises:
        SettingError: If the answers are not for the given words, in order.
    """
    queries = list(dict.fromkeys(unit.query for unit in units if unit.query is not None))
    answers = ranker(queries, k)
    if len(answers) != len(queries):
        raise SettingError(
            f"ranker {name!r} returned {len(answers)} translations for {len(queries)} words: it "
            "must return one translation for each word, with no candidates for an unknown word"
        )
    for query, answer in zip(queries, answers, strict=True):
        if answer.word != query:
            raise SettingError(
                f"ranker {name!r} returned a translation of {answer.word!r} instead of "
                f"{query!r}: it must return the translations in the order of the words"
            )
    return {answer.word: answer for answer in answers}


def score_units(
    units: Sequence[Unit],
    answers: Mapping[str, Translation],
    target_forms: Mapping[str, str],
    rules: ScoringRules,
    k: int,
    lemma_of: LemmaOf | None = None,
) -> tuple[Outcome, ...]:
    """Find the first correct candidate of each unit among its k best, by form and by lemma."""
    rankings = {
        query: _ranking(answer, target_forms, rules, k) for query, answer in answers.items()
    }
    outcomes = []
    for unit in units:
        ranking = [] if unit.query is None else rankings[unit.query]
        predicted = ranking[0] if ranking else None
        rank = _first_hit(ranking, unit.gold)
        outcomes.append(
            Outcome(
                word=unit.word,
                gold=unit.gold,
                predicted=predicted,
                rank=rank,
                frequency_rank=unit.frequency_rank,
                similarity=unit.similarity,
                lemma_rank=_first_lemma(ranking, unit.gold, lemma_of),
            )
        )
    return tuple(outcomes)


def _ranking(
    answer: Translation, target_forms: Mapping[str, str], rules: ScoringRules, k: int
) -> list[str]:
    ranking = []
    for candidate in answer.candidates[:k]:
        folded = rules.fold(candidate.word)
        if target_forms.get(folded, candidate.word) == candidate.word:
            ranking.append(folded)
    return ranking


def _first_lemma(
    ranking: Sequence[str], gold: Sequence[str], lemma_of: LemmaOf | None
) -> int | None:
    if lemma_of is None:
        return None
    return _first_hit(map(lemma_of, ranking), {lemma_of(word) for word in gold})


def _first_hit(ranking: Iterable[str], gold: Container[str]) -> int | None:
    return next((rank for rank, word in enumerate(ranking, start=1) if word in gold), None)
