"""How well reviewers agree, beyond what chance would give.

Reviewers may accept several candidates of a word. So a unit is a word with one of its candidates,
which a reviewer labels as right or wrong. Who has not seen a candidate has no label for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from bilex.errors import SettingError
from bilex.review.events import Event
from bilex.review.projection import ReviewedEntry, agree


class PairAgreement(NamedTuple):
    """Cohen's kappa of two reviewers; None if it is not defined."""

    first: str
    second: str
    candidates: int
    kappa: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The agreement of all reviewers.

    Attributes:
        words: Words with decisions of two or more reviewers.
        agreed: Those on which all of them agree: the same kind of decision and, if accepted, a
            common translation.
        candidates: Candidates that two or more reviewers labeled.
        alpha: Krippendorff's alpha of these labels; None if it is not defined.
        pairs: Cohen's kappa of each two reviewers who labeled the same candidates, sorted by name.
    """

    words: int
    agreed: int
    candidates: int
    alpha: float | None
    pairs: tuple[PairAgreement, ...]

    @classmethod
    def of(cls, entries: Iterable[ReviewedEntry]) -> Agreement:
        """Measure the agreement on all words with two or more decisions."""
        words = agreed = 0
        units: list[dict[str, bool]] = []
        for entry in entries:
            if len(entry.decisions) < 2:
                continue
            words += 1
            agreed += all(agree(x, y) for x, y in combinations(entry.decisions, 2))
            units += [unit for unit in labels_of(entry.decisions).values() if len(unit) > 1]
        both: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
        for unit in units:
            for x, y in combinations(sorted(unit), 2):
                both.setdefault((x, y), []).append((unit[x], unit[y]))
        return cls(
            words=words,
            agreed=agreed,
            candidates=len(units),
            alpha=krippendorff_alpha([list(unit.values()) for unit in units]),
            pairs=tuple(
                PairAgreement(x, y, len(labels), cohen_kappa(*zip(*labels, strict=True)))
                for (x, y), labels in sorted(both.items())
            ),
        )


def labels_of(decisions: Iterable[Event]) -> Mapping[str, dict[str, bool]]:
    """Return, for each candidate of a word, the reviewers who labeled it, and how.

    A word that is not worth an entry has no right candidate.
    """
    found: dict[str, dict[str, bool]] = {}
    for event in decisions:
        seen = dict.fromkeys([*(each.target for each in event.shown), *event.targets])
        for target in seen:
            found.setdefault(target, {})[event.reviewer] = target in event.targets
    return found


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Return the agreement of two raters (Cohen, 1960).

    It is (observed − expected) / (1 − expected) agreement. None without units, or if both raters
    gave one and the same label to all units, so that no other agreement was possible.

    Raises:
        SettingError: If the raters have different numbers of labels.
    """
    if len(first) != len(second):
        raise SettingError(
            f"{len(first)} and {len(second)} labels: expected two labels for each unit"
        )
    n = len(first)
    if not n:
        return None
    same = sum(x == y for x, y in zip(first, second, strict=True))
    mine, theirs = Counter(first), Counter(second)
    by_chance = sum(count * theirs[label] for label, count in mine.items())  # times n²
    if by_chance == n * n:
        return None
    return (same * n - by_chance) / (n * n - by_chance)


def krippendorff_alpha(units: Iterable[Sequence[Hashable | None]]) -> float | None:
    """Return the agreement of any number of raters on nominal labels (Krippendorff, 2011).

    It is 1 − observed / expected disagreement. Units with fewer than two labels do not count.

    Args:
        units: The labels of each unit; None where a rater has none.

    Returns:
        None if there is nothing to compare, or if all labels are the same.
    """
    totals: Counter[Hashable] = Counter()
    disagreement = 0.0
    for unit in units:
        counts = Counter(label for label in unit if label is not None)
        n = counts.total()
        if n < 2:
            continue
        totals.update(counts)
        disagreement += (n * n - sum(count * count for count in counts.values())) / (n - 1)
    n = totals.total()
    expected = n * n - sum(count * count for count in totals.values())
    if not expected:
        return None
    return 1 - disagreement * (n - 1) / expected
