"""How the text of a language is written: its tag, direction and script, for pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Direction = Literal["ltr", "rtl", "auto"]

_RIGHT_TO_LEFT = frozenset(
    ("adlm", "arab", "aran", "hebr", "mand", "mend", "nkoo", "rohg", "samr", "syrc", "thaa")
)
_UNKNOWN = "und"


@dataclass(frozen=True, slots=True)
class WrittenLanguage:
    """How to mark up text of a language.

    Attributes:
        tag: A language tag (BCP 47); empty if the language is not known.
        direction: The value of `dir`; "auto" lets the browser decide by the first letter.
        script: Four letters in lower case, such as "latn"; "zyyy" if not known.
    """

    tag: str
    direction: Direction
    script: str


@lru_cache(maxsize=64)
def written_language(tag: str) -> WrittenLanguage:
    """Return how a language is written, by its tag; any text is allowed.

    Example:
        >>> written_language("ur")
        WrittenLanguage(tag='ur', direction='rtl', script='arab')
    """
    from langcodes import Language
    from langcodes.tag_parser import LanguageTagError

    try:
        found = Language.get(tag or _UNKNOWN)
    except LanguageTagError:
        found = Language.get(_UNKNOWN)
    if found.language in (None, _UNKNOWN) and found.script is None:
        return WrittenLanguage("", "auto", "zyyy")
    script = (found.script or found.maximize().script or "Zyyy").lower()
    return WrittenLanguage(found.to_tag(), "rtl" if script in _RIGHT_TO_LEFT else "ltr", script)
