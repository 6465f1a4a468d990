"""Whether a program printed what a page shows.

Words must be the same. A number may differ by 2 %, and one with a decimal point by 0.02 if that is
more, so whole numbers below 50 must be the same. Any duration stands for any other (`12.3 s`,
`0:45`), any speed for any other (`3.1k words/s`), the identity of any model for any other
(`d54381e91c25`), and any white space for any other. `…` on a line
of its own stands for any lines, within a line for any text. That vectors came from the cache is not
compared, nor are lines of progress: both depend on what was run before, and how fast.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence

ANY = "…"
RELATIVE, OF_DECIMALS = 0.02, 0.02
MOST_LINES = 60  # of a diff

_TOKEN = re.compile(
    r"""(?P<duration>\d[\d,.]*[ ]?(?:ms|s|min|h|seconds?|minutes?|hours?)\b(?!/)
      | \b\d+:\d\d(?::\d\d)?\b
      | \d[\d,.]*[kMG]?[ ]\w+/s\b)
      | (?P<identity>\b[0-9a-f]{12}\b)
      | (?P<number>\d+(?:,\d{3})*(?:\.\d+)?(?!\w))
      | (?P<word>\w+)
      | (?P<space>\s+)
      | (?P<other>.)""",
    re.VERBOSE,
)
_PROGRESS = re.compile(
    r"^[^:]+: .*(?:, \d+%, \d+:\d\d(?:, about [\d:]+ left)?|, about \d+ s left)$"
)
_FROM_CACHE = ", from the cache"


def differences(expected: str, found: str) -> list[str]:
    """Return a diff of what is shown and what was printed; nothing if they agree."""
    shown = _lines(expected)
    printed = [line for line in _lines(found) if not _PROGRESS.match(line)]
    if _matches(shown, printed, same_line):
        return []
    # A line that agrees is printed as the page has it, so that only the others stand out.
    some = [line for line in shown if line != ANY]
    as_shown = [next((line for line in some if same_line(line, each)), each) for each in printed]
    diff = list(difflib.unified_diff(shown, as_shown, "the page", "printed", lineterm="", n=1))
    more = len(diff) - MOST_LINES
    return diff if more <= 0 else [*diff[:MOST_LINES], f"and {more} more lines"]


def same_line(expected: str, found: str) -> bool:
    """Return whether two lines agree."""
    return _matches(_tokens(expected), _tokens(found), _same_token)


def _lines(text: str) -> list[str]:
    lines = [line.replace(_FROM_CACHE, "").rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def _matches(
    expected: Sequence[str], found: Sequence[str], same: Callable[[str, str], bool]
) -> bool:
    """Return whether two sequences agree item by item; ANY stands for any items, or none."""
    ends = {0}  # how many items of `found` the expected ones so far can stand for
    for item in expected:
        if item == ANY:
            ends = set(range(min(ends), len(found) + 1)) if ends else ends
        else:
            ends = {end + 1 for end in ends if end < len(found) and same(item, found[end])}
    return len(found) in ends


def _tokens(line: str) -> list[str]:
    """Return numbers, durations and single characters."""
    found: list[str] = []
    for match in _TOKEN.finditer(line.strip()):
        if match.lastgroup == "word":
            found.extend(match[0])
        else:
            found.append(" " if match.lastgroup == "space" else match[0])
    return found


def _same_token(expected: str, found: str) -> bool:
    if expected == found:
        return True
    kinds = [match and match.lastgroup for match in map(_TOKEN.fullmatch, (expected, found))]
    if kinds == ["number", "number"]:
        first, second = (float(token.replace(",", "")) for token in (expected, found))
        least = OF_DECIMALS if "." in expected else 0.0
        return abs(first - second) <= max(RELATIVE * abs(first), least) + 1e-9
    return kinds in (["duration", "duration"], ["identity", "identity"])
