"""The entries of a dictionary by term, in either direction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bilex.lexicons.dictionary import DictionaryEntry


def entries_by_term(
    entries: Iterable[DictionaryEntry], *, reverse: bool = False
) -> dict[str, list[DictionaryEntry]]:
    """Return the entries of each term; terms are in the order in which they first occur.

    Args:
        entries: Of a dictionary.
        reverse: By target instead of source. Source and target of each entry are exchanged, and
            the entries of a term are sorted by probability, because they were not listed together.

    Example:
        >>> from bilex.lexicons import DictionaryEntry
        >>> (entry,) = entries_by_term([DictionaryEntry("dog", "perro")], reverse=True)["perro"]
        >>> entry.target
        'dog'
    """
    found: dict[str, list[DictionaryEntry]] = {}
    for entry in entries:
        used = _reversed(entry) if reverse else entry
        found.setdefault(used.source, []).append(used)
    if reverse:
        for listed in found.values():
            listed.sort(key=lambda entry: -1.0 if entry.probability is None else -entry.probability)
    return found


def _reversed(entry: DictionaryEntry) -> DictionaryEntry:
    return entry._replace(
        source=entry.target, target=entry.source, rank=entry.back_rank, back_rank=entry.rank
    )
