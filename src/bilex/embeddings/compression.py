"""Reading and writing compressed files as streams; what is read is told by its first bytes."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

from bilex.embeddings import zstd
from bilex.errors import VectorFileError

SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
"""The compressions that can be written, by the end of the file's name."""

_MAGIC = (
    ("gzip", re.compile(rb"\x1f\x8b")),
    ("bzip2", re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")),
    ("xz", re.compile(rb"\xfd7zXZ\x00")),
    ("zip", re.compile(rb"PK(\x03\x04|\x05\x06)")),
    ("zstd", re.compile(rb"\x28\xb5\x2f\xfd")),
)
_HEAD = 1 << 16
_DAMAGE = (
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    ValueError,
    KeyError,
    struct.error,
    zstd.DamagedError,
)


class ByteStream:
    """The decompressed bytes of a file, read forward in pieces; `head` shows the first ones."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.total_bytes = path.stat().st_size
        self._closing = ExitStack()
        self._raw: IO[bytes] = self._closing.enter_context(path.open("rb"))
        start = self._raw.read(16)
        self._raw.seek(0)
        self.compression = next((name for name, magic in _MAGIC if magic.match(start)), None)
        try:
            self._inner = self._open_inner()
            self._pushed_back = b""
            self.head = self.read(_HEAD)
            self._pushed_back = self.head
        except BaseException:
            self._closing.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.close()

    @property
    def position(self) -> int:
        """Return how many bytes of the file itself were read."""
        return self._raw.tell()

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes, fewer only at the end."""
        pieces = [self._pushed_back[:size]]
        self._pushed_back = self._pushed_back[size:]
        missing = size - len(pieces[0])
        while missing > 0:
            try:
                piece = self._inner.read(missing)
            except _DAMAGE as error:
                raise self._damaged(error) from error
            if not piece:
                break
            pieces.append(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def _open_inner(self) -> IO[bytes]:
        if self.compression == "gzip":
            return self._closing.enter_context(cast(IO[bytes], gzip.GzipFile(fileobj=self._raw)))
        if self.compression == "bzip2":
            return self._closing.enter_context(bz2.BZ2File(self._raw))
        if self.compression == "xz":
            return self._closing.enter_context(lzma.LZMAFile(self._raw))
        if self.compression == "zstd":
            return self._closing.enter_context(zstd.open_for_reading(self._raw))
        if self.compression == "zip":
            return self._open_zip_member()
        return self._raw

    def _open_zip_member(self) -> IO[bytes]:
        try:
            archive = self._closing.enter_context(zipfile.ZipFile(self._raw))
            names = [
                name
                for name in archive.namelist()
                if not name.endswith("/") and not name.startswith("__MACOSX/")
            ]
            if len(names) == 1:
                return self._closing.enter_context(archive.open(names[0]))
        except _DAMAGE as error:
            raise self._damaged(error) from error
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        raise VectorFileError(
            self.path,
            f"found a zip archive of {len(names)} files{': ' if names else ''}{shown}; "
            "expected exactly one: unpack it and give the file with the vectors",
        )

    def _damaged(self, error: BaseException) -> VectorFileError:
        kind = self.compression or "plain"
        return VectorFileError(
            self.path,
            f"the {kind} data is damaged or cut short ({error}); download or copy the file again",
        )


@contextmanager
def open_for_writing(path: Path, compression: str | None) -> Iterator[IO[bytes]]:
    """Open a file whose content is compressed as it is written."""
    with ExitStack() as closing:
        raw: IO[bytes] = closing.enter_context(path.open("wb"))
        if compression == "gzip":
            # No name and no time inside, so that the same vectors give the same bytes.
            compressed = gzip.GzipFile("", "wb", 6, raw, mtime=0)
            yield closing.enter_context(cast(IO[bytes], compressed))
        elif compression == "bzip2":
            yield closing.enter_context(bz2.BZ2File(raw, "wb"))
        elif compression == "xz":
            yield closing.enter_context(lzma.LZMAFile(raw, "wb"))
        elif compression == "zstd":
            yield closing.enter_context(zstd.open_for_writing(raw))
        else:
            yield raw
