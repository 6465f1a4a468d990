"""Terms of several words, out of the vectors of these."""

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
_JOINTS = ("_", "-", " ", "")  # as vocabularies write terms; the last can make another word


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """Finds a term of several words joined into one, or composes it of the words' vectors.

    A composed vector is the mean of the words', each weighted by a / (a + p): frequent words say
    little (Arora et al., 2017, "smooth inverse frequency"). The probability p of a word comes
    from its rank by Zipf's law, as vectors come without counts. Its length is the mean of theirs.

    Attributes:
        smoothing: The a of the weights; the larger, the nearer to a plain mean.
    """

    smoothing: float = 1e-3

    def __post_init__(self) -> None:
        if not 0 < self.smoothing < math.inf:
            raise SettingError(f"smoothing is {self.smoothing}: give a number above 0")

    def resolve(self, word: str, vocabulary: Vocabulary) -> ResolvedWord | None:
        """Return the joined or composed term, or which of its words are missing."""
        names = [name for name in _BETWEEN_WORDS.split(word) if name]
        if len(names) < 2:
            return None
        joined = vocabulary.rename((joint.join(names) for joint in _JOINTS), "joined")
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
        row = min(rows, default=size)  # what is made of subwords is rarer than any word
        probability = 1 / ((row + 1) * (math.log(size) + 0.5772))  # of Zipf's law
        return self.smoothing / (self.smoothing + probability)


def _parts(name: str, vocabulary: Vocabulary) -> list[tuple[str, ResolvedWord]]:
    """Return the resolved word, or its halves if only these are known, as in d'or."""
    whole = vocabulary.resolve(name)
    pieces = [piece for piece in _AFTER_APOSTROPHE.split(name) if piece]
    if whole.vector is None and len(pieces) > 1:
        halves = [(piece, vocabulary.resolve(piece)) for piece in pieces]
        if all(half.vector is not None for _, half in halves):
            return halves
    return [(name, whole)]


def _weighted_mean(vectors: torch.Tensor, weights: Vector) -> Vector:
    """Return the mean direction at the mean length, so that unit vectors make a unit vector."""
    shares = weights / weights.sum()
    mean = shares @ vectors
    length = torch.linalg.vector_norm(mean)
    wanted = shares @ torch.linalg.vector_norm(vectors, dim=1)
    return mean * (wanted / length) if length > 0 else mean
