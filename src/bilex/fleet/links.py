"""Which language is the hub, and through which language each other one reaches it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bilex.embeddings import load_embeddings
from bilex.errors import SettingError
from bilex.fleet.fleet import AUTO, Fleet, SeedFile
from bilex.inspection import inspect_space
from bilex.lexicons import read_lexicon

WORDS_INSPECTED = 20_000
"""Of each language, if several could be the hub."""

Count = Callable[[SeedFile], int]
"""Returns the number of word pairs in a file."""


@dataclass(frozen=True, slots=True)
class Links:
    """The hub, and the parent of each other language: the one that it is aligned to.

    A language with seeds of the hub is aligned to the hub. One without is aligned to the language
    with which it has most seeds, if that reaches the hub itself. A language without any such seeds
    is aligned to the hub without seeds.
    """

    hub: str
    parents: Mapping[str, str]

    def way(self, language: str) -> tuple[str, ...]:
        """Return the languages from this one to the hub, both included."""
        found = [language]
        while found[-1] != self.hub:
            found.append(self.parents[found[-1]])
        return tuple(found)


def find_links(fleet: Fleet, count: Count | None = None) -> Links:
    """Choose the hub if the fleet leaves it open, and a parent for each other language.

    Files are read only if the choice depends on the number of pairs in them.

    Raises:
        SettingError: If the hub is to be chosen and there are no seeds.
        LexiconFileError: If a file of seeds cannot be read.
    """
    counted = _Counted(count or count_pairs)
    hub = _choose_hub(fleet, counted) if fleet.hub == AUTO else fleet.hub
    parents = {
        code: hub for code in fleet.languages if code != hub and fleet.seeds_between(code, hub)
    }
    left = [code for code in fleet.languages if code != hub and code not in parents]
    while left:
        links = [
            (counted.between(fleet, code, other), code, other)
            for code in left
            for other in parents
            if fleet.seeds_between(code, other)
        ]
        if not links:
            break
        _, code, other = max(links, key=lambda link: link[0])
        parents[code] = other
        left.remove(code)
    return Links(hub, parents | dict.fromkeys(left, hub))


def count_pairs(file: SeedFile) -> int:
    """Return the number of word pairs in a file."""
    return len(read_lexicon(file.path, columns=file.columns))


class _Counted:
    """Numbers of pairs, each file read once."""

    def __init__(self, count: Count) -> None:
        self._count = count
        self._known: dict[SeedFile, int] = {}

    def __call__(self, file: SeedFile) -> int:
        if file not in self._known:
            self._known[file] = self._count(file)
        return self._known[file]

    def between(self, fleet: Fleet, one: str, other: str) -> int:
        return sum(self(file) for file in fleet.seeds_between(one, other))


def _choose_hub(fleet: Fleet, counted: _Counted) -> str:
    """Return the language with most seed pairs; of equals, the one with the best vectors."""
    totals: Counter[str] = Counter()
    for file in fleet.seeds:
        for code in file.pair:
            totals[code] += counted(file)
    if not totals:
        raise SettingError(
            f"the hub of {fleet.name} is auto, but there are no seeds to choose it by: give "
            'hub = "CODE", or add a [seeds] table'
        )
    most = max(totals.values())
    best = [code for code in fleet.languages if totals[code] == most]
    return best[0] if len(best) == 1 else min(best, key=lambda code: _problems(fleet, code))


def _problems(fleet: Fleet, code: str) -> tuple[int, int]:
    """Return the number of problems of the vectors, and the number of words, negative."""
    language = fleet.languages[code]
    words = min(language.limit or WORDS_INSPECTED, WORDS_INSPECTED)
    space = load_embeddings(language.vectors, limit=words, lowercase=language.lowercase)
    return len(inspect_space(space).notes), -len(space)
