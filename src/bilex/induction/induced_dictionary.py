"""The dictionary of a whole vocabulary: every word's candidates, and which of them to keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import torch

from bilex.calibration.candidate_lists import BACK_DEPTH, BackLists, Direction
from bilex.calibration.candidate_model import CandidateModel
from bilex.calibration.judging import Ranked, check_wanted, rank_candidates, words_at_once
from bilex.calibration.selection import (
    CurvePoint,
    check_precision,
    precision_curve,
    running_precision,
    threshold_for_f1,
    threshold_for_precision,
)
from bilex.dictionary import DictionaryEntry, Origin
from bilex.errors import SettingError
from bilex.values import Compute, Matrix, Progress

PRECISIONS = (0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5)
"""Where the curve of precision against size is looked at."""

_Listed = tuple[int, float, int, float | None]
"""A candidate: its row, its score, its back rank and its probability."""

_ANSWERS_AT_ONCE = 16_384  # between two reports of progress
_WORDS_AT_ONCE = 1_024  # whose numbers are turned into entries together


@dataclass(frozen=True, eq=False)
class InducedDictionary:
    """All candidates of all words of a language, most frequent word first, and a choice of them.

    Iterating gives the chosen entries. A word may have several, or none that is good enough.
    Seed pairs are always there, unless there is a limit: then the best by rank fill it.

    Attributes:
        words: The words.
        answers: The vocabulary that candidates are numbers of.
        ranked: The candidates of each word, best first.
        seeds: The answers that training was given, by row of their word.
        model: Which model ranked them.
        limit: How many entries a word may have; None for any number.
        threshold: The smallest probability that is kept.
    """

    words: Sequence[str]
    answers: Sequence[str]
    ranked: Ranked
    seeds: Mapping[int, frozenset[int]]
    model: str
    limit: int | None
    threshold: float

    def __iter__(self) -> Iterator[DictionaryEntry]:
        for block in range(0, len(self.words), _WORDS_AT_ONCE):
            found = self.ranked.rows(slice(block, block + _WORDS_AT_ONCE))
            columns = (found.ids, found.scores, found.back_ranks)
            listed = zip(*(column.tolist() for column in columns), found.chances(), strict=True)
            for row, lists in enumerate(listed, start=block):
                yield from self._entries(row, zip(*lists, strict=True))

    def _entries(self, row: int, candidates: Iterable[_Listed]) -> Iterator[DictionaryEntry]:
        word, unlisted = self.words[row], set(self.seeds.get(row, ()))
        for rank, (i, score, back, chance) in enumerate(candidates, start=1):
            seed = i in unlisted
            unlisted.discard(i)
            if self._keeps(rank, chance, seed=seed):
                origin: Origin = "seed" if seed else "induced"
                told = back if back <= BACK_DEPTH else None
                yield DictionaryEntry(
                    source=word,
                    target=self.answers[i],
                    probability=None if chance is None else round(chance, 4),
                    score=round(score, 6),
                    rank=rank,
                    back_rank=told,
                    origin=origin,
                    model=self.model,
                )
        for i in sorted(unlisted) if self.limit is None else ():
            yield DictionaryEntry(word, self.answers[i], origin="seed", model=self.model)

    def cut(self, *, k: int | None = None, min_precision: float | None = None) -> Self:
        """Return the same candidates with another choice of them.

        Args:
            k: At most so many translations a word. None: as many as it deserves if probabilities
                are known, else one.
            min_precision: The share of the entries, seeds among them, that shall be right.

        Raises:
            SettingError: If a precision is asked of a model that tells no probabilities.
        """
        limit = 1 if k is None and self.ranked.probabilities is None else k
        whole = replace(self, limit=limit, threshold=0.0)
        if min_precision is not None:
            threshold = threshold_for_precision(whole._within_limit(), min_precision)
        elif limit is None:
            threshold = threshold_for_f1(whole._within_limit())
        else:
            threshold = 0.0
        return replace(whole, threshold=threshold)

    def curve(self) -> list[CurvePoint]:
        """Return what would be left at several levels of precision, the highest first.

        Raises:
            SettingError: If the model tells no probabilities.
        """
        return precision_curve(self._within_limit(), torch.tensor(PRECISIONS))

    def expected_precision(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return numbers of entries, and the precision expected of so many, the best first.

        Raises:
            SettingError: If the model tells no probabilities.
        """
        return running_precision(self._within_limit())

    def _within_limit(self) -> Matrix:
        found = self.ranked.probabilities
        if found is None:
            raise no_probabilities()
        return found[:, : self.limit]

    def _keeps(self, rank: int, chance: float | None, *, seed: bool) -> bool:
        if self.limit is None and seed:
            return True
        within = self.limit is None or rank <= self.limit
        return within and (chance or 0.0) >= self.threshold


def induce(
    direction: Direction,
    model: CandidateModel | None,
    *,
    judged: int,
    k: int | None,
    min_precision: float | None,
    seeds: Mapping[int, frozenset[int]],
    name: str,
    compute: Compute,
    on_block: Progress | None = None,
) -> InducedDictionary:
    """Find the candidates of every word, and choose.

    Args:
        direction: The model that finds them.
        model: What tells probabilities, if that was learned.
        judged: How many candidates of a word are judged.
        k: At most so many translations a word. None: as many as it deserves if probabilities
            are known, else one.
        min_precision: The share of the entries, seeds among them, that shall be right.
        seeds: The answers that training was given, by row of their word.
        name: The model, as entries are to call it.
        compute: Memory that may be used beside what is returned.
        on_block: Told of progress.

    Raises:
        SettingError: If a precision is asked of a model that tells no probabilities, or a number
            is out of its range.
    """
    if min_precision is not None:
        check_precision(min_precision)
        if model is None:
            raise no_probabilities()
    wanted = 1 if k is None else k
    check_wanted(wanted)
    whole = InducedDictionary(
        words=direction.asked.space.words,
        answers=direction.answering.space.words,
        ranked=_rank_all(direction, model, wanted, judged, compute, on_block),
        seeds=seeds,
        model=name,
        limit=None,
        threshold=0.0,
    )
    return whole.cut(k=k, min_precision=min_precision)


def no_probabilities() -> SettingError:
    """Return the error for whoever asks a model for probabilities that it cannot tell."""
    return SettingError(
        "this model tells no probabilities: train it again with `bilex fit … --calibrate`, on ten "
        "seed words or more"
    )


def _rank_all(
    direction: Direction,
    model: CandidateModel | None,
    k: int,
    judged: int,
    compute: Compute,
    on_block: Progress | None,
) -> Ranked:
    words, answers = len(direction.asked.space), len(direction.answering.space)
    total = words + answers
    block = words_at_once(direction, max(k, judged), compute)
    back = _all_back_lists(direction, total, on_block)
    parts: list[Ranked] = []
    for rows in torch.split(torch.arange(words, device=direction.answers.device), block):
        asked = direction.words(rows)
        found = rank_candidates(direction, asked, model, k=k, judged=judged, back=back)
        parts.append(_small(found))
        if on_block is not None:
            on_block(answers + int(rows[-1]) + 1, total)
    chances = [part.probabilities for part in parts if part.probabilities is not None]
    return Ranked(
        ids=torch.cat([part.ids for part in parts]),
        scores=torch.cat([part.scores for part in parts]),
        back_ranks=torch.cat([part.back_ranks for part in parts]),
        probabilities=torch.cat(chances) if chances else None,
    )


def _all_back_lists(direction: Direction, total: int, on_block: Progress | None) -> BackLists:
    lists = BackLists(direction)
    everyone = torch.arange(len(direction.answers), device=direction.answers.device)
    for ids in torch.split(everyone, _ANSWERS_AT_ONCE):
        lists.add(ids)
        if on_block is not None:
            on_block(int(ids[-1]) + 1, total)
    return lists


def _small(found: Ranked) -> Ranked:
    """Return the same numbers in the least memory, off the device."""
    return Ranked(
        ids=found.ids.to("cpu", torch.int32),
        scores=found.scores.cpu(),
        back_ranks=found.back_ranks.to("cpu", torch.int16),
        probabilities=None if found.probabilities is None else found.probabilities.cpu(),
    )
