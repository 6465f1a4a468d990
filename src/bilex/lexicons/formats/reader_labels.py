"""Entries as a reader of a dictionary sees them: `maison (very likely, 93 %)`."""

from __future__ import annotations

import re

from bilex.lexicons.dictionary import DictionaryEntry

_LIKELY = ((0.9, "very likely"), (0.7, "likely"), (0.4, "possible"), (0.0, "unsure"))
_GIVEN, _CHECKED = "given", "checked"
_NAMES = "|".join([*(name for _, name in _LIKELY), _GIVEN, _CHECKED])
_LABEL = re.compile(rf" \((?:{_NAMES})(?:, \d+ %)?\)$")


def for_readers(entry: DictionaryEntry) -> str:
    """Return a translation and how far to trust it, in words.

    Example:
        >>> for_readers(DictionaryEntry("house", "maison", 0.932))
        'maison (very likely, 93 %)'
    """
    label = _label(entry)
    return f"{entry.target} ({label})" if label else entry.target


def without_label(text: str) -> str:
    """Return the translation in a text of `for_readers`."""
    return _LABEL.sub("", text)


def _label(entry: DictionaryEntry) -> str:
    if entry.origin == "reviewed":
        return _CHECKED
    if entry.origin == "seed":
        return _GIVEN
    if entry.probability is None:
        return ""
    name = next(name for least, name in _LIKELY if entry.probability >= least)
    return f"{name}, {100 * entry.probability:.0f} %"
