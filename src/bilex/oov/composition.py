"""Vectors for terms of several words, composed from the vectors of the words."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from bilex.errors import SettingError
from bilex.oov.vocabulary import ResolvedWord, Vocabulary
from bilex.values import Vector

_BETWEEN_WORDS = re.compile(r"[\s_-]+")
_AFTER_APOSTROPHE = re.compile(r"(?<=['’])")
_SEPARATORS = ("_", "-", " ", "")  # "" is last, because it can produce a different word


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """Looks up a term of several words as one joined word, or composes its vector.

    A composed vector is the weighted mean of the words' vectors, with the weights a / (a + p) of
    "smooth inverse frequency" (Arora et al., 2017), which are small for frequent words. Vector
    files have no counts, so the probability p of a word is estimated from its rank by Zipf's law.
    The length of the composed vector is the weighted mean of the words' lengths.

    Attributes:
        smoothing: The a of the weights; a larger value is closer to a plain mean.
    """

    smoothing: float = 1e-3

    def __post_init__(self) -> None:
        if not 0 < self.smoothing < math.inf:
            raise SettingError(f"smoothing is {self.smoothing}: give a number above 0")

    def resolve(self, word: str, vocabulary: Vocabulary) -> ResolvedWord | None:
        """Return the joined or composed term, or the words of it that are missing."""
        names = [name for name in _BETWEEN_WORDS.split(word) if name]
        if len(names) < 2:
            return None
        joined = vocabulary.rename((mark.join(names) for mark in _SEPARATORS), "joined")
        if joined is not None:
            return joined
        found = [part for name in names for part in _parts(name, vocabulary)]
        missing = [name for name, part in found if part.vector is None]
        if missing:
            return ResolvedWord("unknown", missing=tuple(dict.fromkeys(missing)))
        vectors = torch.stack([part.vector for _, part in found if part.vector is not None])
        weights = vectors.new_tensor([self._weight(part.parts, vocabulary) for _, part in found])
        used = [word for name, part in found for word in part.parts or (name,)]
        return ResolvedWord("composed", _weighted_mean(vectors, weights), tuple(used))

    def _weight(self, parts: Sequence[str], vocabulary: Vocabulary) -> float:
        size = len(vocabulary.space)
        rows = [vocabulary.space.index.get(part, size) for part in parts]
        row = min(rows, default=size)  # a word made of subwords counts as the rarest
        probability = 1 / ((row + 1) * (math.log(size) + 0.5772))  # Zipf's law
        return self.smoothing / (self.smoothing + probability)


def _parts(name: str, vocabulary: Vocabulary) -> list[tuple[str, ResolvedWord]]:
    """Return the resolved word, or its parts around an apostrophe (d'or) if only they are known."""
    whole = vocabulary.resolve(name)
    pieces = [piece for piece in _AFTER_APOSTROPHE.split(name) if piece]
    if whole.vector is None and len(pieces) > 1:
        halves = [(piece, vocabulary.resolve(piece)) for piece in pieces]
        if all(half.vector is not None for _, half in halves):
            return halves
    return [(name, whole)]


def _weighted_mean(vectors: torch.Tensor, weights: Vector) -> Vector:
    """Return the mean direction with the mean length, so that unit vectors give a unit vector."""
    shares = weights / weights.sum()
    mean = shares @ vectors
    length = torch.linalg.vector_norm(mean)
    wanted = shares @ torch.linalg.vector_norm(vectors, dim=1)
    return mean * (wanted / length) if length > 0 else mean
