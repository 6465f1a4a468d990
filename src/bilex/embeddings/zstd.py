"""Zstandard streams: from the standard library where it has them, else from `zstandard`."""

from __future__ import annotations

import io
import sys
from typing import IO, Any

from bilex.extras import import_extra

_PIECE = 1 << 17


class DamagedError(Exception):
    """The compressed data is broken or ends too early."""


def open_for_reading(raw: IO[bytes]) -> IO[bytes]:
    """Return a stream of the decompressed bytes."""
    return io.BufferedReader(_Decompressed(raw))


def open_for_writing(raw: IO[bytes]) -> IO[bytes]:
    """Return a stream that compresses what is written to it."""
    if sys.version_info >= (3, 14):  # pragma: no cover
        from compression import zstd

        return zstd.ZstdFile(raw, "w")
    stream: IO[bytes] = _module().ZstdCompressor().stream_writer(raw, closefd=False)
    return stream


class _Decompressed(io.RawIOBase):
    """Decompresses frame after frame; unlike the library's own reader, notices a missing end."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._new_frame, self._errors = _decompressor()
        self._frame = self._new_frame()
        self._inside = True  # a file must hold at least one frame
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any writable buffer
        while not self._ready:
            compressed = self._raw.read(_PIECE)
            if not compressed:
                if self._inside:
                    raise DamagedError("the end is missing")
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
                raise DamagedError("no valid frame") from error
            self._inside = not self._frame.eof
            compressed = self._frame.unused_data if self._frame.eof else b""
        self._ready = b"".join(pieces)


def _decompressor() -> tuple[Any, Any]:
    """Return a maker of one-frame decompressors and the error that they raise."""
    if sys.version_info >= (3, 14):  # pragma: no cover
        from compression import zstd

        return zstd.ZstdDecompressor, zstd.ZstdError
    module = _module()
    return module.ZstdDecompressor().decompressobj, module.ZstdError


def _module() -> Any:  # noqa: ANN401 - the package has no types
    return import_extra("zstandard", "reading and writing .zst files needs", extra="zstd")
