"""The binary format of word2vec: a header, then for each word its bytes, a space, its floats."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bilex.embeddings.collector import MAX_DIM, Collector, Selection, decode_words
from bilex.embeddings.compression import ByteStream
from bilex.embeddings.text import BYTE_ORDER_MARK, HEADER
from bilex.errors import VectorFileError
from bilex.values import EmbeddingSpace, Progress

_BLOCK = 1 << 22
_LONGEST_WORD = 1 << 16


def read_word2vec_binary(
    stream: ByteStream, selection: Selection, on_progress: Progress | None = None
) -> EmbeddingSpace:
    """Read the words and their float32 vectors; stop when the limit is reached."""
    declared, dim = _read_header(stream)
    collector = Collector(stream.path, selection)
    for words, vectors in _rows(stream, declared, dim):
        collector.add(
            _decode(stream, words, collector.offered),
            np.frombuffer(vectors, dtype="<f4").reshape(-1, dim),
        )
        if on_progress is not None:
            on_progress(stream.position, stream.total_bytes)
        if collector.full:
            break
    return collector.finish(
        format="word2vec-bin", compression=stream.compression, words_in_file=declared
    )


def _read_header(stream: ByteStream) -> tuple[int, int]:
    content = stream.head.removeprefix(BYTE_ORDER_MARK)
    header = HEADER.match(content)
    if header is None or not 1 <= int(header[2]) <= MAX_DIM or not int(header[1]):
        found = content[:40].split(b"\n")[0].decode("utf-8", "backslashreplace")
        raise VectorFileError(
            stream.path,
            f"found the header {found!r}; expected the number of words and the dimension, both "
            f"above zero and the dimension at most {MAX_DIM}: download the file again",
        )
    stream.read(len(stream.head) - len(content) + header.end())
    return int(header[1]), int(header[2])


def _rows(stream: ByteStream, declared: int, dim: int) -> Iterator[tuple[list[bytes], bytes]]:
    """Yield block by block the words and the bytes of their vectors."""
    rest, missing = b"", declared
    while missing:
        piece = stream.read(max(_BLOCK, 8 * dim))
        rest += piece
        words, vectors, position = _cut(rest, dim, missing)
        missing -= len(words)
        if words:
            yield words, vectors
        rest = rest[position:]
        endless = len(rest) > _LONGEST_WORD and b" " not in rest[:_LONGEST_WORD]
        if missing and (endless or not piece):
            raise VectorFileError(
                stream.path,
                f"found {declared - missing} words, but the header declares {declared}: "
                "the file is cut short or damaged; download it again",
            )
    if rest.strip(b"\n") or stream.read(1).strip(b"\n"):
        raise VectorFileError(
            stream.path,
            f"found more words than the {declared} that the header declares; "
            "the file is damaged: download it again",
        )


def _cut(data: bytes, dim: int, most: int) -> tuple[list[bytes], bytes, int]:
    """Return the words and vectors of all whole rows, and the position after them."""
    words: list[bytes] = []
    vectors: list[bytes] = []
    start, size = 0, 4 * dim
    while len(words) < most:
        space = data.find(b" ", start)
        end = space + 1 + size
        if space < 0 or end > len(data):
            break
        words.append(data[start:space].lstrip(b"\n"))  # some writers end rows with a line feed
        vectors.append(data[space + 1 : end])
        start = end
    return words, b"".join(vectors), start


def _decode(stream: ByteStream, words: list[bytes], before: int) -> list[str]:
    try:
        decoded = decode_words(words)
    except UnicodeDecodeError:
        decoded = []
    if len(decoded) == len(words) and all(decoded):
        return decoded
    bad = next(number for number, word in enumerate(words) if not _is_word(word))
    shown = words[bad][:40].decode("utf-8", "backslashreplace")
    raise VectorFileError(
        stream.path,
        f"word number {before + bad + 1} is {shown!r}; expected a word in UTF-8: "
        "the file is damaged, or its vectors are not float32",
    )


def _is_word(word: bytes) -> bool:
    return bool(word) and b"\n" not in word and word.decode("utf-8", "replace").encode() == word
