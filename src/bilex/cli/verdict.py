"""How good a new model is, as far as training measured it, in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bilex.model import TrainedModel

SURE = 0.9
"""The precision for which the size of the dictionary is reported."""

_Z = 1.96  # standard errors to each side of a share, for 95 %
_WIDE = 0.2  # intervals that are wider than this are reported instead of the share


@dataclass(frozen=True)
class HeldOut:
    """The first answers to seed words that were held out of training.

    Attributes:
        words: How many words were held out.
        p_at_1: The share of them whose first answer is one of the seed translations.
        interval: 95 % interval of that share (Wilson, 1927).
    """

    words: int
    p_at_1: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class DictionarySize:
    """What `bilex induce` will write, by the probabilities of the model.

    Attributes:
        words: The source words.
        translated: How many of them have an entry by default.
        sure_entries: The largest number of entries of which a share of `SURE` is expected to be
            right.
    """

    words: int
    translated: int
    sure_entries: int


@dataclass(frozen=True)
class Verdict:
    """What is known about a model; None where nothing was measured."""

    held_out: HeldOut | None
    dictionary: DictionarySize | None

    def to_dict(self) -> dict[str, object]:
        """Return plain values, ready for JSON."""
        return asdict(self)

    def sentences(self) -> Iterator[str]:
        """Yield the verdict for people; nothing if nothing was measured."""
        if self.held_out is not None:
            yield _first_answers(self.held_out)
        if self.dictionary is not None:
            yield from _dictionary(self.dictionary)


def judge(model: TrainedModel) -> Verdict:
    """Return what held-out seeds and probabilities say about a model."""
    models = model.contents.candidate_models
    forward = None if models is None else models.forward
    if forward is None:
        return Verdict(None, None)
    found = forward.report
    name = "p_at_1_reordered" if forward.reorders else "p_at_1"
    words, share = int(str(found["words"])), float(str(found[name]))
    held_out = HeldOut(words, share, _interval(share, words))
    # Without kept answers, every word would have to be translated to know the size.
    return Verdict(held_out, _size(model) if model.contents.answers else None)


def _size(model: TrainedModel) -> DictionarySize:
    found = model.induce()
    chances = found.ranked.probabilities
    assert chances is not None  # noqa: S101 - the model gives probabilities
    has_entry = (chances >= found.threshold).any(1)
    has_entry[list(found.seeds)] = True  # seed pairs are always entries
    sure = found.cut(min_precision=SURE)
    return DictionarySize(
        words=len(found.words),
        translated=int(has_entry.sum()),
        sure_entries=int((chances >= sure.threshold).sum()),
    )


def _first_answers(found: HeldOut) -> str:
    low, high = found.interval
    percent = f"{100 * found.p_at_1:.0f} %"
    measured = f"{percent} of {found.words:,} seed words that were held out of training"
    if high - low > _WIDE:
        return (
            f"Between {round(10 * low)} and {round(10 * high)} in 10 first answers are right "
            f"({measured}; more seeds would give a closer estimate)."
        )
    return f"{_about(found.p_at_1)} first answers are right ({measured})."


def _dictionary(found: DictionarySize) -> Iterator[str]:
    without = found.words - found.translated
    if without:
        yield (
            f"{_about(without / found.words)} source words have no answer that is probable enough "
            f"for the dictionary ({without:,} of {found.words:,})."
        )
    if found.sure_entries:
        yield (
            f"{found.sure_entries:,} entries are expected to be right 9 times in 10: "
            f"--min-precision {SURE} writes only these and the seeds."
        )


def _about(share: float) -> str:
    if share > 0.95:
        return "More than 9 in 10"
    if share < 0.05:
        return "Fewer than 1 in 10"
    return f"About {round(10 * share)} in 10"


def _interval(share: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of n (Wilson, 1927)."""
    weight = _Z**2 / n
    middle = (share + weight / 2) / (1 + weight)
    half = math.sqrt(share * (1 - share) * weight + weight**2 / 4) / (1 + weight)
    return round(max(middle - half, 0.0), 4), round(min(middle + half, 1.0), 4)
