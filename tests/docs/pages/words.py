"""Words that readers stumble over, each with what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator

INSTEAD = {
    r"told|tells?(?! apart)|telling(?! apart)": "reported, reports, says, shows",
    r"asked|asks|asking": "requested, requests",
    r"mend(?:s|ed|ing)?": "fix",
    r"cures?|cured|curing": "fix, remedy",
    r"believ(?:e|es|ed|ing)": "trusted, counts as correct",
    r"c(?:ome|omes|ame|oming) home": "can be read back",
    r"there and back": "forward and backward",
    r"an? (?:half|third|quarter|fifth|sixth|tenth) (?:wrong|right)": "a percentage, as in 20 %",
    r"beyond chance": "statistically significant",
    r"in silence": "silently",
    r"nobody's|somebody": "a user, a reviewer, or the passive voice",
    r"owes?|owed": "is caused by",
    r"note that": "nothing: leave it out",
    r"please": "nothing: leave it out",
    r"simply|just|obviously|of course": "nothing: leave it out",
    r"the default before|as before|used to be": "what is true now; history is in CHANGELOG.md",
    r"seamless(?:ly)?|cutting-edge|state-of-the-art|powerful|blazing(?:ly)?": "a measured figure",
}
_PATTERNS = {
    re.compile(rf"(?<![\w-])(?:{words})(?![\w-])".replace(" ", r"\s+"), re.IGNORECASE): instead
    for words, instead in INSTEAD.items()
} | {re.compile(r"\s—\s"): "a comma, a colon or two sentences"}

_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?^[ \t]*\1`*[ \t]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`+)[^`](?:.*?[^`])?\1(?!`)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_QUOTED = re.compile(r"\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”|(?<!\w)\*[^*\n]{1,40}\*(?!\w)")
_ADDRESS = re.compile(r"\]\([^)\s]*\)|https?://\S+")


def prose(markdown: str) -> str:
    """Return the text without code, quotations, examples in italics and addresses.

    Line numbers stay as they are.
    """
    for pattern in (_FENCED, _COMMENT, _CODE, _QUOTED, _ADDRESS):
        markdown = pattern.sub(lambda match: "\n" * match[0].count("\n"), markdown)
    return markdown


def unplain_words(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield words of a text that have a plainer one: the line, the word, what to write."""
    for pattern, instead in _PATTERNS.items():
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match[0].strip(), instead
