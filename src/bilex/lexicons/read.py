"""Read lexicons and dictionaries in every installed format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bilex.errors import DictionaryFileError, LexiconFileError
from bilex.lexicons.dictionary import Dictionary, DictionaryMetadata
from bilex.lexicons.entries import is_multi_word
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.lookup import find_format_to_read
from bilex.lexicons.formats.metadata import read_manifest
from bilex.lexicons.formats.text_rows import PairRows, read_entry_rows, read_pair_rows
from bilex.storage.files import recover
from bilex.values import Entry, Lexicon, LexiconReport


def read_lexicon(path: Path | str, *, lowercase: bool = False) -> Lexicon:
    r"""Read word pairs; the format is found by the content of the file.

    - **TSV** (XLING, GATITOS): a tab between source and target; further columns are further
      translations. Quotes have no meaning.
    - **CSV**: commas or semicolons; a cell in double quotes may hold them. Each row is one line.
    - **MUSE**: two words and a space; several translations are several lines.
    - **JSON Lines**: `{"source": …, "target": … or […], "weight": …, "provenance": …}`.
    - **Any format of a dictionary** that is read, such as TBX: the origin of an entry is the
      provenance of the pair, and each pair has weight 1.

    TSV and CSV may start with a line that names the columns source, target (as often as needed),
    weight and provenance (or origin, as in a dictionary); other columns are ignored and reported.
    A comma inside a target word is kept, since phrases contain commas; `report.listed` counts such
    entries.

    Text is UTF-8, plain or gzipped, with or without a byte-order mark. Lines end at `\n` or
    `\r\n`; blank lines are skipped; ASCII spaces around a word are dropped, other white space
    belongs to the word.

    Args:
        path: The file.
        lowercase: Whether to lower-case all words, as most published vectors are.

    Returns:
        The lexicon; its `report` counts what was found in the file.

    Raises:
        LexiconFileError: If the file is damaged, holds no pair or is something else.
        SettingError: If its format is only written.
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
    recover(path)
    try:
        form = find_format_to_read(path)
        rows = _read_pairs(path, form)
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
    if form.layout is not None:
        found = read_entry_rows(path, form.layout)
    else:
        assert form.read is not None  # noqa: S101 - the format is readable
        found = form.read(path, source_language, target_language)
    if not found.entries:
        raise DictionaryFileError(path, "found no entry with both words")
    return found


def _read_pairs(path: Path, form: Format) -> PairRows:
    if form.layout is not None:
        return read_pair_rows(path, form.layout)
    entries = _read_entries(path, form, None, None).entries
    pairs = tuple(Entry(e.source, e.target, provenance=e.origin) for e in entries)
    return PairRows(pairs, columns=form.keeps)


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
