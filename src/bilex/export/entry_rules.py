"""What an entry of a dictionary may hold, and how its fields are written as text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import get_args

from bilex.dictionary import DictionaryEntry, Origin
from bilex.errors import LexiconFileError
from bilex.lexicons.entries import RowProblem, check_text, checked, is_number

COLUMNS = DictionaryEntry._fields
DETAILS = COLUMNS[2:]
ORIGINS: tuple[Origin, ...] = get_args(Origin)

GIVEN: Origin = "seed"
"""The origin of pairs from a file that does not tell one: given to us, not made by a model."""

HIGHEST_RANK = 2**31 - 1

_SUSPECT = re.compile("^ |[\t\n\r\0\ud800-\udfff]| $").search


def check_entry(entry: DictionaryEntry) -> None:
    """Raise a `RowProblem` if an entry could not be written and read back."""
    source, target, probability, score, rank, back_rank, origin, model = entry
    if not source or _SUSPECT(source):
        checked(source, "source")
    if not target or _SUSPECT(target):
        checked(target, "target")
    if probability is not None and not 0 <= probability <= 1:
        raise RowProblem(f"the probability is {probability}, expected a number from 0 to 1")
    if score is not None and not math.isfinite(score):
        raise RowProblem(f"the score is {score}, expected a finite number")
    if rank is not None and not 1 <= rank <= HIGHEST_RANK:
        raise RowProblem(f"the rank is {rank}, expected 1 or more")
    if back_rank is not None and not 1 <= back_rank <= HIGHEST_RANK:
        raise RowProblem(f"the back_rank is {back_rank}, expected 1 or more")
    if origin not in ORIGINS:
        raise RowProblem(f"the origin is {origin!r}, expected one of {', '.join(ORIGINS)}")
    if model and _SUSPECT(model):
        check_text(model, "model")


def checked_entries(entries: Iterable[DictionaryEntry], path: Path) -> Iterator[DictionaryEntry]:
    """Yield the entries that can be written; the first that cannot is an error with its number."""
    for number, entry in enumerate(entries, start=1):
        try:
            check_entry(entry)
        except RowProblem as problem:
            raise unwritable(path, number, problem) from None
        yield entry


def unwritable(path: Path, number: int, problem: Exception) -> LexiconFileError:
    """Return the error for an entry that a file cannot hold."""
    return LexiconFileError(path, f"entry {number:,} cannot be written: {problem}")


def by_source(
    entries: Iterable[DictionaryEntry],
) -> Iterator[tuple[str, list[DictionaryEntry]]]:
    """Yield each run of entries with the same source word."""
    for source, group in groupby(entries, key=itemgetter(0)):
        yield source, list(group)


def texts_of(entry: DictionaryEntry) -> tuple[str, ...]:
    """Return all fields as text, in the order of `COLUMNS`; what is not known is empty.

    A number has the shortest text that gives the same number back.
    """
    source, target, probability, score, rank, back_rank, origin, model = entry
    return (
        source,
        target,
        "" if probability is None else repr(float(probability)),
        "" if score is None else repr(float(score)),
        "" if rank is None else str(rank),
        "" if back_rank is None else str(back_rank),
        origin,
        model,
    )


def entry_of(source: str, target: str, details: Mapping[str, str]) -> DictionaryEntry:
    """Make an entry of two words and the texts of other fields; an empty text is not known.

    Raises:
        RowProblem: If a text is not what its field holds.
    """
    origin = details.get("origin") or GIVEN
    entry = DictionaryEntry(
        checked(source, "source"),
        checked(target, "target"),
        _number("probability", details.get("probability")),
        _number("score", details.get("score")),
        _rank("rank", details.get("rank")),
        _rank("back_rank", details.get("back_rank")),
        origin,  # type: ignore[arg-type]  # checked in the next line
        details.get("model", ""),
    )
    check_entry(entry)
    return entry


def _number(name: str, text: str | None) -> float | None:
    if not text:
        return None
    if not is_number(text):
        raise RowProblem(f"the {name} is {text!r}, expected a number such as 0.5")
    return float(text)


def _rank(name: str, text: str | None) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(HIGHEST_RANK))):
        raise RowProblem(f"the {name} is {text!r}, expected a whole number from 1")
    return int(text)


_DETAILS_LINE = re.compile(
    r"(?:probability=(?P<probability>\S+) )?(?:score=(?P<score>\S+) )?"
    r"(?:rank=(?P<rank>\S+) )?(?:back_rank=(?P<back_rank>\S+) )?"
    r"origin=(?P<origin>\S+)(?: model=(?P<model>.+))?"
)


def details_line(entry: DictionaryEntry) -> str:
    """Return what is known of a pair as one line, such as `probability=0.9 origin=induced`."""
    texts = zip(DETAILS, texts_of(entry)[2:], strict=True)
    return " ".join(f"{name}={text}" for name, text in texts if text)


def read_details_line(line: str) -> dict[str, str] | None:
    """Take such a line apart; None if it is something else."""
    found = _DETAILS_LINE.fullmatch(line)
    return None if found is None else {k: v for k, v in found.groupdict().items() if v is not None}
