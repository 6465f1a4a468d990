"""A database in a temporary file, for joins that do not fit into memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bilex.errors import LexiconFileError

_CACHE = 2**15  # KiB


@contextmanager
def scratch_database(path: Path, schema: str) -> Iterator[sqlite3.Connection]:
    """Yield an empty database in a temporary file, for joins that do not fit into memory.

    Raises:
        LexiconFileError: If it fails; `path` is the file that is imported.
    """
    connection = sqlite3.connect("")  # a temporary file, removed when it is closed
    try:
        connection.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; "
            f"PRAGMA cache_size = -{_CACHE}; {schema}"
        )
        yield connection
    except sqlite3.Error as error:
        raise LexiconFileError(
            path, f"the temporary database failed ({error}): is the disk full?"
        ) from None
    finally:
        connection.close()


def stored(text: str) -> bytes:
    """Return a text as bytes for a database, also if it has lone surrogates."""
    return text.encode("utf-8", "surrogatepass")


def restored(data: bytes) -> str:
    """Return the text that `stored` converted to bytes."""
    return data.decode("utf-8", "surrogatepass")
