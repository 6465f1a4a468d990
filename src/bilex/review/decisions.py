"""Decisions of reviewers as something to learn from: accepted and rejected pairs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bilex.errors import InputFileError, SettingError
from bilex.registry import import_extra
from bilex.review.events import Event
from bilex.review.log import read_log
from bilex.review.projection import ReviewedEntry, project
from bilex.values import Decisions, Entry, Lexicon

REVIEWED = "reviewed"
"""The provenance of accepted pairs."""

_SQLITE = b"SQLite format 3\0"


def read_decisions(place: str | Path, *, weight: float = 1.0) -> Decisions:
    """Read the decisions of a log of events (JSON Lines), an SQLite file or a database.

    Only a database knows which of the words are a random sample.

    Args:
        place: A path, or the URL of a database, such as `postgresql://…`.
        weight: The weight of an accepted pair as a seed.

    Raises:
        InputFileError: If there is no such file, or it is not a log.
        EventError: If a line of a log is not an event.
    """
    _check(weight)
    path = Path(place)
    if "://" not in str(place) and not is_sqlite_file(path):
        if not path.is_file():
            raise InputFileError(path, "no such file: give a log of events, or a database")
        return decisions_of(read_log(path), weight=weight)
    import_extra("sqlalchemy", "reading decisions from a database needs", extra="review")
    from bilex.review.audit import looked_at
    from bilex.review.store import ReviewStore

    with ReviewStore.open(str(place)) as store:
        events = [event for _, event in store.events()]
        sample = [item.word.word for item in looked_at(store.audit_sample())]
    return decisions_of(events, weight=weight, sample=sample)


def decisions_of(
    events: Iterable[Event], *, weight: float = 1.0, sample: Iterable[str] = ()
) -> Decisions:
    """Return what the events of any number of words amount to; see `decisions_of_entries`."""
    by_word: dict[str, list[Event]] = {}
    for event in events:
        by_word.setdefault(event.word, []).append(event)
    entries = (project(word, found) for word, found in sorted(by_word.items()))
    return decisions_of_entries(entries, weight=weight, sample=sample)


def decisions_of_entries(
    entries: Iterable[ReviewedEntry], *, weight: float = 1.0, sample: Iterable[str] = ()
) -> Decisions:
    """Return accepted and rejected pairs; nothing is learned from words in dispute.

    The weight of an accepted pair is `weight` times the share of the word's reviewers who accepted
    it, of those whose decision counts (`ReviewedEntry.deciding`). Words that are not worth an entry
    give neither kind of pair.

    Args:
        entries: The states of words.
        weight: The weight of an accepted pair as a seed.
        sample: Words that were drawn at random; those without a decision are left out.
    """
    _check(weight)
    accepted: list[Entry] = []
    rejected: set[tuple[str, str]] = set()
    decided: set[str] = set()
    for entry in entries:
        if entry.state not in ("accepted", "rejected"):
            continue
        decided.add(entry.word)
        rejected.update((entry.word, target) for target in entry.rejected)
        counted = entry.deciding
        for target in entry.targets:
            share = sum(target in event.targets for event in counted) / len(counted)
            accepted.append(Entry(entry.word, target, weight * share, REVIEWED))
    drawn = frozenset(sample) & decided
    return Decisions(Lexicon(tuple(accepted)), frozenset(rejected), drawn)


def _check(weight: float) -> None:
    if not weight > 0:
        raise SettingError(f"the weight of decisions is {weight}: give a number above 0")


def is_sqlite_file(path: Path) -> bool:
    """Return whether a path is a file of SQLite."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE
