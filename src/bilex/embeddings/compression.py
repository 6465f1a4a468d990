"""Read and write compressed files as streams; the compression is detected from the first bytes.

Zstandard comes from the standard library from Python 3.14 on, before that from `zstandard`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, cast

from bilex.errors import VectorFileError
from bilex.registry import import_extra

SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
"""The compressions that can be written, by suffix of the file name."""

_MAGIC = (
    ("gzip", re.compile(rb"\x1f\x8b")),
    ("bzip2", re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")),
    ("xz", re.compile(rb"\xfd7zXZ\x00")),
    ("zip", re.compile(rb"PK(\x03\x04|\x05\x06)")),
    ("zstd", re.compile(rb"\x28\xb5\x2f\xfd")),
)
_HEAD = 1 << 16
_ZSTD_PIECE = 1 << 17


class _ZstdDataError(Exception):
    """The compressed data is damaged or cut short."""


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
    _ZstdDataError,
)


class ByteStream:
    """The decompressed bytes of a file, read in pieces; `head` is the first of them."""

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
        """Return how many bytes of the compressed file were read."""
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
            return self._closing.enter_context(open_zstd_reader(self._raw))
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
    """Open a file that compresses what is written to it."""
    with ExitStack() as closing:
        raw: IO[bytes] = closing.enter_context(path.open("wb"))
        if compression == "gzip":
            # No name and no time, so that the same vectors give the same bytes.
            compressed = gzip.GzipFile("", "wb", 6, raw, mtime=0)
            yield closing.enter_context(cast(IO[bytes], compressed))
        elif compression == "bzip2":
            yield closing.enter_context(bz2.BZ2File(raw, "wb"))
        elif compression == "xz":
            yield closing.enter_context(lzma.LZMAFile(raw, "wb"))
        elif compression == "zstd":
            yield closing.enter_context(open_zstd_writer(raw))
        else:
            yield raw


def open_zstd_reader(raw: IO[bytes]) -> IO[bytes]:
    """Return a stream of the decompressed bytes."""
    return io.BufferedReader(_ZstdStream(raw))


def open_zstd_writer(raw: IO[bytes]) -> IO[bytes]:
    """Return a stream that compresses what is written to it."""
    if sys.version_info >= (3, 14):  # pragma: no cover
        from compression import zstd

        return zstd.ZstdFile(raw, "w")
    stream: IO[bytes] = _zstandard().ZstdCompressor().stream_writer(raw, closefd=False)
    return stream


class _ZstdStream(io.RawIOBase):
    """Decompresses frame by frame; unlike the reader of `zstandard`, it detects a missing end."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._new_frame, self._errors = _zstd_decompressor()
        self._frame = self._new_frame()
        self._inside = True  # a file must contain at least one frame
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any writable buffer
        while not self._ready:
            compressed = self._raw.read(_ZSTD_PIECE)
            if not compressed:
                if self._inside:
                    raise _ZstdDataError("the end is missing")
                return 0
            self._feed(compressed)
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _feed(self, compressed: bytes) -> None:
        pieces = []
        while compressed:
            if not self._inside:
                self._frame, self._inside = self._new_frame(), True
            try:
                pieces.append(self._frame.decompress(compressed))
            except self._errors as error:
                raise _ZstdDataError("no valid frame") from error
            self._inside = not self._frame.eof
            compressed = self._frame.unused_data if self._frame.eof else b""
        self._ready = b"".join(pieces)


def _zstd_decompressor() -> tuple[Any, Any]:
    """Return a factory of decompressors for one frame, and the error class that they raise."""
    if sys.version_info >= (3, 14):  # pragma: no cover
        from compression import zstd

        return zstd.ZstdDecompressor, zstd.ZstdError
    module = _zstandard()
    return module.ZstdDecompressor().decompressobj, module.ZstdError


def _zstandard() -> Any:  # noqa: ANN401 - the package has no types
    return import_extra("zstandard", "reading and writing .zst files needs", extra="zstd")
