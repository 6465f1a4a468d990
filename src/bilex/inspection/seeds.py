"""Check a seed lexicon against two spaces: coverage, frequency, agreement, difficulty."""

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
"""Frequency ranks; the last band contains the rest."""

ONE_SIDED = 0.9
"""With a larger share of the seeds in one frequency band, the others have too few."""


@dataclass(frozen=True)
class FrequencyBand:
    """Ranks `first` to `last` of both vocabularies, and the number of usable pairs in them."""

    first: int
    last: int
    source_pairs: int
    target_pairs: int


@dataclass(frozen=True)
class LexiconHealth:
    """How useful a seed lexicon is for two spaces, and `notes` on problems and what to do."""

    coverage: Coverage
    bands: tuple[FrequencyBand, ...]  # up to the size of the larger vocabulary
    relational_similarity: float | None  # 1: the vectors agree with the pairs; 0: they do not
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
    """Report how useful a seed lexicon is; the result is deterministic.

    Args:
        lexicon: The seed pairs.
        source: The space of their source words.
        target: The space of their target words.
        pair: The result of `inspect_pair` for the two spaces, if already computed.
        target_health: The result of `inspect_space` for the target space, if already computed.
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
                f"{band.source_pairs:,} of {found.kept:,} usable pairs have source words of "
                f"frequency ranks {band.first:,} to {band.last:,}: expect worse translations of "
                "other words, or add pairs for them"
            )
