"""The file of precomputed translations in a model folder, and lookups in it.

Read with NumPy alone: a lookup must not wait for the import of torch.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from bilex.answers import AnswerTable, Translation
from bilex.answers.table import Array
from bilex.errors import ModelFolderError
from bilex.storage.files import recover
from bilex.storage.hashes import read_vocabulary

ANSWERS = "answers.safetensors"

_DIRECTIONS = {False: "forward", True: "backward"}
_SIDES = ("source", "target")
_TYPES: dict[str, type[np.generic]] = {"I32": np.int32, "I16": np.int16, "F32": np.float32}
"""By their names in safetensors."""


def write_answers(
    tables: Mapping[bool, AnswerTable], path: Path, *, model: str, like: Path
) -> None:
    """Write the translations of a model in both directions.

    Args:
        tables: By direction: False for source to target, True for target to source.
        path: The file.
        model: Identifier of the model.
        like: A file whose permissions are used.
    """
    arrays = {
        f"{_DIRECTIONS[reverse]}.{name}": np.ascontiguousarray(array)
        for reverse, table in tables.items()
        for name, array in table.arrays().items()
    }
    save_file(arrays, path, metadata={"model": model})
    # safetensors creates files that only their owner can read, regardless of the umask.
    path.chmod(like.stat().st_mode)


def read_answers(folder: Path, sizes: tuple[int, int], *, model: str) -> dict[bool, AnswerTable]:
    """Return the translations of a model folder by direction; empty if the file is absent.

    Args:
        folder: The model folder.
        sizes: Of the source and target vocabularies.
        model: Expected identifier of the model.

    Raises:
        ValueError, KeyError, OSError, SafetensorError: If the file is damaged.
    """
    if not (folder / ANSWERS).exists():
        return {}
    path = folder / ANSWERS
    with safe_open(path, framework="np") as file:  # checks the header
        if (file.metadata() or {}).get("model") != model:
            raise ValueError("the answers are those of another model")
    arrays = _mapped(path)
    found = {}
    for reverse, name in _DIRECTIONS.items():
        words, candidates = sizes[::-1] if reverse else sizes
        own = {
            key.removeprefix(f"{name}."): array
            for key, array in arrays.items()
            if key.startswith(f"{name}.")
        }
        found[reverse] = AnswerTable.of(own, words=words, candidates=candidates)
        if not all(np.isfinite(array).all() for array in own.values()):
            raise ValueError("an answer is not a finite number")
    return found


def _mapped(path: Path) -> dict[str, Array]:
    """Return the arrays of a valid file, memory-mapped: processes that read it share the memory."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header: dict[str, Any] = json.loads(file.read(size))
    header.pop("__metadata__", None)
    content = np.empty(0, np.uint8)
    if header:
        # Copy on write, since torch does not take arrays that are read-only. As a plain array,
        # since slices of a memmap are slow.
        content = np.asarray(np.memmap(path, mode="c", offset=8 + size))
    arrays: dict[str, Array] = {}
    for name, described in header.items():
        if described["dtype"] not in _TYPES:
            raise ValueError(f"{name} is of type {described['dtype']}")
        begin, end = described["data_offsets"]
        kind = np.dtype(_TYPES[described["dtype"]]).newbyteorder("<")
        arrays[name] = content[begin:end].view(kind).reshape(described["shape"])
    return arrays


@dataclass(frozen=True, eq=False)
class KnownAnswers:
    """The vocabularies of a model and its answers in one direction."""

    words: Sequence[str]
    names: Sequence[str]  # of candidates
    table: AnswerTable

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Return the row of each word."""
        return {word: row for row, word in enumerate(self.words)}

    def suffice(self, k: int, *, probabilities: bool) -> bool:
        """Return whether each word has k candidates, with probabilities if required."""
        enough = k <= self.table.depth or self.table.depth == len(self.names)
        return enough and not (probabilities and self.table.probabilities is None)

    def translate(self, words: Sequence[str], k: int) -> list[Translation]:
        """Return one `Translation` for each word, the same as from the model."""
        known = list(dict.fromkeys(word for word in words if word in self.index))
        rows = [self.index[word] for word in known]
        found = dict(zip(known, self.table.candidates(rows, k, self.names), strict=True))
        return [
            Translation(word, found[word]) if word in found else Translation(word, (), "unknown")
            for word in words
        ]


def known_answers(folder: Path, *, reverse: bool) -> KnownAnswers | None:
    """Return the precomputed translations of a model folder; None if it has none.

    Raises:
        ModelFolderError: If a file of it is damaged.
    """
    recover(folder)
    if not (folder / ANSWERS).is_file():
        return None
    try:
        manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
        words = [
            read_vocabulary(folder / f"{side}.txt", manifest[side]["sha256"]) for side in _SIDES
        ]
        sizes = len(words[0]), len(words[1])
        tables = read_answers(folder, sizes, model=manifest["id"])
        if reverse:
            words.reverse()
        return KnownAnswers(words[0], words[1], tables[reverse])
    except (
        ValueError, KeyError, TypeError, OSError, RecursionError, SafetensorError
    ) as problem:  # fmt: skip
        if isinstance(problem, ModelFolderError):
            raise
        raise ModelFolderError(
            folder, f"is damaged ({type(problem).__name__}: {problem}); make it again"
        ) from problem
