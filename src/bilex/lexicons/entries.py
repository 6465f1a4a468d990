"""Valid words, weights and provenances, the same in every format."""

from __future__ import annotations

import math
import re

from bilex.values import Entry

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+", re.ASCII)
_FORBIDDEN = re.compile("[\t\n\r\0\ud800-\udfff]")
_FORBIDDEN_NAMES = {
    "\t": "a tab",
    "\n": "a line break",
    "\r": "a carriage return",
    "\0": "a null character",
}


class RowProblem(Exception):
    """Why one row is not valid; the reader or the writer adds the file and the line."""


class RowLeftOut(Exception):
    """Why one row is not used; the reader counts it and continues."""


def make_pairs(
    source: str, targets: list[str], *, weight: float = 1.0, provenance: str = ""
) -> list[Entry]:
    """Return one word pair for each target word.

    ASCII spaces around a word are dropped; other white space, such as a no-break space, is part
    of the word.

    Raises:
        RowProblem: If a word is empty or cannot be written to a file.
    """
    source, provenance = checked(source.strip(" "), "source"), provenance.strip(" ")
    check_text(provenance, "provenance")
    return [
        Entry(source, checked(target.strip(" "), "target"), weight, provenance)
        for target in targets
    ]


def checked(word: str, role: str) -> str:
    """Return the word; raise a `RowProblem` if it is not valid."""
    if not word:
        raise RowProblem(f"the {role} word is empty: fill it in or delete the row")
    check_text(word, role)
    return word


def check_text(text: str, role: str) -> None:
    """Raise a `RowProblem` if a text cannot be written and read back."""
    found = _FORBIDDEN.search(text)
    if found:
        name = _FORBIDDEN_NAMES.get(found[0], "half of a character (a lone surrogate)")
        raise RowProblem(f"the {role} {text!r} holds {name}, which no lexicon file can keep")
    if text != text.strip(" "):
        raise RowProblem(f"the {role} {text!r} starts or ends with a space: remove it")


def checked_weight(value: float) -> float:
    """Return a weight as a float; raise a `RowProblem` if it is not valid."""
    try:
        weight = float(value)
    except OverflowError:
        weight = math.inf
    if not math.isfinite(weight) or weight <= 0:
        raise RowProblem(f"the weight is {value}, expected a finite number above 0")
    return weight


def parse_weight(text: str) -> float:
    """Return the weight written in a cell, such as 0.5 or 0,5; an empty cell counts as 1."""
    text = text.strip(" ")
    if not text:
        return 1.0
    if has_decimal_comma(text):
        text = text.replace(",", ".")
    if not is_number(text):
        raise RowProblem(f"the weight is {text!r}, expected a number above 0 such as 0.5")
    return checked_weight(float(text))


def is_number(text: str) -> bool:
    """Return whether a text is a plain decimal number."""
    return _NUMBER.fullmatch(text) is not None


def has_decimal_comma(text: str) -> bool:
    """Return whether a text is a number such as 0,5."""
    return _DECIMAL_COMMA.fullmatch(text.strip(" ")) is not None


def is_multi_word(word: str) -> bool:
    """Return whether a word is a term of several words, joined by spaces or underscores."""
    return " " in word or "_" in word.strip("_")
