"""The store: a folder of words, vectors and a manifest that is mapped into memory."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bilex.embeddings.collector import Collector, Floats, Selection
from bilex.embeddings.vocabulary_bytes import join_words, split_words
from bilex.errors import VectorFileError
from bilex.values import EmbeddingSpace, LoadReport

VERSION = 1
"""Increased whenever the layout changes; a cache entry of another version is not used."""

_MANIFEST, _WORDS, _VECTORS = "manifest.json", "words.txt", "vectors.npy"
_BLOCK = 1 << 14


def write_store(
    space: EmbeddingSpace,
    folder: Path,
    *,
    report: LoadReport,
    source: Mapping[str, object] | None = None,
) -> None:
    """Write a space into a new folder.

    Args:
        space: The words and vectors.
        folder: Where to write; must not exist yet.
        report: The report that `read_store` gives the space.
        source: What the space was made from; `read_manifest` returns it.
    """
    blob = join_words(space.words)
    folder.mkdir(parents=True)
    (folder / _WORDS).write_bytes(blob)
    with (folder / _VECTORS).open("wb") as file:
        file.write(npy_header(*space.vectors.shape))
        np.ascontiguousarray(space.vectors.numpy(force=True), dtype="<f4").tofile(file)
    manifest = {
        "format": "bilex-store",
        "version": VERSION,
        "words": len(space),
        "dim": space.dim,
        "words_crc32": zlib.crc32(blob),
        "subwords": space.subwords is not None,
        "source": source,
        "report": asdict(report),
    }
    text = json.dumps(manifest, indent=2) + "\n"
    (folder / _MANIFEST).write_text(text, encoding="utf-8", newline="\n")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a store.

    Raises:
        VectorFileError: If the folder is not a store of this version.
    """
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise VectorFileError(
            folder,
            f"a folder without {_MANIFEST}, so not a bilex store; give a file of word vectors "
            "or a folder written by save_embeddings",
        ) from None
    except (ValueError, RecursionError) as error:
        raise _damaged(folder, f"its {_MANIFEST} is not JSON: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != "bilex-store":
        raise _damaged(folder, f"its {_MANIFEST} does not describe a bilex store")
    if manifest.get("version") != VERSION:
        raise VectorFileError(
            folder,
            f"a store of version {manifest.get('version')!r}, expected {VERSION}: "
            "write it again with this version of bilex",
        )
    return manifest


def read_store(folder: Path, selection: Selection) -> EmbeddingSpace:
    """Map a store into memory; changing the vectors in memory does not change the file."""
    manifest = read_manifest(folder)
    words, vectors = _read_words(folder, manifest), _map_vectors(folder, manifest)
    if selection.lowercase or (selection.limit is not None and selection.limit < len(words)):
        return _select(folder, words, vectors, selection)
    tensor = torch.from_numpy(vectors)
    if not torch.isfinite(tensor.sum()) and not torch.isfinite(tensor).all():
        raise _damaged(folder, "its vectors contain NaN or infinity")
    try:
        report = LoadReport(**manifest["report"])
        report = replace(
            report,
            kept=len(words),
            dim=vectors.shape[1],
            duplicate_examples=tuple(report.duplicate_examples),
        )
    except (KeyError, TypeError) as error:
        raise _damaged(folder, f"the report in its {_MANIFEST} is incomplete") from error
    return EmbeddingSpace(tuple(words), tensor, report=report)


def _read_words(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    try:
        blob = (folder / _WORDS).read_bytes()
    except FileNotFoundError:
        raise _damaged(folder, f"{_WORDS} is missing") from None
    if zlib.crc32(blob) != manifest.get("words_crc32"):
        raise _damaged(folder, f"{_WORDS} was changed after it was written")
    count = manifest.get("words")
    return split_words(blob, count if isinstance(count, int) else -1, folder)


def _map_vectors(folder: Path, manifest: Mapping[str, Any]) -> Floats:
    path, rows, dim = folder / _VECTORS, manifest.get("words"), manifest.get("dim")
    if type(rows) is not int or type(dim) is not int or rows < 1 or dim < 1:
        raise _damaged(folder, f"its {_MANIFEST} claims {rows!r} words of {dim!r} dimensions")
    header = npy_header(rows, dim)
    try:
        with path.open("rb") as file:
            found, size = file.read(len(header)), path.stat().st_size
    except FileNotFoundError:
        raise _damaged(folder, f"{_VECTORS} is missing") from None
    if found != header or size != len(header) + 4 * rows * dim:
        raise _damaged(folder, f"{_VECTORS} is not a matrix of {rows} x {dim} float32")
    return np.memmap(path, dtype="<f4", mode="c", offset=len(header), shape=(rows, dim))


def npy_header(rows: int, dim: int) -> bytes:
    """Return the header of an `.npy` file with a float32 matrix of this shape."""
    buffer = io.BytesIO()
    description = {"descr": "<f4", "fortran_order": False, "shape": (rows, dim)}
    np.lib.format.write_array_header_1_0(buffer, description)
    return buffer.getvalue()


def _select(
    folder: Path, words: list[str], vectors: Floats, selection: Selection
) -> EmbeddingSpace:
    collector = Collector(folder, selection)
    for start in range(0, len(words), _BLOCK):
        collector.add(words[start : start + _BLOCK], vectors[start : start + _BLOCK])
        if collector.full:
            break
    return collector.finish(format="store", words_in_file=len(words))


def _damaged(folder: Path, problem: str) -> VectorFileError:
    return VectorFileError(folder, f"the store is damaged: {problem}; write it again")
