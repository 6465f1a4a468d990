"""Why pairs of a lexicon are not in the vocabularies, in words a lexicographer understands."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence

from bilex.scripts import dominant_script, script_mix, script_overlap
from bilex.values import EmbeddingSpace, Entry

WORTH_SAYING = 0.01
"""A cure is named if it brings back at least this share of the pairs (and at least one)."""

MOSTLY_LOST = 0.5
"""Below this share of kept pairs, a lexicon hardly fits the vocabularies."""

SAME_SCRIPT = 0.5
"""Two script mixes that agree on less than half of the words are different writing systems."""

SCRIPT_SAMPLE = 20_000
"""The most frequent words show the script of a vocabulary."""

_RESPELLINGS: tuple[tuple[Callable[[str], str], str], ...] = (
    (str.lower, "in lower case: lower-case the lexicon (lowercase=True, --lowercase)"),
    (
        lambda word: unicodedata.normalize("NFC", word),
        "with composed accents: normalize the lexicon to Unicode NFC",
    ),
    (
        lambda word: unicodedata.normalize("NFD", word),
        "with separate accents: the vocabulary seems to be in Unicode NFD, normalize one of them",
    ),
    (
        lambda word: word.replace(" ", "_"),
        "with underscores between the parts of a term: replace the spaces",
    ),
    (
        lambda word: word.replace("_", " "),
        "with spaces between the parts of a term: replace the underscores",
    ),
)


def find_hints(
    entries: Sequence[Entry], kept: int, source: EmbeddingSpace, target: EmbeddingSpace
) -> tuple[str, ...]:
    """Return what would bring lost pairs back, most telling first; nothing if none is lost.

    Args:
        entries: The distinct entries of the lexicon.
        kept: How many of them have both words known.
        source: The space whose vocabulary should hold the source words.
        target: The space whose vocabulary should hold the target words.
    """
    lost = [e for e in entries if e.source not in source.index or e.target not in target.index]
    if not lost:
        return ()
    swapped = [*_swapped(entries, kept, source, target)]
    scripts = [
        *_foreign_script("source", [e.source for e in entries], source),
        *_foreign_script("target", [e.target for e in entries], target),
    ]
    hints = [
        *(swapped or scripts),  # swapped columns explain foreign scripts
        *_respelled(lost, len(entries), source.index, target.index),
        *_capitals_in_vocabulary(lost, len(entries), source, target),
    ]
    if not hints and kept < MOSTLY_LOST * len(entries):
        hints.append(
            f"only {kept:,} of {len(entries):,} pairs have both words in the vocabularies of "
            f"{len(source):,} and {len(target):,} words: load more words, or give a lexicon of "
            "more frequent words"
        )
    return tuple(hints)


def _swapped(
    entries: Sequence[Entry], kept: int, source: EmbeddingSpace, target: EmbeddingSpace
) -> Iterator[str]:
    turned = sum(e.target in source.index and e.source in target.index for e in entries)
    if turned > kept:
        yield (
            f"the columns seem to be swapped: {turned:,} pairs fit when reversed, {kept:,} as they "
            "are; swap the columns or the two vector files"
        )


def _foreign_script(role: str, words: Sequence[str], space: EmbeddingSpace) -> Iterator[str]:
    in_lexicon = script_mix(words)
    in_vocabulary = script_mix(space.words[:SCRIPT_SAMPLE])
    if script_overlap(in_lexicon, in_vocabulary) < SAME_SCRIPT:
        yield (
            f"the {role} words are mostly in {dominant_script(in_lexicon)} script, the {role} "
            f"vocabulary in {dominant_script(in_vocabulary)}: is it the right language, or does "
            "one of them need to be transliterated?"
        )


def _respelled(
    lost: Sequence[Entry], total: int, source: Mapping[str, int], target: Mapping[str, int]
) -> Iterator[str]:
    for respell, cure in _RESPELLINGS:
        found = sum(
            (e.source in source or respell(e.source) in source)
            and (e.target in target or respell(e.target) in target)
            for e in lost
        )
        if _is_worth_saying(found, total):
            yield f"{_lost_pairs(found, len(lost))} would be found {cure}"


def _capitals_in_vocabulary(
    lost: Sequence[Entry], total: int, source: EmbeddingSpace, target: EmbeddingSpace
) -> Iterator[str]:
    lowered_source = {word.lower() for word in source.words}
    lowered_target = {word.lower() for word in target.words}
    found = sum(
        (e.source in source.index or e.source in lowered_source)
        and (e.target in target.index or e.target in lowered_target)
        for e in lost
    )
    if _is_worth_saying(found, total):
        yield (
            f"{_lost_pairs(found, len(lost))} would be found if the vocabularies were in lower "
            "case: lower-case the vectors too"
        )


def _is_worth_saying(found: int, total: int) -> bool:
    return found > 0 and found >= WORTH_SAYING * total


def _lost_pairs(found: int, lost: int) -> str:
    return f"{found:,} of the {lost:,} lost pairs" if lost > 1 else "the one lost pair"
