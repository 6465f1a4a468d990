"""One check for all tables of damaged vector files: the exact message a user sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilex.embeddings import load_embeddings
from bilex.errors import VectorFileError


def assert_refused(path: Path, content: bytes, line: int | None, problem: str) -> None:
    """Write the file and show that loading it fails with this problem, at this line."""
    path.write_bytes(content)
    with pytest.raises(VectorFileError) as raised:
        load_embeddings(path)
    where = str(path) if line is None else f"{path}, line {line}"
    assert str(raised.value) == f"{where}: {problem}"
