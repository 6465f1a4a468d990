"""Reading the user's files, and printing what was found in them."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from bilex.cli.screen import note, progress

if TYPE_CHECKING:
    from bilex.values import EmbeddingSpace, Lexicon, LoadReport, Progress


def load_space(
    path: Path,
    *,
    limit: int | None,
    lowercase: bool,
    cache: Path | None,
    on_progress: Progress | None = None,
) -> EmbeddingSpace:
    """Read a file of vectors, with a progress bar of its own if there is none yet.

    Prints what was dropped.
    """
    from bilex.embeddings import load_embeddings

    own = progress(f"reading {path.name}", "bytes") if on_progress is None else None
    with own or nullcontext(on_progress) as report:
        space = load_embeddings(
            path, limit=limit, lowercase=lowercase, cache=cache, on_progress=report
        )
    if space.report is not None:
        _note_report(path.name, space.report)
    return space


def _note_report(name: str, report: LoadReport) -> None:
    details = [f"{report.kept:,} words × {report.dim}"]
    if report.duplicates:
        details.append(f"{report.duplicates:,} repeated words dropped")
    if report.merged_case_variants:
        details.append(f"{report.merged_case_variants:,} case variants merged")
    if report.zero_vectors:
        details.append(f"{report.zero_vectors:,} zero vectors")
    if report.from_cache:
        details.append("from the cache")
    note(f"{name}: {', '.join(details)} ({report.format})")


def load_lexicon(path: Path, *, lowercase: bool) -> Lexicon:
    """Read a file of word pairs."""
    from bilex.lexicons import read_lexicon

    return read_lexicon(path, lowercase=lowercase)


def note_coverage(
    name: str, lexicon: Lexicon, source: EmbeddingSpace, target: EmbeddingSpace
) -> None:
    """Print how many pairs can be used."""
    from bilex.lexicons import coverage

    found = coverage(lexicon, source, target)
    note(
        f"{name}: {found.kept:,} of {found.pairs:,} pairs usable "
        f"({found.source_missing:,} without source word, {found.target_missing:,} without target "
        f"word, {found.both_missing:,} without both, {found.duplicates:,} repeated)"
    )
