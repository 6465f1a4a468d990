"""The first stage: the vectors of a language, read and normalized once, then mapped into memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from bilex.config import build_part
from bilex.embeddings import declared_size, load_embeddings
from bilex.embeddings.collector import Selection
from bilex.embeddings.store import read_store, write_store
from bilex.fleet.computation import BASE_MEMORY, compute, failed_result
from bilex.fleet.folder import FleetFolder
from bilex.fleet.tasks import PrepareTask
from bilex.inspection import inspect_space
from bilex.jobs.task import Input, Load, Result
from bilex.protocols import Preprocessor
from bilex.storage.files import writing
from bilex.values import EmbeddingSpace, LoadReport

COPIES_OF_VECTORS = 4
"""While a language is prepared: read, normalized, and two temporary ones."""

_USUAL_SIZE = 1_000_000, 300  # words and dimensions, if a file does not say
_OPEN_AT_ONCE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareWork:
    """Reads, checks and normalizes the vectors of a language.

    Attributes:
        folder: The folder of the fleet.
    """

    folder: FleetFolder

    def inputs(self, task: PrepareTask) -> Sequence[Input]:
        """Return nothing: workers read files themselves."""
        return ()

    def run(self, task: PrepareTask, load: Load) -> Result:
        """Return the result of a task."""
        return compute(task, self.folder, lambda: self._prepare(task))

    def failed(self, task: PrepareTask, problem: BaseException) -> Result:
        """Return the result of a task that ended in an error."""
        return failed_result(task, problem)

    def memory_needed(self, task: PrepareTask, input_bytes: int) -> int:
        """Estimate from the header of the file and the limit."""
        words, dim = declared_size(task.language.vectors) or _USUAL_SIZE
        words = min(words, task.language.limit or words)
        return BASE_MEMORY + COPIES_OF_VECTORS * 4 * words * dim

    def task_name(self, result: Result) -> str:
        """Return the name of the task of a stored result."""
        return str(result.get("name"))

    def files(self, task: PrepareTask) -> tuple[Path, ...]:
        """Return what the task writes."""
        return (self.folder.language(task.language.code, task.key),)

    def _prepare(self, task: PrepareTask) -> Mapping[str, Any]:
        language = task.language
        space = load_embeddings(
            language.vectors, limit=language.limit, lowercase=language.lowercase
        )
        health = inspect_space(space)
        normalization = cast(Preprocessor, build_part("preprocessing", task.preprocessing)).learn(
            space.vectors
        )
        normalized = EmbeddingSpace(space.words, normalization.apply(space.vectors))
        (folder,) = self.files(task)
        with writing(folder) as part:
            write_store(normalized, part, report=_report(space))
        return {
            "language": language.code,
            "words": len(space),
            "dim": space.dim,
            "vector_bytes": 4 * len(space) * space.dim,
            "disk_bytes": sum(file.stat().st_size for file in folder.iterdir()),
            "scripts": health.shapes.scripts,
            "hubness": None if health.hubness is None else round(health.hubness.skewness, 3),
            "effective_dimensions": round(health.geometry.effective_dimensions, 1),
            "notes": list(health.notes),
        }


@lru_cache(maxsize=_OPEN_AT_ONCE)
def open_language(folder: Path) -> EmbeddingSpace:
    """Return a prepared language; its vectors are mapped into memory, once a machine."""
    return read_store(folder, Selection())


def _report(space: EmbeddingSpace) -> LoadReport:
    if space.report is not None:
        return space.report
    return LoadReport(
        format="unknown", compression=None, words_in_file=None, kept=len(space), dim=space.dim
    )
