"""SPDX identifiers of the licenses that resources name in words."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 200

_ZERO = re.compile(r"\bCC0\b|creativecommons\.org/publicdomain/zero", re.IGNORECASE)
_CC = re.compile(
    r"(?:\bCC[ -]|creativecommons\.org/licenses/)(BY(?:[ -](?:NC|SA|ND))*)[ /-](\d\.\d)",
    re.IGNORECASE,
)
_CC_WORDS = re.compile(
    r"Creative Commons Attribution((?:[ -]*(?:Non-?Commercial|Share[ -]?Alike|No-?Deriv\w*))*)"
    r"[^.\d]{0,30}(\d\.\d)",
    re.IGNORECASE,
)
_GNU = re.compile(
    r"(Affero |Lesser )?(General Public|Free Documentation) Licen[cs]e,? *(?:ver(?:sion|\.)?|v\.?)?"
    r" ?(\d)(?:\.(\d))?",
    re.IGNORECASE,
)
_GNU_SHORT = re.compile(r"\b([AL]?GPL|GFDL)[ -]?(?:v|version )?(\d)(?:\.(\d))?(\+?)", re.IGNORECASE)
_LATER = re.compile(r"any later version|or-later|or later|and later", re.IGNORECASE)
_CONDITIONS = (("noncommercial", "NC"), ("sharealike", "SA"), ("noderiv", "ND"))


def license_id(text: str) -> str:
    """Return the SPDX identifier of a license in words; the text itself if there is none.

    Several licenses may be a choice, or may each hold for a part: then all are named.

    Example:
        >>> license_id("GNU General Public License ver. 2.0 and any later version")
        'GPL-2.0-or-later'
    """
    text = " ".join(text.split())
    found = sorted({*_creative_commons(text), *_gnu(text)})
    if not found:
        return text[:LONGEST].strip()
    return found[0] if len(found) == 1 else f"several ({', '.join(found)}): see the file"


def _creative_commons(text: str) -> Iterator[str]:
    if _ZERO.search(text):
        yield "CC0-1.0"
    for match in _CC.finditer(text):
        yield f"CC-{match[1].upper().replace(' ', '-')}-{match[2]}"
    for match in _CC_WORDS.finditer(text):
        joined = re.sub("[ -]", "", match[1]).lower()
        conditions = [name for word, name in _CONDITIONS if word in joined]
        yield "-".join(("CC-BY", *conditions, match[2]))


def _gnu(text: str) -> Iterator[str]:
    later = "or-later" if _LATER.search(text) else "only"
    for match in _GNU.finditer(text):
        if match[2].lower().startswith("free"):
            kind = "GFDL"
        else:
            kind = {"a": "AGPL", "l": "LGPL", "": "GPL"}[(match[1] or "")[:1].lower()]
        yield f"{kind}-{match[3]}.{match[4] or '0'}-{later}"
    for match in _GNU_SHORT.finditer(text):
        ending = "or-later" if match[4] else later
        yield f"{match[1].upper()}-{match[2]}.{match[3] or '0'}-{ending}"
