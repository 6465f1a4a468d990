"""The results of a fleet, arranged by language and by direction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import mean
from typing import Any

from bilex.errors import InputFileError
from bilex.fleet.folder import STAGES, FleetFolder

LEXICON_STAGES = ("induce", "triangulate")
"""The stages with a task for each pair."""


@dataclass(frozen=True, slots=True)
class LexiconRecord:
    """One direction of a pair: what was written, and what is expected of it."""

    source: str
    target: str
    words: int
    entries: int
    expected_precision: float | None
    expected_p_at_1: float | None
    entries_at: Mapping[str, int]
    mutual: float
    cycle_error: float | None
    calibrated_on: str | None
    carried_over: bool
    through_hub: bool  # probabilities are learned from seeds through the hub
    disk_bytes: int

    @property
    def quality(self) -> float:
        """Return the expected precision of first answers; without probabilities, the mutual ones.

        A first answer is mutual if the word is also the first answer in the other direction.
        """
        return self.mutual if self.expected_p_at_1 is None else self.expected_p_at_1


@dataclass(frozen=True, slots=True)
class LanguageRecord:
    """A language: its vectors, and how it was aligned; None where a stage has no result."""

    code: str
    parent: str | None  # None for the hub
    prepared: Mapping[str, Any] | None
    aligned: Mapping[str, Any] | None

    @property
    def held_out(self) -> Mapping[str, Any] | None:
        """Return the results on held-out seeds, from this language to its parent."""
        return None if self.aligned is None else self.aligned["held_out"]["forward"]

    @property
    def usable_seeds(self) -> int | None:
        """Return the number of seed pairs with both words in the vocabularies."""
        return None if self.aligned is None else int(self.aligned["usable_seeds"])


@dataclass(frozen=True)
class FleetRecords:
    """All results of a fleet."""

    name: str
    hub: str
    languages: tuple[LanguageRecord, ...]
    lexicons: tuple[LexiconRecord, ...]
    totals: Mapping[str, int]  # tasks, by stage
    done: Mapping[str, Sequence[Mapping[str, Any]]]  # results, by stage
    failed: tuple[Mapping[str, Any], ...]

    @cached_property
    def by_direction(self) -> Mapping[tuple[str, str], LexiconRecord]:
        """Return the lexicons by source and target."""
        return {(each.source, each.target): each for each in self.lexicons}

    @cached_property
    def qualities(self) -> Mapping[str, float]:
        """Return the mean quality of the lexicons from and to each language that has any."""
        found: dict[str, list[float]] = {}
        for each in self.lexicons:
            for code in (each.source, each.target):
                found.setdefault(code, []).append(each.quality)
        return {code: mean(values) for code, values in found.items()}

    def cycle_error(self, code: str) -> float | None:
        """Return the mean cycle error of the lexicons from and to a language."""
        found = [
            each.cycle_error
            for each in self.lexicons
            if code in (each.source, each.target) and each.cycle_error is not None
        ]
        return mean(found) if found else None

    @property
    def pairs_done(self) -> int:
        """Return the number of pairs with lexicons."""
        return sum(len(self.done[stage]) for stage in LEXICON_STAGES)

    @property
    def pairs_wanted(self) -> int:
        """Return the number of all pairs."""
        return sum(self.totals[stage] for stage in LEXICON_STAGES)

    @property
    def has_probabilities(self) -> bool:
        """Return whether any lexicon has probabilities."""
        return any(each.expected_p_at_1 is not None for each in self.lexicons)


def read_records(output: Path) -> FleetRecords:
    """Read the results of the current tasks of a fleet.

    Raises:
        InputFileError: If the folder is not that of a fleet, or no lexicon is done.
    """
    folder = FleetFolder(output)
    contents = folder.read_contents()
    done: dict[str, list[dict[str, Any]]] = {}
    failed: list[dict[str, Any]] = []
    for stage in STAGES:
        keys = {key for _, key, _ in contents["stages"][stage]}
        results = [found for found in folder.store(stage).read() if found["key"] in keys]
        done[stage] = [found for found in results if found["status"] == "done"]
        failed += [found for found in results if found["status"] == "failed"]
    lexicons = tuple(_lexicons([*done["induce"], *done["triangulate"]]))
    if not lexicons:
        raise InputFileError(output, "has no finished lexicon: run the fleet first")
    prepared = {found["language"]: found for found in done["prepare"]}
    hub, parents = contents["hub"], contents["parents"]
    aligned = {
        found["language"]: found
        for found in done["align"]
        if found["parent"] == parents.get(found["language"])  # not those from the hub
    }
    used = {name for name, _, _ in contents["stages"]["prepare"]}
    return FleetRecords(
        name=contents["name"],
        hub=hub,
        languages=tuple(
            LanguageRecord(code, parents.get(code), prepared.get(code), aligned.get(code))
            for code in contents["languages"]
            if code in used
        ),
        lexicons=lexicons,
        totals={stage: len(contents["stages"][stage]) for stage in STAGES},
        done=done,
        failed=tuple(failed),
    )


def _lexicons(results: Iterable[Mapping[str, Any]]) -> Iterable[LexiconRecord]:
    for result in results:
        for found in result["directions"]:
            yield LexiconRecord(
                source=found["source"],
                target=found["target"],
                words=found["words"],
                entries=found["entries"],
                expected_precision=found["expected_precision"],
                expected_p_at_1=found["expected_p_at_1"],
                entries_at=found["entries_at"],
                mutual=found["mutual"],
                cycle_error=found["cycle_error"],
                calibrated_on=found["calibrated_on"],
                carried_over=bool(found["calibrated_on"]) and result["carried_over"],
                through_hub=result["third_language"] is not None,
                disk_bytes=found["disk_bytes"],
            )
