"""Clean the words of resources, and leave out texts that are not words."""

from __future__ import annotations

import re

from bilex.lexicons.imports.tally import Tally

MOST_CHARACTERS = 200
MOST_WORDS = 10
"""Longer texts are sentences or definitions, not terms."""

EMPTY = "without a word"
UNEXPECTED = "of an unexpected form"

_BREAKS = re.compile("[ \t\n\r\x0b\x0c\x85\u2028\u2029]+")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffd-\uffff]")
# Wiki links and templates, tags, bold and italics, cells of tables, entities, addresses.
_MARKUP = re.compile(r"\[\[|\]\]|\{\{|\}\}|</?[A-Za-z!]|''|\||&#?\w+;|https?://|^[*#:]+ ")
_QUALIFIER = re.compile(r"^(?:\([^()]*\)|\[[^][]*\]) +| +(?:\([^()]*\)|\[[^][]*\])$")
_LEFT_OVER = re.compile(r"[()\[\]{}<>]")


def clean_word(text: str, tally: Tally) -> str | None:
    """Return the word in a text; None, and a count of the reason, if there is none.

    Spaces around the word are dropped and line breaks become spaces. A qualifier in parentheses or
    brackets before or after the word is removed, such as `(archaic)`. Nothing else is changed: a
    text with parentheses elsewhere, such as `colo(u)r`, is left out, and so is one with markup.
    """
    word = _BREAKS.sub(" ", text).strip(" ")
    bare = _QUALIFIER.sub("", word)
    while bare != word and _QUALIFIER.search(bare):
        bare = _QUALIFIER.sub("", bare)
    reason = _problem(word, bare)
    if reason is not None:
        tally.leave_out(reason)
        return None
    if bare != word:
        tally.changed["without their qualifier in parentheses"] += 1
    return bare


def clean_label(text: object, longest: int = 100) -> str:
    """Return a label, such as the name of a source, as one short line."""
    line = _CONTROL.sub("", _BREAKS.sub(" ", text)) if isinstance(text, str) else ""
    return line[:longest].strip(" ")


def _problem(word: str, bare: str) -> str | None:
    if not word:
        return EMPTY
    if len(word) > MOST_CHARACTERS or word.count(" ") >= MOST_WORDS:
        return f"longer than {MOST_WORDS} words or {MOST_CHARACTERS} characters"
    if _CONTROL.search(word):
        return "with control characters"
    if _MARKUP.search(word):
        return "with markup"
    if _LEFT_OVER.search(bare):
        return "with parentheses inside"
    if not any(map(str.isalnum, bare)):
        return "without a letter or digit"
    return None
