"""Write lexicons and dictionaries: complete or not at all, and the same bytes each time."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TextIO

from bilex.errors import (
    DictionaryFileError,
    EmptyLexiconError,
    LexiconFileError,
    PluginError,
    SettingError,
    warn_user,
)
from bilex.lexicons.dictionary import Dictionary, DictionaryEntry, DictionaryMetadata
from bilex.lexicons.entries import RowProblem, check_text, checked, checked_weight
from bilex.lexicons.formats.entry_rules import checked_entries
from bilex.lexicons.formats.format import Format, is_compressed
from bilex.lexicons.formats.lookup import find_format, find_lexicon_format, lexicon_formats
from bilex.lexicons.formats.metadata import (
    check_metadata,
    manifest_beside,
    manifest_inside,
    manifest_text,
)
from bilex.lexicons.formats.selection import (
    LeftOutEntry,
    describe_selection,
    left_out_beside,
    left_out_lines,
)
from bilex.storage.files import writing
from bilex.storage.hashes import sha256_of
from bilex.values import Entry, Lexicon

CSV = "csv"


def write_lexicon(lexicon: Lexicon, path: Path | str) -> None:
    """Write TSV, CSV or JSON Lines by the extension: .tsv, .csv, .jsonl, with or without .gz.

    Weights are written if one differs from 1, provenances if one is not empty. A TSV or CSV file
    of bare pairs has no header line, as other tools expect, unless its first word could be taken
    for something else. The file appears complete or not at all.

    Raises:
        LexiconFileError: If the name has another extension, or an entry cannot be read back: an
            empty word, a tab, line break or null character in it, a space at either end, half of
            a character, or a weight that is not a finite number above 0.
    """
    path = Path(path)
    form = find_lexicon_format(path)
    if form is None or form.render_pairs is None:
        suffix = Path(path.name.lower().removesuffix(".gz")).suffix
        expected = ", ".join(form.extensions[0] for form in lexicon_formats().values())
        raise LexiconFileError(
            path,
            f"the name ends in {suffix!r}, expected one of {expected} (or the same with .gz)",
        )
    for number, entry in enumerate(lexicon.entries, start=1):
        _check_pair(path, number, entry)
    data = "".join(form.render_pairs(lexicon.entries)).encode()
    if is_compressed(path):
        data = gzip.compress(data, mtime=0)  # no time of day: the same lexicon, the same bytes
    with writing(path) as temporary:
        temporary.write_bytes(data)


def write_dictionary(
    entries: Iterable[DictionaryEntry],
    path: Path | str,
    metadata: DictionaryMetadata | None = None,
    *,
    format: str | None = None,
    byte_order_mark: bool = False,
) -> int:
    r"""Write entries and a manifest beside them; return the number of entries.

    Entries are written as they come: only a format that sorts them keeps any in memory. The file
    contains no date and no path, so that the same entries give the same bytes. Put the entries of
    a source word together: some formats write one article for each run of them. Rejected entries
    are written only to formats that mark them as such (`Format.keeps_rejected`). Formats with rules
    for their entries (`Format.select`) may leave some out: a `BilexWarning` says how many and why,
    and a table beside the file lists them.

    Args:
        entries: Most frequent source word first, best translation first.
        path: The file, or the folder for StarDict. The manifest is at `path` with .manifest.json
            at its end, or inside the folder. Entries that were left out are at `path` with
            .left-out.tsv at its end.
        metadata: Languages, title, license, manifest; if None, those of `entries` if it is a
            `Dictionary`, else unknown.
        format: The name of a format; found by the extension if None.
        byte_order_mark: Whether a CSV file starts with a byte-order mark, so that Excel reads it
            as UTF-8.

    Raises:
        DictionaryFileError: If the format cannot hold an entry.
        EmptyLexiconError: If there is no entry.
        SettingError: If no format has the extension of the file, or the metadata is not valid or
            lacks a language that the format needs.
        UnknownPluginError: If no format has this name.
        MissingExtraError: If the format needs a package that is not installed.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder) / "en-fr.gatitos.tsv"
        ...     write_dictionary([DictionaryEntry("dog", "chien")], file)
        ...     file.read_text()
        1
        'dog\tchien\n'
    """
    path = Path(path)
    if metadata is None:
        metadata = entries.metadata if isinstance(entries, Dictionary) else DictionaryMetadata()
    form = find_format(path, format)
    form.check_output(path)
    if byte_order_mark and form.name != CSV:
        raise SettingError(f"a byte-order mark is for csv files, not for {form.name}: leave it out")
    check_metadata(metadata)
    form.check_languages(metadata)
    counted = _Counted(checked_entries(entries, path), rejected=form.keeps_rejected)
    with writing(path) as part:
        try:
            text = _Text(compressed=is_compressed(path), marked=byte_order_mark)
            left_out = _save(form, counted, metadata, part, text)
        except RowProblem as problem:
            raise DictionaryFileError(
                path, f"cannot be written as {form.name}: {problem}"
            ) from None
        number = counted.number - len(left_out)
        if not number:
            raise EmptyLexiconError(f"no entry to write to {path}{_cause(form, counted, left_out)}")
        files = sorted(part.iterdir()) if form.is_folder else [part]
        manifest = manifest_text(
            metadata,
            format_name=form.name,
            entries=number,
            files={file.name if form.is_folder else path.name: sha256_of(file) for file in files},
        )
        if form.is_folder:
            _write_text(manifest_inside(part, metadata), manifest)
    if not form.is_folder:
        with writing(manifest_beside(path)) as part:
            _write_text(part, manifest)
    if form.select is not None:
        _report(left_out, path)
    return number


def _report(left_out: Sequence[LeftOutEntry], path: Path) -> None:
    """List the entries that were left out in a file, or remove that of an older dictionary."""
    table = left_out_beside(path)
    if not left_out:
        table.unlink(missing_ok=True)
        return
    with writing(table) as part:
        _write_text(part, "".join(left_out_lines(left_out)))
    warn_user(f"{path.name}: {describe_selection(left_out)}; list: {table.name}")


def _cause(form: Format, counted: _Counted, left_out: Sequence[LeftOutEntry]) -> str:
    if left_out:
        return f": {describe_selection(left_out)}"
    return f": {form.name} files hold no rejected entries" if counted.left_out else ""


def _check_pair(path: Path, number: int, entry: Entry) -> None:
    try:
        checked(entry.source, "source")
        checked(entry.target, "target")
        check_text(entry.provenance, "provenance")
        checked_weight(entry.weight)
    except RowProblem as problem:
        raise LexiconFileError(path, f"entry {number} cannot be written: {problem}") from None


def _save(
    form: Format,
    counted: _Counted,
    metadata: DictionaryMetadata,
    path: Path,
    text: _Text,
) -> Sequence[LeftOutEntry]:
    """Write the entries that the format holds, and return the others."""
    entries: Iterable[DictionaryEntry] = counted
    left_out: Sequence[LeftOutEntry] = ()
    if form.select is not None:
        entries, left_out = form.select(counted, metadata)
        if len(entries) + len(left_out) != counted.number:
            raise PluginError(
                f"the format {form.name!r} keeps {len(entries):,} and leaves out "
                f"{len(left_out):,} of {counted.number:,} entries: ask its author"
            )
    if form.save is not None:
        form.save(entries, metadata, path)
    elif form.render is not None:
        with _text_file(path, compressed=text.compressed) as file:
            file.write("\ufeff" * text.marked)
            file.writelines(form.render(entries, metadata))
    return left_out


@contextmanager
def _text_file(path: Path, *, compressed: bool) -> Iterator[TextIO]:
    with path.open("wb") as raw:
        if not compressed:
            with io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as file:
                yield file
            return
        # Neither a name nor a time in the header: the same entries, the same bytes.
        with (
            gzip.GzipFile("", "wb", fileobj=raw, mtime=0, compresslevel=6) as packed,
            io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as file,
        ):
            yield file


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


class _Text(NamedTuple):
    """How to write a text file."""

    compressed: bool
    marked: bool  # with a byte-order mark


class _Counted:
    """Iterates over entries, with or without rejected ones, and counts them."""

    def __init__(self, entries: Iterable[DictionaryEntry], *, rejected: bool) -> None:
        self._entries = entries
        self._rejected = rejected
        self.number = 0
        self.left_out = 0

    def __iter__(self) -> Iterator[DictionaryEntry]:
        for entry in self._entries:
            if entry.origin == "rejected" and not self._rejected:
                self.left_out += 1
            else:
                self.number += 1
                yield entry
