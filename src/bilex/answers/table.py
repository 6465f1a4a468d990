"""Precomputed translations of all words of a vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from bilex.answers.translation import Candidate

Array = np.ndarray[Any, Any]

TYPES = {"ids": np.int32, "scores": np.float32, "back_ranks": np.int16, "probabilities": np.float32}


@dataclass(frozen=True, eq=False)
class AnswerTable:
    """The candidates of every word, best first: (n_words, depth) each.

    Attributes:
        ids: Rows of the candidates in the other vocabulary.
        scores: Scores of the retriever.
        back_ranks: Rank of the word among the translations of each candidate, from 1.
        probabilities: Probabilities of being correct; None if the model is not calibrated.
    """

    ids: Array
    scores: Array
    back_ranks: Array
    probabilities: Array | None

    @property
    def depth(self) -> int:
        """Return how many candidates each word has."""
        return int(self.ids.shape[1])

    def candidates(
        self, rows: Sequence[int], k: int, names: Sequence[str]
    ) -> list[tuple[Candidate, ...]]:
        """Return the k best candidates of some words, by the names of their rows."""
        best = slice(min(k, self.depth))
        ids, scores = self.ids[rows, best].tolist(), self.scores[rows, best].tolist()
        if self.probabilities is None:
            return [
                tuple(Candidate(names[i], score) for i, score in zip(*row, strict=True))
                for row in zip(ids, scores, strict=True)
            ]
        chances = self.probabilities[rows, best].tolist()
        return [
            tuple(Candidate(names[i], score, chance) for i, score, chance in zip(*row, strict=True))
            for row in zip(ids, scores, chances, strict=True)
        ]

    def arrays(self) -> dict[str, Array]:
        """Return the arrays by name, without those that are None."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: array for name, array in found.items() if array is not None}

    @classmethod
    def of(cls, arrays: dict[str, Array], *, words: int, candidates: int) -> Self:
        """Return the table made of `arrays`, for vocabularies of these sizes.

        Raises:
            ValueError, KeyError: If an array is missing or not valid.
        """
        table = cls(
            arrays["ids"], arrays["scores"], arrays["back_ranks"], arrays.get("probabilities")
        )
        shape = (words, min(table.ids.shape[-1], candidates))
        for name, array in table.arrays().items():
            if array.shape != shape or array.dtype != TYPES[name]:
                raise ValueError(f"{name} has shape {array.shape}, type {array.dtype}")
        if table.ids.size and not 0 <= table.ids.min() <= table.ids.max() < candidates:
            raise ValueError("an answer is not in the vocabulary")
        return table
