"""Reading text: files, folders, compression, errors with file and line."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import pytest

from bilex.errors import InputFileError
from bilex.text import Corpus, corpus

TEXT = "Primera línea.\nsegunda\u2028línea\r\n\nlast"


def lines(*paths: Path) -> list[tuple[str, int, str]]:
    return [(line.path.name, line.number, line.text) for line in Corpus.of(paths).lines()]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_lines_are_numbered_however_the_file_is_compressed(pack: object, tmp_path: Path) -> None:
    assert callable(pack)
    (tmp_path / "a").write_bytes(pack(b"\xef\xbb\xbf" + TEXT.encode()))

    assert lines(tmp_path / "a") == [
        ("a", 1, "Primera línea."),
        ("a", 2, "segunda\u2028línea"),
        ("a", 3, ""),
        ("a", 4, "last"),
    ]


def test_a_folder_is_its_text_files_sorted(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("b.txt", "a.TXT", "sub/c.txt", "notes.md", "z.txt.gz"):
        data = f"{name}\n".encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)

    assert [text for _, _, text in lines(tmp_path)] == ["a.TXT", "b.txt", "sub/c.txt", "z.txt.gz"]
    assert len(lines(tmp_path, tmp_path / "b.txt")) == 4  # a file given twice is read once


def test_a_line_too_long_for_memory_comes_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "LONGEST_LINE", 10)
    (tmp_path / "a").write_text("one two three four\nñññññññññ\nx\n", encoding="utf-8")

    assert lines(tmp_path / "a") == [
        ("a", 1, "one two "),
        ("a", 1, "three four"),
        ("a", 2, "ñññññ"[:4]),
        ("a", 2, "ñññññ"),
        ("a", 3, "x"),
    ]


def test_the_parts_of_lines_are_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = ("word " * 7 + "añb" * 9 + "\n中文字\n").encode() * 3 + b"end"
    (tmp_path / "a").write_bytes(data)
    for longest in range(5, 40):
        monkeypatch.setattr(corpus, "LONGEST_LINE", longest)
        assert b"".join(line.raw for line in Corpus.of([tmp_path / "a"]).lines()) == data


def test_progress_ends_with_all_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a line of text, longer than most\n" * 80_000)
    (tmp_path / "b").write_text("x\n")
    seen: list[tuple[int, int]] = []

    for _ in Corpus.of([tmp_path / "a", tmp_path / "b"]).lines(lambda *at: seen.append(at)):
        pass

    assert seen == sorted(seen)
    assert len(seen) > 2
    assert seen[-1] == (2_640_002, 2_640_002)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"good\nbad \xe9t\xe9\n", ", line 2: byte 0xe9 after 'bad ' is not UTF-8; convert the "
         "file, for example with `iconv -f latin1 -t utf-8`"),
        (b"a\nb\0c\n", ", line 2: found binary data, expected plain text in UTF-8"),
        (b"\xff\xfea\0", ": found text in UTF-16, expected plain text; convert it to UTF-8, for "
         "example with iconv"),
        (b"%PDF-1.7\n", ": found a PDF document, expected plain text; extract its text first, for "
         "example with `pdftotext`"),
        (b"<!DOCTYPE html>\n", ": found a web page or XML, expected plain text; extract its text "
         "first"),
        (gzip.compress(b"a" * 1000, mtime=0)[:-4], ": the compressed data is damaged or cut short "
         "(Compressed file ended before the end-of-stream marker was reached); download or copy "
         "it again"),
    ],
)  # fmt: skip
def test_what_is_not_utf8_text_is_an_error(data: bytes, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)

    with pytest.raises(InputFileError) as error:
        lines(path)

    assert str(error.value) == f"{path}{problem}"


def test_a_missing_file_and_an_empty_folder_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputFileError) as error:
        Corpus.of([tmp_path / "no.txt"])
    assert str(error.value) == (
        f"{tmp_path}/no.txt: no such file; expected a text file or a folder of them"
    )
    with pytest.raises(InputFileError) as error:
        Corpus.of([tmp_path])
    assert str(error.value) == (
        f"{tmp_path}: a folder without text; expected files that end in .txt, .txt.gz, .txt.bz2, "
        ".txt.xz"
    )
