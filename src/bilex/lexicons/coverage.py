"""How much of a lexicon two vocabularies hold, and why the rest is lost."""

from __future__ import annotations

from dataclasses import dataclass

from bilex.lexicons.coverage_hints import find_hints
from bilex.lexicons.entries import is_multi_word
from bilex.values import EmbeddingSpace, Entry, Lexicon

EXAMPLES = 5
"""How many cases of each kind a report shows, in the order of the lexicon."""

WordPairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CoverageExamples:
    """The first few pairs of each kind."""

    source_missing: WordPairs
    target_missing: WordPairs
    both_missing: WordPairs
    duplicates: WordPairs
    multi_word: WordPairs


@dataclass(frozen=True)
class Coverage:
    """What becomes of the pairs of a lexicon when their words are looked up.

    Each pair is counted once: `kept + source_missing + target_missing + both_missing +
    duplicates == pairs`.
    """

    pairs: int
    kept: int
    source_missing: int  # only the source word is unknown
    target_missing: int  # only the target word is unknown
    both_missing: int
    duplicates: int  # repeats of an earlier pair
    multi_word: int  # distinct pairs with a space or underscore in either word, kept or not
    source_words: int
    source_words_covered: int  # those with at least one kept pair
    share: float  # kept pairs among the distinct ones
    examples: CoverageExamples
    hints: tuple[str, ...]  # in plain words, what would bring lost pairs back


def coverage(lexicon: Lexicon, source: EmbeddingSpace, target: EmbeddingSpace) -> Coverage:
    """Count which pairs can be used with two vocabularies, and say what to do about the rest."""
    distinct, repeated = _without_repeats(lexicon)
    groups: dict[tuple[bool, bool], list[Entry]] = {
        (True, True): [],
        (False, True): [],
        (True, False): [],
        (False, False): [],
    }
    for entry in distinct:
        groups[entry.source in source.index, entry.target in target.index].append(entry)
    kept = groups[True, True]
    several = [e for e in distinct if is_multi_word(e.source) or is_multi_word(e.target)]
    return Coverage(
        pairs=len(lexicon),
        kept=len(kept),
        source_missing=len(groups[False, True]),
        target_missing=len(groups[True, False]),
        both_missing=len(groups[False, False]),
        duplicates=len(repeated),
        multi_word=len(several),
        source_words=len({entry.source for entry in distinct}),
        source_words_covered=len({entry.source for entry in kept}),
        share=len(kept) / len(distinct) if distinct else 0.0,
        examples=CoverageExamples(
            source_missing=_shown(groups[False, True]),
            target_missing=_shown(groups[True, False]),
            both_missing=_shown(groups[False, False]),
            duplicates=_shown(repeated),
            multi_word=_shown(several),
        ),
        hints=find_hints(distinct, len(kept), source, target),
    )


def _without_repeats(lexicon: Lexicon) -> tuple[list[Entry], list[Entry]]:
    seen: set[tuple[str, str]] = set()
    distinct: list[Entry] = []
    repeated: list[Entry] = []
    for entry in lexicon.entries:
        words = (entry.source, entry.target)
        (repeated if words in seen else distinct).append(entry)
        seen.add(words)
    return distinct, repeated


def _shown(entries: list[Entry]) -> WordPairs:
    return tuple((entry.source, entry.target) for entry in entries[:EXAMPLES])
