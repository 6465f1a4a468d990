"""Types of fixtures, for annotations in tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Finished(NamedTuple):
    """How a run of the command line ended."""

    code: int
    out: str
    err: str


Bilex = Callable[..., Finished]

Program = Callable[..., str]
