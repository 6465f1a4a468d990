"""Writing word vectors in every format that can be read without fastText or gensim."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import numpy as np

from bilex.embeddings.collecting import Floats
from bilex.embeddings.compression import SUFFIXES, open_for_writing
from bilex.embeddings.report import LoadedEmbeddings, LoadReport
from bilex.embeddings.safetensors_file import write_safetensors
from bilex.embeddings.store import write_store
from bilex.embeddings.word_blob import check_writable
from bilex.errors import SettingError
from bilex.files import writing
from bilex.values import EmbeddingSpace

SaveFormat = Literal["text", "word2vec-bin", "safetensors", "store"]

_BY_SUFFIX: dict[str, SaveFormat] = {
    ".vec": "text",
    ".txt": "text",
    ".bin": "word2vec-bin",
    ".safetensors": "safetensors",
    "": "store",
}
_BLOCK = 1024


def save_embeddings(
    space: EmbeddingSpace, path: str | Path, *, format: SaveFormat | None = None
) -> None:
    """Write a space; `load_embeddings` gives the same words and, bit for bit, vectors back.

    Subword vectors are not written. An existing file or store of this name is replaced once the
    new one is complete.

    Args:
        space: The words and vectors to write.
        path: Its end tells the format and the compression: `.vec` or `.txt` (text with a header),
            `.bin` (word2vec), both also with `.gz`, `.bz2`, `.xz` or `.zst`; `.safetensors`; no
            suffix for a memory-mapped store, which is a folder.
        format: The format if the name does not tell it.

    Raises:
        SettingError: If the format is unknown, or cannot hold one of the words or numbers.

    Example:
        >>> save_embeddings(space, "mapped.vec.gz")  # doctest: +SKIP
    """
    path = Path(path)
    compression = SUFFIXES.get(path.suffix)
    bare = path.with_suffix("") if compression else path
    format = format or _format_of(bare)
    vectors = np.ascontiguousarray(space.vectors.numpy(force=True), dtype=np.float32)
    if not len(space) or not space.dim or not np.isfinite(vectors).all():
        raise SettingError(
            f"a space of {len(space)} words and {space.dim} dimensions, or with NaN or infinity "
            "in it, could not be loaded again: check how it was made"
        )
    if format in ("safetensors", "store") and compression:
        raise SettingError(
            f"{path.name}: a {format} is mapped into memory and cannot be compressed; "
            f"drop the {path.suffix}"
        )
    with writing(path) as temporary:
        _WRITERS[format](space, vectors, temporary, compression)


def _format_of(path: Path) -> SaveFormat:
    found = _BY_SUFFIX.get(path.suffix)
    if found is None:
        known = ", ".join(suffix for suffix in _BY_SUFFIX if suffix)
        raise SettingError(
            f"{path.name}: no format is known by the suffix {path.suffix!r}; use {known} "
            f"(text and .bin also with {', '.join(SUFFIXES)}), no suffix for a store, "
            "or give `format`"
        )
    return found


def _write_text(
    space: EmbeddingSpace, vectors: Floats, path: Path, compression: str | None
) -> None:
    check_writable(space.words)
    with open_for_writing(path, compression) as file:
        file.write(f"{len(space)} {space.dim}\n".encode())
        for words, rows in _blocks(space, vectors):
            # As text, NumPy gives the shortest digits that read back as the same float32.
            numbers = rows.astype(np.str_).tolist()
            lines = [f"{word} {' '.join(row)}\n" for word, row in zip(words, numbers, strict=True)]
            file.write("".join(lines).encode())


def _write_word2vec(
    space: EmbeddingSpace, vectors: Floats, path: Path, compression: str | None
) -> None:
    check_writable(space.words, forbidden="\n ")
    with open_for_writing(path, compression) as file:
        file.write(f"{len(space)} {space.dim}\n".encode())
        for words, rows in _blocks(space, vectors.astype("<f4", copy=False)):
            pairs = zip(words, rows, strict=True)
            file.write(
                b"".join(word.encode() + b" " + row.tobytes() + b"\n" for word, row in pairs)
            )


def _write_safetensors(
    space: EmbeddingSpace, vectors: Floats, path: Path, compression: str | None
) -> None:
    write_safetensors(space, path)


def _write_store(
    space: EmbeddingSpace, vectors: Floats, path: Path, compression: str | None
) -> None:
    report = LoadReport(
        format="store",
        compression=None,
        words_in_file=len(space),
        kept=len(space),
        dim=space.dim,
        words_with_spaces=sum(" " in word for word in space.words),
        zero_vectors=int((~vectors.any(axis=1)).sum()),
    )
    write_store(LoadedEmbeddings(space, report), path)


def _blocks(space: EmbeddingSpace, vectors: Floats) -> Iterator[tuple[tuple[str, ...], Floats]]:
    for start in range(0, len(space), _BLOCK):
        yield space.words[start : start + _BLOCK], vectors[start : start + _BLOCK]


_WRITERS: dict[SaveFormat, Callable[[EmbeddingSpace, Floats, Path, str | None], None]] = {
    "text": _write_text,
    "word2vec-bin": _write_word2vec,
    "safetensors": _write_safetensors,
    "store": _write_store,
}
