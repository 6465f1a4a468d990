"""The result of a model: a word and its candidate translations."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import NamedTuple


class Candidate(NamedTuple):
    """A possible translation and its score; higher is better.

    `probability` is that of being correct; None if the model is not calibrated. `score` is not a
    number (NaN) if a service has the translation from people only.
    """

    word: str
    score: float
    probability: float | None = None

    def to_dict(self) -> dict[str, object]:
        """Return plain values, rounded as they are shown."""
        chance = self.probability
        return {
            "word": self.word,
            "score": None if isnan(self.score) else round(self.score, 6),
            "probability": None if chance is None else round(chance, 6),
        }


@dataclass(frozen=True)
class Translation:
    """A word and its candidates, best first; none if the word is unknown.

    Attributes:
        word: The word as it was given.
        candidates: Its translations.
        how: "known" for a word of the vocabulary, "unknown" for a word without an answer; else
            how its vector was found: "lemma", "case", "joined", "composed", "subwords"; "own"
            if a service has only translations that people gave.
        parts: The words of the vocabulary whose vectors were used, if it is not one itself.
        missing: The unknown words of a term that could not be composed.
    """

    word: str
    candidates: tuple[Candidate, ...] = ()
    how: str = "known"
    parts: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.word} → {', '.join(map(_shown, self.candidates)) or '?'}"

    def to_dict(self) -> dict[str, object]:
        """Return plain values, ready for JSON."""
        return {
            "word": self.word,
            "how": self.how,
            "parts": list(self.parts),
            "missing": list(self.missing),
            "candidates": [candidate.to_dict() for candidate in self.candidates],
        }


def _shown(candidate: Candidate) -> str:
    chance = candidate.probability
    return candidate.word if chance is None else f"{candidate.word} ({chance:.2f})"
