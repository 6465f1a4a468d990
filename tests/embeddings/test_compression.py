from __future__ import annotations

import bz2
import gzip
import io
import lzma
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import zstandard

from bilex.embeddings import compression, load_embeddings, save_embeddings
from bilex.errors import MissingExtraError, VectorFileError
from bilex.values import EmbeddingSpace
from refusal import assert_refused

TEXT = b"the 0.5 0.25\nof 1.0 2.0\n"


def test_several_frames_of_zstd_are_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.vec.zst"
    path.write_bytes(zstandard.compress(TEXT[:13]) + zstandard.compress(TEXT[13:]))
    assert load_embeddings(path).words == ("the", "of")


def test_zip_archives_from_a_mac_hold_one_file_that_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("vectors/", b"")
        archive.writestr("vectors/a.vec", TEXT)
        archive.writestr("__MACOSX/vectors/._a.vec", b"\0")
    assert load_embeddings(path).words == ("the", "of")


def test_many_members_are_named_in_part(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(7):
            archive.writestr(f"{number}.vec", TEXT)
    with pytest.raises(VectorFileError, match=r"of 7 files: 0\.vec, .*4\.vec, …; expected exactly"):
        load_embeddings(path)


def test_encrypted_archives_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.vec", TEXT)
    data = bytearray(buffer.getvalue())
    data[6] |= 1  # in the header of the member, and in the directory
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(VectorFileError, match="is encrypted, password required"):
        load_embeddings(path)


def test_the_missing_package_is_named_with_its_install_command(
    tmp_path: Path, space: EmbeddingSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.vec.zst"
    path.write_bytes(zstandard.compress(TEXT))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setattr(sys, "version_info", (3, 11))
    with pytest.raises(MissingExtraError, match=r"pip install 'bilex\[zstd\]'"):
        load_embeddings(path)
    with pytest.raises(MissingExtraError, match=r"pip install 'bilex\[zstd\]'"):
        save_embeddings(space, tmp_path / "b.vec.zst")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.vec.zst"]


def test_a_stream_shows_its_head_and_then_gives_it_again(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT)
    with compression.ByteStream(path) as stream:
        assert stream.head == TEXT
        assert stream.read(5) + stream.read(100) + stream.read(1) == TEXT
        assert stream.position == stream.total_bytes == len(TEXT)


def test_zstd_streams_can_be_read_in_small_pieces() -> None:
    reader = compression.open_zstd_reader(io.BytesIO(zstandard.compress(TEXT)))
    assert b"".join(iter(lambda: reader.read(3), b"")) == TEXT


@pytest.mark.slow
def test_importing_needs_none_of_the_optional_packages() -> None:
    code = (
        "import sys; sys.modules['zstandard'] = None; import bilex.embeddings;"
        "assert not {'gensim', 'polars', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own code


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


# file name, content, line number in the error, message
BAD_FILES: list[tuple[str, bytes, int | None, str]] = [
    (
        "page.vec.gz",
        gzip.compress(b'<?xml version="1.0"?><Error/>'),
        None,
        "found a web page, expected word vectors; the download failed: check the address",
    ),
    (
        "cut.vec.gz",
        gzip.compress(TEXT, mtime=0)[:-12],
        None,
        (
            "the gzip data is damaged or cut short (Compressed file ended before the end-of-"
            "stream marker was reached); download or copy the file again"
        ),
    ),
    (
        "cut.vec.bz2",
        bz2.compress(TEXT)[:-12],
        None,
        (
            "the bzip2 data is damaged or cut short (Compressed file ended before the end-of-"
            "stream marker was reached); download or copy the file again"
        ),
    ),
    (
        "cut.vec.xz",
        lzma.compress(TEXT)[:-12],
        None,
        (
            "the xz data is damaged or cut short (Compressed file ended before the end-of-stream "
            "marker was reached); download or copy the file again"
        ),
    ),
    (
        "cut.vec.zst",
        zstandard.compress(TEXT)[:-3],
        None,
        (
            "the zstd data is damaged or cut short (the end is missing); download or copy the "
            "file again"
        ),
    ),
    (
        "damaged.vec.zst",
        zstandard.compress(TEXT)[:4] + b"\xff" * 30,
        None,
        ("the zstd data is damaged or cut short (no valid frame); download or copy the file again"),
    ),
    (
        "two.zip",
        zipped(a=TEXT, b=TEXT),
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
        zipped(a=TEXT)[:-30],
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
