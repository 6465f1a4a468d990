"""How many pairs of a lexicon are in two vocabularies, and how to find more of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bilex.lexicons.entries import is_multi_word
from bilex.lexicons.writing_systems import dominant_script, script_mix, script_overlap
from bilex.values import EmbeddingSpace, Entry, LeftOut, Lexicon

EXAMPLES = 5
"""How many cases of each kind a report shows, in the order of the lexicon."""

HINT_SHARE = 0.01
"""A hint is given if it would find at least this share of the pairs (and at least one)."""

MOSTLY_LOST = 0.5
"""Below this share of kept pairs, the lexicon does not fit the vocabularies."""

OTHER_LANGUAGE = 0.2
"""If a smaller share of common words has a known translation, the vectors are of another language:
only names and loanwords are known."""

COMMON_WORDS, FEW_WORDS = 300, 10
"""How many of the most frequent words are checked for the right language: at most, and at least."""

COMMON_SHARE = 0.2
"""A word is common if its rank is within this share of a vocabulary: its translation should be
known. The language is checked only if this share of the words of a lexicon is common."""

SINGLE_WORDS = 0.8
"""With a smaller share of single words, translations may be missing because they are terms of
several words."""

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

_MISSING = {
    (True, True): "",
    (False, True): "source word not in the vectors",
    (True, False): "target word not in the vectors",
    (False, False): "neither word in the vectors",
}

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
    """How many pairs of a lexicon have both words in the vocabularies.

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
    hints: tuple[str, ...]  # how to find more of the pairs


def coverage(lexicon: Lexicon, source: EmbeddingSpace, target: EmbeddingSpace) -> Coverage:
    """Count the pairs whose words are in two vocabularies, with hints on how to find the others."""
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
        hints=_find_hints(distinct, len(kept), source, target),
    )


def words_not_covered(
    lexicon: Lexicon, source: EmbeddingSpace, target: EmbeddingSpace
) -> tuple[LeftOut, ...]:
    """Return the entries with a word that is not in its vocabulary, with their lines if known."""
    lines = lexicon.report.entry_lines if lexicon.report is not None else ()
    lines = lines if len(lines) == len(lexicon) else (0,) * len(lexicon)
    found = []
    for line, entry in zip(lines, lexicon.entries, strict=True):
        reason = _MISSING[entry.source in source.index, entry.target in target.index]
        if reason:
            found.append(LeftOut(line, reason, f"{entry.source}\t{entry.target}"))
    return tuple(found)


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


def _find_hints(
    entries: Sequence[Entry], kept: int, source: EmbeddingSpace, target: EmbeddingSpace
) -> tuple[str, ...]:
    """Return how to find pairs with an unknown word, the most likely cause first.

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
    if not swapped and not scripts:
        hints += _other_language(entries, source, target)
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
            "are; swap the two vector files, or name the columns (--columns)"
        )


def _other_language(
    entries: Sequence[Entry], source: EmbeddingSpace, target: EmbeddingSpace
) -> Iterator[str]:
    """Yield a hint if the translations of common words are missing on one side."""
    turned = [(entry.target, entry.source) for entry in entries]
    for role, pairs, known, searched in (
        ("target", [entry[:2] for entry in entries], source, target),
        ("source", turned, target, source),
    ):
        last = COMMON_SHARE * len(searched) if len(searched) > COMMON_WORDS else len(searched)
        translations: dict[str, list[str]] = {}
        for word, translation in pairs:
            if known.index.get(word, last) < last:
                translations.setdefault(word, []).append(translation)
        common = sorted(translations, key=known.index.__getitem__)[:COMMON_WORDS]
        found = sum(any(t in searched.index for t in translations[word]) for word in common)
        words = [translation for word in common for translation in translations[word]]
        single = sum(not is_multi_word(word) for word in words)
        if (
            len(common) >= max(FEW_WORDS, min(COMMON_WORDS, COMMON_SHARE * len(dict(pairs))))
            and found < OTHER_LANGUAGE * len(common)
            and single >= SINGLE_WORDS * len(words)
        ):
            other = "source" if role == "target" else "target"
            yield (
                f"only {found:,} of the {len(common):,} most frequent {other} words of the lexicon "
                f"have a translation among the {len(searched):,} words of the {role} vectors, "
                f"though {single / len(words):.0%} of these are single words: are these vectors of "
                "the language of the seeds?"
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
    for respell, remedy in _RESPELLINGS:
        found = sum(
            (e.source in source or respell(e.source) in source)
            and (e.target in target or respell(e.target) in target)
            for e in lost
        )
        if _is_worth_a_hint(found, total):
            yield f"{_lost_pairs(found, len(lost))} would be found {remedy}"


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
    if _is_worth_a_hint(found, total):
        yield (
            f"{_lost_pairs(found, len(lost))} would be found if the vocabularies were in lower "
            "case: lower-case the vectors too"
        )


def _is_worth_a_hint(found: int, total: int) -> bool:
    return found > 0 and found >= HINT_SHARE * total


def _lost_pairs(found: int, lost: int) -> str:
    return f"{found:,} of the {lost:,} lost pairs" if lost > 1 else "the one lost pair"
