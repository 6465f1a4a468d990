"""Files that are no lexicon: each says what was found, what was expected and what to do."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import NamedTuple

import pytest

from bilex.errors import LexiconFileError
from bilex.lexicons import read_lexicon
from bilex.lexicons.formats.text_lines import LONGEST_LINE


class Bad(NamedTuple):
    name: str
    content: bytes
    line: int | None
    problem: str


VECTOR = b"the " + b" ".join(b"0.%d" % i for i in range(300))
WRONG_WIDTH = (
    "a word that holds the separator must be in double quotes in a CSV file; a tab separates "
    "columns everywhere else"
)

BAD_FILES = [
    Bad(
        "page.tsv",
        b"<!DOCTYPE html>\n<html><body>404\tNot found</body></html>\n",
        None,
        "found a web page, expected a file of word pairs: the download went wrong; open the "
        "address in a browser to see what it says",
    ),
    Bad(
        "page.txt",
        b'\xef\xbb\xbf  <?xml version="1.0"?><tbx/>',
        None,
        "found XML, expected a file of word pairs, or a dictionary in TBX, TEI or LIFT",
    ),
    Bad(
        "pointer.tsv",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
        None,
        "found a Git LFS pointer, expected a file of word pairs; fetch the real file with "
        "`git lfs pull`",
    ),
    Bad(
        "book.xlsx",
        b"PK\x03\x04rest",
        None,
        "cannot be read as a spreadsheet (File is not a zip file): open it in a spreadsheet "
        "program and save it again",
    ),
    Bad(
        "pairs.zip",
        b"PK\x03\x04rest",
        None,
        "found a zip archive, expected a file of word pairs; unpack it first",
    ),
    Bad(
        "book.xls",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest",
        None,
        "found a workbook of Excel 97 (.xls), expected a file of word pairs; save it as .xlsx",
    ),
    Bad(
        "a.tsv",
        "été\tsummer\ntête\thead\n".encode() + b"for\xeat\tforest\n",
        3,
        r"byte 0xea after 'for' is not UTF-8, which the rest of the file is: repair the line, or "
        "save the file as UTF-8",
    ),
    Bad(
        "a.tsv",
        b"dog\tchien\ncat\t\nhouse\t\n",
        2,
        "2 of 3 rows have only one word, such as 'cat' without a translation: expected a source "
        "and a target word; if they are in other columns, name them, for example "
        "--columns source=1,target=3",
    ),
    Bad("a.txt", b"# only\n# comments here\n", None, "found comments but no word pair below it"),
    Bad(
        "a.tsv",
        b"source\ttarget\tprobability\torigin\ndog\tchien\n",
        2,
        f"found 2 columns, the header has 4: {WRONG_WIDTH}",
    ),
    Bad(
        "a.tsv",
        b"source\ttarget\tweight\ndog\tchien\theavy\n",
        2,
        "the weight is 'heavy', expected a number above 0 such as 0.5",
    ),
    Bad(
        "a.tsv",
        b"dog\tchien\ncat\0chat\n",
        2,
        "found binary data, expected lines of text with one word pair each",
    ),
    Bad(
        "a.vec",
        b"2 300\n" + VECTOR + b"\n",
        1,
        "found a word followed by 300 numbers, which is a file of word vectors; expected word "
        "pairs: are the arguments in the right order?",
    ),
    Bad(
        "a.tsv.gz",
        gzip.compress(b"dog\tchien\n" * 100)[:-12],
        None,
        "the gzip archive is damaged or cut short (Compressed file ended before the end-of-stream "
        "marker was reached): download or compress it again",
    ),
    Bad("a.tsv", b"", None, "the file is empty, expected lines with one word pair each"),
    Bad("a.tsv", b"\n \n\t\n", None, "the file is empty, expected lines with one word pair each"),
    Bad("a.tsv", b"source\ttarget\n\n", None, "found a header line but no word pair below it"),
    Bad(
        "a.txt",
        b"dog\ncat\n",
        1,
        "found one column ('dog'), expected a source and a target word on each line, separated by "
        "a tab",
    ),
    Bad(
        "a.txt",
        b"dog chien\nhot dog hot-dog\n",
        2,
        "found 3 words separated by spaces, expected 2; terms of several words need a tab between "
        "source and target on every line",
    ),
    Bad(
        "a.csv",
        b"dog,chien\ncat,chat\nwell, yes,eh bien\n",
        3,
        f"found 3 columns, the first row has 2: {WRONG_WIDTH}",
    ),
    Bad(
        "a.csv",
        b'dog,chien\ncat,"chat\n',
        2,
        "the row is not well-formed CSV (unexpected end of data): close each double quote on the "
        "line where it opens, and write a quote inside a quoted cell twice",
    ),
    Bad(
        "a.tsv",
        b"source\tsource\ttarget\na\tb\tc\n",
        1,
        "the header names 2 source columns, expected 1",
    ),
    Bad(
        "a.tsv",
        b"source\ttarget\tweight\ndog\tchien\t-1\n",
        2,
        "the weight is -1.0, expected a finite number above 0",
    ),
    Bad(
        "a.tsv",
        b"source\ttarget\tweight\ndog\tchien\t1e999\n",
        2,
        "the weight is inf, expected a finite number above 0",
    ),
    Bad(
        "a.tsv",
        b"dog\tchien\rcat\tchat\n",
        1,
        r"the target 'chien\rcat' holds a carriage return, which no lexicon file can keep",
    ),
    Bad(
        "a.txt",
        b"{dog\n}\n",
        1,
        "found one column ('{dog'), expected a source and a target word on each line, separated by "
        "a tab",
    ),
    Bad(
        "a.tsv",
        b"a\tb\n" + b"x" * (LONGEST_LINE + 1),
        2,
        "the line is longer than 1,000,000 bytes, expected one word pair a line: is it a lexicon?",
    ),
]


@pytest.mark.parametrize("bad", BAD_FILES, ids=lambda bad: bad.problem[:40])
def test_a_bad_file_is_explained(tmp_path: Path, bad: Bad) -> None:
    path = tmp_path / bad.name
    path.write_bytes(bad.content)

    with pytest.raises(LexiconFileError) as caught:
        read_lexicon(path)

    assert (caught.value.line, caught.value.problem) == (bad.line, bad.problem)


def test_a_missing_file_suggests_its_neighbor(tmp_path: Path) -> None:
    (tmp_path / "seeds.tsv").touch()
    path = tmp_path / "seed.tsv"

    with pytest.raises(LexiconFileError) as caught:
        read_lexicon(path)

    assert str(caught.value) == f"{path}: no such file (did you mean 'seeds.tsv'?)"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(LexiconFileError) as caught:
        read_lexicon(tmp_path / "x" / "seeds.tsv")

    assert caught.value.problem == f"no such file, and no folder {tmp_path / 'x'} either"


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("en-fr.ifo", b"x", "starts with 'x', expected \"StarDict's dict ifo file\""),
        ("a.parquet", b"PAR1\x15\x04", "cannot be read as Parquet"),
        ("a.tbx", b"<tbx>", "not well-formed XML: no element found"),
        ("a.lexicon", b"<TEI/>", "found no entry with both words"),
        ("a.lexicon", b"<tmx/>", "found <tmx>, expected a dictionary in TBX, TEI or LIFT"),
    ],
)
def test_a_damaged_dictionary_is_an_error_of_a_lexicon_file(
    tmp_path: Path, name: str, content: bytes, problem: str
) -> None:
    (tmp_path / name).write_bytes(content)

    with pytest.raises(LexiconFileError) as caught:
        read_lexicon(tmp_path / name)

    assert problem in caught.value.problem


def test_another_folder_is_not_a_lexicon(tmp_path: Path) -> None:
    with pytest.raises(LexiconFileError, match="found a folder, expected a file of word pairs"):
        read_lexicon(tmp_path)


def test_what_the_system_refuses_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)

    with pytest.raises(LexiconFileError, match="cannot be read: Permission denied"):
        read_lexicon(tmp_path / "a.tsv")
