"""Find the sentence around a word in its line."""

from __future__ import annotations

import re
from typing import NamedTuple

# After the mark come closing quotes and brackets, then a space or the end; marks of scripts without
# spaces need none.
_CLOSING = "\"'»”’)\\]】」』）"
_END = re.compile(rf"[.!?…;؟।॥։።]+[{_CLOSING}]*(?=\s|$)|[。！？｡]+[{_CLOSING}]*")
_COMPLETE = re.compile(rf"[.!?…。！？｡؟।॥։።][{_CLOSING}]*$")


class Sentence(NamedTuple):
    """A word in its sentence, as parts of a line in characters."""

    left: str
    word: str
    right: str

    @property
    def text(self) -> str:
        """Return the whole sentence."""
        return self.left + self.word + self.right

    @property
    def is_complete(self) -> bool:
        """Return whether it does not begin in lower case and ends with a punctuation mark."""
        return not self.text[:1].islower() and _COMPLETE.search(self.text) is not None


def sentence_around(line: str, start: int, end: int) -> Sentence:
    """Return the sentence of `line` that holds the word from `start` to `end`."""
    begin = 0
    finish = len(line)
    for mark in _END.finditer(line):
        if mark.end() <= start:
            begin = mark.end()
        elif mark.start() >= end:
            finish = mark.end()
            break
    return Sentence(line[begin:start].lstrip(), line[start:end], line[end:finish].rstrip())
