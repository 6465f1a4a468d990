"""Fixtures shared by all tests."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from bilex.cli.app import main
from conftest_types import Bilex, Finished
from postgres import PostgresServer, postgres_server
from twins import Twins, make_twins

# Tests are small: a second thread only waits, and suffers most where the machine is shared.
torch.set_num_threads(1)

# An example may take longer on a machine that is shared; nothing else of the profile changes.
settings.register_profile("patient", settings(), deadline=None)
settings.load_profile("patient")

collect_ignore = (
    []
    if all(map(find_spec, ("sqlalchemy", "alembic", "fastapi", "argon2")))
    else ["review", "service"]
)
"""Folders whose fixtures need packages that are not installed."""

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real vectors and dictionaries; it must be there in CI."""
    if SHARED_DATA.is_dir():
        return SHARED_DATA
    message = f"real data not found at {SHARED_DATA}"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Start a PostgreSQL server for the tests that need one."""
    with postgres_server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> str:
    """Return the URL of an empty database."""
    return postgres.emptied_database()


@pytest.fixture
def twins() -> Twins:
    return make_twins()


@pytest.fixture
def bilex(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Bilex:
    """Run the command line in this process, as a user would type it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BILEX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str, stdin: str = "") -> Finished:
        monkeypatch.setattr(sys, "argv", ["bilex", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as exit_:
            main()
        captured = capsys.readouterr()
        return Finished(int(exit_.value.code or 0), captured.out, captured.err)

    return run
