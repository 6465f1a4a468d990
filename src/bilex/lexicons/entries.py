"""What a lexicon file may hold: the rules for one entry, the same in every format."""

from __future__ import annotations

import math
import re

from bilex.values import Entry

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_FORBIDDEN = re.compile("[\t\n\r\0\ud800-\udfff]")
_FORBIDDEN_NAMES = {
    "\t": "a tab",
    "\n": "a line break",
    "\r": "a carriage return",
    "\0": "a null character",
}


class RowProblem(Exception):
    """Why one row is not an entry; the reader and the writer add file and line."""


def make_entries(
    source: str, targets: list[str], *, weight: float = 1.0, provenance: str = ""
) -> list[Entry]:
    """Return one entry for each target word.

    Surrounding ASCII spaces are dropped; other blanks, such as a no-break space, are part of
    the word.

    Raises:
        RowProblem: If a word is empty or cannot be written back.
    """
    source, provenance = checked(source.strip(" "), "source"), provenance.strip(" ")
    check_text(provenance, "provenance")
    return [
        Entry(source, checked(target.strip(" "), "target"), weight, provenance)
        for target in targets
    ]


def checked(word: str, role: str) -> str:
    """Return the word, or say why it cannot be one."""
    if not word:
        raise RowProblem(f"the {role} word is empty: fill it in or delete the row")
    check_text(word, role)
    return word


def check_text(text: str, role: str) -> None:
    """Raise a `RowProblem` if a text would not survive writing and reading."""
    found = _FORBIDDEN.search(text)
    if found:
        name = _FORBIDDEN_NAMES.get(found[0], "half of a character (a lone surrogate)")
        raise RowProblem(f"the {role} {text!r} holds {name}, which no lexicon file can keep")
    if text != text.strip(" "):
        raise RowProblem(f"the {role} {text!r} starts or ends with a space: remove it")


def checked_weight(value: float) -> float:
    """Return a weight as a float, or say why it cannot be one."""
    try:
        weight = float(value)
    except OverflowError:
        weight = math.inf
    if not math.isfinite(weight) or weight <= 0:
        raise RowProblem(f"the weight is {value}, expected a finite number above 0")
    return weight


def parse_weight(text: str) -> float:
    """Return the weight written in a cell; an empty cell counts as 1."""
    text = text.strip(" ")
    if not text:
        return 1.0
    if not is_number(text):
        raise RowProblem(f"the weight is {text!r}, expected a number above 0 such as 0.5")
    return checked_weight(float(text))


def is_number(text: str) -> bool:
    """Tell whether a text is a plain decimal number."""
    return _NUMBER.fullmatch(text) is not None


def is_multi_word(word: str) -> bool:
    """Tell whether a word is a term of several words, joined by spaces or underscores."""
    return " " in word or "_" in word.strip("_")
