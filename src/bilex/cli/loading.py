"""Reading the user's files, and printing what was found in them."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bilex.cli.screen import note, progress

if TYPE_CHECKING:
    from bilex.values import EmbeddingSpace, Lexicon, LoadReport, Progress


_MANY_WORDS, _ENOUGH_WORDS = 500_000, 200_000
_COPIES = 7  # of the vectors: raw, normalized, mapped, and those of searches; measured


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


def note_size(paths: Sequence[Path], limit: int | None) -> None:
    """Say what files of very many words will take, before they are read."""
    from bilex.embeddings import declared_size

    sizes = [declared_size(path) for path in paths]
    if limit is not None or None in sizes:
        return
    known = [size for size in sizes if size is not None]
    if max(words for words, _ in known) <= _MANY_WORDS:
        return
    gigabytes = sum(_COPIES * 4 * words * dim for words, dim in known) / 2**30
    times = math.prod(words for words, _ in known) / _ENOUGH_WORDS ** len(known)
    declared = " and ".join(f"{words:,} words × {dim}" for words, dim in known)
    has = _memory_of_this_machine()
    note(
        f"{declared} will take about {gigabytes:.0f} GiB of memory"
        + ("" if has is None else f" (this machine has {has / 2**30:.0f})")
        + f" and {times:.0f} times as long as {_ENOUGH_WORDS:,} words of each; these are usually "
        f"enough: --limit {_ENOUGH_WORDS}"
    )


def _memory_of_this_machine() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        return None


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


def load_lexicon(
    path: Path,
    *,
    lowercase: bool,
    columns: str | None = None,
    unreviewed: bool = False,
    list_at: Path | None = None,
) -> Lexicon:
    """Read a file of word pairs; print what was read, and what was left out.

    Args:
        path: The file.
        lowercase: Whether to lower-case all words.
        columns: The columns of a table.
        unreviewed: Whether to use pairs that nobody has reviewed.
        list_at: Where the list of what was left out will be.
    """
    from bilex.lexicons import read_lexicon, summarize

    lexicon = read_lexicon(path, lowercase=lowercase, columns=columns, unreviewed=unreviewed)
    if lexicon.report is not None:
        note(summarize(path.name, lexicon.report, list_at="" if list_at is None else str(list_at)))
    return lexicon


def match_vocabularies(
    name: str, lexicon: Lexicon, source: EmbeddingSpace, target: EmbeddingSpace
) -> Lexicon:
    """Return the lexicon without articles that vocabularies do not hold; print how many."""
    from bilex.lexicons import without_articles

    matched, shortened = without_articles(lexicon, source, target)
    if shortened.words:
        note(f"{name}: {shortened.describe()}")
    return matched


def note_coverage(
    name: str, lexicon: Lexicon, source: EmbeddingSpace, target: EmbeddingSpace
) -> Lexicon:
    """Print how many pairs can be used; return the lexicon with the others in its report."""
    from bilex.lexicons import coverage
    from bilex.lexicons.coverage import words_not_covered

    found = coverage(lexicon, source, target)
    note(
        f"{name}: {found.kept:,} of {found.pairs:,} pairs usable "
        f"({found.source_missing:,} without source word, {found.target_missing:,} without target "
        f"word, {found.both_missing:,} without both, {found.duplicates:,} repeated)"
    )
    if lexicon.report is None:
        return lexicon
    left_out = (*lexicon.report.left_out, *words_not_covered(lexicon, source, target))
    return replace(lexicon, report=replace(lexicon.report, left_out=left_out))
