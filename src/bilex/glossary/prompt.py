"""The terms of a text as part of the prompt of a language model."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bilex.lexicons.language_names import english_name

if TYPE_CHECKING:
    from bilex.glossary.glossary import GlossaryTerm
    from bilex.lexicons.dictionary import DictionaryEntry

SURE = 0.8
"""Translations with a smaller probability are marked as uncertain."""

# Besides what JSON escapes: other line breaks, invisible characters that change the direction of
# text or hide it, and half characters.
_UNSAFE = re.compile(
    "[\u007f-\u009f\u00ad\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)

_INFLECT = (
    "Translations are dictionary forms: inflect them as the sentence requires, and use one only "
    "where its meaning fits."
)
_UNCERTAIN = "A translation with a percentage is uncertain: it is right with this probability."
_SIMILAR = (
    '"Similar to" means that the text has another form, which may be a different word: ignore the '
    "translation if it is."
)


def prompt_block(terms: Sequence[GlossaryTerm], source_language: str, target_language: str) -> str:
    """Return the terms as lines of plain text; empty if there are none."""
    if not terms:
        return ""
    source = language_name(source_language) or "the source language"
    target = language_name(target_language) or "the target language"
    lines = [f"Glossary for the translation from {source} to {target}.", _INFLECT]
    if any(_is_uncertain(entry) for term in terms for entry in term.targets):
        lines.append(_UNCERTAIN)
    if any(term.how == "similar" for term in terms):
        lines.append(_SIMILAR)
    return "\n".join([*lines, *map(_line, terms)]) + "\n"


@lru_cache(maxsize=1_000)
def language_name(tag: str) -> str:
    """Return the English name of a language; its tag if unknown, empty if undetermined.

    Example:
        >>> language_name("es"), language_name("und")
        ('Spanish', '')
    """
    if tag in ("", "und"):
        return ""
    name = _name_by_langcodes(tag)
    if name is None:
        code, *details = re.split("[-_]", tag)
        name = english_name(code)
        if name is not None and details:
            name = f"{name} ({tag})"
    return _plain(tag if name is None else name)


def _name_by_langcodes(tag: str) -> str | None:
    """Return the name by langcodes; None without its data, or if the tag is not valid."""
    if find_spec("language_data") is None:  # langcodes would print to stdout
        return None
    from langcodes import Language
    from langcodes.tag_parser import LanguageTagError

    try:
        found = Language.get(tag)
    except LanguageTagError:
        return None
    return found.display_name() if found.is_valid() else None


def _line(term: GlossaryTerm) -> str:
    name = _quoted(term.term)
    others = [form for form in term.found if form != term.term]
    if term.how == "similar":
        name += f" (similar to {_listed(others, ', ')} in the text)"
    elif term.how == "lemma":
        name += f" (in the text: {_listed(others, ', ')})"
    return f"- {name}: {' or '.join(map(_target, term.targets))}"


def _target(entry: DictionaryEntry) -> str:
    shown = _quoted(entry.target)
    if _is_uncertain(entry) and entry.probability is not None:
        # Rounded down: 79.9 % must not look like 80 %.
        return f"{shown} ({math.floor(100 * entry.probability + 1e-6)} %)"
    return shown


def _is_uncertain(entry: DictionaryEntry) -> bool:
    is_induced = entry.origin == "induced"
    return is_induced and entry.probability is not None and entry.probability < SURE


def _listed(words: Iterable[str], mark: str) -> str:
    return mark.join(map(_quoted, words))


def _quoted(word: str) -> str:
    """Return a word in double quotes, on one line, with escapes as in JSON."""
    text = json.dumps(word, ensure_ascii=False)
    return _UNSAFE.sub(lambda found: "".join(_escapes(found[0])), text)


def _escapes(character: str) -> Iterator[str]:
    code = character.encode("utf-16-be", "surrogatepass")
    for place in range(0, len(code), 2):
        yield f"\\u{code[place]:02x}{code[place + 1]:02x}"


def _plain(name: str) -> str:
    return "".join(character for character in name if character.isprintable())
