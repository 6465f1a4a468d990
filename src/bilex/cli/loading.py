"""Reading the user's files, and telling what was found in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bilex.cli.screen import note, progress

if TYPE_CHECKING:
    from bilex.lexicons import Coverage
    from bilex.values import EmbeddingSpace, Lexicon


def load_space(
    path: Path, *, limit: int | None, lowercase: bool, cache: Path | None
) -> EmbeddingSpace:
    """Read a file of vectors with a bar, and say what was dropped."""
    from bilex.embeddings import load_embeddings

    with progress(f"reading {path.name}", "bytes") as on_progress:
        loaded = load_embeddings(
            path, limit=limit, lowercase=lowercase, cache=cache, on_progress=on_progress
        )
    report = loaded.report
    details = [f"{report.kept:,} words × {report.dim}"]
    if report.duplicates:
        details.append(f"{report.duplicates:,} repeated words dropped")
    if report.merged_case_variants:
        details.append(f"{report.merged_case_variants:,} case variants merged")
    if report.zero_vectors:
        details.append(f"{report.zero_vectors:,} zero vectors")
    if report.from_cache:
        details.append("from the cache")
    note(f"{path.name}: {', '.join(details)} ({report.format})")
    return loaded.space


def load_lexicon(path: Path, *, lowercase: bool) -> Lexicon:
    """Read a file of word pairs."""
    from bilex.lexicons import read_lexicon

    return read_lexicon(path, lowercase=lowercase).lexicon


def note_coverage(name: str, found: Coverage) -> None:
    """Say how many pairs can be used, and what would bring back the others."""
    note(
        f"{name}: {found.kept:,} of {found.pairs:,} pairs usable "
        f"({found.source_missing:,} without source word, {found.target_missing:,} without target "
        f"word, {found.both_missing:,} without both, {found.duplicates:,} repeated)"
    )
    for hint in found.hints:
        note(f"  hint: {hint}")
