"""Writing word vectors in every format that can be read without fastText."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from bilex.embeddings.compression import SUFFIXES
from bilex.embeddings.report import LoadedEmbeddings, LoadReport
from bilex.embeddings.row_blocks import RowBlocks
from bilex.embeddings.store import write_store
from bilex.embeddings.writers import (
    write_gensim,
    write_safetensors,
    write_text,
    write_word2vec,
)
from bilex.errors import SettingError
from bilex.files import writing
from bilex.values import EmbeddingSpace, Progress

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


def save_embeddings(
    space: EmbeddingSpace,
    path: str | Path,
    *,
    format: SaveFormat | None = None,
    on_block: Progress | None = None,
) -> None:
    """Write a space; `load_embeddings` gives the same words and, bit for bit, vectors back.

    Subword vectors are not written. An existing file or store of this name is replaced once the
    new one is complete.

    Args:
        space: The words and vectors to write.
        path: Its end tells the format and the compression: `.vec` or `.txt` (text with a header),
            `.bin` (word2vec), both also with `.gz`, `.bz2`, `.xz` or `.zst`; `.safetensors`;
            `.kv` (gensim, with the vectors in a file beside it); no suffix for a memory-mapped
            store, which is a folder.
        format: The format if the name does not tell it.
        on_block: Told how many of how many words are written.

    Raises:
        SettingError: If the format is unknown, or cannot hold one of the words or numbers.

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
            f"drop the {path.suffix}"
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
    """Write rows as they are made, so that they need not be in memory at once."""
    if format == "gensim":
        beside = path.with_name(f"{path.name}.vectors.npy")  # where gensim looks
        with writing(path) as part, writing(beside) as vectors:
            write_gensim(blocks, part, vectors)
        return
    with writing(path) as part:
        if format == "safetensors":
            write_safetensors(blocks, part)
        elif format == "word2vec-bin":
            write_word2vec(blocks, part, compression)
        else:
            write_text(blocks, part, compression)


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
        write_store(LoadedEmbeddings(space, report), part)
