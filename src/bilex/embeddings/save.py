"""`save_embeddings`: write word vectors in all formats that can be read except fastText `.bin`."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from bilex.embeddings.collector import Floats
from bilex.embeddings.compression import SUFFIXES, open_for_writing
from bilex.embeddings.decimals import format_rows
from bilex.embeddings.gensim_file import VECTORS_HASH
from bilex.embeddings.store import npy_header, write_store
from bilex.embeddings.vocabulary_bytes import check_writable, join_words
from bilex.errors import SettingError
from bilex.storage.files import writing
from bilex.storage.hashes import sha256_of
from bilex.values import EmbeddingSpace, LoadReport, Progress

FileFormat = Literal["text", "word2vec-bin", "gensim", "safetensors"]
SaveFormat = Literal["text", "word2vec-bin", "gensim", "safetensors", "store"]

_BY_SUFFIX: dict[str, SaveFormat] = {
    ".vec": "text",
    ".txt": "text",
    ".bin": "word2vec-bin",
    ".kv": "gensim",
    ".safetensors": "safetensors",
    "": "store",
}
_KEYED_VECTORS = b"cgensim.models.keyedvectors\nKeyedVectors\n"
_ROWS_AT_ONCE = 64  # fits the processor cache; one size, so that all formats get the same bits


@dataclass(frozen=True, eq=False)
class RowBlocks:
    """The words to write, and a function that returns the rows of a slice of them.

    Iterating calls it block by block, so that only one block of rows is in memory.
    """

    words: tuple[str, ...]
    dim: int
    rows: Callable[[slice], Floats]
    on_block: Progress | None = None

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], Floats]]:
        """Yield blocks of words and their rows.

        Raises:
            SettingError: If a row contains NaN or infinity.
        """
        for start in range(0, len(self.words), _ROWS_AT_ONCE):
            part = slice(start, min(start + _ROWS_AT_ONCE, len(self.words)))
            rows = np.ascontiguousarray(self.rows(part), dtype="<f4")
            if not np.isfinite(rows).all():
                raise SettingError(
                    f"a vector of words {start + 1} to {part.stop} contains NaN or infinity and "
                    "could not be loaded again: check how it was made"
                )
            yield self.words[part], rows
            if self.on_block is not None:
                self.on_block(part.stop, len(self.words))


def save_embeddings(
    space: EmbeddingSpace,
    path: str | Path,
    *,
    format: SaveFormat | None = None,
    on_block: Progress | None = None,
) -> None:
    """Write a space; `load_embeddings` returns the same words and exactly the same vectors.

    Subword vectors are not written. An existing file or store of this name is replaced when the
    new one is complete.

    Args:
        space: The words and vectors to write.
        path: The suffix gives the format and the compression: `.vec` or `.txt` (text with a
            header), `.bin` (word2vec), both also with `.gz`, `.bz2`, `.xz` or `.zst`;
            `.safetensors`; `.kv` (gensim, with the vectors in a second file); no suffix for a
            memory-mapped store, which is a folder.
        format: The format, if it does not follow from the suffix.
        on_block: Called with the number of words written so far and in total.

    Raises:
        SettingError: If the format is unknown, or cannot represent one of the words or numbers.

    Example:
        >>> save_embeddings(space, "mapped.vec.gz")  # doctest: +SKIP
    """
    path = Path(path)
    compression = SUFFIXES.get(path.suffix)
    format = format or _format_of(path.with_suffix("") if compression else path)
    if not len(space) or not space.dim:
        raise SettingError(
            f"a space of {len(space)} words and {space.dim} dimensions could not be loaded again: "
            "check how it was made"
        )
    if format not in ("text", "word2vec-bin") and compression:
        raise SettingError(
            f"{path.name}: a {format} file is mapped into memory and cannot be compressed; "
            f"remove the {path.suffix}"
        )
    vectors = space.vectors.numpy(force=True)
    blocks = RowBlocks(space.words, space.dim, lambda rows: vectors[rows], on_block)
    if format == "store":
        _write_store(space, blocks, path)
    else:
        write_blocks(blocks, path, format, compression)


def write_blocks(
    blocks: RowBlocks, path: Path, format: FileFormat, compression: str | None = None
) -> None:
    """Write rows block by block, so that they are never all in memory."""
    if format == "gensim":
        beside = path.with_name(f"{path.name}.vectors.npy")  # where gensim looks
        with writing(path) as part, writing(beside) as vectors:
            _write_gensim(blocks, part, vectors)
        return
    with writing(path) as part:
        if format == "safetensors":
            _write_safetensors(blocks, part)
        elif format == "word2vec-bin":
            _write_word2vec(blocks, part, compression)
        else:
            _write_text(blocks, part, compression)


def _format_of(path: Path) -> SaveFormat:
    found = _BY_SUFFIX.get(path.suffix)
    if found is None:
        known = ", ".join(suffix for suffix in _BY_SUFFIX if suffix)
        raise SettingError(
            f"{path.name}: no known format has the suffix {path.suffix!r}; use {known} "
            f"(text and .bin also with {', '.join(SUFFIXES)}), no suffix for a store, "
            "or give `format`"
        )
    return found


def _write_store(space: EmbeddingSpace, blocks: RowBlocks, path: Path) -> None:
    report = LoadReport(
        format="store",
        compression=None,
        words_in_file=len(space),
        kept=len(space),
        dim=space.dim,
        words_with_spaces=sum(" " in word for word in space.words),
        zero_vectors=sum(int((~rows.any(axis=1)).sum()) for _, rows in blocks),
    )
    with writing(path) as part:
        write_store(space, part, report=report)


def _write_text(blocks: RowBlocks, path: Path, compression: str | None) -> None:
    """Write a header, then a line for each word, with the fewest digits that read back the same."""
    check_writable(blocks.words)
    with open_for_writing(path, compression) as file:
        file.write(f"{len(blocks)} {blocks.dim}\n".encode())
        for words, rows in blocks:
            lines = zip(words, format_rows(rows), strict=True)
            file.write(b"".join(word.encode() + numbers + b"\n" for word, numbers in lines))


def _write_word2vec(blocks: RowBlocks, path: Path, compression: str | None) -> None:
    """Write a header, then for each word its bytes, a space and its floats."""
    check_writable(blocks.words, forbidden="\n ")
    with open_for_writing(path, compression) as file:
        file.write(f"{len(blocks)} {blocks.dim}\n".encode())
        for words, rows in blocks:
            pairs = zip(words, rows, strict=True)
            file.write(
                b"".join(word.encode() + b" " + row.tobytes() + b"\n" for word, row in pairs)
            )


def _write_safetensors(blocks: RowBlocks, path: Path) -> None:
    """Write the tensors `vectors` and `words`; `words` is UTF-8 bytes joined by line feeds."""
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


def _write_gensim(blocks: RowBlocks, path: Path, vectors_path: Path) -> None:
    """Write a file for gensim's `KeyedVectors.load`, without gensim.

    The file is a pickle of plain data that names one class. The vectors are in a second file,
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
        VECTORS_HASH: sha256_of(vectors_path),
    }
    # Protocol 3 has no frames. Its first two bytes and its last are removed from the state.
    plain = pickle.dumps(state, protocol=3)[2:-1]
    # Opcodes: the class, an instance without arguments, set its state, stop.
    path.write_bytes(b"\x80\x03" + _KEYED_VECTORS + b")\x81" + plain + b"b.")
