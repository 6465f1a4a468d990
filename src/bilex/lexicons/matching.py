"""Find the words of a lexicon in two vocabularies: without articles, and in other case."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bilex.lexicons.articles import Shortened, shorten_words, without_articles
from bilex.lexicons.letter_case import CaseIndex
from bilex.values import Decisions, EmbeddingSpace, Lexicon

_EXAMPLES = 3


@dataclass(frozen=True)
class OtherCase:
    """How many pairs of a lexicon are usable only in other case, and the first of their words."""

    pairs: int = 0
    examples: tuple[tuple[str, str], ...] = ()

    def describe(self) -> str:
        """Return a sentence for the user."""
        shown = ", ".join(f"{word} → {found}" for word, found in self.examples)
        plural = "pairs are" if self.pairs > 1 else "pair is"
        return f"{self.pairs:,} {plural} used in other upper or lower case ({shown})"


@dataclass(frozen=True)
class Matched:
    """A lexicon with the words as vocabularies spell them, and what was changed."""

    lexicon: Lexicon
    shortened: Shortened
    other_case: OtherCase

    @property
    def notes(self) -> tuple[str, ...]:
        """Return sentences for the user; none if nothing was changed."""
        changes = (
            (self.shortened.words, self.shortened.describe()),
            (self.other_case.pairs, self.other_case.describe()),
        )
        return tuple(sentence for number, sentence in changes if number)


def match_words(
    lexicon: Lexicon, source: EmbeddingSpace, target: EmbeddingSpace, *, any_case: bool = True
) -> Matched:
    """Spell the words of a lexicon as two vocabularies do.

    A word of the vocabulary stays as it is. Any other word is looked up in other case, then without
    its article or particle. Of several words that differ only in case, the most frequent is used.
    A word that is not found stays as it is.

    Args:
        lexicon: The word pairs.
        source: The space whose vocabulary has the source words.
        target: The space whose vocabulary has the target words.
        any_case: Whether to look words up in other case.

    Example:
        >>> import torch
        >>> english = EmbeddingSpace(("monday", "berlin"), torch.ones(2, 2))
        >>> german = EmbeddingSpace(("Montag", "Berlin"), torch.ones(2, 2))
        >>> seeds = Lexicon.of([("Monday", "der Montag"), ("Berlin", "berlin")])
        >>> for pair in match_words(seeds, english, german).lexicon.entries:
        ...     print(pair.source, pair.target)
        monday Montag
        berlin Berlin
    """
    if not any_case:
        return Matched(*without_articles(lexicon, source, target), OtherCase())
    return _match_any_case(lexicon, CaseIndex(source), CaseIndex(target))


def match_decisions(
    decisions: Decisions, source: EmbeddingSpace, target: EmbeddingSpace, *, any_case: bool = True
) -> Decisions:
    """Spell the words of decisions as two vocabularies do; see `match_words`.

    If an accepted and a rejected pair become the same, it is accepted.
    """
    given = decisions.accepted, Lexicon.of(sorted(decisions.rejected))
    sample = decisions.sample
    if any_case:
        known = CaseIndex(source), CaseIndex(target)
        accepted, wrong = (_match_any_case(each, *known).lexicon for each in given)
        sample = frozenset(known[0].find(word) or word for word in sample)
    else:
        accepted, wrong = (without_articles(each, source, target)[0] for each in given)
    return Decisions(accepted, _pairs(wrong) - _pairs(accepted), sample)


def _match_any_case(lexicon: Lexicon, source: CaseIndex, target: CaseIndex) -> Matched:
    matched, shortened = shorten_words(lexicon, source, target)
    matched, other_case = _in_known_case(matched, source, target)
    return Matched(matched, shortened, other_case)


def _in_known_case(
    lexicon: Lexicon, source: CaseIndex, target: CaseIndex
) -> tuple[Lexicon, OtherCase]:
    entries, pairs = [], 0
    changed: dict[str, str] = {}
    for entry in lexicon.entries:
        words = source.find(entry.source), target.find(entry.target)
        found = entry._replace(source=words[0] or entry.source, target=words[1] or entry.target)
        if None not in words and found != entry:
            pairs += 1
            changed |= {
                old: new for old, new in zip(entry[:2], found[:2], strict=True) if old != new
            }
        entries.append(found)
    if tuple(entries) == lexicon.entries:
        return lexicon, OtherCase()
    shown = tuple(list(changed.items())[:_EXAMPLES])
    return replace(lexicon, entries=tuple(entries)), OtherCase(pairs, shown)


def _pairs(lexicon: Lexicon) -> frozenset[tuple[str, str]]:
    return frozenset((entry.source, entry.target) for entry in lexicon.entries)
