"""Words from a stream, as they arrive."""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Iterator
from typing import TextIO

from bilex.cli.screen import note

_BYTES_AT_ONCE = 2**20


def batches_of_words(stream: TextIO) -> Iterator[list[str]]:
    r"""Yield the lines of a stream that are not blank, in batches, as soon as they are there.

    Whatever has arrived is one batch, so that a program that writes a word and waits for the answer
    gets it, and a long file is still read in few batches. A line ends at `\n` or `\r\n`.
    """
    if not isinstance(stream, io.TextIOWrapper):  # tests and notebooks have other streams
        yield from _not_blank(stream.read().split("\n"))
        return
    if stream.isatty():
        end = "Ctrl-Z and Enter" if os.name == "nt" else "Ctrl-D"
        note(f"Type words, one per line; {end} ends.")
    decoder = codecs.getincrementaldecoder(stream.encoding)(stream.errors or "strict")
    rest = ""
    while data := stream.buffer.read1(_BYTES_AT_ONCE):
        *lines, rest = (rest + decoder.decode(data)).split("\n")
        yield from _not_blank(lines)
    yield from _not_blank([rest + decoder.decode(b"", final=True)])


def _not_blank(lines: list[str]) -> Iterator[list[str]]:
    words = [line.rstrip("\r") for line in lines if line.strip()]
    if words:
        yield words
