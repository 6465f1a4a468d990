"""How word vectors are made from text: settings, and their defaults by method and size of text."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self

from bilex.errors import SettingError

Method = Literal["ppmi", "word2vec", "fasttext"]

_METHODS = ("ppmi", "word2vec", "fasttext")
_LOWEST = {
    "dim": 2,
    "min_count": 1,
    "window": 1,
    "power": 0.0,
    "smoothing": 0.0,
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
    "ppmi": {"dim": 200, "window": 10, "power": 1.75, "smoothing": 0.75},
    "word2vec": _SKIP_GRAM,
    "fasttext": _SKIP_GRAM | {"shortest_part": 3, "longest_part": 6, "buckets": 200_000},
}
_OF_METHODS: dict[str, tuple[Method, ...]] = {
    "power": ("ppmi",),
    "smoothing": ("ppmi",),
    "epochs": ("word2vec", "fasttext"),
    "negative": ("word2vec", "fasttext"),
    "shortest_part": ("fasttext",),
    "longest_part": ("fasttext",),
    "buckets": ("fasttext",),
}
"""Settings that only some methods have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSettings:
    """Settings of word vectors; what is None is chosen by the method and the size of the text.

    Attributes:
        method: "ppmi" counts which words occur together and reduces the counts to few dimensions;
            "word2vec" learns by skip-gram with negative sampling; "fasttext" does so from parts of
            words, too.
        dim: Length of a vector.
        min_count: A word that occurs less often gets no vector.
        window: How many words to each side are context; near ones count more.
        sample: Share of the text above which a word counts less, the more frequent it is.
        power: Of the singular values, by which dimensions are weighted; ppmi only.
        smoothing: Power of the frequency of context words; ppmi only.
        epochs: How often the text is read; word2vec and fasttext only.
        negative: Random words for each word of context; word2vec and fasttext only.
        shortest_part: Of parts of words, in characters; fasttext only.
        longest_part: Of parts of words, in characters; fasttext only.
        buckets: How many vectors parts of words share; fasttext only.
        phrases: Join words that often occur together by `_`.
        keep_case: Keep capital letters, instead of lower-casing.
        segmented: Spaces separate the words in any script, such as after a Chinese segmenter.
    """

    method: Method = "ppmi"
    dim: int | None = None
    min_count: int | None = None
    window: int | None = None
    sample: float = 1e-3
    power: float | None = None
    smoothing: float | None = None
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
        """Return the settings with nothing left to choose, for a text of so many words."""
        chosen = {"min_count": _by_size(_MIN_COUNT, tokens), **_DEFAULTS[self.method]}
        if self.method != "ppmi":
            chosen["epochs"] = _by_size(_EPOCHS, tokens)
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{n: value for n, value in chosen.items() if given[n] is None})


def _by_size(table: dict[int, int], tokens: int) -> int:
    return table[max(size for size in table if size <= tokens)]


def _longest_by_default() -> int:
    longest: int = _DEFAULTS["fasttext"]["longest_part"]
    return longest
