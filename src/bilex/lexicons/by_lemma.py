"""Dictionary entries of lemmas instead of forms: *dog* → *koira* for *dogs* → *koirat*."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from bilex.lexicons.dictionary import DictionaryEntry

LemmaOf = Callable[[str], str | None]
"""Returns the lemma of a form; None if there is none, and then the form is its own lemma."""

_GIVEN = ("reviewed", "seed")  # what people gave comes first


def by_lemma(
    entries: Iterable[DictionaryEntry],
    *,
    source: LemmaOf | None = None,
    target: LemmaOf | None = None,
) -> Iterator[DictionaryEntry]:
    """Yield one entry for all entries with the same lemmas, in the order of their first forms.

    A pair of lemmas is right if any of its pairs of forms is, so its probability is at least that
    of its most probable pair of forms, which is the one it gets. Everything else is that of the
    same pair of forms, or of one that people gave; entries that people gave come first. Rejected
    entries are left out, since another form of the pair may be right.

    Args:
        entries: The entries of a dictionary, all of a word together or not.
        source: Returns the lemma of a source word; without it, source words stay as they are.
        target: Returns the lemma of a target word.

    Example:
        >>> entries = [
        ...     DictionaryEntry("dogs", "koirat", 0.6),
        ...     DictionaryEntry("dog", "koira", 0.8),
        ...     DictionaryEntry("dog", "koiran", 0.3),
        ... ]
        >>> english = {"dogs": "dog"}.get
        >>> finnish = {"koirat": "koira", "koiran": "koira"}.get
        >>> for entry in by_lemma(entries, source=english, target=finnish):
        ...     print(entry.source, entry.target, entry.probability)
        dog koira 0.8
    """
    words: dict[str, dict[str, DictionaryEntry]] = {}
    for entry in entries:
        if entry.origin == "rejected":
            continue
        lemma = entry._replace(
            source=_lemma(entry.source, source), target=_lemma(entry.target, target)
        )
        found = words.setdefault(lemma.source, {})
        other = found.get(lemma.target)
        found[lemma.target] = lemma if other is None else _joined(other, lemma)
    for found in words.values():
        ranked = sorted(found.values(), key=_trust, reverse=True)  # keeps the order of equal ones
        yield from (entry._replace(rank=rank) for rank, entry in enumerate(ranked, start=1))


def _lemma(word: str, lemma_of: LemmaOf | None) -> str:
    return (None if lemma_of is None else lemma_of(word)) or word


def _joined(first: DictionaryEntry, second: DictionaryEntry) -> DictionaryEntry:
    known = [one.probability for one in (first, second) if one.probability is not None]
    better = second if _trust(second) > _trust(first) else first
    return better._replace(probability=max(known, default=None))


def _trust(entry: DictionaryEntry) -> tuple[bool, float, float]:
    return (
        entry.origin in _GIVEN,
        -1.0 if entry.probability is None else entry.probability,
        -float("inf") if entry.score is None else entry.score,
    )
