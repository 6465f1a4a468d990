r"""Escape words for XML, including characters that XML cannot hold.

XML 1.0 cannot hold the control characters U+0001 to U+001F (except line ends), U+FFFE and U+FFFF,
not even as references. They are written as `\u0001` and so on; a backslash is written as `\u005c`
where the text itself looks like such a code. Other text, with its backslashes, is not changed.
"""

from __future__ import annotations

import re

_CODE = r"u(?:000[1-8bcef]|001[0-9a-f]|fff[ef]|005c)"
_NEEDS_CARE = re.compile('[&<>"\x01-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\\\\(?=' + _CODE + ")")
_ESCAPED = re.compile(r"\\" + _CODE)
_REFERENCES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def escape(text: str) -> str:
    """Return text as it is written between tags or in double quotes."""
    return _NEEDS_CARE.sub(_escape_one, text)


def fits_xml(text: str) -> bool:
    """Return whether XML holds a text as it is, without such codes."""
    return all(found[0] in _REFERENCES for found in _NEEDS_CARE.finditer(text))


def unescape(text: str) -> str:
    """Restore the characters that XML cannot hold, in text whose references are resolved."""
    if "\\u" not in text:
        return text
    return _ESCAPED.sub(lambda found: chr(int(found[0][2:], 16)), text)


def _escape_one(found: re.Match[str]) -> str:
    character = found[0]
    return _REFERENCES.get(character) or f"\\u{ord(character):04x}"
