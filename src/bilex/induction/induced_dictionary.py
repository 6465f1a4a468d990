"""The dictionary of a whole vocabulary: every word's candidates, and which of them to keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

from bilex.calibration.candidate_lists import BackLists, Direction
from bilex.calibration.candidate_model import CandidateModel
from bilex.calibration.judging import Ranked, rank_candidates
from bilex.calibration.selection import (
    CurvePoint,
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

_BACK_DEPTH = 20  # how far down a candidate's own list a word is looked for
_ANSWERS_AT_ONCE = 16_384  # between two reports of progress
_BYTES_OF_A_NUMBER = 4
_COPIES = 6  # of the vectors of all candidates of a block, while features are made


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
        probabilities = self.ranked.probabilities
        columns = (self.ranked.ids, self.ranked.scores, self.ranked.back_ranks)
        for row, word in enumerate(self.words):
            ids, scores, backs = (column[row].tolist() for column in columns)
            chances = [None] * len(ids) if probabilities is None else probabilities[row].tolist()
            known = self.seeds.get(row, frozenset())
            for rank, i in enumerate(ids, start=1):
                chance = chances[rank - 1]
                if not self._keeps(rank, chance, seed=i in known):
                    continue
                back = backs[rank - 1] if backs[rank - 1] <= _BACK_DEPTH else None
                origin: Origin = "seed" if i in known else "induced"
                yield DictionaryEntry(
                    word, self.answers[i], chance, scores[rank - 1], rank, back, origin, self.model
                )
            for i in sorted(known.difference(ids)) if self.limit is None else ():
                yield DictionaryEntry(word, self.answers[i], origin="seed", model=self.model)

    def curve(self) -> list[CurvePoint]:
        """Return what would be left at several levels of precision, the highest first.

        Raises:
            SettingError: If the model tells no probabilities.
        """
        return precision_curve(_told(self._within_limit()), torch.tensor(PRECISIONS))

    def expected_precision(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return numbers of entries, and the precision expected of so many, the best first."""
        return running_precision(_told(self._within_limit()))

    def _within_limit(self) -> Matrix | None:
        found = self.ranked.probabilities
        return found if found is None or self.limit is None else found[:, : self.limit]

    def _keeps(self, rank: int, chance: float | None, *, seed: bool) -> bool:
        if self.limit is None and seed:
            return True
        within = self.limit is None or rank <= self.limit
        return within and (chance is None or chance >= self.threshold)


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
        min_precision: The share of the induced entries that shall be right.
        seeds: The answers that training was given, by row of their word.
        name: The model, as entries are to call it.
        compute: Memory that may be used beside what is returned.
        on_block: Told of progress.

    Raises:
        SettingError: If a precision is asked of a model that tells no probabilities.
    """
    if model is None:
        k = 1 if k is None else k
        judged = k
    ranked = _rank_all(direction, model, max(judged, k or 0), compute, on_block)
    shown = ranked.probabilities if k is None or model is None else ranked.probabilities[:, :k]  # type: ignore[index]
    threshold = 0.0
    if min_precision is not None:
        threshold = threshold_for_precision(_told(shown), min_precision)
    elif k is None:
        threshold = threshold_for_f1(_told(shown))
    return InducedDictionary(
        words=direction.asked.space.words,
        answers=direction.answering.space.words,
        ranked=ranked,
        seeds=seeds,
        model=name,
        limit=k,
        threshold=threshold,
    )


def _rank_all(
    direction: Direction,
    model: CandidateModel | None,
    k: int,
    compute: Compute,
    on_block: Progress | None,
) -> Ranked:
    words, answers = len(direction.asked.space), len(direction.answering.space)
    total = words + answers
    dim = direction.answering.space.dim
    block = max(256, compute.memory // (_BYTES_OF_A_NUMBER * _COPIES * max(k, 1) * dim))
    back = _all_back_lists(direction, total, on_block)
    parts: list[Ranked] = []
    for rows in torch.split(torch.arange(words, device=direction.answers.device), block):
        found = rank_candidates(direction, direction.words(rows), model, k=k, back=back)
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
    everyone = torch.arange(len(direction.answers), device=direction.answers.device)
    scores = []
    for ids in torch.split(everyone, _ANSWERS_AT_ONCE):
        scores.append(BackLists.of(direction, ids, _BACK_DEPTH + 1).scores)
        if on_block is not None:
            on_block(int(ids[-1]) + 1, total)
    return BackLists(torch.cat(scores), everyone)


def _small(found: Ranked) -> Ranked:
    """Return the same numbers in the least memory, off the device."""
    return Ranked(
        ids=found.ids.to("cpu", torch.int32),
        scores=found.scores.cpu(),
        back_ranks=found.back_ranks.to("cpu", torch.int16),
        probabilities=None if found.probabilities is None else found.probabilities.cpu(),
    )


def _told(probabilities: Matrix | None) -> Matrix:
    if probabilities is None:
        raise SettingError(
            "this model tells no probabilities: train it again with `bilex fit … --calibrate`, "
            "on ten seed words or more"
        )
    return probabilities
