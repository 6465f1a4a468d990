"""Language codes: which spellings of a code mean the same language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

from bilex.errors import SettingError

_LONGEST = 40
_NOT_SPELLED = {"fonipa", "zxxx"}  # phonetic transcriptions, recordings
_TEXT = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_-]{{1,{_LONGEST - 1}}}")
_IN_A_NAME = re.compile(r"(?<![A-Za-z])([a-z]{2,3})[-_]([a-z]{2,3})(?![A-Za-z])")


@dataclass(frozen=True, slots=True)
class Language:
    """A requested language, and which codes in a file mean it.

    ISO 639-1 and 639-3 codes of a language are the same (`fi`, `fin`), and so are the two forms of
    ISO 639-2 (`ger`, `deu`), the main variety of a macrolanguage (`arb` for `ar`) and codes that
    were replaced (`iw` for `he`). A language also matches its varieties: `en` matches `en-US`, but
    `pa-Arab` does not match `pa`. Phonetic transcriptions (`en-fonipa`) are not words of `en`.

    Attributes:
        requested: The code as it was given.
        tag: The standard form, such as "fi"; the lower-case text if it is no language tag, such as
            a Glottolog code.
    """

    requested: str
    tag: str

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the language with this code.

        Raises:
            SettingError: If the text cannot be a code.
        """
        if not _TEXT.fullmatch(text):
            raise SettingError(
                f"the language is {text!r}, expected a code such as fi, fin or pa-Arab"
            )
        return cls(text, _standard(text))

    def matches(self, code: object) -> bool:
        """Return whether a code in a file means this language or a variety of it."""
        return isinstance(code, str) and len(code) <= _LONGEST and _fits(self.tag, code)

    @property
    def metadata_tag(self) -> str:
        """Return a language tag for metadata, also for a code that is not a language tag."""
        is_tag = re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*", self.tag)
        private = re.sub("[^A-Za-z0-9]", "", self.tag)[:8]
        return self.tag if is_tag else f"und-x-{private}"

    def spellings(self) -> tuple[str, ...]:
        """Return all codes that may start a code of this language, in lower case and sorted."""
        return _spellings(self.tag.partition("-")[0])


@dataclass(frozen=True, slots=True)
class PairRequest:
    """What to import.

    Attributes:
        source: The language of the first word of a pair.
        target: The language of the second word.
        other: A second data set to pair with the first, for importers that join two.
    """

    source: Language
    target: Language
    other: Path | None = None

    def is_reversed(self, first: object, second: object) -> bool | None:
        """Return whether two codes are target and source; None if they are not the pair at all."""
        if self.source.matches(first) and self.target.matches(second):
            return False
        if self.target.matches(first) and self.source.matches(second):
            return True
        return None

    @property
    def name(self) -> str:
        """Return the pair as it was requested, such as "en-fi"."""
        return f"{self.source.requested}-{self.target.requested}"


def parse_pair(text: str) -> tuple[str, str]:
    """Return the two codes in a text such as "en-fi", or "en:pa-Arab" if one has a hyphen.

    Raises:
        SettingError: If there are not exactly two.
    """
    separator = ":" if ":" in text else "-"
    parts = text.split(separator)
    if len(parts) != 2 or not all(parts):
        raise SettingError(
            f"the pair is {text!r}, expected two language codes such as en-fi, or en:pa-Arab if a "
            "code has a hyphen"
        )
    return parts[0], parts[1]


def languages_in_name(path: Path) -> tuple[str, str] | None:
    """Return the last two language codes in a file name such as `freedict-eng-fra.dict.dz`."""
    pairs = [
        (first, second)
        for first, second in _IN_A_NAME.findall(path.name.lower())
        if _is_known(first) and _is_known(second)
    ]
    return pairs[-1] if pairs else None


@lru_cache(maxsize=2**14)
def _fits(tag: str, code: str) -> bool:
    found = _standard(code)
    if found == tag:
        return True
    return found.startswith(f"{tag}-") and _NOT_SPELLED.isdisjoint(found.lower().split("-"))


@lru_cache(maxsize=2**13)
def _standard(code: str) -> str:
    from langcodes import standardize_tag
    from langcodes.tag_parser import LanguageTagError

    try:
        return standardize_tag(code, macro=True)
    except LanguageTagError:
        return code.lower().replace("_", "-")


@lru_cache(maxsize=1024)
def _is_known(code: str) -> bool:
    from langcodes import tag_is_valid

    return tag_is_valid(code)


@lru_cache(maxsize=64)
def _spellings(language: str) -> tuple[str, ...]:
    from langcodes import data_dicts

    known = {language, *data_dicts.LANGUAGE_ALPHA3, *data_dicts.LANGUAGE_ALPHA3.values()}
    known.update(data_dicts.LANGUAGE_ALPHA3_BIBLIOGRAPHIC.values())
    known.update(data_dicts.LANGUAGE_REPLACEMENTS, data_dicts.NORMALIZED_MACROLANGUAGES)
    found = {code for code in known if _standard(code).partition("-")[0] == language}
    return tuple(sorted(code.lower() for code in found))
