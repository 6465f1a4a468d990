"""The seeds of two languages of a fleet: their own, or through a third language.

Two languages with seeds of the same words of the hub have seeds of their own: both translations of
a word of the hub.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import torch

from bilex.calibration.held_out import part_of
from bilex.calibration.labels import Gold
from bilex.values import EmbeddingSpace, IndexedLexicon, Lexicon, SpacePair


@dataclass(frozen=True, eq=False)
class PairSeeds:
    """Seeds of two languages, divided into parts by words of the hub.

    Attributes:
        pairs: The pairs.
        parts: The part of the hub's word of each pair: (n_pairs,).
        mixed: Words of the first and of the second language with seeds of several parts. The maps
            of every part have seen one of these seeds.
    """

    pairs: IndexedLexicon
    parts: torch.Tensor
    mixed: tuple[torch.Tensor, torch.Tensor]

    def gold(self, part: int, *, reverse: bool) -> Gold:
        """Return the right translations of words whose seeds all belong to a part."""
        pairs = self.pairs.take(self.parts == part)
        if reverse:
            pairs = pairs.reversed()
        return pairs.take(~torch.isin(pairs.source_ids, self.mixed[reverse])).answers

    def without(self, part: int | None) -> IndexedLexicon:
        """Return the seeds that the maps of a part were trained on; None is for the final maps."""
        return self.pairs if part is None else self.pairs.take(self.parts != part)

    def reversed(self) -> Self:
        """Return the seeds of the other direction."""
        return type(self)(self.pairs.reversed(), self.parts, (self.mixed[1], self.mixed[0]))


def seeds_with_hub(seeds: Lexicon, spaces: SpacePair, parts: int) -> PairSeeds:
    """Return the seeds of a language with the hub, which is the target language.

    Args:
        seeds: Words of the language, and of the hub.
        spaces: The vectors of both.
        parts: How many parts the words of the hub are divided into.
    """
    pairs = {(entry.source, entry.target): part_of(entry.target, parts) for entry in seeds.entries}
    rows = _located(pairs, spaces)
    none = torch.empty(0, dtype=torch.long)
    return _pair_seeds(rows, (_mixed(seeds, spaces.source, parts), none))


def seeds_through_hub(first: Lexicon, second: Lexicon, spaces: SpacePair, parts: int) -> PairSeeds:
    """Combine the seeds of two languages with the hub.

    Args:
        first: Words of the first language, and of the hub.
        second: Words of the second language, and of the hub.
        spaces: The vectors of both languages.
        parts: How many parts the words of the hub are divided into.
    """
    by_hub: dict[str, list[str]] = {}
    for entry in second.entries:
        by_hub.setdefault(entry.target, []).append(entry.source)
    pairs: dict[tuple[str, str], int] = {}
    for entry in first.entries:
        for word in by_hub.get(entry.target, ()):
            pairs.setdefault((entry.source, word), part_of(entry.target, parts))
    mixed = _mixed(first, spaces.source, parts), _mixed(second, spaces.target, parts)
    return _pair_seeds(_located(pairs, spaces), mixed)


def no_seeds() -> PairSeeds:
    """Return the seeds of two languages that have none, and no hub in common."""
    none = torch.empty(0, dtype=torch.long)
    return _pair_seeds({}, (none, none))


def _located(pairs: Mapping[tuple[str, str], int], spaces: SpacePair) -> dict[tuple[int, int], int]:
    """Return the part of each pair that is in both vocabularies, by its rows."""
    sources, targets = spaces.source.index, spaces.target.index
    return {
        (sources[source], targets[target]): part
        for (source, target), part in pairs.items()
        if source in sources and target in targets
    }


def _pair_seeds(
    rows: Mapping[tuple[int, int], int], mixed: tuple[torch.Tensor, torch.Tensor]
) -> PairSeeds:
    ids = torch.tensor(list(rows), dtype=torch.long).reshape(-1, 2)
    pairs = IndexedLexicon(ids[:, 0], ids[:, 1], torch.ones(len(ids)))
    return PairSeeds(pairs, torch.tensor(list(rows.values()), dtype=torch.long), mixed)


def _mixed(seeds: Lexicon, space: EmbeddingSpace, parts: int) -> torch.Tensor:
    """Return the words with seeds of several parts, as rows."""
    found: dict[int, set[int]] = {}
    for entry in seeds.entries:
        if entry.source in space.index:
            found.setdefault(space.index[entry.source], set()).add(part_of(entry.target, parts))
    rows = [row for row, numbers in found.items() if len(numbers) > 1]
    return torch.tensor(rows, dtype=torch.long)
