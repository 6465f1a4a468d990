"""Addresses, settings and errors of connections."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from bilex.errors import MissingExtraError, StoreError
from bilex.review import database
from bilex.review.database import Database, parse_url
from bilex.review.store import ReviewStore
from postgres import PostgresServer
from review_data import PROJECT, event, review_words


@pytest.mark.parametrize(
    ("url", "driver", "database"),
    [
        ("a b/100%.db", "sqlite+pysqlite", "a b/100%.db"),
        ("sqlite:///review.db", "sqlite+pysqlite", "review.db"),
        ("sqlite:////data/a.db", "sqlite+pysqlite", "/data/a.db"),
        ("postgresql://ann@host/db", "postgresql+psycopg", "db"),
        ("postgres://ann@host/db", "postgresql+psycopg", "db"),
        ("postgresql+psycopg:///db?host=/run", "postgresql+psycopg", "db"),
    ],
)
def test_addresses(url: str, driver: str, database: str) -> None:
    parsed = parse_url(url)

    assert (parsed.drivername, parsed.database) == (driver, database)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://u:secret@h/d",
        "sqlite://",
        "sqlite:///:memory:",
        "://",
        "",
        "postgresql+pg8000://h/d",
    ],
)
def test_other_addresses_are_refused_without_their_password(url: str) -> None:
    with pytest.raises(StoreError, match="is not a review database: expected the path") as found:
        parse_url(url)
    assert "secret" not in str(found.value)


def test_a_path_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "100% #?&= ü" / "re view.db"

    with ReviewStore.create(str(path), PROJECT, review_words()) as store:
        assert store.database.path == path
    assert path.is_file()


def test_sqlite_waits_for_the_disk_where_a_decision_is_stored(tmp_path: Path) -> None:
    with Database(str(tmp_path / "a.db")) as opened:

        def pragma(connection: sa.Connection, name: str = "synchronous") -> object:
            return connection.exec_driver_sql(f"PRAGMA {name}").scalar()

        assert opened.write(pragma, durable=False) == 1  # NORMAL
        assert opened.write(pragma) == 2  # FULL
        assert opened.read(lambda connection: pragma(connection, "journal_mode")) == "wal"
        assert opened.read(lambda connection: pragma(connection, "busy_timeout")) == 30_000


def test_postgres_waits_for_the_disk_whatever_the_server_says(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    name = url.rpartition("/")[2]
    postgres.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
    with Database(url) as opened:

        def setting(connection: sa.Connection) -> object:
            return connection.exec_driver_sql("SHOW synchronous_commit").scalar()

        assert opened.write(setting, durable=False) == "off"
        assert opened.write(setting) == "on"


def test_a_database_that_cannot_hold_all_words_is_refused(postgres: PostgresServer) -> None:
    postgres.execute(
        "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0"
    )
    with pytest.raises(StoreError, match="encoding LATIN1, which cannot hold all words"):
        ReviewStore.create(postgres.url("latin"), PROJECT, [])


def test_a_server_that_does_not_answer(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_FIRST_PATIENCE_SECONDS", 0.3)
    url = postgres.url("postgres").replace(f":{postgres.port}/", ":1/")

    with pytest.raises(StoreError, match="check the address and that the database runs") as found:
        ReviewStore.open(url)
    assert url.split(":")[2].split("@")[0] not in str(found.value)  # the password
    with pytest.raises(StoreError, match="does not exist"):
        ReviewStore.open(postgres.url("nothing"))


def test_files_that_are_not_databases(tmp_path: Path) -> None:
    text = tmp_path / "text.db"
    text.write_text("not a database " * 100, encoding="utf-8")
    sqlite3.connect(tmp_path / "other.db").executescript("CREATE TABLE a (b)")

    with pytest.raises(StoreError, match="not a review database, or damaged: restore a backup"):
        ReviewStore.open(str(text))
    with pytest.raises(StoreError, match="is not a review database: create a project"):
        ReviewStore.open(str(tmp_path / "other.db"))
    with pytest.raises(StoreError, match="does not exist: check the path"):
        ReviewStore.open(str(tmp_path / "missing.db"))
    assert not (tmp_path / "missing.db").exists()


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="check the path, and that you may write"):
        ReviewStore.create(str(tmp_path), PROJECT, [])


def test_a_writer_in_another_program_is_waited_for_and_then_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    monkeypatch.setattr(database, "_BUSY_SECONDS", 0.1)
    with ReviewStore.create(str(path), PROJECT, review_words()) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")

        assert store.counts().events == 0  # reading goes on
        with pytest.raises(StoreError, match="another program is writing"):
            store.add([event(1, "the")])
        other.execute("ROLLBACK")
        other.close()
        assert store.add([event(1, "the")]) == [True]


def test_postgres_needs_its_own_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(MissingExtraError, match=r"pip install 'bilex\[postgres\]'"):
        ReviewStore.open("postgresql://localhost/x")


def test_a_mistake_of_the_program_is_not_blamed_on_the_database(tmp_path: Path) -> None:
    def work(connection: sa.Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE a (b PRIMARY KEY)")
        connection.exec_driver_sql("INSERT INTO a VALUES (1), (1)")

    with Database(str(tmp_path / "a.db")) as opened:
        with pytest.raises(sa.exc.IntegrityError):
            opened.write(work)
        assert opened.read(lambda connection: sa.inspect(connection).get_table_names()) == []
