"""Error messages for word2vec and fastText files that are damaged."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

from refusal import assert_refused

FASTTEXT = struct.pack("<14id", 793712314, 12, 2, 5, 5, 1, 5, 1, 2, 1, 3, 2, 4, 100, 1e-4)


def word2vec(header: bytes, *rows: tuple[bytes, list[float]]) -> bytes:
    return header + b"".join(word + b" " + np.array(v, "<f4").tobytes() for word, v in rows)


def fasttext(
    *,
    settings: bytes = FASTTEXT,
    counts: tuple[int, ...] = (1, 1, 0, 9, -1),
    words: bytes = b"a\0" + bytes(9),
    quantized: bool = False,
    shape: tuple[int, int] = (4, 2),
    rows: int = 4,
) -> bytes:
    head = settings + struct.pack("<3i2q", *counts) + words + struct.pack("<?2q", quantized, *shape)
    return head + bytes(8 * rows)


# file name, content, line number in the error, message
BAD_FILES: list[tuple[str, bytes, int | None, str]] = [
    (
        "cut.bin",
        word2vec(b"2 3\n", (b"the", [1, 2, 3])),
        None,
        (
            "found 1 words, but the header declares 2: the file is cut short or damaged; "
            "download it again"
        ),
    ),
    (
        "lying.bin",
        word2vec(b"999999999999 3\n", (b"the", [1, 2, 3])),
        None,
        (
            "found 1 words, but the header declares 999999999999: the file is cut short or "
            "damaged; download it again"
        ),
    ),
    (
        "lying-dim.bin",
        word2vec(b"1 99999999999\n", (b"the", [1, 2, 3])),
        None,
        (
            "found the header '1 99999999999'; expected the number of words and the dimension, "
            "both above zero and the dimension at most 1048576: download the file again"
        ),
    ),
    (
        "more.bin",
        word2vec(b"1 3\n", (b"the", [1, 2, 3]), (b"of", [4, 5, 6])),
        None,
        (
            "found more words than the 1 that the header declares; the file is damaged: download "
            "it again"
        ),
    ),
    (
        "nan.bin",
        word2vec(b"1 3\n", (b"the", [1, float("nan"), 3])),
        None,
        (
            "the vector of 'the' contains NaN, infinity or a number too large for float32; "
            "expected finite numbers: the file is damaged or its training failed"
        ),
    ),
    (
        "latin1.bin",
        word2vec(b"1 3\n", (b"caf\xe9", [1, 2, 3])),
        None,
        (
            "word number 1 is 'caf\\\\xe9'; expected a word in UTF-8: the file is damaged, or its "
            "vectors are not float32"
        ),
    ),
    (
        "no-word.bin",
        word2vec(b"1 3\n", (b"", [1, 2, 3])),
        None,
        (
            "word number 1 is ''; expected a word in UTF-8: the file is damaged, or its vectors "
            "are not float32"
        ),
    ),
    (
        "version.bin",
        fasttext(settings=FASTTEXT[:4] + b"\x09" + FASTTEXT[5:]),
        None,
        (
            "found version 9 of the fastText format, expected 11 or 12; save the model again with"
            " a current fastText"
        ),
    ),
    (
        "dim.bin",
        fasttext(settings=FASTTEXT[:8] + b"\0\0" + FASTTEXT[10:]),
        None,
        (
            "the settings say 0 dimensions and 3 n-gram buckets; the file is damaged: download it"
            " again"
        ),
    ),
    (
        "counts.bin",
        fasttext(counts=(5, 1, 0, 9, -1)),
        None,
        (
            "the dictionary claims 5 entries, 1 words and 0 labels, which do not add up; the file"
            " is damaged: download it again"
        ),
    ),
    (
        "cut-settings.bin",
        FASTTEXT[:20],
        None,
        "the file is cut short or damaged; download or copy it again",
    ),
    (
        "cut-words.bin",
        fasttext()[:100],
        None,
        "the file is cut short or damaged; download or copy it again",
    ),
    (
        "cut-matrix.bin",
        fasttext(rows=3),
        None,
        "the file is cut short or damaged; download or copy it again",
    ),
    (
        "shape.bin",
        fasttext(shape=(10**12, 2)),
        None,
        (
            "the matrix claims 1000000000000 x 2 numbers, expected 4 x 2 from the settings; the "
            "file is damaged: download it again"
        ),
    ),
    (
        "word.bin",
        fasttext(words=b"caf\xe9\0" + bytes(9)),
        None,
        (
            "word number 1 is 'caf\\\\xe9'; expected a word in UTF-8: the file is damaged, or was "
            "trained on text in another encoding"
        ),
    ),
    (
        "model.ftz",
        fasttext(quantized=True),
        None,
        (
            "the model is quantized (.ftz), so its vectors are only approximate; expected a full "
            "model: use the .bin file that it was made from"
        ),
    ),
    (
        "model.bin.gz",
        gzip.compress(fasttext(), mtime=0),
        None,
        (
            "found a fasttext-bin file compressed with gzip, which cannot be read: decompress it "
            "first"
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
