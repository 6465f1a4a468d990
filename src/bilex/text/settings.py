"""How word vectors are trained: settings, with defaults that fit the size of the text."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal, Self

from bilex.errors import SettingError

Method = Literal["fasttext", "word2vec"]

_LOWEST = {"dim": 2, "epochs": 1, "min_count": 1, "window": 1, "negative": 1, "buckets": 1}
_METHODS = ("fasttext", "word2vec")


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSettings:
    """Settings of skip-gram with negative sampling; None is chosen by the size of the text.

    Attributes:
        method: "fasttext" also learns from parts of words; "word2vec" takes words as they are.
        dim: Length of a vector.
        epochs: How often the text is read.
        min_count: A word that occurs less often gets no vector.
        window: How many words to each side are context.
        negative: Random words for each word of context.
        sample: Share of the text above which frequent words are skipped at random.
        shortest_part: Of parts of words, in characters; fastText only.
        longest_part: Of parts of words, in characters; fastText only.
        buckets: How many vectors parts of words share; fastText only.
        phrases: Join words that often occur together by `_`.
        keep_case: Keep capital letters, instead of lower-casing.
        segmented: Spaces separate the words in any script, such as after a Chinese segmenter.
    """

    method: Method = "word2vec"
    dim: int | None = None
    epochs: int | None = None
    min_count: int | None = None
    window: int | None = None
    negative: int = 10
    sample: float = 1e-3
    shortest_part: int = 3
    longest_part: int = 6
    buckets: int = 200_000
    phrases: bool = False
    keep_case: bool = False
    segmented: bool = False

    def __post_init__(self) -> None:
        if self.method not in _METHODS:
            raise SettingError(f"method is {self.method!r}: expected one of {', '.join(_METHODS)}")
        for name, lowest in _LOWEST.items():
            value = getattr(self, name)
            if value is not None and value < lowest:
                raise SettingError(f"{name} is {value}: expected at least {lowest}")
        if not 0 <= self.sample <= 1:
            raise SettingError(f"sample is {self.sample}: expected a share from 0 to 1")
        if not 1 <= self.shortest_part <= self.longest_part:
            raise SettingError(
                f"parts of words have {self.shortest_part} to {self.longest_part} characters: "
                "expected at least 1, and the shortest not above the longest"
            )

    def for_size(self, tokens: int) -> Self:
        """Return the settings with all that is None chosen for a text of so many words."""
        chosen = next(row for row in BY_SIZE if tokens >= row.tokens)
        missing = {
            field.name: getattr(chosen, field.name)
            for field in fields(self)
            if getattr(self, field.name) is None
        }
        return replace(self, **missing)


@dataclass(frozen=True)
class SizeRow:
    """What fits texts from so many words on."""

    tokens: int
    dim: int
    epochs: int
    min_count: int
    window: int


BY_SIZE = (
    SizeRow(tokens=10_000_000, dim=300, epochs=5, min_count=5, window=5),
    SizeRow(tokens=3_000_000, dim=200, epochs=10, min_count=5, window=5),
    SizeRow(tokens=0, dim=100, epochs=10, min_count=4, window=5),
)
"""Measured on held-out pairs; the largest texts first."""
