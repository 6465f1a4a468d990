"""A database of reviewers' decisions, and of the words that wait for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from bilex.errors import SettingError, StoreError
from bilex.review import appending, asking, listing, schema
from bilex.review.alchemy import sa
from bilex.review.audit import Audit
from bilex.review.auditing import count_audit
from bilex.review.backup import Saved, read_backup, write_backup
from bilex.review.bulk import analyze, chunks, position
from bilex.review.database import Database
from bilex.review.events import Event, text_problem
from bilex.review.listing import insert_project, read_project
from bilex.review.project import (
    UNLISTED_RANK,
    CandidateChanges,
    Counts,
    ItemPage,
    Project,
    ReviewItem,
    ReviewWord,
    Tally,
)
from bilex.review.projection import STATES, State, without_undone
from bilex.review.rows import folded, read_event, read_item
from bilex.review.tables import HEAD, events, priorities, state_counts, tallies, words

_STREAMED = 2_000  # events a query
_LISTED = 5_000  # words a query
_MERGED = 500  # events a transaction


class ReviewStore:
    """A review project in a database.

    Thread-safe; use it as a context manager. All methods are one transaction, or one for each part
    of what they stream.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    @classmethod
    def create(cls, url: str, project: Project, words: Iterable[ReviewWord]) -> Self:
        """Make a new database, completely or not at all.

        Args:
            url: The path of a new file, `sqlite:///PATH`, or `postgresql://…` of an empty database.
            project: What is reviewed.
            words: Its words, each once.

        Raises:
            StoreError: If there is already a project, or the database cannot be used.
        """
        listed = list(words)
        _check_distinct(listed)
        return cls._new(url, lambda connection: insert_project(connection, project, listed))

    @classmethod
    def restore(cls, url: str, path: Path) -> Self:
        """Make a new database from a backup, completely or not at all.

        Raises:
            StoreError: If there is already a project, or the database cannot be used.
            ReviewFileError: If the file is not a complete backup.
        """
        return cls._new(url, lambda connection: read_backup(connection, path))

    @classmethod
    def _new(cls, url: str, fill: Callable[[sa.Connection], object]) -> Self:
        database = Database(url)
        is_new_file = database.path is not None and not database.path.exists()
        if database.path is not None:
            database.path.absolute().parent.mkdir(parents=True, exist_ok=True)

        def work(connection: sa.Connection) -> None:
            if schema.version(connection) is not None:
                raise StoreError(
                    f"{database.name} already has a review project: open it, or choose another name"
                )
            schema.upgrade(connection)
            fill(connection)
            analyze(connection)

        try:
            database.write(work)
        except BaseException:
            database.close()
            if database.path is not None and is_new_file:
                database.path.unlink(missing_ok=True)
            raise
        return cls(database)

    @classmethod
    def open(cls, url: str) -> Self:
        """Open a database.

        Raises:
            StoreError: If there is none, or its tables are of another version of bilex.
        """
        database = schema.opened(url)
        try:
            found = database.read(schema.version)
            schema.check_version(found)
            if found != HEAD:
                raise StoreError(
                    f"{database.name} has tables of an older version of bilex ({found}, expected "
                    f"{HEAD}): make a backup, then run `bilex review migrate`"
                )
        except BaseException:
            database.close()
            raise
        return cls(database)

    def close(self) -> None:
        """Close all connections."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    @property
    def project(self) -> Project:
        """Return what is reviewed."""
        return self.database.read(read_project)

    # Decisions

    def add(self, events: Sequence[Event]) -> list[bool]:
        """Store events in one transaction; when this returns, they are on the disk.

        An event whose id is stored already changes nothing, so that sending again is harmless.
        Words that are not in the project's list are added to it as unlisted.

        Returns:
            For each event whether it is new.
        """
        if not events:
            return []
        return self.database.write(lambda connection: appending.append(connection, events))

    def merge(self, events: Iterable[Event]) -> int:
        """Store events of another copy of the log, some at a time; return how many were new."""
        return sum(sum(self.add(chunk)) for chunk in chunks(events, _MERGED))

    def rebuild(self) -> int:
        """Replay all events; return the number of entries that changed, 0 if all were right."""
        return self.database.write(appending.rebuild)

    def backup(self, path: Path) -> Saved:
        """Write the project, its words and all events as one file; work may go on meanwhile.

        A name that ends in .gz is compressed.
        """
        return self.database.read(lambda connection: write_backup(connection, path))

    # Reading

    def item(self, word: str) -> ReviewItem | None:
        """Return a word; None if the project does not have it."""
        return self.database.read(lambda connection: _item(connection, word))

    def items(
        self,
        *,
        state: State | None = None,
        search: str = "",
        after: str | None = None,
        limit: int = 50,
    ) -> ItemPage:
        """Return some words by frequency.

        Args:
            state: Only words in this state.
            search: Only words that contain this text, in upper or lower case.
            after: The `after` of the previous page; None for the first page.
            limit: The number of words on a page.

        Raises:
            SettingError: If `after` is not from a page.
        """

        def work(connection: sa.Connection) -> ItemPage:
            query = _listed(state, None if after is None else _read_cursor(after))
            if search:
                query = query.where(position(connection, words.c.folded, folded(search)) > 0)
            found = connection.execute(query.limit(limit + 1)).all()
            shown = found[:limit]
            more = f"{shown[-1].rank} {shown[-1].word}" if len(found) > limit else None
            return ItemPage(
                items=tuple(_items(connection, [row.word for row in shown])), after=more
            )

        if text_problem(search):  # no word has it
            return ItemPage(items=())
        return self.database.read(work)

    def all_items(self) -> Iterator[ReviewItem]:
        """Yield all words by frequency."""
        after = None
        while True:
            page = self.items(after=after, limit=_LISTED)
            yield from page
            if page.after is None:
                return
            after = page.after

    def history(self, word: str) -> list[Event]:
        """Return all events of a word, undone ones included, in the order of time."""
        if text_problem(word):
            return []
        query = sa.select(events.c.body).where(events.c.word == word)
        return self._events(query.order_by(events.c.at, events.c.id))

    def batch(self, batch: str) -> list[Event]:
        """Return the events of a batch in the order of arrival."""
        if text_problem(batch):
            return []
        query = sa.select(events.c.body).where(events.c.batch == batch, sa.text("batch <> ''"))
        return self._events(query.order_by(events.c.arrival))

    def last_events(self, reviewer: str, limit: int) -> list[Event]:
        """Return the last events of a reviewer, the latest one first."""
        query = sa.select(events.c.body).where(events.c.reviewer == reviewer)
        return self._events(query.order_by(events.c.at.desc(), events.c.id.desc()).limit(limit))

    def last_action(self, reviewer: str) -> list[Event]:
        """Return what "undo" takes back: the reviewer's last event that counts, or its batch.

        Events that are undone do not count, and undos are not offered. Empty if nothing is left.
        """
        query = (
            sa.select(events.c.body)
            .where(events.c.reviewer == reviewer)
            .order_by(events.c.at.desc(), events.c.id.desc())
        )
        for start in range(0, 10**9, 20):
            found = self._events(query.limit(20).offset(start))
            for event in found:
                if event.kind != "undo" and self._counts(event):
                    return self._with_batch(event)
            if len(found) < 20:
                break
        return []

    def events(self, after: int = 0) -> Iterator[tuple[int, Event]]:
        """Yield events with their numbers, in the order of arrival.

        Args:
            after: Only events with a larger number. What is committed later has a larger number.
        """
        while True:
            query = sa.select(events.c.arrival, events.c.body).where(events.c.arrival > after)
            query = query.order_by(events.c.arrival).limit(_STREAMED)
            found = self._rows(query)
            for number, body in found:
                yield number, read_event(body)
            if len(found) < _STREAMED:
                return
            after = found[-1][0]

    def last_arrival(self) -> int:
        """Return the number of the event that arrived last; 0 if there is none."""
        return int(self._rows(sa.select(sa.func.max(events.c.arrival)))[0][0] or 0)

    def states(self) -> dict[State, int]:
        """Return the number of listed words in each state; as fast as reading one word."""
        return self.database.read(_states)

    def counts(self) -> Counts:
        """Return how far the project is, and who did how much on which day."""

        def work(connection: sa.Connection) -> Counts:
            made = connection.execute(sa.select(tallies).order_by(*tallies.primary_key))
            return Counts(states=_states(connection), tallies=tuple(map(Tally._make, made)))

        return self.database.read(work)

    def audit_sample(self) -> list[ReviewItem]:
        """Return the audited words.

        They are the longest beginning of the project's random order in which every word has a
        decision or was skipped: a random sample of the project's words.
        """

        def work(connection: sa.Connection) -> list[ReviewItem]:
            project = read_project(connection)
            query = sa.select(words).where(sa.text("words.listed"))
            end = connection.scalar(asking.for_audit(connection).limit(1))
            if end is not None:
                place = sa.tuple_(words.c.shuffle, words.c.word)
                here = sa.tuple_(sa.literal(project.order(end)), sa.literal(end))
                query = query.where(place < here)
            rows = connection.execute(query.order_by(words.c.shuffle, words.c.word))
            return [read_item(row, project.model) for row in rows]

        return self.database.read(work)

    def audit(self) -> Audit:
        """Return the precision of the present model on the audited words.

        The database counts them: it takes as long for many words as for few.
        """

        def work(connection: sa.Connection) -> Audit:
            listed = sum(_states(connection).values())
            model = read_project(connection).model
            return count_audit(connection, population=listed, model=model)

        return self.database.read(work)

    def compared(self, *, decisions: int | None = None) -> list[ReviewItem]:
        """Return words that at least two reviewers have decided, in the project's random order.

        Args:
            decisions: Stop when the words have this many decisions together: they are a random
                sample then. None for all words.
        """

        def work(connection: sa.Connection) -> list[ReviewItem]:
            query = asking.compared(connection)
            if decisions is None:
                return _items(connection, connection.scalars(query).all())
            names, left = [], decisions
            query = query.add_columns(sa.literal_column("words.opinions"))
            for word, opinions in connection.execute(query.limit(decisions // 2 + 1)):
                if left <= 0:
                    break
                names.append(word)
                left -= opinions
            return _items(connection, names)

        return self.database.read(work)

    def certain(self, least: float, *, from_lot: float = 0.0, limit: int) -> list[ReviewItem]:
        """Return the most frequent open words whose first candidate is at least this probable.

        Args:
            least: The smallest probability.
            from_lot: Leave out this share of the project's random order.
            limit: The largest number of words.
        """
        from_order = max(-(2**63), int((from_lot - 0.5) * 2**64))

        def work(connection: sa.Connection) -> list[ReviewItem]:
            query = asking.certain(connection, least, from_order).limit(limit)
            return _items(connection, connection.scalars(query).all())

        return self.database.read(work)

    # The queue

    def set_priorities(self, policy: str, priorities: Iterable[tuple[str, float]]) -> None:
        """Replace the priorities of a policy; words that the project does not have are left out.

        Raises:
            SettingError: If a priority is not a finite number.
        """
        given = list(priorities)
        self.database.write(lambda connection: listing.set_priorities(connection, policy, given))

    def has_priorities(self, policy: str) -> bool:
        """Return whether `set_priorities` was called for a policy."""
        return self.database.read(lambda connection: _has_priorities(connection, policy))

    def next_word(
        self, policy: str, reviewer: str, *, lease_seconds: float = 300
    ) -> ReviewItem | None:
        """Return the waiting word of highest priority that nobody else holds, and hold it.

        Open words wait, and rejected ones for which a new model has other candidates. Asked once
        more before a decision, a reviewer gets the same word.

        Raises:
            SettingError: If the policy has no priorities.
        """

        def work(connection: sa.Connection) -> ReviewItem | None:
            word = asking.lease(connection, asking.by_priority(policy), reviewer, lease_seconds)
            if word is None and not _has_priorities(connection, policy):
                raise SettingError(
                    f"the policy {policy!r} has no priorities: call set_priorities first"
                )
            return _item(connection, word)

        return self.database.write(work, durable=False)

    def next_audit(self, reviewer: str, *, lease_seconds: float = 300) -> ReviewItem | None:
        """Return the next open word in the project's random order that nobody else holds."""

        def work(connection: sa.Connection) -> ReviewItem | None:
            word = asking.lease(connection, asking.for_audit(connection), reviewer, lease_seconds)
            return _item(connection, word)

        return self.database.write(work, durable=False)

    def next_second(self, reviewer: str, *, lease_seconds: float = 300) -> ReviewItem | None:
        """Return a word for a second opinion.

        Words that others disagree on come first, in random order. Then come words that exactly one
        other reviewer has decided, those first where the decision contradicts the model most
        (`bilex.review.second_opinions`).
        """

        def work(connection: sa.Connection) -> ReviewItem | None:
            for wanted in (asking.disputed, asking.once_decided):
                query = wanted(connection, reviewer)
                word = asking.lease(connection, query, reviewer, lease_seconds)
                if word is not None:
                    return _item(connection, word)
            return None

        return self.database.write(work, durable=False)

    def next_skipped(self, reviewer: str, *, lease_seconds: float = 300) -> ReviewItem | None:
        """Return the word that was skipped longest ago and that nobody else holds."""

        def work(connection: sa.Connection) -> ReviewItem | None:
            word = asking.lease(connection, asking.skipped(connection), reviewer, lease_seconds)
            return _item(connection, word)

        return self.database.write(work, durable=False)

    def release(self, word: str, reviewer: str) -> None:
        """Let others be asked a word that a reviewer holds."""
        if text_problem(word):
            return
        self.database.write(
            lambda connection: asking.release(connection, word, reviewer), durable=False
        )

    def replace_candidates(self, project: Project, words: Iterable[ReviewWord]) -> CandidateChanges:
        """Take the words and candidates of a new model; all decisions stay.

        Words that the new model does not have stay if they have events. Priorities of words that
        stay are kept until they are set again. Rejected words for which the new model has a
        candidate that nobody has rejected are asked again; only a decision changes their state.
        """
        listed = list(words)
        _check_distinct(listed)
        return self.database.write(
            lambda connection: listing.replace_candidates(connection, project, listed)
        )

    def _rows(self, query: sa.Select[Any]) -> Sequence[Any]:
        return self.database.read(lambda connection: connection.execute(query).all())

    def _events(self, query: sa.Select[tuple[str]]) -> list[Event]:
        return [read_event(body) for (body,) in self._rows(query)]

    def _counts(self, event: Event) -> bool:
        return any(other.id == event.id for other in without_undone(self.history(event.word)))

    def _with_batch(self, event: Event) -> list[Event]:
        if not event.batch:
            return [event]
        return [
            other
            for other in self.batch(event.batch)
            if other.reviewer == event.reviewer and other.kind != "undo" and self._counts(other)
        ]


def _listed(state: State | None, after: tuple[int, str] | None) -> sa.Select[tuple[int, str]]:
    """Return the words after a place by frequency; only those in a state, unless it is None.

    A state is written as a range, and is a part of the order. Otherwise PostgreSQL may read the
    words by frequency to find those in the state, and the frequent ones are all in another.
    """
    order: tuple[sa.ColumnElement[Any], ...] = (words.c.rank, words.c.word)
    begin: tuple[Any, ...] = after or ()
    query = sa.select(words.c.rank, words.c.word)
    if state is not None:
        order, begin = (words.c.state, *order), (state, *begin)
        query = query.where(words.c.state >= state, words.c.state <= state)
    if after is not None:
        query = query.where(sa.tuple_(*order) > sa.tuple_(*map(sa.literal, begin)))
    return query.order_by(*order)


def _states(connection: sa.Connection) -> dict[State, int]:
    found: dict[State, int] = dict.fromkeys(STATES, 0)
    for row in connection.execute(sa.select(state_counts)):
        found[row.state] = row.words
    return found


def _item(connection: sa.Connection, word: str | None) -> ReviewItem | None:
    return next(iter(_items(connection, [word])), None) if word is not None else None


def _items(connection: sa.Connection, names: Sequence[str]) -> list[ReviewItem]:
    """Return words in the given order."""
    found = {}
    model = read_project(connection).model
    for chunk in chunks(name for name in names if not text_problem(name)):
        for row in connection.execute(sa.select(words).where(words.c.word.in_(chunk))):
            found[row.word] = read_item(row, model)
    return [found[name] for name in names if name in found]


def _has_priorities(connection: sa.Connection, policy: str) -> bool:
    query = sa.select(priorities.c.word).where(priorities.c.policy == policy).limit(1)
    return connection.scalar(query) is not None


def _read_cursor(after: str) -> tuple[int, str]:
    rank, _, word = after.partition(" ")
    if not (rank.isascii() and rank.isdigit() and word) or text_problem(word):
        raise SettingError(f"after is {after[:80]!r}, expected the `after` of a page")
    return min(int(rank), UNLISTED_RANK), word


def _check_distinct(listed: Sequence[ReviewWord]) -> None:
    names = sorted(word.word for word in listed)
    for first, second in pairwise(names):
        if first == second:
            raise SettingError(f"the word {first!r} is given twice: expected each word once")
