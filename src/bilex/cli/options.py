"""Options that several commands share, so that they read alike everywhere."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated

import typer

from bilex.errors import SettingError

Limit = Annotated[
    int | None, typer.Option(min=1, help="Keep only the N most frequent words of a file.")
]
Lowercase = Annotated[
    bool,
    typer.Option("--lowercase", help="Merge case variants, keeping the most frequent vector."),
]
Cache = Annotated[
    Path | None,
    typer.Option(help="Folder for parsed vectors, so that the next load is instant."),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Always parse; write no cache.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Reverse = Annotated[bool, typer.Option("--reverse", help="From the target language back.")]
Device = Annotated[str, typer.Option(help="Where to compute: cpu, cuda, cuda:1, mps, …")]
RandomState = Annotated[int, typer.Option(help="Same number, same result.")]
Memory = Annotated[
    str, typer.Option(help="Memory for searches, such as 512MiB or 2GiB; never changes a result.")
]

DEFAULT_MEMORY = "512MiB"

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}


def memory_bytes(text: str) -> int:
    """Return the number of bytes in a text such as 512MiB, 2G or 1.5gb."""
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([kmg]?)(i?b)?\s*", text.lower())
    if match is None:
        raise SettingError(f"--memory is {text!r}: expected a size such as 512MiB or 2GiB")
    return int(float(match[1]) * _UNITS[match[2]])


def cache_folder(chosen: Path | None, disabled: bool) -> Path | None:
    """Return where parsed vectors are kept: as chosen, by environment, or the user's cache."""
    if disabled:
        return None
    if chosen is not None:
        return chosen
    own = os.environ.get("BILEX_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "bilex"
