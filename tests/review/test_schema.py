"""Migrations: up, down and up again; the tables are those the program expects."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from bilex.errors import StoreError
from bilex.review import schema, tables
from bilex.review.events import Shown
from bilex.review.store import ReviewStore
from review_data import PROJECT, WORDS, event


def run(store: ReviewStore, *steps: str) -> None:
    """Go to each version in turn; "-" before it means down."""

    def work(connection: sa.Connection) -> None:
        for step in steps:
            if step.startswith("-"):
                schema.downgrade(connection, step[1:])
            else:
                schema.upgrade(connection, step)

    store.database.write(work)


def test_the_migrations_make_the_tables_that_the_program_expects(store: ReviewStore) -> None:
    differences = store.database.read(
        lambda connection: compare_metadata(
            MigrationContext.configure(connection, opts={"compare_type": True}), tables.metadata
        )
    )
    assert differences == []


def test_conditions_of_indexes_are_those_of_the_tables(store: ReviewStore) -> None:
    def definitions(connection: sa.Connection) -> dict[str, str]:
        query = (
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
            if connection.dialect.name == "sqlite"
            else "SELECT indexname, indexdef FROM pg_indexes WHERE indexname LIKE '%\\_%'"
        )
        return {row[0]: row[1] for row in connection.execute(sa.text(query))}

    migrated = store.database.read(definitions)

    def made_from_tables(connection: sa.Connection) -> dict[str, str]:
        schema.downgrade(connection, "base")
        tables.metadata.create_all(connection)
        return definitions(connection)

    made = store.database.write(made_from_tables)
    ours = {index.name for table in tables.metadata.tables.values() for index in table.indexes}
    assert {name: migrated[str(name)] for name in ours} == {name: made[str(name)] for name in ours}


def test_down_and_up_again_loses_no_decision(store: ReviewStore) -> None:
    store.add([event(1, "the"), event(2, "Zebra", "skip", reviewer="bob")])
    store.add([event(3, "the", "none", model=PROJECT.model)])
    before = (list(store.events()), store.items(), store.counts())

    run(store, "-0001", tables.HEAD)

    assert (list(store.events()), store.items(), store.counts()) == before
    assert store.rebuild() == 0
    store.set_priorities("frequency", [(word, -rank) for rank, word in enumerate(WORDS)])
    item = store.next_word("frequency", "ann")
    assert item is not None
    assert item.word.word == "über"


def test_older_databases_learn_how_doubtful_decisions_are(store: ReviewStore) -> None:
    chances = dict(zip(WORDS, (0.9, 0.2, 0.6), strict=False))
    for number, (word, chance) in enumerate(chances.items()):
        store.add([event(number, word, shown=(Shown(f"le {word}", chance),))])
    store.add([event(5, WORDS[3], "none"), event(6, WORDS[3], "none", reviewer="bob")])

    run(store, "-0003", tables.HEAD)

    assert store.rebuild() == 0
    found = [store.next_second(reviewer) for reviewer in ("bob", "cyd", "dan")]
    assert [item and item.word.word for item in found] == [WORDS[1], WORDS[2], WORDS[0]]


def test_older_databases_learn_what_was_audited_and_how_probable_candidates_are(
    store: ReviewStore,
) -> None:
    first, second, third, fourth, fifth, sixth, *rest = sorted(WORDS, key=PROJECT.order)
    shown = (Shown("un", 0.75),)
    model = PROJECT.model
    store.add(
        [
            event(1, first, targets=("un",), shown=shown, model=model),
            event(2, second, "none", shown=shown, model=model),
            event(3, third, "skip"),
            event(4, fourth, "none", shown=shown, model=model),
            event(5, fourth, targets=("un",), shown=shown, model=model, reviewer="bob"),
            event(6, fifth, "not-entry", model=model),
            event(7, sixth, targets=("un",), shown=shown, model=model, reason="batch"),
        ]
    )
    before = store.audit()
    assert (before.right, before.words, before.undecided) == (1, 2, 2)

    run(store, "-0004", tables.HEAD)

    assert store.audit() == before
    assert store.rebuild() == 0
    found = [item.word.word for item in store.certain(0.75, limit=9)]
    assert found == [word for word in WORDS if word in rest]


def test_down_to_the_base_leaves_nothing(store: ReviewStore) -> None:
    run(store, "-base")

    left = store.database.read(lambda connection: sa.inspect(connection).get_table_names())
    assert left == ["alembic_version"]
    run(store, "head", "-base", "head")


def test_a_database_of_another_version_says_what_to_do(
    store: ReviewStore, database_url: str
) -> None:
    store.add([event(1, "the")])
    run(store, "-0001")
    with pytest.raises(StoreError, match=r"older version of bilex \(0001, expected .*migrate"):
        ReviewStore.open(database_url)

    assert schema.migrate(database_url) == ("0001", tables.HEAD)
    assert schema.migrate(database_url) == (tables.HEAD, tables.HEAD)
    with ReviewStore.open(database_url) as again:
        assert again.counts().events == 1

    newer = sa.text("UPDATE alembic_version SET version_num = '9999'")
    store.database.write(lambda connection: connection.execute(newer))
    with pytest.raises(StoreError, match=r"newer version of bilex .*: upgrade bilex"):
        ReviewStore.open(database_url)
    with pytest.raises(StoreError, match="newer version of bilex"):
        schema.migrate(database_url)


def test_a_failed_migration_changes_nothing(store: ReviewStore) -> None:
    def work(connection: sa.Connection) -> None:
        schema.downgrade(connection, "0001")
        raise KeyError("power cut")

    with pytest.raises(KeyError):
        store.database.write(work)

    assert store.database.read(schema.version) == tables.HEAD
    assert store.counts().words == len(WORDS)
