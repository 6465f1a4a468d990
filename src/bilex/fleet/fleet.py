"""A fleet: languages, the seeds between them, and the lexicons to write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bilex.values import Search

AUTO = "auto"
"""The hub is chosen: the language with most seeds."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language: its code, its file of vectors, and which words of it are used."""

    code: str
    vectors: Path
    limit: int | None = None
    lowercase: bool = False


@dataclass(frozen=True, slots=True)
class SeedFile:
    """A file of word pairs between two languages, in the order of its columns."""

    source: str
    target: str
    path: Path
    columns: str | None = None

    @property
    def pair(self) -> tuple[str, str]:
        """Return the two languages."""
        return self.source, self.target


@dataclass(frozen=True, slots=True)
class Method:
    """How languages are aligned: checked settings with all defaults, and the random state.

    `search` is also how lexicons are searched.
    """

    tables: Mapping[str, Mapping[str, object]]
    start: str = "auto"
    random_state: int = 0
    search: Search = "auto"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which entries a lexicon keeps; see `TrainedModel.induce`."""

    k: int | None = None
    min_precision: float | None = None


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """Everything that a fleet file says.

    Attributes:
        name: The name of the file, without its ending.
        languages: The languages by code, in the order of the file.
        seeds: The files of word pairs.
        hub: The code of the hub, or `AUTO`.
        pairs: The directions to write: source and target.
        method: How languages are aligned.
        selection: Which entries lexicons keep.
        formats: The formats of dictionaries that are written besides Parquet.
    """

    name: str
    languages: Mapping[str, Language]
    seeds: tuple[SeedFile, ...]
    hub: str
    pairs: tuple[tuple[str, str], ...]
    method: Method
    selection: Selection = Selection()
    formats: tuple[str, ...] = ()

    def seeds_between(self, one: str, other: str) -> tuple[SeedFile, ...]:
        """Return the files of word pairs of two languages, in either order."""
        return self._seeds_by_pair.get(frozenset((one, other)), ())

    @cached_property
    def _seeds_by_pair(self) -> Mapping[frozenset[str], tuple[SeedFile, ...]]:
        found: dict[frozenset[str], tuple[SeedFile, ...]] = {}
        for file in self.seeds:
            pair = frozenset(file.pair)
            found[pair] = (*found.get(pair, ()), file)
        return found

    def unordered_pairs(self) -> list[tuple[str, str]]:
        """Return the pairs without direction; the language that comes first in the file first."""
        place = {code: number for number, code in enumerate(self.languages)}
        ordered = (sorted(pair, key=place.__getitem__) for pair in self.pairs)
        return list(dict.fromkeys((first, second) for first, second in ordered))
