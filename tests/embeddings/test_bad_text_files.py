"""Error messages for text files that are damaged or not word vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from refusal import assert_refused

GOOD = b"2 3\nthe 0.1 0.2 0.3\nof 0.4 0.5 0.6\n"


# file name, content, line number in the error, message
BAD_FILES: list[tuple[str, bytes, int | None, str]] = [
    (
        "empty.vec",
        b"",
        None,
        "the file is empty; expected word vectors: download or copy it again",
    ),
    (
        "blank.vec",
        b"\n\n \n",
        None,
        "the file is empty; expected word vectors: download or copy it again",
    ),
    (
        "header-only.vec",
        b"1000 300\n",
        1,
        (
            "found a header that declares 1000 words, and nothing after it; the download is "
            "incomplete: fetch the file again"
        ),
    ),
    (
        "header-zero.vec",
        b"0 300\nthe 0.1\n",
        1,
        (
            "the header says 0 words of 300 dimensions; expected two numbers above zero: fix the "
            "first line"
        ),
    ),
    (
        "short-row.vec",
        b"2 3\nthe 0.1 0.2 0.3\nof 0.4 0.5\n",
        3,
        (
            "found 2 numbers after the word, expected 3; the line is cut short or the file is "
            "damaged"
        ),
    ),
    (
        "no-numbers.vec",
        b"the\nof\n",
        1,
        (
            "found a single field; expected a word and its numbers, separated by spaces: is this "
            "a file of word vectors?"
        ),
    ),
    (
        "too-long-row.txt",
        b"the 0.1 0.2\nof 0.4 0.5 0.6\n",
        2,
        (
            "found more numbers than the 2 of the first line; if the word is meant to be 'of "
            "0.4', add a first line with the number of words and the dimension"
        ),
    ),
    (
        "cut-short.vec",
        GOOD.replace(b"2 3", b"3 3"),
        None,
        (
            "found 2 words, but the header declares 3: the file is cut short; download it again "
            "or correct its first line"
        ),
    ),
    (
        "too-many.vec",
        GOOD.replace(b"2 3", b"1 3"),
        None,
        (
            "found more words than the 1 that the header declares; correct the first line, or "
            "remove it if the file never had a header"
        ),
    ),
    (
        "lying-count.vec",
        GOOD.replace(b"2 3", b"99999999999 3"),
        None,
        (
            "found 2 words, but the header declares 99999999999: the file is cut short; "
            "download it again or correct its first line"
        ),
    ),
    (
        "lying-dim.vec",
        GOOD.replace(b"2 3", b"2 99999999999"),
        2,
        (
            "found 3 numbers after the word, expected 99999999999; the line is cut short or the "
            "file is damaged"
        ),
    ),
    (
        "nan.vec",
        GOOD.replace(b"0.5", b"nan"),
        3,
        "found 'nan' where a finite number was expected; fix the line or remove it",
    ),
    (
        "inf.vec",
        GOOD.replace(b"0.5", b"-inf"),
        3,
        "found '-inf' where a finite number was expected; fix the line or remove it",
    ),
    (
        "overflow.vec",
        GOOD.replace(b"0.5", b"1e39"),
        3,
        "found '1e39' where a finite number was expected; fix the line or remove it",
    ),
    (
        "word-for-number.vec",
        GOOD.replace(b"0.5", b"0.5x"),
        3,
        "found '0.5x' where a finite number was expected; fix the line or remove it",
    ),
    (
        "underscore.vec",
        GOOD.replace(b"0.5", b"1_0.5"),
        3,
        "found '1_0.5' where a finite number was expected; fix the line or remove it",
    ),
    (
        "comma.vec",
        GOOD.replace(b"0.5", b"0,5"),
        3,
        "found '0,5' where a finite number was expected; fix the line or remove it",
    ),
    (
        "latin1.vec",
        GOOD.replace(b"of", b"caf\xe9"),
        3,
        (
            "found byte 0xe9 that is not UTF-8 in the word; convert the file to UTF-8, for "
            "example with iconv"
        ),
    ),
    (
        "no-word.vec",
        GOOD.replace(b"of", b""),
        3,
        "found no word before the numbers; remove the line",
    ),
    (
        "blank-inside.vec",
        GOOD.replace(b"\nof", b"\n\nof"),
        3,
        "found a blank line between rows; remove it",
    ),
    (
        "page.vec",
        b"<!DOCTYPE html>\n<html><body>404 Not Found</body></html>",
        None,
        "found a web page, expected word vectors; the download failed: check the address",
    ),
    (
        "list.vec",
        b'{"the": [0.1, 0.2]}',
        None,
        "found JSON, expected word vectors; write them as lines of a word and its numbers",
    ),
    (
        "lfs.vec",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n",
        None,
        (
            "found a Git LFS pointer, expected word vectors; fetch the file itself with `git lfs "
            "pull`"
        ),
    ),
    (
        "array.npy",
        b"\x93NUMPY\x01\x00v\x00",
        None,
        (
            "found a NumPy array, which has no words, expected word vectors; give a file that "
            "also contains the words"
        ),
    ),
    (
        "utf16.vec",
        "the 0.1 0.2".encode("utf-16"),
        None,
        (
            "found UTF-16 text, expected word vectors; convert the file to UTF-8, for example "
            "with iconv"
        ),
    ),
    (
        "paper.vec",
        b"%PDF-1.7\n",
        None,
        "found a PDF document, expected word vectors; give a file of word vectors",
    ),
    (
        "picture.vec",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        None,
        (
            "found binary data in an unknown format; expected text, word2vec or fastText .bin, "
            "gensim, safetensors or a bilex store"
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
