"""A server of one file, which can be told to behave badly."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from bilex.catalog import RemoteFile
from local_server import Handler, running


@dataclass
class FileServer:
    """What the server sends, and what it was asked for.

    Attributes:
        content: The file.
        etag: Its tag, quoted; None for none.
        last_modified: Its time; None for none.
        ranges: Whether parts can be requested.
        if_range: Whether the condition of a part is looked at.
        cuts: For each answer to come, after how many bytes the connection is cut; None: never.
        statuses: Errors for the answers to come, before any file is sent; 0 for no answer.
        headers: Further headers of every answer.
        location: Where to redirect the path /elsewhere/….
        framing: How the end of the file is told: length, chunked, or by closing.
        pause: Seconds between pieces of `piece` bytes.
        silence: Seconds to wait before the first byte of the answers to come.
        requests: The paths and ranges of all requests.
    """

    content: bytes = b""
    etag: str | None = '"one"'
    last_modified: str | None = "Mon, 01 Jan 2024 00:00:00 GMT"
    ranges: bool = True
    if_range: bool = True
    cuts: list[int | None] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    location: str = ""
    framing: str = "length"
    pause: float = 0.0
    piece: int = 2**16
    silence: list[float] = field(default_factory=list)
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    address: str = ""

    def file(self, name: str = "file.bin", **facts: object) -> RemoteFile:
        """Return a file of this server as the catalog would."""
        return RemoteFile(
            entry="test",
            title="A test file",
            address=f"{self.address}/{name}",
            name=name,
            license="CC0-1.0",
            page="https://example.org/page",
            **facts,  # type: ignore[arg-type]
        )

    def catalog(self, path: Path, **facts: object) -> Path:
        """Write a catalog with one entry called test."""
        lines = [f"{key} = {value!r}" for key, value in facts.items()]
        path.write_text(
            "\n".join(
                [
                    "[data.test]",
                    'title = "A test file"',
                    'kind = "vectors"',
                    'about = "tests"',
                    'page = "https://example.org/page"',
                    'license = "CC0-1.0"',
                    f'address = "{self.address}/file.bin"',
                    *lines,
                ]
            )
        )
        return path

    @property
    def sha256(self) -> str:
        """Return the hash of the file."""
        return hashlib.sha256(self.content).hexdigest()

    def change(self, content: bytes) -> None:
        """Put another file at the same address."""
        self.content = content
        self.etag = None if self.etag is None else f'"{hashlib.sha256(content).hexdigest()[:8]}"'
        if self.last_modified is not None:
            self.last_modified = "Tue, 02 Jan 2024 00:00:00 GMT"


class _Handler(Handler):
    @property
    def state(self) -> FileServer:
        return cast(FileServer, self.server.state)

    def do_GET(self) -> None:
        state = self.state
        state.requests.append((self.path, self.headers.get("Range")))
        self.close_connection = True
        if state.silence:
            time.sleep(state.silence.pop(0))
        with suppress(ConnectionError):
            self._reply(state)

    def _reply(self, state: FileServer) -> None:
        if state.location and self.path.startswith("/elsewhere"):
            self._head(302, {"Location": state.location, "Content-Length": "0"})
        elif state.statuses:
            status = state.statuses.pop(0)
            if status:
                self._head(status, {"Content-Length": "0", **state.headers})
        else:
            self._file(state)

    def _file(self, state: FileServer) -> None:
        content, etag, changed = state.content, state.etag, state.last_modified
        about = {"ETag": etag, "Last-Modified": changed}
        headers = {name: value for name, value in about.items() if value is not None}
        start, asked = 0, re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        condition = self.headers.get("If-Range")
        still = not state.if_range or condition in (etag, changed)
        if asked and state.ranges and still:
            start = int(asked[1])
            if start >= len(content):
                self._head(416, headers | {"Content-Range": f"bytes */{len(content)}"})
                return
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        body = content[start:]
        if state.framing == "length":
            headers["Content-Length"] = str(len(body))
        elif state.framing == "chunked":
            headers["Transfer-Encoding"] = "chunked"
        self._head(206 if start else 200, headers | state.headers)
        self._send(state, body)

    def _send(self, state: FileServer, body: bytes) -> None:
        cut = state.cuts.pop(0) if state.cuts else None
        sent = body if cut is None else body[:cut]
        for begin in range(0, len(sent), state.piece):
            piece = sent[begin : begin + state.piece]
            if state.framing == "chunked":
                piece = b"%x\r\n%s\r\n" % (len(piece), piece)
            self.wfile.write(piece)
            if state.pause:
                time.sleep(state.pause)
        if state.framing == "chunked" and cut is None:
            self.wfile.write(b"0\r\n\r\n")

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


@contextmanager
def serving(content: bytes = b"") -> Iterator[FileServer]:
    """Run a server until the end of the block."""
    state = FileServer(content)
    with running(state, _Handler):
        yield state
