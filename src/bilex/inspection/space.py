"""Check one space before alignment, and report what to fix first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from bilex.inspection.geometry import Geometry, measure_geometry
from bilex.inspection.hubness import Hubness, measure_hubness
from bilex.inspection.word_shapes import WordShapes, describe_words
from bilex.values import EmbeddingSpace

SMALL_VOCABULARY = 5_000
"""In a smaller vocabulary, few words of a general lexicon occur and neighbors mean little."""

MANY_CAPITALS = 0.02
"""Lowercased files have none; a larger share means that case was kept."""

STRONG_COMMON_DIRECTION = 0.5
"""Published vectors have 0.1 to 0.4; above, cosines mean little without centering."""

MANY_TERMS = 0.01
"""Share from which terms of several words are worth a note."""

MANY_BARE_WORDS = 0.1
"""Share of numerals and punctuation; in most files it is a few percent."""

STRONG_HUBS = 2.0
"""Skewness: published vectors have about 1 to 1.5 after centering."""

FEW_DIMENSIONS = 0.1
"""Published vectors use 20 % to 67 % of their dimensions."""


@dataclass(frozen=True)
class SpaceHealth:
    """What was found in one space, and `notes` on problems and what to do."""

    words: int
    dim: int
    duplicates: int  # repeated words
    shapes: WordShapes
    geometry: Geometry
    hubness: Hubness | None  # None with fewer than two usable vectors
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain dictionaries, ready for JSON."""
        return asdict(self)


def inspect_space(space: EmbeddingSpace) -> SpaceHealth:
    """Check the words and vectors of a space; the result is deterministic."""
    shapes = describe_words(space.words)
    geometry = measure_geometry(space)
    hubness = measure_hubness(space)
    duplicates = len(space) - len(space.index)
    notes = (
        *_notes_on_words(len(space), duplicates, shapes),
        *_notes_on_vectors(space.dim, geometry),
        *_notes_on_hubs(hubness),
    )
    return SpaceHealth(len(space), space.dim, duplicates, shapes, geometry, hubness, notes)


def _notes_on_words(words: int, duplicates: int, shapes: WordShapes) -> Iterator[str]:
    if words < SMALL_VOCABULARY:
        yield (
            f"the vocabulary is small ({words:,} words), so many words of a lexicon will be "
            "missing: use a larger file if there is one"
        )
    if duplicates:
        yield f"repeated words: {duplicates:,}; only the first vector of each is used"
    if shapes.with_capitals > MANY_CAPITALS:
        yield (
            f"{shapes.with_capitals:.0%} of the words contain capital letters, while most lexicons "
            "are lowercase: use --lowercase unless your lexicon has capitals too"
        )
    if shapes.is_mixed:
        listed = ", ".join(f"{script} {share:.0%}" for script, share in shapes.scripts)
        yield (
            f"the words are in several scripts ({listed}): words of other languages use up the "
            "vocabulary limit and become hubs; remove them if you can"
        )
    if shapes.multi_word > MANY_TERMS:
        yield (
            f"{shapes.multi_word:.0%} of the words are terms of several words, such as "
            f"{shapes.multi_word_example!r}: write them the same way in a lexicon"
        )
    if shapes.numerals + shapes.punctuation > MANY_BARE_WORDS:
        yield (
            f"{shapes.numerals:.0%} of the words are numerals and {shapes.punctuation:.0%} "
            "punctuation: they need no translation and use up the vocabulary limit"
        )


def _notes_on_vectors(dim: int, geometry: Geometry) -> Iterator[str]:
    if geometry.zero_vectors:
        yield f"zero vectors: {geometry.zero_vectors:,}; these words cannot be translated"
    if geometry.not_finite:
        yield (
            f"vectors with infinite or undefined numbers: {geometry.not_finite:,}; the file is "
            "damaged or its training diverged; download it again or retrain"
        )
    if geometry.mean_vector_length > STRONG_COMMON_DIRECTION:
        yield (
            "the vectors share a strong common direction (their mean has length "
            f"{geometry.mean_vector_length:.2f} of 1): keep the centering step of preprocessing"
        )
    if 0 < geometry.effective_dimensions < FEW_DIMENSIONS * dim:
        yield (
            f"the vectors use about {geometry.effective_dimensions:.0f} of their {dim} dimensions: "
            "they may be poorly trained or compressed; expect weak results"
        )


def _notes_on_hubs(hubness: Hubness | None) -> Iterator[str]:
    if hubness and hubness.skewness > STRONG_HUBS:
        yield (
            f"some words are neighbors of very many others (most of all {hubness.largest_word!r}, "
            f"of {hubness.largest:,}): keep CSLS retrieval, which corrects for hubs"
        )
