"""Text files of word vectors: word2vec, fastText (`.vec`) and GloVe, with or without a header."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import torch

from bilex.embeddings.collecting import Collector
from bilex.embeddings.compression import ByteStream
from bilex.embeddings.report import LoadedEmbeddings, Progress, Selection
from bilex.embeddings.text_blocks import ParsedBlock, TextBlock, parse_block
from bilex.errors import VectorFileError

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
HEADER = re.compile(rb"(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*(?:\n|\Z)")
"""The optional first line: how many words, how many dimensions."""

_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+(e[-+]?[0-9]+)?", re.IGNORECASE)
_BLOCK = 1 << 18  # a block and its intermediate arrays fit the cache of a processor core
_LONGEST_LINE = 1 << 26


def read_text(
    stream: ByteStream, selection: Selection, on_progress: Progress | None = None
) -> LoadedEmbeddings:
    """Read `word number … number` lines, stopping early once the limit is reached.

    A first line of two whole numbers is a header. Without one, the first line tells the
    dimension, so its word must not contain spaces.
    """
    blocks = _blocks(stream)
    first = next(blocks, None)
    if first is None:
        raise VectorFileError(
            stream.path, "the file is empty; expected word vectors: download or copy it again"
        )
    first, promised, dim = _take_header(first)
    collector = Collector(stream.path, selection)
    for parsed in _parse_all(first, blocks, dim):
        _check_count(stream, promised, collector.offered + len(parsed.words), at_end=False)
        if promised is None:
            _check_extra_numbers(stream, parsed, dim)
        collector.add(parsed.words, parsed.rows)
        if on_progress is not None:
            on_progress(stream.position, stream.total_bytes)
        if collector.full:
            break
    else:
        _check_count(stream, promised, collector.offered, at_end=True)
        promised = collector.offered
    return collector.finish(format="text", compression=stream.compression, words_in_file=promised)


def _take_header(block: TextBlock) -> tuple[TextBlock, int | None, int]:
    """Return the block without its header, the promised number of words and the dimension."""
    lines = block.lines.removeprefix(BYTE_ORDER_MARK)
    header = HEADER.fullmatch(lines[: lines.index(b"\n") + 1])
    if header is None:
        dim = len(lines[: lines.index(b"\n")].split()) - 1
        if dim < 1:
            raise VectorFileError(
                block.path,
                "found a single field; expected a word and its numbers, separated by spaces: "
                "is this a file of word vectors?",
                line=block.first_line,
            )
        return TextBlock(block.path, lines, block.first_line), None, dim
    promised, dim = int(header[1]), int(header[2])
    rows = lines[header.end() :]
    if dim < 1 or (promised < 1 and rows):
        raise VectorFileError(
            block.path,
            f"the header says {promised} words of {dim} dimensions; "
            "expected two numbers above zero: fix the first line",
            line=block.first_line,
        )
    if not rows:
        raise VectorFileError(
            block.path,
            f"found a header that promises {promised} words and nothing after it; "
            "the download is incomplete: fetch the file again",
            line=block.first_line,
        )
    return TextBlock(block.path, rows, block.first_line + 1), promised, dim


def _check_count(stream: ByteStream, promised: int | None, found: int, *, at_end: bool) -> None:
    if promised is None or found == promised or (found < promised and not at_end):
        return
    if found < promised:
        problem = f"found {found} of the {promised} words that the header promises: the file is "
        raise VectorFileError(
            stream.path, problem + "cut short; download it again or correct its first line"
        )
    raise VectorFileError(
        stream.path,
        f"found more words than the header promises, which is {promised}; "
        "correct the first line, or remove it if the file never had a header",
    )


def _check_extra_numbers(stream: ByteStream, parsed: ParsedBlock, dim: int) -> None:
    """Without a header, a word that ends in a number is more likely a row that is too long."""
    for line, word in enumerate(parsed.words, start=parsed.first_line):
        if " " in word and _NUMBER.fullmatch(word.rpartition(" ")[2]):
            raise VectorFileError(
                stream.path,
                f"found more numbers than the {dim} of the first line; if the word is meant to "
                f"be {word!r}, put a first line that says how many words and dimensions follow",
                line=line,
            )


def _parse_all(first: TextBlock, others: Iterator[TextBlock], dim: int) -> Iterator[ParsedBlock]:
    """Parse blocks in threads (array operations free the interpreter lock), in order."""
    workers = max(1, min(8, torch.get_num_threads()))
    waiting: deque[Future[ParsedBlock]] = deque()
    yield parse_block(first, dim)
    with ThreadPoolExecutor(workers) as pool:
        try:
            for block in others:
                waiting.append(pool.submit(parse_block, block, dim))
                if len(waiting) > workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _blocks(stream: ByteStream) -> Iterator[TextBlock]:
    """Cut the stream after line feeds; blank lines at the end of the file are left out."""
    line, rest = 1, b""
    while True:
        piece = stream.read(_BLOCK)
        rest += piece
        if not piece:
            break
        # Keep blank lines back until something follows them.
        content = len(rest[: rest.rfind(b"\n") + 1].rstrip(b"\n\r "))
        cut = rest.find(b"\n", content) + 1
        if content and cut:
            yield TextBlock(stream.path, rest[:cut], line)
            line += rest.count(b"\n", 0, cut)
            rest = rest[cut:]
        if len(rest) > _LONGEST_LINE:
            raise VectorFileError(
                stream.path,
                f"found more than {_LONGEST_LINE >> 20} MiB without the end of a line; "
                "expected a line for each word: is this a text file of word vectors?",
                line=line,
            )
    rest = rest.rstrip(b"\n\r ")
    if rest:
        yield TextBlock(stream.path, rest + b"\n", line)
