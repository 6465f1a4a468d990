"""The file of a language and the hub: the best translations of every word, in both directions.

There are translations under the final maps and, if maps were trained without parts of the seeds,
under those of each part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import torch

from bilex.answers import AnswerTable
from bilex.candidates.paths import LinkLexicon, Translations
from bilex.storage.files import writing
from bilex.storage.tensors import read_tensors, write_tensors

DEPTH = 10
"""Translations of a word that are kept; with 20, triangulation was not better."""

_OPEN_AT_ONCE = 4
_DIRECTIONS = ("to_hub", "from_hub")


def write_link(path: Path, tables: Sequence[Mapping[bool, AnswerTable]], like: Path) -> None:
    """Write the translations under the final maps, then those of each part.

    Args:
        path: The file.
        tables: The key is whether it is the direction from the hub.
        like: A file whose permissions the new one gets.
    """
    tensors: dict[str, torch.Tensor] = {}
    for number, both in enumerate(tables):
        for direction, table in zip(_DIRECTIONS, (both[False], both[True]), strict=True):
            name = f"{number}.{direction}"
            tensors[f"{name}.ids"] = torch.from_numpy(table.ids[:, :DEPTH].copy())
            if table.probabilities is not None:
                chances = torch.from_numpy(table.probabilities[:, :DEPTH].copy())
                tensors[f"{name}.probabilities"] = chances
    with writing(path) as part:
        write_tensors(tensors, part, like=like)


@lru_cache(maxsize=_OPEN_AT_ONCE)
def read_link(path: Path) -> tuple[LinkLexicon, ...]:
    """Return what `write_link` wrote, in the same order; empty if there are no probabilities."""
    tensors = read_tensors(path)
    found: list[LinkLexicon] = []
    while f"{len(found)}.to_hub.probabilities" in tensors:
        both = (
            Translations(
                tensors[f"{len(found)}.{direction}.ids"].long(),
                tensors[f"{len(found)}.{direction}.probabilities"],
            )
            for direction in _DIRECTIONS
        )
        found.append(LinkLexicon(*both))
    return tuple(found)


def best_to_hub(path: Path) -> torch.Tensor:
    """Return the best translation of each word in the hub: (n_words,)."""
    return read_tensors(path)["0.to_hub.ids"][:, 0].long()
