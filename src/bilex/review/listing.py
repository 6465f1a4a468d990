"""The words of a project: put into a database, given priorities, replaced by a new model's."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from bilex.errors import SettingError
from bilex.review import tables
from bilex.review.alchemy import sa
from bilex.review.bulk import analyze, chunks, insert_rows, lock_all_words, values_of
from bilex.review.project import UNLISTED_RANK, CandidateChanges, Project, ReviewWord
from bilex.review.projection import ReviewedEntry
from bilex.review.rows import entry_row, read_candidates, read_item, word_row
from bilex.review.tables import events, priorities, state_counts, words

_WORD = ("word", "rank", "listed", "shuffle", "folded", "candidates", "chance")


def insert_project(
    connection: sa.Connection, project: Project, listed: Iterable[ReviewWord]
) -> None:
    """Fill an empty database."""
    connection.execute(tables.project.insert(), _project_row(project))
    _insert(connection, (word_row(project, word) for word in listed))
    count_states(connection)


def count_states(connection: sa.Connection) -> None:
    """Count the listed words in each state anew."""
    connection.execute(state_counts.delete())
    counted = sa.select(words.c.state, sa.func.count()).where(words.c.listed)
    counted = counted.group_by(words.c.state)
    connection.execute(state_counts.insert().from_select(["state", "words"], counted))


def read_project(connection: sa.Connection) -> Project:
    """Return the project of a database."""
    row = connection.execute(sa.select(tables.project)).one()
    return Project(
        title=row.title,
        source_language=row.source_language,
        target_language=row.target_language,
        model=row.model,
        seed=int(row.seed),
    )


def set_priorities(
    connection: sa.Connection, policy: str, given: Iterable[tuple[str, float]]
) -> None:
    """Replace the priorities of a policy."""
    lock_all_words(connection)
    again = set(_returning(connection))
    query = sa.select(words.c.word, words.c.rank, words.c.state)
    known = {
        word: (rank, state == "open" or word in again)
        for word, rank, state in connection.execute(query)
    }
    connection.execute(priorities.delete().where(priorities.c.policy == policy))

    def rows() -> Iterator[tuple[object, ...]]:
        for word, priority in given:
            if not math.isfinite(priority):
                raise SettingError(
                    f"the priority of {word!r} is {priority}, expected a number: check the policy "
                    f"{policy!r}"
                )
            if word in known:
                yield policy, word, float(priority), *known.pop(word)

    names = ("policy", "word", "priority", "rank", "waiting")
    insert_rows(connection, priorities, names, rows())
    analyze(connection)


def set_returning(connection: sa.Connection) -> int:
    """Let queues ask the rejected words that return, and no others; return how many there are."""
    again = _returning(connection)
    rejected = sa.select(words.c.word).where(words.c.state == "rejected")
    connection.execute(
        priorities.update()
        .where(sa.text("waiting"), priorities.c.word.in_(rejected))
        .values(waiting=False)
    )
    for some in chunks(again):
        connection.execute(
            priorities.update().where(priorities.c.word.in_(some)).values(waiting=True)
        )
    return len(again)


def _returning(connection: sa.Connection) -> list[str]:
    """Return the rejected words that are asked again, sorted."""
    model = read_project(connection).model
    query = sa.select(words).where(words.c.state == "rejected", words.c.listed)
    found = connection.execute(query, execution_options={"yield_per": 5_000})
    return sorted(row.word for row in found if read_item(row, model).again)


class _Known(NamedTuple):
    best: str | None
    touched: bool
    accepted: tuple[str, ...]


def replace_candidates(
    connection: sa.Connection, project: Project, listed: Iterable[ReviewWord]
) -> CandidateChanges:
    """Give a project the words and candidates of another model; all events stay."""
    lock_all_words(connection)
    known = _known_words(connection)
    counts = dict.fromkeys(("added", "removed", "kept", "changed", "confirmed", "contradicted"), 0)

    def row(word: ReviewWord) -> dict[str, Any]:
        old = known.pop(word.word, None)
        best = _best(word)
        if old is None:
            counts["added"] += 1
        elif old.best != best:
            counts["changed"] += 1
            counts["confirmed"] += best in old.accepted
            counts["contradicted"] += old.best in old.accepted and best not in old.accepted
        return word_row(project, word) | {"new": old is None}

    for chunk in chunks(listed, 5_000):
        rows = [row(word) for word in chunk]
        _insert(connection, [each for each in rows if each["new"]])
        _update(connection, [each for each in rows if not each["new"]])
    left = {word for word, old in known.items() if old.touched}
    gone = known.keys() - left
    counts["kept"], counts["removed"] = len(left), len(gone)
    unlisted = [ReviewWord(word=word, rank=UNLISTED_RANK) for word in sorted(left)]
    _update(connection, [word_row(project, word) for word in unlisted])
    for table in (priorities, words):
        for some in chunks(sorted(gone)):
            connection.execute(table.delete().where(table.c.word.in_(some)))
    connection.execute(tables.project.update().values(_project_row(project)))
    count_states(connection)
    returning = set_returning(connection)
    analyze(connection)
    return CandidateChanges(**counts, returning=returning)


def _known_words(connection: sa.Connection) -> dict[str, _Known]:
    touched = sa.exists().where(events.c.word == words.c.word)
    query = sa.select(
        words.c.word, words.c.candidates, words.c.state, words.c.entry, touched.label("touched")
    )
    found = {}
    for row in connection.execute(query, execution_options={"yield_per": 5_000}):
        candidates = read_candidates(row.candidates)
        accepted = json.loads(row.entry)["targets"] if row.state == "accepted" else ()
        best = candidates[0].target if candidates else None
        found[row.word] = _Known(best, bool(row.touched), tuple(accepted))
    return found


def _best(word: ReviewWord) -> str | None:
    return word.candidates[0].target if word.candidates else None


def _insert(connection: sa.Connection, rows: Iterable[dict[str, Any]]) -> None:
    untouched = entry_row(ReviewedEntry(word=""))
    names = (*_WORD, *tables.ENTRY)
    insert_rows(connection, words, names, values_of((row | untouched for row in rows), names))


def _update(connection: sa.Connection, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(
            words.update()
            .where(words.c.word == sa.bindparam("of_word"))
            .values({name: sa.bindparam(name) for name in _WORD if name != "word"}),
            [
                {name: row[name] for name in _WORD if name != "word"} | {"of_word": row["word"]}
                for row in rows
            ],
        )


def _project_row(project: Project) -> dict[str, Any]:
    return {
        "id": 1,
        "title": project.title,
        "source_language": project.source_language,
        "target_language": project.target_language,
        "model": project.model,
        "seed": str(project.seed),
    }
