"""The commands for a team, as a user types them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from bilex.cli.review_team import RoleName
from bilex.review.accounts import Accounts
from bilex.review.roles import ROLES
from bilex.review.store import ReviewStore
from bilex.service.serving import is_loopback
from conftest_types import Bilex
from team import OTHER_PASSWORD, PASSWORD, decision, log_of, project_words


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a database with a decision, which commands find in the environment."""
    where = str(tmp_path / "team.sqlite")
    project, words = project_words(5)
    with ReviewStore.create(where, project, words) as store:
        store.add([decision("ann", "word1")])
    monkeypatch.setenv("BILEX_DATABASE", where)
    return where


def test_commands_know_all_roles() -> None:
    assert tuple(RoleName) == ROLES


def test_accounts_are_added_listed_changed_and_removed(bilex: Bilex, database: str) -> None:
    for name, role in (("Ann", "admin"), ("Bob", "reader")):
        done = bilex("review", "users", "add", name, "--role", role, stdin=f"{PASSWORD}\n")
        assert done.code == 0
    assert bilex("review", "users", "role", "bob", "editor").code == 0
    typed = f"{OTHER_PASSWORD}\r\n"
    assert bilex("review", "users", "password", "bob", stdin=typed).code == 0

    listed = bilex("review", "users", "list").out.splitlines()
    assert [line.split("\t")[:2] for line in listed] == [["Ann", "admin"], ["Bob", "editor"]]
    first = json.loads(bilex("review", "users", "list", "--json").out.splitlines()[0])
    assert (first["name"], first["role"]) == ("Ann", "admin")
    with ReviewStore.open(database) as store:
        accounts = Accounts(store.database)
        assert accounts.checked("ann", PASSWORD) is not None
        assert accounts.checked("bob", PASSWORD) is None
        assert accounts.checked("bob", OTHER_PASSWORD) is not None
        assert {entry.actor for entry in log_of(store)} == {"(command line)"}
    assert bilex("review", "users", "remove", "Bob").code == 0
    refused = bilex("review", "users", "remove", "Ann")
    assert (refused.code, "the only admin" in refused.err) == (2, True)
    weak = bilex("review", "users", "add", "Cyd", stdin="short\n")
    assert (weak.code, "5 characters" in weak.err) == (2, True)
    unknown = bilex("review", "users", "role", "nobody", "editor")
    assert (unknown.code, "there is no account 'nobody'" in unknown.err) == (2, True)


def test_an_invitation_is_printed_as_a_link(bilex: Bilex, database: str) -> None:
    done = bilex("review", "invite", "--role", "editor", "--address", "https://words.test/")
    found = re.fullmatch(r"https://words\.test/invitation\?token=([\w-]{43})\n", done.out)

    assert found is not None
    assert "for one editor, until 20" in done.err
    with ReviewStore.open(database) as store:
        assert Accounts(store.database).invitation(found[1]).role == "editor"  # type: ignore[union-attr]
    assert bilex("review", "invite", "--address", "words.test").code == 2


def test_a_backup_is_restored_elsewhere(bilex: Bilex, database: str, tmp_path: Path) -> None:
    done = bilex("review", "backup", "words.jsonl.gz")
    assert (done.code, "5 words and 1 events" in done.err) == (0, True)
    assert bilex("review", "restore", "words.jsonl.gz").code == 2  # there is a project already
    assert bilex("review", "restore", "words.jsonl.gz", "--database", "new.sqlite").code == 0
    assert bilex("review", "restore", "nothing.gz", "--database", "other.sqlite").code == 2

    with ReviewStore.open("new.sqlite") as store, ReviewStore.open(database) as old:
        assert list(store.events()) == list(old.events())
        assert [entry.kind for entry in log_of(store)] == ["restore"]
        assert [entry.kind for entry in log_of(old)] == ["backup"]


def test_a_database_is_migrated(bilex: Bilex, database: str) -> None:
    from bilex.review import schema

    assert "up to date" in bilex("review", "migrate").err
    with ReviewStore.open(database) as store:
        store.database.write(lambda connection: schema.downgrade(connection, "0002"))
    old = bilex("review", "users", "list")
    assert (old.code, "bilex review migrate" in old.err) == (2, True)
    assert "0002 → " in bilex("review", "migrate").err
    assert bilex("review", "users", "list").code == 0


def test_the_review_for_one_person_keeps_its_form(bilex: Bilex) -> None:
    missing = bilex("review", "nothing-there", "--no-browser", "--port", "0")
    assert (missing.code, "nothing-there does not exist" in missing.err) == (2, True)
    missing = bilex("review", "--port", "0", "./serve")
    assert (missing.code, "serve does not exist" in missing.err) == (2, True)
    nothing = bilex("review")
    assert (nothing.code, "Missing argument 'MODEL_OR_DICTIONARY'" in nothing.err) == (2, True)
    assert "Commands for files and teams:" in bilex("review", "-h").out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--host", "192.0.2.1"], "without HTTPS, passwords could be read"),
        (["--behind-proxy", "--address", "http://words.test"], "expected a form like https://HOST"),
        (["nothing-there"], "nothing-there does not exist"),
        (["--oidc", "nothing.toml"], "nothing.toml"),
    ],
)
def test_serving_refuses_what_is_not_safe(
    bilex: Bilex, database: str, arguments: list[str], problem: str
) -> None:
    done = bilex("review", "serve", *arguments)

    assert (done.code, problem in done.err) == (2, True)


def test_serving_needs_a_project(bilex: Bilex, tmp_path: Path) -> None:
    done = bilex("review", "serve", "--database", str(tmp_path / "new.sqlite"))

    assert (done.code, "name a model or a dictionary" in done.err) == (2, True)
    assert not (tmp_path / "new.sqlite").exists()


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.8.8"])
def test_loopback_hosts(host: str) -> None:
    assert is_loopback(host)
    assert not is_loopback(f"1{host}")


def test_a_server_makes_the_project_and_answers(tmp_path: Path) -> None:
    (tmp_path / "en-es.tsv").write_text("house\tcasa\nwater\tagua\n", encoding="utf-8")
    command = [sys.executable, "-m", "bilex", "review", "serve", "en-es.tsv", "--port", "0"]
    server = subprocess.Popen(  # noqa: S603
        [*command, "--database", "team.sqlite"],
        cwd=tmp_path,
        env={**os.environ, "FORWARDED_ALLOW_IPS": "*"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    try:
        address = server.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address)
        # Without --behind-proxy, nobody can claim to come from elsewhere.
        forged = {"X-Forwarded-For": "192.0.2.66", "X-Forwarded-Proto": "https"}
        asked = urllib.request.Request(f"{address}/words", headers=forged)  # noqa: S310
        with urllib.request.urlopen(asked, timeout=20) as page:  # noqa: S310
            assert "Sign in" in page.read().decode()
            assert page.url == f"{address}/login?next=%2Fwords"
            assert page.headers["server"] is None
            assert "__Host-" not in page.headers["set-cookie"]
    finally:
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=30)
    assert "no accounts yet" in errors
    assert "Traceback" not in errors
    assert server.returncode == 0
