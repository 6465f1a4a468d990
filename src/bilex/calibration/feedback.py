"""Feedback: pairs that calibrated candidates make probable become pairs to learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import torch

from bilex.bounds import require_at_least_one
from bilex.calibration.candidate_lists import BackLists, Direction
from bilex.calibration.candidate_model import CandidateModel
from bilex.calibration.judging import rank_candidates, words_at_once
from bilex.errors import SettingError
from bilex.messages import LEAST_WEIGHT
from bilex.values import Compute, IndexedLexicon


class Feedback(Protocol):
    """Chooses pairs to learn from once candidates have probabilities."""

    def extend(
        self,
        direction: Direction,
        model: CandidateModel,
        lexicon: IndexedLexicon,
        *,
        candidates: int,
        compute: Compute,
    ) -> IndexedLexicon:
        """Return the given pairs, in their order, followed by pairs that are probably right.

        Nothing is added if too few are probable to learn from.

        Args:
            direction: The trained map, asked from the source language.
            model: What tells probabilities of candidates.
            lexicon: The seeds.
            candidates: How many candidates of a word are judged.
            compute: Memory and precision.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidentPairs:
    """Add the most probable answer of each frequent word, each answer once.

    The model of candidates has seen more than the map: spelling, frequency, a second map, how
    candidates compare. What it finds probable teaches the map things that its own nearest
    neighbors cannot.

    Attributes:
        least: The probability below which no pair is added.
        size: How many pairs are added at most, the most probable first.
        rank_limit: Over how many of the most frequent words of the source language.
        fewest: Add nothing if fewer are probable than this, or than a tenth of these words: a map
            learned from a few hundred pairs is worse than one that found thousands by itself.
        weighting: What an added pair counts: 1 as a seed does, or its probability.
    """

    least: float = 0.5
    size: int = 10_000
    rank_limit: int = 10_000
    fewest: int = 1_000
    weighting: Literal["equal", "probability"] = "equal"

    def __post_init__(self) -> None:
        require_at_least_one("feedback", self, "size", "rank_limit", "fewest")
        if not 0 <= self.least <= 1:
            raise SettingError(f"feedback.least is {self.least}: give a probability from 0 to 1")

    def extend(
        self,
        direction: Direction,
        model: CandidateModel,
        lexicon: IndexedLexicon,
        *,
        candidates: int,
        compute: Compute,
    ) -> IndexedLexicon:
        """Return the given pairs followed by the added ones, the most probable first."""
        device = lexicon.source_ids.device
        words = torch.arange(min(self.rank_limit, len(direction.asked.space)), device=device)
        back = BackLists(direction)
        answers, chances = [], []
        for rows in torch.split(words, words_at_once(direction, candidates, compute)):
            asked = direction.words(rows)
            found = rank_candidates(direction, asked, model, k=1, judged=candidates, back=back)
            assert found.probabilities is not None  # noqa: S101 - there is a model
            answers.append(found.ids[:, 0])
            chances.append(found.probabilities[:, 0])
        answer, chance = torch.cat(answers), torch.cat(chances)
        order = chance.sort(descending=True, stable=True).indices
        order = order[chance[order] >= self.least]
        order = order[~torch.isin(order, lexicon.source_ids)]  # these have an answer
        order = order[_first_of_each(answer[order])][: self.size]
        if len(order) < min(self.fewest, len(words) // 10):
            return lexicon
        weights = chance[order].float().clamp(min=LEAST_WEIGHT)
        if self.weighting == "equal":
            weights = torch.ones_like(weights)
        return lexicon.followed_by(IndexedLexicon(words[order], answer[order], weights))


def _first_of_each(values: torch.Tensor) -> torch.Tensor:
    """Return, in order, where each distinct value comes first."""
    distinct, place = torch.unique(values, return_inverse=True)
    rows = torch.arange(len(values), device=values.device)
    first = rows.new_full((len(distinct),), len(values))
    return first.scatter_reduce(0, place, rows, "amin").sort().values
