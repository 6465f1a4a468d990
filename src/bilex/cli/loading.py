"""Reading the user's files, and printing what was found in them."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bilex.cli import options
from bilex.cli.screen import note, progress
from bilex.errors import BilexError, LexiconFileError

if TYPE_CHECKING:
    from bilex.lexicons.imports import ImportReport
    from bilex.model import TrainedModel
    from bilex.oov import Lemmas
    from bilex.progress import OnProgress
    from bilex.values import EmbeddingSpace, Lexicon, LoadReport, Progress, Search


_MANY_WORDS, _ENOUGH_WORDS = 500_000, 200_000
_COPIES = 7  # of the vectors in memory: raw, normalized, mapped, and in searches; measured


def load_space(
    path: Path,
    *,
    limit: int | None,
    lowercase: bool,
    cache: Path | None,
    on_progress: Progress | None = None,
) -> EmbeddingSpace:
    """Read a file of vectors, or train vectors on a text; print what was read and dropped.

    Shows its own progress bar unless `on_progress` is given.
    """
    from bilex.embeddings import load_embeddings
    from bilex.text import is_text

    trains = is_text(path)
    doing, unit = ("training on", "steps") if trains else ("reading", "bytes")
    own = progress(f"{doing} {path.name}", unit) if on_progress is None else None
    with own or nullcontext(on_progress) as report:
        if trains:
            return _space_of_text(path, limit=limit, cache=cache, report=report)
        space = load_embeddings(
            path, limit=limit, lowercase=lowercase, cache=cache, on_progress=report
        )
    if space.report is not None:
        _note_report(path.name, space.report)
    return space


def load_two_texts(
    paths: tuple[Path, Path],
    seeds: Lexicon | None,
    *,
    limit: int | None,
    any_case: bool,
    cache: Path | None,
    on_progress: Progress,
) -> tuple[EmbeddingSpace, EmbeddingSpace]:
    """Train vectors on two texts together; print what was trained."""
    from bilex.text_pair import spaces_of_texts

    source, target = paths
    note(f"{source.name} and {target.name} are texts: training word vectors on both together")
    first, second = spaces_of_texts(
        source,
        target,
        seeds,
        any_case=any_case,
        cache=cache,
        on_progress=_in_steps(on_progress),
    )
    return _trained(source, first, limit), _trained(target, second, limit)


def _space_of_text(
    path: Path, *, limit: int | None, cache: Path | None, report: Progress | None
) -> EmbeddingSpace:
    from bilex.text import space_of_text

    note(f"{path.name} is text: training word vectors on it (`bilex vectors` has more settings)")
    counted = None if report is None else _in_steps(report)
    return _trained(path, space_of_text(path, cache=cache, on_progress=counted), limit)


def _trained(path: Path, space: EmbeddingSpace, limit: int | None) -> EmbeddingSpace:
    """Return the most frequent words of vectors that were trained on a text, and print how many."""
    from bilex.values import EmbeddingSpace

    if limit is not None and limit < len(space):
        space = EmbeddingSpace(space.words[:limit], space.vectors[:limit])
    note(f"{path.name}: {len(space):,} words × {space.dim} (trained on text)")
    return space


def _in_steps(report: Progress) -> OnProgress:
    """Return a callback that reports a share as steps."""
    steps = 1_000
    return lambda work: report(int(steps * work.share), steps)


def load_model(folder: Path, *, device: str, memory: str, search: str) -> TrainedModel:
    """Read a model folder; print how it is searched, unless its answers are stored."""
    from bilex.model import TrainedModel

    kind = options.search_kind(search)
    size = options.memory_bytes(memory)
    trained = TrainedModel.load(folder, device=device, memory=size, search=kind)
    if not trained.contents.answers:
        note_search(kind, trained.source, trained.target)
    return trained


def note_search(search: Search, source: EmbeddingSpace, target: EmbeddingSpace) -> None:
    """Print how words are searched, if it is not exactly, or not as requested."""
    from bilex.similarity import describe_search
    from bilex.values import Compute

    line = describe_search(Compute(search=search), max(len(source), len(target)))
    if line is not None:
        note(line)


def note_size(paths: Sequence[Path], limit: int | None, search: Search) -> None:
    """Print how much memory and time very large files will take, before they are read."""
    from bilex.embeddings import declared_size
    from bilex.similarity import is_approximate
    from bilex.values import Compute

    sizes = [declared_size(path) for path in paths]
    if limit is not None or None in sizes:
        return
    known = [size for size in sizes if size is not None]
    most = max(words for words, _ in known)
    if most <= _MANY_WORDS:
        return
    gigabytes = sum(_COPIES * 4 * words * dim for words, dim in known) / 2**30
    times = math.prod(words / _ENOUGH_WORDS for words, _ in known)  # an exact search is quadratic
    about = ""
    if is_approximate(Compute(search=search), most):
        times, about = times ** (1 / len(known)), "at least "
    declared = " and ".join(f"{words:,} words × {dim}" for words, dim in known)
    has = _memory_of_this_machine()
    note(
        f"{declared} will take about {gigabytes:.0f} GiB of memory"
        + ("" if has is None else f" (this machine has {has / 2**30:.0f} GiB)")
        + f" and {about}{times:.0f} times as long as {_ENOUGH_WORDS:,} words of each, which are "
        f"usually enough: add --limit {_ENOUGH_WORDS}"
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
    pair: str | None = None,
) -> Lexicon:
    """Read a file of word pairs; print what was read and what was left out.

    Args:
        path: The file.
        lowercase: Whether to lower-case all words.
        columns: The columns of a table.
        unreviewed: Whether to use pairs that nobody has reviewed.
        list_at: The file that will list what was left out.
        pair: The languages to take from a published dictionary, such as "en-fi".
    """
    from bilex.lexicons import read_lexicon, summarize

    if pair is not None:
        return _import_lexicon(path, pair, lowercase=lowercase)
    try:
        lexicon = read_lexicon(path, lowercase=lowercase, columns=columns, unreviewed=unreviewed)
    except LexiconFileError as problem:
        raise _advice(path, problem) from None
    if lexicon.report is not None:
        note(summarize(path.name, lexicon.report, list_at="" if list_at is None else str(list_at)))
    return lexicon


def _import_lexicon(path: Path, pair: str, *, lowercase: bool) -> Lexicon:
    from bilex.lexicons.imports import import_pairs, parse_pair
    from bilex.values import Lexicon

    source, target = parse_pair(pair)
    with progress(f"reading {path.name}", "bytes") as on_progress:
        found = import_pairs(path, source, target, on_progress=on_progress)
    note_import(path, found.report, f"{found.report.pairs:,} pairs {pair}")
    entries = found.entries
    if lowercase:
        entries = tuple(
            entry._replace(source=entry.source.lower(), target=entry.target.lower())
            for entry in entries
        )
    return Lexicon(entries)


def note_import(path: Path, report: ImportReport, outcome: str) -> None:
    """Print what was read from a published dictionary."""
    for change, number in report.changed.items():
        note(f"{number:,} words {change}")
    for text in report.notes:
        note(text)
    note(
        f"{path} ({report.importer}): {report.entries:,} entries read, {outcome}, left out: "
        f"{report.left_out_text}; license {report.license or 'not stated'}"
    )


def _advice(path: Path, problem: LexiconFileError) -> LexiconFileError:
    """Return a better error if the file is a published dictionary of several languages."""
    from bilex.lexicons.imports import recognize_importer

    try:
        importer = recognize_importer(path)
    except BilexError:
        importer = None
    if importer is None:
        return problem
    return LexiconFileError(
        path,
        f"is a dictionary of several languages ({importer.name}), expected word pairs: choose two "
        "languages with --pair, such as --pair en-fi",
    )


def load_lemmas(source: Path | None) -> Lemmas | None:
    """Return the lemmas of a file or of simplemma; None if none are wanted."""
    from bilex.oov import Lemmas

    return None if source is None else Lemmas.read(source)


def match_vocabularies(
    name: str, lexicon: Lexicon, source: EmbeddingSpace, target: EmbeddingSpace, *, any_case: bool
) -> Lexicon:
    """Return the lexicon with its words as the vocabularies spell them; print what was changed."""
    from bilex.lexicons import match_words

    matched = match_words(lexicon, source, target, any_case=any_case)
    for sentence in matched.notes:
        note(f"{name}: {sentence}")
    return matched.lexicon


def note_coverage(
    name: str, lexicon: Lexicon, source: EmbeddingSpace, target: EmbeddingSpace
) -> Lexicon:
    """Print how many pairs can be used; return the lexicon with the others in its report."""
    from bilex.lexicons import coverage
    from bilex.lexicons.coverage import words_not_covered

    found = coverage(lexicon, source, target)
    note(
        f"{name}: {found.kept:,} of {found.pairs:,} pairs usable "
        f"({found.source_missing:,} with an unknown source word, {found.target_missing:,} with an "
        f"unknown target word, {found.both_missing:,} with both, {found.duplicates:,} repeated)"
    )
    if lexicon.report is None:
        return lexicon
    left_out = (*lexicon.report.left_out, *words_not_covered(lexicon, source, target))
    return replace(lexicon, report=replace(lexicon.report, left_out=left_out))
