"""Valid dictionary entries, and their fields as text."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, get_args
from urllib.parse import unquote

from bilex.errors import DictionaryFileError
from bilex.lexicons.dictionary import DictionaryEntry, Origin
from bilex.lexicons.entries import RowProblem, check_text, checked, is_number

COLUMNS = DictionaryEntry._fields
DETAILS = COLUMNS[2:]
MODEL_FIELDS, REVIEW_FIELDS = DETAILS[:6], DETAILS[6:]
"""A table with a column of the first kind is a dictionary; word lists have notes as well."""

ORIGINS: tuple[Origin, ...] = get_args(Origin)

DEFAULT_ORIGIN: Origin = "seed"
"""The origin of entries from a file without origins: given by a person, not made by a model."""

HIGHEST_RANK = 2**31 - 1

_TIME = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)
_SUSPECT = re.compile("^ |[\t\n\r\0\ud800-\udfff]| $").search


def check_entry(entry: DictionaryEntry) -> None:
    """Raise a `RowProblem` if an entry cannot be written and read back."""
    source, target, probability, score, rank, back_rank, origin, model, *review = entry
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
    if any(review):
        for name, text in zip(REVIEW_FIELDS, review, strict=True):
            check_text(text, name)
        if entry.reviewed_at and time_of(entry.reviewed_at) is None:
            raise RowProblem(
                f"the reviewed_at is {entry.reviewed_at!r}, expected a time such as "
                "2026-01-31T12:00:00Z"
            )


def time_of(text: str) -> datetime | None:
    """Return the time in a text such as 2026-01-31 or 2026-01-31T12:00:00Z; None if it is not."""
    if not _TIME.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:  # such as a 13th month
        return None


def checked_entries(entries: Iterable[DictionaryEntry], path: Path) -> Iterator[DictionaryEntry]:
    """Yield the entries; raise a `DictionaryFileError` with the number of the first invalid one."""
    for number, entry in enumerate(entries, start=1):
        try:
            check_entry(entry)
        except RowProblem as problem:
            raise DictionaryFileError(
                path, f"entry {number:,} cannot be written: {problem}"
            ) from None
        yield entry


def by_source(
    entries: Iterable[DictionaryEntry],
) -> Iterator[tuple[str, list[DictionaryEntry]]]:
    """Yield each run of entries with the same source word."""
    for source, group in groupby(entries, key=itemgetter(0)):
        yield source, list(group)


class Meaning(NamedTuple):
    """What the entries of one sense have in common."""

    source: str
    part_of_speech: str
    sense: str


def by_meaning(
    entries: Iterable[DictionaryEntry],
) -> Iterator[tuple[Meaning, list[DictionaryEntry]]]:
    """Yield each run of entries with the same source word, part of speech and sense."""
    for meaning, group in groupby(
        entries, key=lambda entry: Meaning(entry.source, entry.part_of_speech, entry.sense)
    ):
        yield meaning, list(group)


def texts_of(entry: DictionaryEntry) -> tuple[str, ...]:
    """Return all fields as text, in the order of `COLUMNS`; an unknown field is empty.

    A number is written as the shortest text that reads as the same number.
    """
    source, target, probability, score, rank, back_rank, *texts = entry
    return (
        source,
        target,
        "" if probability is None else repr(float(probability)),
        "" if score is None else repr(float(score)),
        "" if rank is None else str(rank),
        "" if back_rank is None else str(back_rank),
        *texts,
    )


def entry_of(source: str, target: str, details: Mapping[str, str]) -> DictionaryEntry:
    """Return the entry with two words and other fields given as text; empty means unknown.

    Raises:
        RowProblem: If a text is not valid for its field.
    """
    origin = details.get("origin") or DEFAULT_ORIGIN
    entry = DictionaryEntry(
        checked(source, "source"),
        checked(target, "target"),
        _share(details.get("probability")),
        _number("score", details.get("score")),
        _rank("rank", details.get("rank")),
        _rank("back_rank", details.get("back_rank")),
        origin,  # type: ignore[arg-type]  # checked in the next line
        details.get("model", ""),
        *(details.get(name, "") for name in REVIEW_FIELDS),
    )
    check_entry(entry)
    return entry


def _number(name: str, text: str | None) -> float | None:
    if not text:
        return None
    if not is_number(text):
        raise RowProblem(f"the {name} is {text!r}, expected a number such as 0.5")
    return float(text)


def _share(text: str | None) -> float | None:
    """Return a probability, also one that a spreadsheet wrote as a percentage such as 97,5 %."""
    if text is None or not text.endswith("%"):
        return _number("probability", text)
    number = _number("probability", text[:-1].rstrip(" \u00a0").replace(",", "."))
    return None if number is None else number / 100


def _rank(name: str, text: str | None) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(HIGHEST_RANK))):
        raise RowProblem(f"the {name} is {text!r}, expected a whole number from 1")
    return int(text)


_DETAILS_LINE = re.compile(
    r"(?:probability=(?P<probability>\S+) )?(?:score=(?P<score>\S+) )?"
    r"(?:rank=(?P<rank>\S+) )?(?:back_rank=(?P<back_rank>\S+) )?"
    + "".join(rf"(?:{name}=(?P<{name}>\S+) )?" for name in REVIEW_FIELDS)
    + r"origin=(?P<origin>\S+)(?: model=(?P<model>.+))?"
)


_LINE_ORDER = (*DETAILS[:4], *REVIEW_FIELDS, "origin", "model")
_SPACES = re.compile(r"[\s%]")


def details_line(entry: DictionaryEntry, leave_out: Container[str] = ()) -> str:
    """Return all fields but the words as one line, such as `probability=0.9 origin=induced`.

    Spaces in what reviewers wrote are percent-encoded, as in a URL: `note=see%20house`.
    """
    texts = dict(zip(DETAILS, texts_of(entry)[2:], strict=True))
    for name in REVIEW_FIELDS:
        if texts[name]:
            texts[name] = _SPACES.sub(_encoded, texts[name])
    return " ".join(
        f"{name}={texts[name]}" for name in _LINE_ORDER if texts[name] and name not in leave_out
    )


def _encoded(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def read_details_line(line: str) -> dict[str, str] | None:
    """Return the fields of such a line by name; None if it is another text."""
    found = _DETAILS_LINE.fullmatch(line)
    if found is None:
        return None
    fields = {name: text for name, text in found.groupdict().items() if text is not None}
    return {n: unquote(text) if n in REVIEW_FIELDS else text for n, text in fields.items()}
