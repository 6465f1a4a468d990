"""What a path says: whether it is a model, its languages, the review database beside it."""

from __future__ import annotations

import re
from pathlib import Path

from bilex.review.decisions import is_sqlite_file

SUFFIX = ".review.sqlite"

_LANGUAGE_PAIR = re.compile(r"([a-z]{2,3})[-_]([a-z]{2,3})(?![a-z])")


def is_model(path: Path) -> bool:
    """Return whether a path is a model folder."""
    return (path / "manifest.json").is_file() and (path / "source.txt").is_file()


def default_database(path: Path) -> Path:
    """Return where the decisions on a model or dictionary are kept: beside it."""
    whole = path.resolve()
    return path if is_sqlite_file(path) else whole.with_name(f"{whole.name}{SUFFIX}")


def languages_of_name(name: str) -> tuple[str, str]:
    """Return the languages in a name such as en-es or en_es.tsv; empty texts without them."""
    from bilex.lexicons.language_names import language_of_code

    found = _LANGUAGE_PAIR.match(name.lower())
    if found is None or not all(map(language_of_code, found.groups())):
        return "", ""
    return found[1], found[2]
