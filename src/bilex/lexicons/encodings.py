"""The encoding of a text file: UTF-8, UTF-16, or the one that fits its letters best.

A file that is not Unicode has no mark of its encoding. For Latin alphabets, the encoding is the one
in which most words are spelled with the letters of one language, Western European ones first. For
other scripts, charset-normalizer detects it. The same bytes always give the same result.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import NamedTuple

UTF_8 = "utf-8"

_MARKS = (
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

SAMPLE = 2**16
"""Bytes of lines with non-ASCII letters that are examined: a whole lexicon, in most cases."""

MOSTLY = 0.7
"""Share of words that must have a property for the file to have it."""

NAMES = {
    UTF_8: "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "koi8_r": "KOI8-R",
    "mac_roman": "Mac Roman",
    "shift_jis": "Shift JIS",
    "euc_jp": "EUC-JP",
    "euc_kr": "EUC-KR",
    "gb18030": "GB 18030",
    "big5": "Big5",
}
"""Common names of encodings; those of Windows, such as Windows-1252 for cp1252, are derived."""

_WESTERN = (
    "àâæçèéêëîïôœùûüÿ",  # French
    "áéíñóúüªº",  # Spanish
    "äöüß",  # German
    "àáâãçéêíóôõúªº",  # Portuguese
    "àèéìíîòóùú",  # Italian
    "åäöéàü",  # Swedish, Finnish
    "æøåéòô",  # Danish, Norwegian
    "áéíóúèêëïöü",  # Dutch
    "àçèéíïòóúü·",  # Catalan
    "áéíóúàèìòùâêîôûŵŷ",  # Irish, Scottish, Welsh
    "áðéíóúýþæö",  # Icelandic
)
_ALL_WESTERN = "".join(_WESTERN[:-1])  # ð, ý and þ have the codes of Turkish letters
_CENTRAL = (
    "ąćęłńóśźż",  # Polish
    "áčďéěíňóřšťúůýž",  # Czech
    "áäčďéíĺľňóôŕšťúýž",  # Slovak
    "áéíóöőúüű",  # Hungarian
    "čćđšž",  # Croatian, Slovene
    "ăâîşţșț",  # Romanian
    "çë",  # Albanian
)
_TURKISH = ("çğıöşüâîûi̇",)
_BALTIC = ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž")
_ALPHABETS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("cp1252", _WESTERN),
    ("cp1250", _CENTRAL),
    ("cp1254", _TURKISH),
    ("cp1257", _BALTIC),
    ("mac_roman", _WESTERN),
    ("cp850", _WESTERN),
    ("cp1252", (_ALL_WESTERN,)),
    ("mac_roman", (_ALL_WESTERN,)),
)
"""The likeliest encoding first: the first of equals is chosen."""

_OTHER_SCRIPTS = (
    *("cp1251", "koi8_r", "cp1253", "cp1256", "cp1255"),
    *("shift_jis", "euc_jp", "gb18030", "big5", "euc_kr"),
)

_WORD = re.compile(rb"[A-Za-z\x80-\xff]+")
_ASCII_LETTER = re.compile(rb"[A-Za-z]")
_UTF_8_CHARACTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_TYPOGRAPHY = "’‘“”„«»–—…¿¡°·"


class NotUtf8(NamedTuple):
    """What was found in a text that is not UTF-8: a sample of it, for `guess_encoding`."""

    sample: bytes
    is_damaged: bool  # most of it is UTF-8, so that it has no other encoding


def marked_encoding(start: bytes) -> str | None:
    """Return the encoding by the byte-order mark of a file; None if it has none.

    UTF-16 without a byte-order mark is recognized by its null bytes.
    """
    for mark, encoding in _MARKS:
        if start.startswith(mark):
            return encoding
    even, odd = start[0:200:2], start[1:200:2]
    if len(odd) >= 4 and len(even) >= 4:
        if odd.count(0) >= MOSTLY * len(odd) and not even.count(0):
            return "utf-16-le"
        if even.count(0) >= MOSTLY * len(even) and not odd.count(0):
            return "utf-16-be"
    return None


def check_utf8(chunks: Iterable[bytes]) -> NotUtf8 | None:
    """Return None if the chunks of a file are UTF-8, else what is needed to find the encoding.

    A character that the last chunk cuts short is not an error.
    """
    decoder = codecs.getincrementaldecoder(UTF_8)()
    lines: list[bytes] = []
    size, is_utf8 = 0, True
    for chunk in chunks:
        if is_utf8:
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError:
                is_utf8 = False
        if size < SAMPLE and not chunk.isascii():
            for line in chunk.split(b"\n"):
                if not line.isascii() and size < SAMPLE:
                    lines.append(line)
                    size += len(line)
    if is_utf8:
        return None
    sample = b"\n".join(lines)[: 2 * SAMPLE]  # more only if one line is very long
    valid = sum(len(found) for found in _UTF_8_CHARACTER.findall(sample))
    high = len(sample) - len(sample.translate(None, bytes(range(0x80, 0x100))))
    return NotUtf8(sample, is_damaged=2 * valid > high)


def guess_encoding(sample: bytes) -> str:
    """Return the likeliest encoding of words that are not UTF-8; Windows-1252 in doubt."""
    words = [word for word in _WORD.findall(sample) if not word.isascii()]
    latin = sum(_ASCII_LETTER.search(word) is not None for word in words)
    if latin >= (1 - MOSTLY) * len(words):
        # Two digits: a few odd words do not decide between encodings.
        best = max(_spelled(words), key=lambda found: round(found[1], 2), default=("", 0.0))
        if best[1] >= MOSTLY:
            return best[0]
        return _guess_of_charset_normalizer(sample) or "cp1252"
    return _guess_of_charset_normalizer(b"\n".join(words)) or "cp1252"


def name_of(encoding: str) -> str:
    """Return the common name of an encoding, such as Windows-1252.

    Example:
        >>> name_of("cp1252"), name_of("utf-8")
        ('Windows-1252', 'UTF-8')
    """
    windows = encoding.replace("cp125", "Windows-125")
    return NAMES.get(encoding, windows if windows != encoding else encoding.upper())


def _spelled(words: list[bytes]) -> Iterator[tuple[str, float]]:
    """Yield each encoding with the largest share of words that are spelled as in one language."""
    for encoding, alphabets in _ALPHABETS:
        try:
            texts = [word.decode(encoding) for word in words]
        except UnicodeDecodeError:
            continue
        for alphabet in alphabets:
            letters = set(alphabet + alphabet.upper() + _TYPOGRAPHY)
            natural = sum(_is_natural(text, letters) for text in texts)
            yield encoding, natural / len(texts)


def _is_natural(text: str, letters: set[str]) -> bool:
    """Return whether a word has only these letters, and capitals where they belong."""
    others = [character for character in text if not character.isascii()]
    is_capitalized = text[1:] == text[1:].lower() or text == text.upper()
    return letters.issuperset(others) and is_capitalized


def _guess_of_charset_normalizer(sample: bytes) -> str | None:
    detection = import_module("charset_normalizer")
    found = detection.from_bytes(sample, cp_isolation=list(_OTHER_SCRIPTS))
    ranked = sorted(
        found,
        key=lambda match: (match.chaos, -match.coherence, _OTHER_SCRIPTS.index(match.encoding)),
    )
    return str(ranked[0].encoding) if ranked else None
