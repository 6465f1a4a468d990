"""What a user reads when a compressed file of word vectors is damaged or is none."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path

import pytest
import zstandard

from refusal import assert_refused

GOOD = b"2 3\nthe 0.1 0.2 0.3\nof 0.4 0.5 0.6\n"


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


# name of the file, its content, the line that the error names, and what it says
BAD_FILES: list[tuple[str, bytes, int | None, str]] = [
    (
        "page.vec.gz",
        gzip.compress(b'<?xml version="1.0"?><Error/>'),
        None,
        "found a web page, expected word vectors; the download failed: check the address",
    ),
    (
        "cut.vec.gz",
        gzip.compress(GOOD, mtime=0)[:-12],
        None,
        (
            "the gzip data is damaged or cut short (Compressed file ended before the end-of-"
            "stream marker was reached); download or copy the file again"
        ),
    ),
    (
        "cut.vec.bz2",
        bz2.compress(GOOD)[:-12],
        None,
        (
            "the bzip2 data is damaged or cut short (Compressed file ended before the end-of-"
            "stream marker was reached); download or copy the file again"
        ),
    ),
    (
        "cut.vec.xz",
        lzma.compress(GOOD)[:-12],
        None,
        (
            "the xz data is damaged or cut short (Compressed file ended before the end-of-stream "
            "marker was reached); download or copy the file again"
        ),
    ),
    (
        "cut.vec.zst",
        zstandard.compress(GOOD)[:-3],
        None,
        (
            "the zstd data is damaged or cut short (the end is missing); download or copy the "
            "file again"
        ),
    ),
    (
        "damaged.vec.zst",
        zstandard.compress(GOOD)[:4] + b"\xff" * 30,
        None,
        ("the zstd data is damaged or cut short (no valid frame); download or copy the file again"),
    ),
    (
        "two.zip",
        zipped(a=GOOD, b=GOOD),
        None,
        (
            "found a zip archive of 2 files: a, b; expected exactly one: unpack it and give the "
            "file with the vectors"
        ),
    ),
    (
        "none.zip",
        zipped(),
        None,
        (
            "found a zip archive of 0 files; expected exactly one: unpack it and give the file "
            "with the vectors"
        ),
    ),
    (
        "cut.zip",
        zipped(a=GOOD)[:-30],
        None,
        (
            "the zip data is damaged or cut short (File is not a zip file); download or copy the "
            "file again"
        ),
    ),
]


@pytest.mark.parametrize(
    ("name", "content", "line", "problem"), BAD_FILES, ids=[row[0] for row in BAD_FILES]
)
def test_bad_file_is_refused_in_words_that_help(
    name: str, content: bytes, line: int | None, problem: str, tmp_path: Path
) -> None:
    assert_refused(tmp_path / name, content, line, problem)
