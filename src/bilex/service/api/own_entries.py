"""Entries that people gave: of a dictionary file, and decisions of reviewers as they come in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from bilex.lexicons.dictionary import DictionaryEntry
from bilex.review.exchange import reviewed_dictionary
from bilex.review.project import Project, ReviewItem
from bilex.review.projection import State

if TYPE_CHECKING:
    from bilex.review.store import ReviewStore

_DECIDED: tuple[State, ...] = ("accepted", "rejected", "not-entry")
_LISTED = 5_000  # words a query


class OwnEntries:
    """Entries by word, in both directions.

    Entries of one word are replaced as a whole, while other threads read.
    """

    def __init__(self, entries: Iterable[DictionaryEntry] = ()) -> None:
        self._forward: dict[str, tuple[DictionaryEntry, ...]] = {}
        self._backward: dict[str, tuple[DictionaryEntry, ...]] = {}
        self._left_out: set[str] = set()
        by_word: dict[str, list[DictionaryEntry]] = {}
        for entry in entries:
            by_word.setdefault(entry.source, []).append(entry)
        for word, found in by_word.items():
            self.replace(word, found)

    def __len__(self) -> int:
        return sum(map(len, list(self._forward.values())))

    def of(self, word: str, *, reverse: bool) -> tuple[DictionaryEntry, ...]:
        """Return the entries of a word, rejected ones included; with `reverse`, turned around."""
        return (self._backward if reverse else self._forward).get(word, ())

    def words(self, *, reverse: bool) -> list[str]:
        """Return all words with entries that are not rejected."""
        listed = self._backward if reverse else self._forward
        return [
            word
            for word, entries in list(listed.items())
            if any(entry.origin != "rejected" for entry in entries)
        ]

    def is_left_out(self, word: str) -> bool:
        """Return whether reviewers found that a source word is not worth an entry."""
        return word in self._left_out

    def replace(
        self, word: str, entries: Sequence[DictionaryEntry], *, left_out: bool = False
    ) -> None:
        """Give a source word these entries instead of those that it has."""
        old = self._forward.get(word, ())
        for target in dict.fromkeys(entry.target for entry in (*old, *entries)):
            others = [e for e in self._backward.get(target, ()) if e.target != word]
            others += [_turned(entry) for entry in entries if entry.target == target]
            _set(self._backward, target, others)
        _set(self._forward, word, entries)
        (self._left_out.add if left_out else self._left_out.discard)(word)


def _turned(entry: DictionaryEntry) -> DictionaryEntry:
    # Probability, score and rank hold for one direction only.
    return entry._replace(
        source=entry.target, target=entry.source, probability=None, score=None, rank=None
    )


def _set(
    entries: dict[str, tuple[DictionaryEntry, ...]], word: str, found: Sequence[DictionaryEntry]
) -> None:
    if found:
        entries[word] = tuple(found)
    else:
        entries.pop(word, None)


class DecisionFeed:
    """Brings the decisions of a review database into `OwnEntries`, and later what is new.

    The database is opened each time: a connection cannot be shared by the processes of a server.

    Args:
        place: The path of the database, or its address.
        entries: Where decisions go.
    """

    def __init__(self, place: str, entries: OwnEntries) -> None:
        self._place, self._entries = place, entries
        with _opened(place) as store:
            self.last = store.last_arrival()
            project = store.project
            for state in _DECIDED:
                for item in _all_in(store, state):
                    self._take(item, project)

    def refresh(self) -> bool:
        """Take what was decided since the last time; return whether there was anything.

        Raises:
            StoreError: If the database cannot be used now.
        """
        with _opened(self._place) as store:
            if store.last_arrival() == self.last:
                return False
            project, last = store.project, self.last
            changed: dict[str, None] = {}
            for number, event in store.events(last):
                last = number
                changed[event.word] = None
            for word in changed:
                item = store.item(word)
                if item is not None:
                    self._take(item, project)
        self.last = last
        return True

    def _take(self, item: ReviewItem, project: Project) -> None:
        decided = [
            entry
            for entry in reviewed_dictionary([item], project, unreviewed=False)
            if entry.origin in ("reviewed", "rejected")
        ]
        is_entry = item.entry.state != "not-entry"
        self._entries.replace(item.word.word, decided, left_out=not is_entry)


def _opened(place: str) -> ReviewStore:
    from bilex.review.store import ReviewStore  # needs an extra

    return ReviewStore.open(place)


def _all_in(store: ReviewStore, state: State) -> Iterator[ReviewItem]:
    after = None
    while True:
        page = store.items(state=state, after=after, limit=_LISTED)
        yield from page.items
        after = page.after
        if after is None:
            return
