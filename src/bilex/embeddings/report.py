"""What a load returns: the space, and an account of what was dropped or merged on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bilex.errors import SettingError
from bilex.values import EmbeddingSpace

Progress = Callable[[int, int], None]
"""Called with the bytes of the file read so far and the size of the file."""


@dataclass(frozen=True)
class Selection:
    """Which words of a file to keep."""

    limit: int | None = None
    lowercase: bool = False

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise SettingError(
                f"limit is {self.limit}: expected 1 or more words, or None to keep all of them"
            )


@dataclass(frozen=True, kw_only=True)
class LoadReport:
    """What was found in a file of word vectors, what was kept, and what was not."""

    format: str
    compression: str | None
    words_in_file: int | None  # None when reading stopped at the limit and no header told
    kept: int
    dim: int
    duplicates: int = 0  # rows dropped because the same word came before
    duplicate_examples: tuple[str, ...] = ()
    merged_case_variants: int = 0  # rows dropped by `lowercase` in favor of an earlier variant
    words_with_spaces: int = 0
    zero_vectors: int = 0
    from_cache: bool = False


@dataclass(frozen=True, eq=False)
class LoadedEmbeddings:
    """An embedding space and the report of its loading."""

    space: EmbeddingSpace
    report: LoadReport
