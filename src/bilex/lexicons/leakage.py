"""The overlap of a training lexicon with a test lexicon."""

from __future__ import annotations

from dataclasses import dataclass

from bilex.lexicons.letter_case import fold_case
from bilex.values import Entry, Lexicon

EXAMPLES = 5
"""How many cases a report shows."""


@dataclass(frozen=True)
class Leakage:
    """How much of a test lexicon was seen in training; pairs and words are counted once."""

    test_pairs: int
    shared_pairs: int  # in both lexicons
    shared_pairs_share: float
    test_source_words: int
    seen_source_words: int  # test words that are source words in training, with any translation
    seen_source_words_share: float
    test_target_words: int
    seen_target_words: int
    seen_target_words_share: float
    examples: tuple[tuple[str, str], ...]  # of shared pairs, in the order of the test


def leakage(train: Lexicon, test: Lexicon) -> Leakage:
    """Measure how much of `test` is known from `train`, whatever the case of words.

    A leaked pair tests memory instead of the map. The pairs between two languages other than
    English in the XLING collection share 5 to 6 % of their test pairs with their largest training
    set.
    """
    pairs: dict[tuple[str, str], tuple[str, str]] = {}
    for entry in test.entries:
        pairs.setdefault(_folded(entry), (entry.source, entry.target))
    known = set(map(_folded, train.entries))
    shared = [words for pair, words in pairs.items() if pair in known]
    sources = {source for source, _ in pairs}
    targets = {target for _, target in pairs}
    seen_sources = sources & {source for source, _ in known}
    seen_targets = targets & {target for _, target in known}
    return Leakage(
        test_pairs=len(pairs),
        shared_pairs=len(shared),
        shared_pairs_share=_share(len(shared), len(pairs)),
        test_source_words=len(sources),
        seen_source_words=len(seen_sources),
        seen_source_words_share=_share(len(seen_sources), len(sources)),
        test_target_words=len(targets),
        seen_target_words=len(seen_targets),
        seen_target_words_share=_share(len(seen_targets), len(targets)),
        examples=tuple(shared[:EXAMPLES]),
    )


def without_leaks(train: Lexicon, test: Lexicon, *, any_case: bool = True) -> Lexicon:
    """Return the training pairs whose source word is not in the test.

    Dropping only the identical pairs is not enough: a word trained with one translation is not
    new when the test accepts another. Shared target words stay: training without any of the
    correct answers would be a different, harder task.

    Args:
        train: The training pairs.
        test: The test pairs.
        any_case: Whether words that differ only in case are the same.
    """
    form = fold_case if any_case else str
    tested = {form(entry.source) for entry in test.entries}
    return Lexicon(tuple(entry for entry in train.entries if form(entry.source) not in tested))


def _folded(entry: Entry) -> tuple[str, str]:
    return fold_case(entry.source), fold_case(entry.target)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
