"""Compare two spaces without using any word pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from bilex.inspection.spectra import spectral_distance
from bilex.inspection.word_shapes import describe_words, is_numeral
from bilex.lexicons.mixed_languages import mixture_hints
from bilex.lexicons.writing_systems import dominant_script, script_overlap
from bilex.values import EmbeddingSpace

EXAMPLES = 10
"""Number of shared words in a report, most frequent in the source first."""

SAME_SCRIPT = 0.5
"""Two vocabularies have the same script if at least half of their words do."""

SAME_LANGUAGE = 0.8
"""A larger share of identical words occurs only within one language."""

FAR_SPECTRA = 0.35
"""The distance is 0.04 for two halves of one vocabulary, 0.1 to 0.3 for published pairs."""


@dataclass(frozen=True)
class PairHealth:
    """What two spaces have in common, and `notes` on problems and what to do."""

    source_words: int
    target_words: int
    source_dim: int
    target_dim: int
    identical: int  # strings in both vocabularies
    identical_share: float  # of the smaller vocabulary
    identical_examples: tuple[str, ...]  # words with letters, the most frequent ones
    common_numerals: int
    source_script: str | None
    target_script: str | None
    same_script: bool
    spectral_distance: float | None  # 0: equal spectra; None with too few words
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Return everything as a plain dictionary, ready for JSON."""
        return asdict(self)


def inspect_pair(source: EmbeddingSpace, target: EmbeddingSpace) -> PairHealth:
    """Compare two spaces; the result is deterministic."""
    shared = [word for word in source.index if word in target.index]
    shared.sort(key=source.index.__getitem__)
    numerals = sum(map(is_numeral, shared))
    smaller = min(len(source.index), len(target.index))
    share = len(shared) / smaller if smaller else 0.0
    source_scripts = describe_words(source.words).scripts
    target_scripts = describe_words(target.words).scripts
    same_script = script_overlap(source_scripts, target_scripts) >= SAME_SCRIPT
    distance = spectral_distance(source, target)
    return PairHealth(
        source_words=len(source),
        target_words=len(target),
        source_dim=source.dim,
        target_dim=target.dim,
        identical=len(shared),
        identical_share=share,
        identical_examples=_with_letters(shared),
        common_numerals=numerals,
        source_script=dominant_script(source_scripts),
        target_script=dominant_script(target_scripts),
        same_script=same_script,
        spectral_distance=distance,
        notes=(
            *_notes_on_words(share, len(shared), same_script),
            *mixture_hints(source.words, target.words),
            *_notes_on_vectors(source.dim, target.dim, distance),
        ),
    )


def _with_letters(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in words if any(map(str.isalpha, word)))[:EXAMPLES]


def _notes_on_words(share: float, shared: int, same_script: bool) -> Iterator[str]:
    if share > SAME_LANGUAGE:
        yield (
            f"{share:.0%} of the words are in both vocabularies: check that the two files are not "
            "of the same language"
        )
    if not same_script:
        yield (
            "the languages use different scripts: identical words do not help, so the result "
            "depends on the seed lexicon alone"
        )
    elif shared:
        yield (
            f"{shared:,} words are spelled the same in both languages: many are names or "
            "loanwords, some are false friends; review them before using them as seeds"
        )


def _notes_on_vectors(source_dim: int, target_dim: int, distance: float | None) -> Iterator[str]:
    if source_dim != target_dim:
        yield (
            f"the vectors have {source_dim} and {target_dim} dimensions: a map can preserve only "
            "as many as the smaller space has"
        )
    if distance is not None and distance > FAR_SPECTRA:
        yield (
            "the two spaces have different shapes (spectra), so a linear map may fit badly; "
            "vectors trained by the same method would fit better"
        )
