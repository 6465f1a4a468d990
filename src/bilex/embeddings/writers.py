"""Files of word vectors, written as the rows come."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

from bilex.embeddings.compression import open_for_writing
from bilex.embeddings.row_blocks import RowBlocks
from bilex.embeddings.shortest_decimals import format_rows
from bilex.embeddings.store import npy_header
from bilex.embeddings.word_blob import check_writable, join_words

_KEYED_VECTORS = b"cgensim.models.keyedvectors\nKeyedVectors\n"


def write_text(blocks: RowBlocks, path: Path, compression: str | None) -> None:
    """Write a header, then a line for each word, with the fewest digits that read back alike."""
    check_writable(blocks.words)
    with open_for_writing(path, compression) as file:
        file.write(f"{len(blocks)} {blocks.dim}\n".encode())
        for words, rows in blocks:
            lines = zip(words, format_rows(rows), strict=True)
            file.write(b"".join(word.encode() + numbers + b"\n" for word, numbers in lines))


def write_word2vec(blocks: RowBlocks, path: Path, compression: str | None) -> None:
    """Write a header, then each word, a blank and its floats."""
    check_writable(blocks.words, forbidden="\n ")
    with open_for_writing(path, compression) as file:
        file.write(f"{len(blocks)} {blocks.dim}\n".encode())
        for words, rows in blocks:
            pairs = zip(words, rows, strict=True)
            file.write(
                b"".join(word.encode() + b" " + row.tobytes() + b"\n" for word, row in pairs)
            )


def write_safetensors(blocks: RowBlocks, path: Path) -> None:
    """Write the tensors `vectors` and `words`, the latter UTF-8 bytes joined by line feeds."""
    blob = join_words(blocks.words)
    size = 4 * len(blocks) * blocks.dim
    header: dict[str, object] = {
        "__metadata__": {"format": "bilex-vectors", "version": "1"},
        "vectors": {
            "dtype": "F32",
            "shape": [len(blocks), blocks.dim],
            "data_offsets": [0, size],
        },
        "words": {
            "dtype": "U8",
            "shape": [len(blob)],
            "data_offsets": [size, size + len(blob)],
        },
    }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # so that the numbers are aligned in memory
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for _, rows in blocks:
            file.write(rows.tobytes())
        file.write(blob)


def write_gensim(blocks: RowBlocks, path: Path, vectors_path: Path) -> None:
    """Write what `KeyedVectors.load` of gensim opens, without gensim.

    The file is a pickle of plain data that names one class, with the vectors in a file beside it,
    which gensim can map into memory.
    """
    check_writable(blocks.words)
    with vectors_path.open("wb") as file:
        file.write(npy_header(len(blocks), blocks.dim))
        for _, rows in blocks:
            file.write(rows.tobytes())
    state = {
        "vector_size": blocks.dim,
        "index_to_key": list(blocks.words),
        "key_to_index": {word: row for row, word in enumerate(blocks.words)},
        "next_index": len(blocks),
        "norms": None,
        "expandos": {},
        "mapfile_path": None,
        "__numpys": ["vectors"],
        "__scipys": [],
        "__ignoreds": [],
        "__recursive_saveloads": [],
    }
    # Protocol 3, which has no frames: its mark and its end are taken off around the state.
    plain = pickle.dumps(state, protocol=3)[2:-1]
    # The class, an instance without arguments, its state set, the end.
    path.write_bytes(b"\x80\x03" + _KEYED_VECTORS + b")\x81" + plain + b"b.")
