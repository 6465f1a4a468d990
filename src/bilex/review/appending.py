"""Add events to a database, and keep the entries what the events make of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bilex.review.alchemy import sa
from bilex.review.bulk import (
    analyze,
    chunks,
    lock_all_words,
    lock_arrivals,
    lock_words,
    one_or_many,
    upsert,
)
from bilex.review.database import TryAgain
from bilex.review.events import Event
from bilex.review.listing import count_states, read_project, set_returning
from bilex.review.projection import project
from bilex.review.rows import entry_row, read_event, read_item, unlisted_row
from bilex.review.tables import ENTRY, events, leases, priorities, state_counts, tallies, words

EVENT_COLUMNS = ("id", "word", "reviewer", "at", "kind", "reason", "batch", "body")
_REPLAYED = 1_000  # words a query


def event_row(event: Event) -> dict[str, Any]:
    """Return an event as a row; its arrival is numbered by the database."""
    row = {name: getattr(event, name) for name in EVENT_COLUMNS if name != "body"}
    return row | {"body": event.to_json()}


def append(connection: sa.Connection, added: Sequence[Event]) -> list[bool]:
    """Add events and update the entries of their words; return which of them are new.

    Everything is computed before the events are numbered, because only one writer can do that at a
    time.
    """
    first: dict[str, Event] = {}
    for event in added:
        first.setdefault(event.id, event)
    states = _lock_words(connection, sorted({event.word for event in first.values()}))
    stored = _stored_events(connection, first.values())
    fresh = {id_: event for id_, event in first.items() if id_ not in stored}
    if fresh:
        by_word: dict[str, list[Event]] = defaultdict(list)
        for event in (*stored.values(), *fresh.values()):
            by_word[event.word].append(event)
        moves: Counter[str] = Counter()
        for chunk in chunks(sorted({event.word for event in fresh.values()})):
            entries = {word: entry_row(project(word, by_word[word])) for word in chunk}
            _store(connection, entries)
            moves.update(_moves(states, entries))
        _count(connection, fresh.values())
        _release(connection, fresh.values())
        _insert(connection, list(fresh.values()))
        _move(connection, moves)
    return [fresh.pop(event.id, None) is not None for event in added]


def rebuild(connection: sa.Connection) -> int:
    """Replay all events; return how many entries were not what the events make of them."""
    lock_all_words(connection)
    changed = 0
    last = ""
    while stored := _stored_entries(connection, last):
        end = next(reversed(stored))
        found = _events_of(connection, (events.c.word > last) & (events.c.word <= end))
        right = {word: entry_row(project(word, found[word])) for word in stored}
        wrong = {word: row for word, row in right.items() if row != stored[word]}
        changed += len(wrong)
        _store(connection, wrong)
        last = end
    _count_again(connection)
    count_states(connection)
    set_returning(connection)
    if changed:
        analyze(connection)
    return changed


def _lock_words(connection: sa.Connection, names: Sequence[str]) -> dict[str, str | None]:
    """Lock words, those that did not exist included; return their states."""
    states = lock_words(connection, names)
    missing = sorted(set(names) - states.keys())
    if missing:
        insert = upsert(connection, words).on_conflict_do_nothing()
        of = read_project(connection)
        connection.execute(insert, [unlisted_row(of, word) for word in missing])
        states = lock_words(connection, names)
    return states


def _moves(states: Mapping[str, str | None], entries: Mapping[str, dict[str, Any]]) -> Counter[str]:
    """Return how many listed words more (or fewer) are in each state."""
    moves: Counter[str] = Counter()
    for word, row in entries.items():
        before = states[word]
        if before is not None:
            moves[before] -= 1
            moves[row["state"]] += 1
    return moves


def _move(connection: sa.Connection, moves: Mapping[str, int]) -> None:
    rows = [{"state": state, "words": number} for state, number in moves.items() if number]
    if rows:
        insert = upsert(connection, state_counts)
        insert = insert.on_conflict_do_update(
            index_elements=["state"], set_={"words": state_counts.c.words + insert.excluded.words}
        )
        connection.execute(insert, one_or_many(rows))


def _stored_events(connection: sa.Connection, added: Iterable[Event]) -> dict[str, Event]:
    """Return all stored events of the same words or with the same ids."""
    found: dict[str, Event] = {}
    for chunk in chunks(added):
        same_word = events.c.word.in_({event.word for event in chunk})
        same_id = events.c.id.in_([event.id for event in chunk])
        for body in connection.scalars(sa.select(events.c.body).where(same_word | same_id)):
            event = read_event(body)
            found[event.id] = event
    return found


def _insert(connection: sa.Connection, fresh: Sequence[Event]) -> None:
    lock_arrivals(connection)
    insert = upsert(connection, events).on_conflict_do_nothing(index_elements=["id"])
    stored = connection.scalars(
        insert.returning(events.c.id), [event_row(event) for event in fresh]
    ).all()
    if len(stored) < len(fresh):
        raise TryAgain("an event with the same id was stored for another word meanwhile")


def _count(connection: sa.Connection, added: Iterable[Event]) -> None:
    counted = Counter((each.at[:10], each.reviewer, each.kind, each.reason) for each in added)
    insert = upsert(connection, tallies)
    insert = insert.on_conflict_do_update(
        index_elements=["day", "reviewer", "kind", "reason"],
        set_={"events": tallies.c.events + insert.excluded.events},
    )
    names = ("day", "reviewer", "kind", "reason", "events")
    rows = [
        dict(zip(names, (*key, number), strict=True)) for key, number in sorted(counted.items())
    ]
    connection.execute(insert, one_or_many(rows))


def _release(connection: sa.Connection, added: Iterable[Event]) -> None:
    done = sorted({(each.word, each.reviewer) for each in added if each.kind != "note"})
    if done:
        connection.execute(
            leases.delete().where(
                leases.c.word == sa.bindparam("of_word"), leases.c.reviewer == sa.bindparam("by")
            ),
            one_or_many([{"of_word": word, "by": reviewer} for word, reviewer in done]),
        )


def _store(connection: sa.Connection, entries: Mapping[str, dict[str, Any]]) -> None:
    """Store the computed columns of words, and whether the words wait for a decision."""
    if not entries:
        return
    connection.execute(
        words.update()
        .where(words.c.word == sa.bindparam("of_word"))
        .values({name: sa.bindparam(name) for name in ENTRY}),
        one_or_many([{"of_word": word} | row for word, row in entries.items()]),
    )
    waiting = _waiting(connection, entries)
    connection.execute(
        priorities.update()
        .where(priorities.c.word == sa.bindparam("of_word"))
        .values(waiting=sa.bindparam("yes")),
        one_or_many([{"of_word": word, "yes": word in waiting} for word in entries]),
    )


def _waiting(connection: sa.Connection, entries: Mapping[str, dict[str, Any]]) -> set[str]:
    """Return the words that queues ask: open ones, and rejected ones that return."""
    found = {word for word, row in entries.items() if row["state"] == "open"}
    rejected = [word for word, row in entries.items() if row["state"] == "rejected"]
    if rejected:
        model = read_project(connection).model
        rows = connection.execute(sa.select(words).where(words.c.word.in_(rejected)))
        found.update(row.word for row in rows if read_item(row, model).again)
    return found


def _stored_entries(connection: sa.Connection, after: str) -> dict[str, dict[str, Any]]:
    """Return the computed columns of some words in the order of words."""
    columns = [words.c[name] for name in ENTRY]
    query = sa.select(words.c.word, *columns).where(words.c.word > after)
    rows = connection.execute(query.order_by(words.c.word).limit(_REPLAYED))
    return {row.word: {name: getattr(row, name) for name in ENTRY} for row in rows}


def _events_of(
    connection: sa.Connection, condition: sa.ColumnElement[bool]
) -> dict[str, list[Event]]:
    """Return events by word."""
    found: dict[str, list[Event]] = defaultdict(list)
    for word, body in connection.execute(sa.select(events.c.word, events.c.body).where(condition)):
        found[word].append(read_event(body))
    return found


def _count_again(connection: sa.Connection) -> None:
    connection.execute(tallies.delete())
    day = sa.func.substr(events.c.at, 1, 10)
    keys = (day, events.c.reviewer, events.c.kind, events.c.reason)
    counted = sa.select(*keys, sa.func.count()).group_by(*(sa.text(str(n)) for n in (1, 2, 3, 4)))
    names = ["day", "reviewer", "kind", "reason", "events"]
    connection.execute(tallies.insert().from_select(names, counted))
