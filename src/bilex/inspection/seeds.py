"""The health of a seed lexicon with two spaces: coverage, spread, agreement, difficulty."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import torch

from bilex.inspection.difficulty import Difficulty, estimate_difficulty
from bilex.inspection.hubness import measure_hubness
from bilex.inspection.pair import PairHealth, inspect_pair
from bilex.inspection.relations import relational_similarity
from bilex.inspection.space import SpaceHealth
from bilex.lexicons.coverage import Coverage, coverage
from bilex.values import EmbeddingSpace, IndexedLexicon, Lexicon, SpacePair

BAND_ENDS = (1_000, 5_000, 20_000, 100_000)
"""Frequency ranks; the last band takes the rest."""

ONE_SIDED = 0.9
"""So many seeds in one frequency band leave the others to guesswork."""


@dataclass(frozen=True)
class FrequencyBand:
    """Ranks `first` to `last` of both vocabularies, and the usable pairs with a word there."""

    first: int
    last: int
    source_pairs: int
    target_pairs: int


@dataclass(frozen=True)
class LexiconHealth:
    """What a seed lexicon is worth for two spaces, and `notes` on what is worth acting on."""

    coverage: Coverage
    bands: tuple[FrequencyBand, ...]  # only those that the larger vocabulary reaches
    relational_similarity: float | None  # 1: the vectors agree with the pairs; about 0: not at all
    difficulty: Difficulty
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain dictionaries, ready for JSON."""
        return asdict(self)


def inspect_lexicon(
    lexicon: Lexicon,
    source: EmbeddingSpace,
    target: EmbeddingSpace,
    *,
    pair: PairHealth | None = None,
    target_health: SpaceHealth | None = None,
) -> LexiconHealth:
    """Tell how usable a seed lexicon is; draws nothing at random.

    Args:
        lexicon: The seed pairs.
        source: The space of their source words.
        target: The space of their target words.
        pair: What `inspect_pair` said of the two spaces, if it was asked already.
        target_health: What `inspect_space` said of the target space, if it was asked already.
    """
    found = coverage(lexicon, source, target)
    located = IndexedLexicon.locate(lexicon, SpacePair(source, target))
    bands = _bands(located, max(len(source), len(target)))
    agreement = relational_similarity(located, source, target)
    difficulty = estimate_difficulty(
        found,
        pair=pair or inspect_pair(source, target),
        hubness=target_health.hubness if target_health else measure_hubness(target),
        agreement=agreement,
    )
    notes = (*found.hints, *_notes(found, bands))
    return LexiconHealth(found, bands, agreement, difficulty, notes)


def _bands(located: IndexedLexicon, words: int) -> tuple[FrequencyBand, ...]:
    starts = [start for start in (0, *BAND_ENDS) if start < words]
    ends = [*starts[1:], words] if starts else []
    return tuple(
        FrequencyBand(
            start + 1,
            end,
            _count_within(located.source_ids, start, end),
            _count_within(located.target_ids, start, end),
        )
        for start, end in zip(starts, ends, strict=True)
    )


def _count_within(ids: torch.Tensor, start: int, end: int) -> int:
    return int(((ids >= start) & (ids < end)).sum())


def _notes(found: Coverage, bands: tuple[FrequencyBand, ...]) -> Iterator[str]:
    if found.duplicates:
        yield f"repeated pairs: {found.duplicates:,}; each counts once"
    for band in bands if len(bands) > 1 else ():
        if found.kept and band.source_pairs >= ONE_SIDED * found.kept:
            yield (
                f"{band.source_pairs:,} of {found.kept:,} usable pairs have source words of ranks "
                f"{band.first:,} to {band.last:,}: words outside are translated with less to go by"
            )
