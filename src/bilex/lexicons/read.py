"""Read lexicons and dictionaries in every installed format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bilex.errors import DictionaryFileError, LexiconFileError, SettingError
from bilex.lexicons.columns import ColumnChoice
from bilex.lexicons.dictionary import Dictionary, DictionaryMetadata
from bilex.lexicons.entries import is_multi_word
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.lookup import find_format_to_read
from bilex.lexicons.formats.metadata import read_manifest
from bilex.lexicons.formats.pair_rows import PairRows
from bilex.lexicons.formats.table_rows import read_entries, read_pairs
from bilex.lexicons.formats.text_rows import read_entry_rows, read_pair_rows
from bilex.lexicons.left_out import MARKED_WRONG, UNREVIEWED, describe_left_out
from bilex.storage.files import recover
from bilex.values import Entry, LeftOut, Lexicon, LexiconReport

INDUCED = "induced"
"""The provenance of pairs that a model found and nobody has reviewed."""

REJECTED = "rejected"
"""The provenance of pairs that a reviewer said are wrong."""


def read_lexicon(
    path: Path | str,
    *,
    lowercase: bool = False,
    columns: str | None = None,
    unreviewed: bool = False,
) -> Lexicon:
    r"""Read word pairs; the format is found by the content of the file.

    - **TSV** (XLING, GATITOS): a tab between source and target; further columns are further
      translations. Quotes have no meaning.
    - **CSV**: commas or semicolons; a cell in double quotes may hold them. Each row is one line.
    - **Spreadsheets**: .xlsx, .ods and .xls; the first sheet that holds pairs.
    - **MUSE**: two words and a space; several translations are several lines.
    - **JSON Lines**: `{"source": …, "target": … or […], "weight": …, "provenance": …}`.
    - **Any format of a dictionary** that is read, such as TBX: the origin of an entry is the
      provenance of the pair, and each pair has weight 1.

    Tables may start with a row that names the columns: source and target, or the two languages;
    weight, provenance (or origin, as in a dictionary) and review; other columns are ignored and
    reported. Without it, the first column is the source; columns of numbers, parts of speech and
    notes are recognized and not used. A cell with several words, such as `symbole; symboles`, is
    split (see `bilex.lexicons.cells`), unless the header is the one that bilex writes.

    Text is UTF-8 or UTF-16, or in the encoding that fits best; plain or gzipped, with or without a
    byte-order mark. Lines end at `\n` or `\r\n`; blank lines are skipped; ASCII spaces around a
    word are dropped, other white space belongs to the word. Comments (`# …`) and rows without a
    word are left out and reported.

    Args:
        path: The file.
        lowercase: Whether to lower-case all words, as most published vectors are.
        columns: The columns of a table, such as "source=English,target=French" or
            "source=2,target=3"; found by the header and the content if None.
        unreviewed: Whether to keep pairs of origin `induced`, which nobody has reviewed.

    Returns:
        The lexicon; its `report` counts what was found in the file and lists what was left out.

    Raises:
        LexiconFileError: If the file is damaged, holds no pair or is something else.
        SettingError: If its format is only written, or has no columns to choose from.
        MissingExtraError: If its format needs a package that is not installed.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder) / "seeds.tsv"
        ...     _ = file.write_text("dog\tchien\n")
        ...     read_lexicon(file).translations
        {'dog': ('chien',)}
    """
    path = Path(path)
    choice = None if columns is None else ColumnChoice.parse(columns)
    recover(path)
    try:
        form = find_format_to_read(path)
        rows = _read_pairs(path, form, choice)
        rows = _without(path, rows, REJECTED, MARKED_WRONG)
        if not unreviewed:
            rows = _without(path, rows, INDUCED, UNREVIEWED)
    except DictionaryFileError as error:
        raise LexiconFileError(error.path, error.problem, line=error.line) from None
    return _lexicon(rows, format_name=form.name, lowercase=lowercase)


def read_dictionary(
    path: Path | str,
    *,
    format: str | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
) -> Dictionary:
    """Read a dictionary, or a plain lexicon, and the manifest beside it.

    Entries count as seeds if the file has no origins. Metadata in the file takes precedence over
    the manifest.

    Args:
        path: The file; for StarDict, the folder or its .ifo file.
        format: The name of its format; found by its content and extension if None.
        source_language: The source language; chooses one if a TBX file has several.
        target_language: The target language; chooses one if a TBX or TEI file has several.

    Raises:
        DictionaryFileError: If the file is damaged, holds no entry or is something else.
        UnknownPluginError: If no format has this name.
        SettingError: If the format is only written.
        MissingExtraError: If the format needs a package that is not installed.
    """
    path = Path(path)
    recover(path)
    form = find_format_to_read(path, format)
    found = _read_entries(path, form, source_language, target_language)
    manifest = read_manifest(path, is_folder=form.is_folder)
    metadata = _joined(found.metadata, manifest.metadata)
    if source_language is not None:
        metadata = replace(metadata, source_language=source_language)
    if target_language is not None:
        metadata = replace(metadata, target_language=target_language)
    return replace(found, metadata=metadata, changed=manifest.changed)


def _read_entries(
    path: Path, form: Format, source_language: str | None, target_language: str | None
) -> Dictionary:
    if form.table is not None:
        found = read_entries(path, form.table(path))
    elif form.layout is not None:
        found = read_entry_rows(path, form.layout)
    else:
        assert form.read is not None  # noqa: S101 - the format is readable
        found = form.read(path, source_language, target_language)
    if not found.entries:
        raise DictionaryFileError(path, "found no entry with both words")
    return found


def _read_pairs(path: Path, form: Format, choice: ColumnChoice | None) -> PairRows:
    if form.table is not None:
        return read_pairs(path, form.table(path), choice)
    if choice is not None:
        raise SettingError(
            f"--columns is for tables such as CSV, but {path.name} is in the format {form.name}: "
            "leave it out"
        )
    if form.layout is not None:
        return read_pair_rows(path, form.layout)
    found = _read_entries(path, form, None, None)
    pairs = tuple(Entry(e.source, e.target, provenance=e.origin) for e in found.entries)
    return PairRows(pairs, columns=form.keeps, rows=len(pairs), notes=found.notes)


def _without(path: Path, rows: PairRows, provenance: str, reason: str) -> PairRows:
    """Leave out pairs of this provenance: rejected ones, or those that nobody has reviewed."""
    if not any(pair.provenance == provenance for pair in rows.pairs):
        return rows
    lines = rows.entry_lines or (0,) * len(rows.pairs)
    placed = list(zip(lines, rows.pairs, strict=True))
    kept = [(line, pair) for line, pair in placed if pair.provenance != provenance]
    left_out = [
        LeftOut(line, reason, f"{pair.source}\t{pair.target}")
        for line, pair in placed
        if pair.provenance == provenance
    ]
    if not kept:
        raise DictionaryFileError(path, _nothing_left(reason, left_out))
    notes = ("--unreviewed also uses induced entries",) if reason == UNREVIEWED else ()
    return replace(
        rows,
        pairs=tuple(pair for _, pair in kept),
        entry_lines=tuple(line for line, _ in kept) if rows.entry_lines else (),
        left_out=(*rows.left_out, *left_out),
        notes=(*rows.notes, *notes),
    )


def _nothing_left(reason: str, left_out: list[LeftOut]) -> str:
    if reason == UNREVIEWED:
        return (
            f"all {len(left_out):,} pairs are of origin induced: a model found them, and nobody "
            "has reviewed them. Review them first (origin reviewed), or use them as they are: "
            "--unreviewed, in Python unreviewed=True"
        )
    return f"found no word pair but {describe_left_out(left_out)}"


def _lexicon(rows: PairRows, *, format_name: str, lowercase: bool) -> Lexicon:
    pairs = tuple(map(_lowered, rows.pairs)) if lowercase else rows.pairs
    distinct = {(pair.source, pair.target) for pair in pairs}
    report = LexiconReport(
        format=format_name,
        columns=rows.columns,
        ignored_columns=rows.ignored_columns,
        lines=rows.lines,
        blank_lines=rows.blank_lines,
        entries=len(pairs),
        source_words=len({source for source, _ in distinct}),
        duplicates=len(pairs) - len(distinct),
        multi_word=sum(is_multi_word(p.source) or is_multi_word(p.target) for p in pairs),
        listed=sum("," in p.target.strip(",") or ";" in p.target.strip(";") for p in pairs),
        rows=rows.rows,
        encoding=rows.encoding,
        sheet=rows.sheet,
        source_column=rows.source_column,
        target_columns=rows.target_columns,
        split_cells=rows.split_cells,
        decimal_commas=rows.decimal_commas,
        reviewed=rows.reviewed,
        left_out=rows.left_out,
        entry_lines=rows.entry_lines,
        notes=rows.notes,
    )
    return Lexicon(pairs, report)


def _lowered(pair: Entry) -> Entry:
    return pair._replace(source=pair.source.lower(), target=pair.target.lower())


def _joined(own: DictionaryMetadata, manifest: DictionaryMetadata) -> DictionaryMetadata:
    """Return the metadata of the file itself, with what is unknown taken from the manifest."""
    unknown = DictionaryMetadata()
    names = ("source_language", "target_language", "title", "license", "manifest")
    values = {
        name: getattr(own if getattr(own, name) != getattr(unknown, name) else manifest, name)
        for name in names
    }
    return DictionaryMetadata(**values)
