"""Detect the format of a file of word vectors from its first bytes."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Literal

from bilex.embeddings.text import BYTE_ORDER_MARK, HEADER
from bilex.errors import VectorFileError

Format = Literal["text", "word2vec-bin", "fasttext-bin", "gensim", "safetensors"]

_FASTTEXT_MAGIC = struct.pack("<i", 793712314)
# In none of these can two repeats match the same digits, which would take quadratic time.
_ENDS_IN_NUMBER = re.compile(rb".*[ \t][-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?[ \t\r]*", re.DOTALL)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")

# First bytes, what kind of file has them, and what to do.
_OTHER_FILES = (
    (rb"version https://git-lfs", "a Git LFS pointer", "fetch the file itself with `git lfs pull`"),
    (rb"\s*<(!doctype|html|\?xml)", "a web page", "the download failed: check the address"),
    (
        rb"\x93NUMPY",
        "a NumPy array, which has no words",
        "give a file that also contains the words",
    ),
    (rb"\xff\xfe|\xfe\xff", "UTF-16 text", "convert the file to UTF-8, for example with iconv"),
    (rb"%PDF-", "a PDF document", "give a file of word vectors"),
    (rb"SQLite format 3", "an SQLite database", "give a file of word vectors"),
    (rb"PAR1", "a Parquet table", "give a file of word vectors"),
)


def detect_format(head: bytes, path: Path) -> Format:
    """Return the format of the file that starts with `head`.

    Raises:
        VectorFileError: If it is not a known format of word vectors; the message names the format.
    """
    if head.startswith(_FASTTEXT_MAGIC):
        return "fasttext-bin"
    if re.match(rb"\x80[\x02-\x05]", head):
        return "gensim"
    if len(head) > 8 and head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 32:
        return "safetensors"
    for pattern, found, remedy in _OTHER_FILES:
        if re.match(pattern, head, re.IGNORECASE):
            raise VectorFileError(path, f"found {found}, expected word vectors; {remedy}")
    return _text_or_binary(head, path)


def _text_or_binary(head: bytes, path: Path) -> Format:
    content = head.removeprefix(BYTE_ORDER_MARK)
    header = HEADER.match(content)
    rows = content[header.end() :] if header else content
    first, end, _ = rows.partition(b"\n")
    if not end and len(head) >= 1 << 16:  # cut off inside the line
        first = first.rpartition(b" ")[0]
    if _ENDS_IN_NUMBER.fullmatch(first):
        return "text"
    if re.match(rb"\s*[\[{]", content):
        raise VectorFileError(
            path, "found JSON, expected word vectors; write them as lines of a word and its numbers"
        )
    if header and (_is_binary(first) or ".bin" in path.suffixes):
        return "word2vec-bin"
    if _is_binary(first):
        raise VectorFileError(
            path,
            "found binary data in an unknown format; expected text, word2vec or fastText .bin, "
            "gensim, safetensors or a bilex store",
        )
    return "text"


def _is_binary(line: bytes) -> bool:
    if _CONTROL.search(line):
        return True
    try:
        line.decode()
    except UnicodeDecodeError:
        return True
    return False
