"""Split lines into words, in any script, with one spelling per word.

Words of scripts with spaces are found by the word boundaries of Unicode (UAX #29): letters, marks
and digits belong together, and so does an apostrophe or a period between two letters. A hyphen
separates. Unlike in UAX #29, an underscore separates, too: `_` joins the words of a term in bilex.
Scripts without spaces are split by a `RunSplitter` that was learned from the text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple, Protocol

LONGEST_WORD = 100
"""In characters; longer words are addresses or data and are left out."""

# Thai, Lao, Myanmar, Khmer, Tai Le, New Tai Lue, Tai Tham, Javanese, Tai Viet; kana; Han.
_UNSPACED_RANGES = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109f"
    "\u1780-\u17d3\u17d7\u17dc\u17dd\u1950-\u19cf\u1a20-\u1a7f\ua980-\ua9c0\ua9e0-\ua9ef"
    "\ua9fa-\ua9fe\uaa60-\uaac2\uaadb-\uaadf"
    "\u3005-\u3007\u3031-\u3035\u303b\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u31f0-\u31ff\uff66-\uff9f\U0001b000-\U0001b16f"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
UNSPACED = re.compile(f"[{_UNSPACED_RANGES}]+")
"""A run of characters of scripts that do not put spaces between words."""

# MidLetter, MidNumLet and Single_Quote of UAX #29.
_BETWEEN_LETTERS = (
    "'.:·\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a"
)
_INVISIBLE = "\u00ad\u061c\u180e\u200e\u200f\u2060-\u2064\ufeff"
_INVISIBLE_CHARACTERS = re.compile(f"[{_INVISIBLE}]")
_JOINERS = "\u200c\u200d"  # needed by Persian and by scripts of India
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'", "\uff07": "'"})
_WORD_OF_ASCII = re.compile(
    r"[A-Za-z0-9]++(?:(?<=[A-Za-z])['.:](?=[A-Za-z])[A-Za-z0-9]++)*+"
)  # finds the same as `_word_pattern` in a line of ASCII, five times as fast
_PLANES = (range(0x20000), range(0xE0100, 0xE01F0))
_MOST_KNOWN = 500_000


class Token(NamedTuple):
    """A word and where it is in its line, in characters."""

    word: str
    start: int
    end: int


class RunSplitter(Protocol):
    """Splits a run of characters without spaces into words."""

    model: bytes

    def split(self, run: str) -> list[str]:
        """Return the words of a run; joined, they are the run."""
        ...


class Words:
    """Finds the words of lines.

    Args:
        keep_case: Keep capital letters, instead of lower-casing.
        runs: Splits runs of scripts without spaces; None takes each such run as one word.
    """

    def __init__(self, *, keep_case: bool = False, runs: RunSplitter | None = None) -> None:
        self.keep_case, self._runs = keep_case, runs
        self._pattern = _word_pattern()
        self._known: dict[str, str] = {}

    @property
    def pieces(self) -> bytes | None:
        """Return the model for a script without spaces, to be saved; None if there is none."""
        return None if self._runs is None else self._runs.model

    def of(self, line: str) -> list[str]:
        """Return the words of a line; numbers, punctuation and symbols are left out."""
        return [word for word in self.with_gaps(line) if word]

    def with_gaps(self, line: str) -> list[str]:
        """Return the words of a line, and an empty string for each number or overlong word."""
        return self._normals(self._raw(line))

    def located(self, line: str) -> list[Token]:
        """Return the words of a line with their positions."""
        raws = self._raw(line)
        found, end = [], 0
        for raw, word in zip(raws, self._normals(raws), strict=True):
            start = line.index(raw, end)
            end = start + len(raw)
            if word:
                found.append(Token(word, start, end))
        return found

    def places(self, line: str) -> list[tuple[int, int]]:
        """Return start and end of each word and number of a line; a run without spaces is one."""
        if line.isascii():
            return [match.span() for match in _WORD_OF_ASCII.finditer(line)]
        find = self._pattern.finditer
        found: list[tuple[int, int]] = []
        end = 0
        for run in UNSPACED.finditer(line):
            found += [match.span() for match in find(line, end, run.start())]
            found.append(run.span())
            end = run.end()
        return found + [match.span() for match in find(line, end)]

    def at(self, line: str, start: int) -> Token | None:
        """Return the word that begins at a position; None in a run without spaces or elsewhere."""
        found = None if UNSPACED.match(line, start) else self._pattern.match(line, start)
        if found is None:
            return None
        end = found.end()
        if not line.isascii():
            run = UNSPACED.search(line, start, end)
            end = end if run is None else run.start()
        return Token(self.normal(line[start:end]), start, end)

    def normal(self, raw: str) -> str:
        """Return the normalized spelling of a word (see `spelled`).

        Empty if it has no letter, or is longer than `LONGEST_WORD`.
        """
        word = self.spelled(raw)
        return word if len(word) <= LONGEST_WORD and any(map(str.isalpha, word)) else ""

    def spelled(self, text: str) -> str:
        """Return a text in NFC, with plain apostrophes, in lower case unless case is kept."""
        text = text if self.keep_case else text.lower()
        if not text.isascii():
            text = _INVISIBLE_CHARACTERS.sub("", unicodedata.normalize("NFC", text))
            text = text.translate(_APOSTROPHES)
        return text

    def _normals(self, raws: list[str]) -> list[str]:
        known = self._known
        if len(known) > _MOST_KNOWN:
            known.clear()
        found = []
        for raw in raws:
            word = known.get(raw)
            if word is None:
                word = known[raw] = self.normal(raw)
            found.append(word)
        return found

    def _raw(self, line: str) -> list[str]:
        if line.isascii():
            return _WORD_OF_ASCII.findall(line)
        if UNSPACED.search(line) is None:
            return self._pattern.findall(line)
        found: list[str] = []
        end = 0
        for run in UNSPACED.finditer(line):
            found += self._pattern.findall(line, end, run.start())
            found += self._runs.split(run[0]) if self._runs is not None else [run[0]]
            end = run.end()
        return found + self._pattern.findall(line, end)


@lru_cache(maxsize=1)
def _word_pattern() -> re.Pattern[str]:
    marks = _ranges("M") + _JOINERS + _INVISIBLE
    letter = rf"[^\W_{_ranges('No')}]"  # or a digit, but no superscript
    # Possessive repeats: no text takes more than linear time.
    part = rf"{letter}++(?:[{marks}]++|{letter}++)*+"
    after_letter = rf"(?:(?<=[^\W\d_])|(?<=[{marks}]))"
    joint = rf"{after_letter}[{_BETWEEN_LETTERS}](?=[^\W\d_])"
    hebrew_joint = r"(?<=[א-ת])\"(?=[א-ת])"
    return re.compile(rf"{part}(?:(?:{joint}|{hebrew_joint}){part})*+")


def _ranges(category: str) -> str:
    """Return all characters of a Unicode category, as ranges of a regular expression."""
    ranges: list[list[int]] = []
    for plane in _PLANES:
        for code in plane:
            if not unicodedata.category(chr(code)).startswith(category):
                continue
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
