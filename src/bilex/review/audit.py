"""The true precision of a model, from words that were drawn at random.

All words of a project have a random order. The audit sample is the longest beginning of that order
in which every word was looked at. Other words that the queue has asked do not count, whatever
was decided about them, so it does not matter how the queue chose them. The first word that was not
looked at ends the sample and is not part of it; that makes the precision unbiased, even though
words of the queue lengthen the beginning (Haldane, 1945, on inverse sampling).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

from bilex.errors import SettingError
from bilex.review.correction import SMALLEST_SAMPLE, Correction
from bilex.review.events import Event
from bilex.review.project import ReviewItem
from bilex.review.projection import ReviewedEntry

CONFIDENCE = 0.95
MOST_AUDITED = 20_000
"""Words of a sample that are counted: the interval is at most 1.4 points wide then."""
MOST_OUTCOMES = 5_000
"""Words that correct the probabilities of a model: more would hardly change the correction."""


class Verdict(NamedTuple):
    """What a word says about the model, if it belongs to the sample.

    Attributes:
        kind: right or wrong: whether the first candidate is; disputed: reviewers disagree; skipped:
            nobody has decided, but somebody has looked at it; blank: decided without candidates;
            empty: nobody has looked at the word alone, so that the sample ends before it.
        model: The model whose candidates were shown; empty if there was no decision.
        probability: Of the first candidate, as it was shown; None if it had none.
    """

    kind: Literal["right", "wrong", "disputed", "skipped", "blank", ""]
    model: str = ""
    probability: float | None = None


class Outcome(NamedTuple):
    """A decided word of the sample: what the model believed of its first candidate, and the truth.

    Attributes:
        probability: That the candidate is right, as it was shown; None if it had none.
        right: Whether it was accepted.
    """

    probability: float | None
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The precision of first candidates on a random sample of words.

    Attributes:
        right: Words of the sample whose first candidate was accepted.
        words: Words of the sample that were decided.
        undecided: Words of the sample that were skipped, or that reviewers disagree on; they are
            not counted.
        low: Lower end of the 95 % interval of the precision of all words.
        high: Upper end.
        believed: The mean probability of the counted candidates; None if any had none.
        outcomes: The words of the sample that were decided, in the random order; of a large sample
            the first `MOST_OUTCOMES`.
    """

    right: int
    words: int
    undecided: int
    low: float
    high: float
    believed: float | None = None
    outcomes: tuple[Outcome, ...] = ()

    @property
    def precision(self) -> float | None:
        """Return the share of right first candidates; None without decided words."""
        return self.right / self.words if self.words else None

    def correction(self, *, fewest: int = SMALLEST_SAMPLE) -> Correction | None:
        """Return how to correct the model's probabilities; None with fewer words than `fewest`.

        Only words whose first candidate had a probability count.
        """
        known = [
            (probability, right) for probability, right in self.outcomes if probability is not None
        ]
        if len(known) < max(fewest, 1):
            return None
        probabilities, right = zip(*known, strict=True)
        return Correction.learn(probabilities, right)

    @classmethod
    def of(cls, sample: Iterable[ReviewItem], *, population: int | None, model: str = "") -> Self:
        """Measure the precision of the candidates that were shown.

        A first candidate is right if the word was accepted with it. Where all were rejected or the
        word does not deserve an entry, it is wrong.

        Of a large sample, the first `MOST_AUDITED` words are counted.

        Args:
            sample: The audit sample, in the random order (`ReviewStore.audit_sample`).
            population: How many words the sample was drawn from; None if very many.
            model: Count only words that were decided with candidates of this model. Words that
                were decided before are known to the model, so that it would look too good.
        """
        counted = undecided = 0
        outcomes: list[Outcome] = []
        for found in (verdict(item.entry) for item in sample):
            if not found.kind or counted == MOST_AUDITED:
                break  # not looked at: the sample ends here
            if model and found.model != model and found.kind != "skipped":
                continue
            counted += 1
            undecided += found.kind in ("disputed", "skipped")
            if found.kind in ("right", "wrong"):
                outcomes.append(Outcome(found.probability, found.kind == "right"))
        known = [each.probability for each in outcomes if each.probability is not None]
        return cls.counted(
            right=sum(each.right for each in outcomes),
            words=len(outcomes),
            undecided=undecided,
            believed=sum(known) / len(known) if known and len(known) == len(outcomes) else None,
            outcomes=outcomes[:MOST_OUTCOMES],
            population=population,
        )

    @classmethod
    def counted(
        cls,
        *,
        right: int,
        words: int,
        undecided: int,
        believed: float | None,
        outcomes: Iterable[Outcome],
        population: int | None,
    ) -> Self:
        """Return the audit of a sample that was counted elsewhere, with its interval."""
        low, high = precision_interval(right, words, population=population)
        return cls(
            right=right,
            words=words,
            undecided=undecided,
            low=low,
            high=high,
            believed=believed,
            outcomes=tuple(outcomes),
        )


def verdict(entry: ReviewedEntry) -> Verdict:
    """Return what the audit makes of an entry; only the first decision on it counts."""
    decision = _individual(entry)
    if decision is None:
        return Verdict("skipped" if entry.state == "skipped" else "")
    if not decision.shown:
        return Verdict("blank", decision.model)
    if entry.state == "disputed":
        return Verdict("disputed", decision.model)
    first = decision.shown[0]
    kind: Literal["right", "wrong"] = "right" if first.target in entry.targets else "wrong"
    return Verdict(kind, decision.model, first.probability)


def precision_interval(
    right: int, words: int, *, population: int | None = None, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return an interval that contains the share of right words with at least this confidence.

    It is the exact interval of Clopper and Pearson (1934). With a `population`, the sample was
    drawn from that many words without replacement, and the hypergeometric distribution takes the
    place of the binomial: the interval becomes shorter and, when all words are known, a point.

    Raises:
        SettingError: If the numbers contradict each other.
    """
    if not 0 <= right <= words or (population is not None and words > population):
        of = "" if population is None else f" of {population}"
        raise SettingError(
            f"{right} right words in a sample of {words}{of}: expected right ≤ sample ≤ population"
        )
    if not words:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    if population is None:
        from scipy.special import betaincinv

        return (
            float(betaincinv(right, words - right + 1, tail)) if right else 0.0,
            float(betaincinv(right + 1, words - right, 1 - tail)) if right < words else 1.0,
        )
    from scipy.stats import hypergeom

    # Numbers of right words in the population under which the sample is not too surprising. More
    # right words make it likelier to find at least, and less likely to find at most, this many.
    possible = range(right, population - (words - right) + 1)
    low = bisect_left(
        possible, True, key=lambda total: hypergeom.sf(right - 1, population, total, words) > tail
    )
    high = bisect_left(
        possible, True, key=lambda total: hypergeom.cdf(right, population, total, words) <= tail
    )
    return possible[low] / population, possible[high - 1] / population


def looked_at(items: Sequence[ReviewItem]) -> Sequence[ReviewItem]:
    """Return the longest beginning in which somebody looked at every word alone.

    Words that were decided only in a batch, or read from a file, were not looked at one by one.
    """
    for place, item in enumerate(items):
        if not verdict(item.entry).kind:
            return items[:place]
    return items


def _individual(entry: ReviewedEntry) -> Event | None:
    """Return the first decision that was made about this word alone.

    If the word was asked again, it is the one before: a random word was decided then.
    """
    for event in (*entry.earlier, *entry.decisions):
        if event.reason not in ("batch", "import"):
            return event
    return None
