"""Import the pairs of two languages: clean their words, merge repeated ones, report the rest."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from bilex.errors import DictionaryFileError, LexiconFileError, SettingError
from bilex.lexicons.entries import RowProblem, checked_weight
from bilex.lexicons.imports.importer import Importer
from bilex.lexicons.imports.languages import Language, PairRequest
from bilex.lexicons.imports.lookup import find_importer
from bilex.lexicons.imports.tally import (
    REPEATED,
    ImportedPairs,
    ImportReport,
    Tally,
    counted,
    ranked,
)
from bilex.lexicons.imports.words import clean_label, clean_word
from bilex.values import Entry, Progress


def import_pairs(
    path: Path | str,
    source_language: str,
    target_language: str,
    *,
    importer: str | None = None,
    other: Path | str | None = None,
    min_weight: float = 0.0,
    on_progress: Progress | None = None,
) -> ImportedPairs:
    r"""Read the translations between two languages from an existing resource.

    A pair that is repeated is kept once, with its largest weight, where it first occurs. Words
    without text, with markup or with parentheses inside are left out; `report.left_out` counts
    them by the reason. Files are read in one pass, so that memory grows with the number of pairs
    found, not with the size of the file.

    Args:
        path: The file or folder of the resource.
        source_language: A code of ISO 639-1 or 639-3, such as "en" or "eng".
        target_language: The same for the second word of a pair.
        importer: The name of an importer; found by the content of the file if None.
        other: A second data set to pair with the first, for CLDF.
        min_weight: Leave out pairs with a smaller weight.
        on_progress: Called with the bytes read so far and the size of a file.

    Raises:
        LexiconFileError: If the file is damaged, of no known resource or without such pairs; the
            message lists the languages in the file.
        UnknownPluginError: If no importer has this name.
        SettingError: If a language is not a code, both are the same, or the importer cannot join
            data sets.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder) / "gatitos.jsonl"
        ...     _ = file.write_text('{"sl": "en", "tl": "fi", "src": "dog", "trgs": ["koira"]}\n')
        ...     import_pairs(file, "eng", "fin")
        ImportedPairs(1 pairs en-fi: dog → koira)
    """
    path = Path(path)
    chosen = find_importer(path, importer)
    request = _request(chosen, source_language, target_language, other)
    tally = Tally(on_progress)
    try:
        entries = _collected(chosen.read(path, request, tally), tally)
    except DictionaryFileError as error:
        raise LexiconFileError(error.path, error.problem, line=error.line) from None
    kept = tuple(entry for entry in entries if entry.weight >= min_weight)
    tally.leave_out(f"with a weight below {min_weight:g}", len(entries) - len(kept))
    if not kept:
        raise LexiconFileError(path, _nothing_found(chosen, request, tally))
    report = ImportReport(
        importer=chosen.name,
        entries=tally.entries,
        pairs=len(kept),
        left_out=ranked(tally.left_out),
        changed=ranked(tally.changed),
        license=clean_label(tally.license, 200) or chosen.license,
        notes=tuple(tally.notes),
    )
    return ImportedPairs(kept, report, request.source.metadata_tag, request.target.metadata_tag)


def _request(importer: Importer, source: str, target: str, other: Path | str | None) -> PairRequest:
    if other is not None and not importer.joins:
        raise SettingError(f"{importer.name} reads one file: a second one is for CLDF word lists")
    languages = Language.of(source), Language.of(target)
    if languages[0].tag == languages[1].tag:
        raise SettingError(
            f"{source!r} and {target!r} are the same language, expected two different ones"
        )
    return PairRequest(*languages, None if other is None else Path(other))


def _collected(found: Iterator[Entry], tally: Tally) -> Collection[Entry]:
    """Return each distinct pair once, in the order of first appearance."""
    entries: dict[tuple[str, str], Entry] = {}
    for raw in found:
        source = clean_word(raw.source, tally)
        target = None if source is None else clean_word(raw.target, tally)
        if source is None or target is None:
            continue
        try:
            weight = checked_weight(raw.weight)
        except RowProblem:
            tally.leave_out("without a weight above 0")
            continue
        known = entries.get((source, target))
        tally.leave_out(REPEATED, known is not None)
        if known is None or weight > known.weight:
            # Many pairs have the same provenance: keep its text once.
            provenance = sys.intern(raw.provenance)
            entries[source, target] = Entry(source, target, weight, provenance)
    return entries.values()


def _nothing_found(importer: Importer, request: PairRequest, tally: Tally) -> str:
    problem = f"no pair {request.name} was found in this {importer.name} resource"
    if tally.left_out:
        problem += f"; left out: {counted(ranked(tally.left_out))}"
    if tally.found:
        problem += f"; most frequent languages in it: {tally.most_found()}"
    return problem
