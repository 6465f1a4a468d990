"""Cut a text into the parts that terms are made of, with one spelling per part.

A part, here an atom, is a word of a script with spaces, one character of a script without spaces,
or one symbol. The gap before an atom is a space for white space, `_` or a hyphen between words, an
apostrophe inside a word, or nothing. Atoms and gaps joined are the key by which a term is found.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from bilex.text.words import LONGEST_WORD, UNSPACED, Words

_WORDS = Words(keep_case=True)

_LONGEST_RAW = 4 * LONGEST_WORD  # a word in NFD has more characters
_MARKS_AT_ONCE = 30  # as in the Stream-Safe Text Format of Unicode; sorting marks is not linear

_MARKS = ",.;:!?"
_PLAIN_WORD = re.compile(f"[A-Za-z]{{1,{LONGEST_WORD}}}")
_BETWEEN_SPACES = re.compile(r"\S+")
_BETWEEN_WORDS = re.compile("[_\u2010\u2011-]")
_HYPHENS = ("-", "\u2010", "\u2011")
_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200c-\u200f\u2060-\u2064\ufeff]")
_APOSTROPHE = re.compile("['\u2018\u2019\uff07]")
_LATIN = re.compile("[A-Za-z\u00aa-\u024f\u1e00-\u1eff]")
_SHORT = 4  # characters between words that are usual, such as a comma and a space
_SHORTEST_PIECE = 3  # of a word with an apostrophe, in characters

_VOWELS_BEFORE = "\u0e40-\u0e44\u0ec0-\u0ec4\uaab5\uaab6\uaab9\uaabb\uaabc"  # Thai, Lao, Tai Viet
_VOWELS_AFTER = "\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3\uaab1\uaaba\uaabd"
_STACKERS = "\u1039\u17d2\u1a60\ua9c0"  # the next consonant is written below
_SMALL_KANA = "\u3041\u3043\u3045\u3047\u3049\u3083\u3085\u3087\u308e\u30a1\u30a3\u30a5\u30a7\u30a9"
_SMALL_KANA += "\u30e3\u30e5\u30e7\u30ee\u30fc\uff67-\uff6e\uff70"
_HOLDS_NEXT = re.compile(f"[{_VOWELS_BEFORE}{_STACKERS}]")


class Atoms(NamedTuple):
    """The atoms of a text: one item in each list for each of them.

    Attributes:
        exact: NFC, with plain apostrophes and without invisible characters; empty if overlong.
        folded: The same without the difference of capital and small letters; the same object if
            there is no difference.
        gaps: What is between the atom before and this one: "", " " or "'".
        starts: Where it begins in the text.
        ends: Where it ends in the text.
        no_start: Numbers of the atoms with which no term begins, because they continue a word or a
            syllable.
        no_end: Numbers of the atoms with which no term ends.
    """

    exact: list[str]
    folded: list[str]
    gaps: list[str]
    starts: list[int]
    ends: list[int]
    no_start: set[int]
    no_end: set[int]


def fold(word: str, *, dotless: bool = False) -> str:
    """Return a word in small letters, in NFC.

    Unlike `str.casefold`, it does not change ß to ss, because *Maße* and *Masse* are two words.

    Args:
        word: The word, in NFC.
        dotless: The small letter of I is ı, as in Turkish.

    Example:
        >>> fold("İzmir"), fold("IRMAK", dotless=True), fold("Maße")
        ('izmir', 'ırmak', 'maße')
    """
    if dotless and "I" in word:
        word = word.replace("I\u0307", "i").replace("I", "ı")
    word = word.lower()
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", word.replace("i\u0307", "i"))


def split(text: str, *, dotless: bool = False) -> Atoms:
    """Return the atoms of a text; takes time in proportion to its length."""
    atoms = _no_atoms()
    exact, folded, gaps = atoms.exact.append, atoms.folded.append, atoms.gaps.append
    starts, ends = atoms.starts.append, atoms.ends.append
    plain: dict[str, tuple[str, str, str]] = {}  # most words of a text are repeated
    after_hyphen = False
    for match in _BETWEEN_SPACES.finditer(text):
        chunk, start = match[0], match.start()
        if after_hyphen:
            _join_lines(text, start, atoms)
            after_hyphen = False
        known = plain.get(chunk)
        if known is None:
            known = _plain_word(chunk, dotless)
            if known is None:
                _add_chunk(chunk, start, dotless, atoms)
                after_hyphen = chunk[-1] in _HYPHENS
                continue
            plain[chunk] = known
        word, small, mark = known
        exact(word)
        folded(small)
        gaps(" ")
        starts(start)
        end = start + len(word)
        ends(end)
        if mark:
            _add(atoms, mark, mark, "", end, end + 1)
    return atoms


def _plain_word(chunk: str, dotless: bool) -> tuple[str, str, str] | None:
    """Return a word of plain letters, the same folded, and the mark after it if there is one."""
    word, mark = (chunk[:-1], chunk[-1]) if chunk[-1] in _MARKS else (chunk, "")
    if not _PLAIN_WORD.fullmatch(word):
        return None
    return word, word if word.islower() else fold(word, dotless=dotless), mark


def _add_chunk(chunk: str, offset: int, dotless: bool, atoms: Atoms) -> None:
    """Add a part of the text without white space."""
    first = len(atoms.exact)
    before = 0  # end of the word before
    for start, end in _WORDS.places(chunk):
        raw, between = chunk[start:end], chunk[before:start]
        if not between:
            gap = ""
        elif before and _BETWEEN_WORDS.fullmatch(between):
            gap = " "
        else:
            gap = _add_symbols(between, offset + before, atoms)
        before = end
        if not raw.isascii() and is_unspaced(raw):
            _add_run(raw, offset + start, gap, atoms)
        elif (pieces := _pieces(raw, offset + start)) is not None:
            _add_pieces(pieces, gap, dotless, atoms)
        else:
            _add(atoms, *_spellings(raw, dotless), gap, offset + start, offset + end)
    if before < len(chunk):
        _add_symbols(chunk[before:], offset + before, atoms)
    if first < len(atoms.gaps):
        atoms.gaps[first] = " "


def _add(atoms: Atoms, exact: str, folded: str, gap: str, start: int, end: int) -> None:
    atoms.exact.append(exact)
    atoms.folded.append(folded)
    atoms.gaps.append(gap)
    atoms.starts.append(start)
    atoms.ends.append(end)


def _no_atoms() -> Atoms:
    return Atoms([], [], [], [], [], set(), set())


def _join_lines(text: str, start: int, atoms: Atoms) -> None:
    """Remove the last atom if it is a hyphen at the end of a line, between two words."""
    is_between = len(atoms.exact) > 1 and atoms.exact[-2][-1:].isalnum() and text[start].isalnum()
    if is_between and atoms.gaps[-1] == "" and "\n" in text[atoms.ends[-1] : start]:
        for each in (atoms.exact, atoms.folded, atoms.gaps, atoms.starts, atoms.ends):
            each.pop()


def is_unspaced(atom: str) -> bool:
    """Return whether an atom is a character of a script without spaces."""
    return UNSPACED.match(atom) is not None


def _spellings(raw: str, dotless: bool) -> tuple[str, str]:
    if len(raw) > _LONGEST_RAW:
        return "", ""
    spelling = _WORDS.spelled(raw)
    if len(spelling) > LONGEST_WORD:
        return "", ""
    folded = fold(spelling, dotless=dotless)
    return spelling, spelling if folded == spelling else folded


def _add_symbols(between: str, start: int, atoms: Atoms) -> str:
    """Add the symbols between two words as atoms; return the gap before the next atom."""
    after_unspaced = bool(atoms.exact) and is_unspaced(atoms.exact[-1])
    find = _symbols_of_short if len(between) <= _SHORT else _symbols
    symbols, last_gap = find(between, after_unspaced)
    for symbol, gap, offset in symbols:
        _add(atoms, symbol, symbol, gap, start + offset, start + offset + 1)
    return last_gap


def _symbols(between: str, after_unspaced: bool) -> tuple[list[tuple[str, str, int]], str]:
    """Return symbols, the gap before each and where it is; last, the gap before the next atom."""
    plain = _INVISIBLE.sub("", between)
    if not plain or (plain == "\u200b" and after_unspaced):
        return [], ""
    found, gap = [], ""
    for offset, character in enumerate(between):
        if character == "\u200b":
            gap = " "
        elif not _INVISIBLE.match(character):
            found.append(("'" if _APOSTROPHE.match(character) else character, gap, offset))
            gap = ""
    return found, gap


_symbols_of_short = lru_cache(maxsize=4_096)(_symbols)


def _pieces(raw: str, start: int) -> list[tuple[str, int]] | None:
    """Return the pieces of a Latin word around apostrophes, and where they begin; None if one."""
    if len(raw) > _LONGEST_RAW or not _APOSTROPHE.search(raw):
        return None
    found, begin = [], 0
    for mark in _APOSTROPHE.finditer(raw):
        found.append((raw[begin : mark.start()], start + begin))
        begin = mark.end()
    found.append((raw[begin:], start + begin))
    return found if all(_LATIN.match(piece) for piece, _ in found) else None


def _add_pieces(pieces: list[tuple[str, int]], gap: str, dotless: bool, atoms: Atoms) -> None:
    """Add a word such as *l'eau*: a term may be *l'eau* or *eau*, but not *don* in *don't*."""
    spelled = [_spellings(piece, dotless) for piece, _ in pieces]
    last = len(pieces) - 1
    for number, (raw, start) in enumerate(pieces):
        exact, folded = spelled[number]
        is_long = len(exact) >= _SHORTEST_PIECE
        if number and not is_long:
            atoms.no_start.add(len(atoms.exact))
        if number < last and (not is_long or spelled[number + 1][1] == "t"):
            atoms.no_end.add(len(atoms.exact))
        _add(atoms, exact, folded, "'" if number else gap, start, start + len(raw))


def _add_run(run: str, start: int, gap: str, atoms: Atoms) -> None:
    """Add the characters of a run without spaces."""
    first = len(atoms.exact)
    clusters = _cluster_characters()
    has_clusters = clusters.search(run) is not None
    if not has_clusters and unicodedata.is_normalized("NFC", run):
        atoms.exact.extend(run)
        atoms.starts.extend(range(start, start + len(run)))
        atoms.ends.extend(range(start + 1, start + len(run) + 1))
    else:
        for character, begin, end in _characters(run, start):
            atoms.exact.append(character)
            atoms.starts.append(begin)
            atoms.ends.append(end)
    characters = atoms.exact[first:]
    atoms.folded.extend(characters)
    atoms.gaps.append(gap)
    atoms.gaps.extend([""] * (len(characters) - 1))
    if not has_clusters:
        return
    is_held = False
    for number, character in enumerate(characters, first):
        if is_held or (clusters.match(character) and not _is_before(character)):
            atoms.no_start.add(number)
            atoms.no_end.add(number - 1)
        is_held = _HOLDS_NEXT.match(character) is not None
    if is_held:
        atoms.no_end.add(len(atoms.exact) - 1)


def _is_before(character: str) -> bool:
    """Return whether a character is a vowel that is written before its consonant."""
    return _HOLDS_NEXT.match(character) is not None and character not in _STACKERS


def _characters(run: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Yield the characters of a run in NFC, and start and end of each in the text."""
    for piece in _piece_pattern().finditer(run):
        raw, begin, end = piece[0], start + piece.start(), start + piece.end()
        normal = unicodedata.normalize("NFC", raw)
        if normal == raw:
            for offset, character in enumerate(raw):
                yield character, begin + offset, begin + offset + 1
        else:
            # A term begins and ends outside of the piece, so that the places inside do not matter.
            for character in normal:
                yield character, begin, end


def _marks() -> str:
    codes = (*range(0x0E00, 0x1B00), *range(0x3099, 0x309B), *range(0xA980, 0xAB00))
    found = (chr(code) for code in codes if unicodedata.category(chr(code)).startswith("M"))
    return "".join(mark for mark in found if UNSPACED.match(mark)) + "\uff9e\uff9f"


@lru_cache(maxsize=1)
def _piece_pattern() -> re.Pattern[str]:
    marks = _marks()
    return re.compile(f"[^{marks}]?[{marks}]{{0,{_MARKS_AT_ONCE}}}")


@lru_cache(maxsize=1)
def _cluster_characters() -> re.Pattern[str]:
    """Return a pattern of the characters that belong together with the one before or after."""
    return re.compile(f"[{_marks()}{_VOWELS_BEFORE}{_VOWELS_AFTER}{_SMALL_KANA}]")
