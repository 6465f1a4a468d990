"""A PostgreSQL server of its own for tests: a new cluster on a private port."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest

_BINARIES = "/usr/lib/postgresql"
_SUPERUSER = "bilex"
_SETTINGS = {"max_connections": "200", "shared_buffers": "128MB", "logging_collector": "off"}


class PostgresServer:
    """A running server; its databases are empty until a test fills them."""

    def __init__(self, binaries: Path, folder: Path, *, sync: bool) -> None:
        self.port = _free_port()
        self._binaries = binaries
        self._folder = folder
        self._password = secrets.token_hex(8)
        self._sync = sync
        self._made = 0
        self._emptied = ""

    def initialize(self) -> None:
        """Make the cluster; texts are sorted as in a dictionary, not by code point."""
        password = self._folder / "password"
        password.write_text(self._password, encoding="ascii")
        if os.geteuid() == 0:
            shutil.chown(self._folder, "postgres", "postgres")
            shutil.chown(password, "postgres", "postgres")
        self._run(
            "initdb",
            *("--pgdata", str(self._folder / "data"), "--username", _SUPERUSER),
            *("--auth", "scram-sha-256", "--pwfile", str(password)),
            *("--encoding", "UTF8", "--locale", "C.UTF-8"),
            *("--locale-provider", "icu", "--icu-locale", "en", "--no-sync"),
        )

    def start(self) -> None:
        """Start the server and wait until it answers."""
        settings = _SETTINGS | {
            "port": str(self.port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self._folder),
            "fsync": "on" if self._sync else "off",
        }
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        log = str(self._folder / "log")
        self._control("start", "--wait", "--log", log, "--options", options)

    def stop(self, mode: Literal["smart", "fast", "immediate"] = "fast") -> None:
        """Stop the server; "immediate" is as if it had crashed."""
        self._control("stop", "--wait", "--mode", mode)

    def restart(self, mode: Literal["fast", "immediate"] = "fast") -> None:
        """Stop and start the server."""
        self.stop(mode)
        self.start()

    def new_database(self) -> str:
        """Make an empty database and return its URL."""
        self._made += 1
        name = f"test{self._made}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def emptied_database(self) -> str:
        """Return the URL of a database that is emptied each time, which is faster."""
        if not self._emptied:
            self._emptied = self.new_database()
        name = self._emptied.rpartition("/")[2]
        self.execute("DROP SCHEMA public CASCADE", name)
        self.execute("CREATE SCHEMA public", name)
        return self._emptied

    def url(self, database: str) -> str:
        """Return the URL of a database."""
        return f"postgresql://{_SUPERUSER}:{self._password}@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Run a statement outside of any transaction."""
        psycopg = pytest.importorskip("psycopg")
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement)

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "--pgdata", str(self._folder / "data"), "--silent", *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        command = [*_as_postgres(), str(self._binaries / program), *arguments]
        with (self._folder / "output").open("ab") as output:
            done = subprocess.run(  # noqa: S603 - programs of PostgreSQL, our own arguments
                command, cwd="/", stdout=output, stderr=output, check=False
            )
        if done.returncode:
            logs = [self._folder / "output", self._folder / "log"]
            text = "\n".join(log.read_text(errors="replace") for log in logs if log.is_file())
            pytest.fail(f"{program} {arguments[-1]} failed:\n{text[-3000:]}")


@contextmanager
def postgres_server(*, sync: bool = False) -> Iterator[PostgresServer]:
    """Start a server in a temporary folder, and remove both at the end.

    Skips if PostgreSQL is not installed; fails if CI=true on Linux.

    Args:
        sync: Whether commits wait for the disk, which a benchmark should, and a test need not.
    """
    binaries = _find_binaries()
    if binaries is None:
        message = f"PostgreSQL is not installed in {_BINARIES}: apt-get install postgresql"
        if os.environ.get("CI") == "true" and sys.platform == "linux":
            pytest.fail(message)
        pytest.skip(message)
    folder = Path(tempfile.mkdtemp(prefix="bilex-postgres-"))
    server = PostgresServer(binaries, folder, sync=sync)
    try:
        server.initialize()
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(folder)


def _find_binaries() -> Path | None:
    found = [path for path in Path(_BINARIES).glob("*/bin") if (path / "initdb").is_file()]
    return max(found, key=lambda path: float(path.parent.name), default=None)


def _as_postgres() -> Sequence[str]:
    """Return what runs a command as another user: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return ()
    return ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
