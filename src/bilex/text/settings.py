"""Settings of word vectors from text, and their defaults by method and size of the text."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self

from bilex.errors import SettingError

Method = Literal["ppmi", "word2vec", "fasttext"]

_METHODS = ("ppmi", "word2vec", "fasttext")
_LOWEST = {
    "dim": 2,
    "min_count": 1,
    "max_words": 2,
    "window": 1,
    "power": 0.0,
    "smoothing": 0.0,
    "context_letters": 0,
    "epochs": 1,
    "negative": 1,
    "shortest_part": 1,
    "longest_part": 1,
    "buckets": 1,
}
_EPOCHS = {0: 10, 3_000_000: 5}
_MIN_COUNT = {0: 2, 500_000: 4, 10_000_000: 10}
_SKIP_GRAM: dict[str, Any] = {"dim": 100, "window": 10, "negative": 5}
# The dimension never depends on the text, so that vectors of two texts fit together.
_DEFAULTS: dict[Method, dict[str, Any]] = {
    "ppmi": {"dim": 200, "window": 10, "power": 1.75, "smoothing": 0.75, "context_letters": 5},
    "word2vec": _SKIP_GRAM,
    "fasttext": _SKIP_GRAM | {"shortest_part": 3, "longest_part": 6, "buckets": 200_000},
}
POWER_TOGETHER = 1.5
"""The default of `power` for two texts that are trained together.

Words of both languages share contexts. Then the later dimensions say which words translate each
other, too, and have more weight than in vectors of one text.
"""
_OF_METHODS: dict[str, tuple[Method, ...]] = {
    "power": ("ppmi",),
    "smoothing": ("ppmi",),
    "context_letters": ("ppmi",),
    "epochs": ("word2vec", "fasttext"),
    "negative": ("word2vec", "fasttext"),
    "shortest_part": ("fasttext",),
    "longest_part": ("fasttext",),
    "buckets": ("fasttext",),
}
"""Settings that only some methods have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSettings:
    """Settings of word vectors; None is replaced by a default for the method and size of the text.

    Attributes:
        method: "ppmi" counts which words occur together and reduces the counts to few dimensions;
            "word2vec" learns by skip-gram with negative sampling; "fasttext" does so from parts of
            words, too.
        dim: Length of a vector.
        min_count: A word that occurs less often gets no vector.
        max_words: At most this many words, the most frequent ones, get a vector.
        window: How many words to each side are context; near ones count more.
        sample: Words with a larger share of the text are downsampled.
        power: Exponent of the singular values that weight the dimensions; ppmi only.
        smoothing: Exponent of the frequencies of context words; ppmi only.
        context_letters: Context words with this many first letters in common count as one, such as
            *walked* and *walking*; 0 keeps all words apart; ppmi only.
        epochs: How often the text is read; word2vec and fasttext only.
        negative: Negative samples for each context word; word2vec and fasttext only.
        shortest_part: Characters of the shortest parts of words; fasttext only.
        longest_part: Characters of the longest parts of words; fasttext only.
        buckets: Number of hash buckets for parts of words, with a vector each; fasttext only.
        phrases: Join words that often occur together by `_`.
        keep_case: Keep capital letters, instead of lower-casing.
        segmented: Spaces separate the words in any script, such as after a Chinese segmenter.
    """

    method: Method = "ppmi"
    dim: int | None = None
    min_count: int | None = None
    max_words: int = 200_000
    window: int | None = None
    sample: float = 1e-3
    power: float | None = None
    smoothing: float | None = None
    context_letters: int | None = None
    epochs: int | None = None
    negative: int | None = None
    shortest_part: int | None = None
    longest_part: int | None = None
    buckets: int | None = None
    phrases: bool = False
    keep_case: bool = False
    segmented: bool = False

    def __post_init__(self) -> None:
        if self.method not in _METHODS:
            raise SettingError(f"method is {self.method!r}: expected one of {', '.join(_METHODS)}")
        for name, lowest in _LOWEST.items():
            value = getattr(self, name)
            if value is not None and not value >= lowest:
                raise SettingError(f"{name} is {value}: expected at least {lowest}")
        for name, methods in _OF_METHODS.items():
            if getattr(self, name) is not None and self.method not in methods:
                raise SettingError(
                    f"{name} has no effect on {self.method}: leave it out, or set method to "
                    f"{' or '.join(methods)}"
                )
        if not 0 <= self.sample <= 1:
            raise SettingError(f"sample is {self.sample}: expected a share from 0 to 1")
        if (self.shortest_part or 1) > (self.longest_part or _longest_by_default()):
            raise SettingError(
                f"shortest_part is {self.shortest_part}: expected at most longest_part"
            )

    def for_size(self, tokens: int) -> Self:
        """Return the settings with all defaults filled in, for a text of `tokens` words."""
        chosen = {"min_count": _by_size(_MIN_COUNT, tokens), **_DEFAULTS[self.method]}
        if self.method != "ppmi":
            chosen["epochs"] = _by_size(_EPOCHS, tokens)
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{n: value for n, value in chosen.items() if given[n] is None})

    def together(self) -> Self:
        """Return the settings with the defaults for two texts that are trained together."""
        return self if self.power is not None else replace(self, power=POWER_TOGETHER)


def _by_size(table: dict[int, int], tokens: int) -> int:
    return table[max(size for size in table if size <= tokens)]


def _longest_by_default() -> int:
    longest: int = _DEFAULTS["fasttext"]["longest_part"]
    return longest
