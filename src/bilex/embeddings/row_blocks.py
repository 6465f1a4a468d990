"""Words and vectors on their way to a file, a block at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from bilex.embeddings.collecting import Floats
from bilex.errors import SettingError
from bilex.values import Progress

BLOCK = 64
"""Rows at once: few enough to stay near the processor, and the same for every format."""


@dataclass(frozen=True, eq=False)
class RowBlocks:
    """The words to write, and a function that gives, or makes, the rows of some of them.

    However many there are, only one block of rows is held in memory.
    """

    words: tuple[str, ...]
    dim: int
    rows: Callable[[slice], Floats]
    on_block: Progress | None = None

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], Floats]]:
        """Yield words and their rows.

        Raises:
            SettingError: If a row could not be read back.
        """
        for start in range(0, len(self.words), BLOCK):
            part = slice(start, min(start + BLOCK, len(self.words)))
            rows = np.ascontiguousarray(self.rows(part), dtype="<f4")
            if not np.isfinite(rows).all():
                raise SettingError(
                    f"a vector of words {start + 1} to {part.stop} has NaN or infinity in it and "
                    "could not be loaded again: check how it was made"
                )
            yield self.words[part], rows
            if self.on_block is not None:
                self.on_block(part.stop, len(self.words))
