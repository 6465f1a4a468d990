"""Write a dictionary: complete or not at all, and the same bytes for the same entries."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.errors import EmptyLexiconError, LexiconFileError
from bilex.export.entry_rules import checked_entries
from bilex.export.facts_rules import check_facts, manifest_beside, manifest_text
from bilex.export.formats import Format, check_output, find_format, is_zipped
from bilex.export.stardict import stem_of
from bilex.files import sha256_of, writing
from bilex.lexicons.entries import RowProblem


def write_dictionary(
    entries: Iterable[DictionaryEntry],
    path: Path | str,
    facts: DictionaryFacts,
    *,
    format: str | None = None,
) -> int:
    r"""Write entries as they come, and a manifest beside them; return how many there were.

    Nothing is kept in memory but what a format needs to sort. No time is written. Entries of a
    source word should come together: formats with an article for each word make one of each run.

    Args:
        entries: Most frequent source word first, best translation first.
        path: The file; a folder for StarDict. The manifest is `path` with .manifest.json at its
            end, for StarDict inside the folder.
        facts: What is known of the whole.
        format: tsv, csv, jsonl, parquet, gatitos, muse, tbx, tmx, tei, stardict, dix, anki or
            prompts; told by the ending of the name when absent.

    Raises:
        SettingError: If the format is not known, or a fact cannot be written.
        LexiconFileError: If the format cannot hold an entry.
        EmptyLexiconError: If there is no entry.
        MissingExtraError: If the format needs a package that is not installed.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder) / "en-fr.gatitos.tsv"
        ...     write_dictionary([DictionaryEntry("dog", "chien")], file, DictionaryFacts())
        ...     file.read_text()
        1
        'dog\tchien\n'
    """
    path = Path(path)
    check_output(path, format)
    check_facts(facts)
    form = find_format(path, format)
    counted = _Counted(checked_entries(entries, path))
    with writing(path) as part:
        try:
            _save(form, counted, facts, part, zipped=is_zipped(path))
        except RowProblem as problem:
            raise LexiconFileError(path, f"cannot be written as {form.name}: {problem}") from None
        if not counted.number:
            raise EmptyLexiconError(f"no entry to write to {path}")
        files = sorted(part.iterdir()) if form.is_folder else [part]
        manifest = manifest_text(
            facts,
            format_name=form.name,
            entries=counted.number,
            files={file.name if form.is_folder else path.name: sha256_of(file) for file in files},
        )
        if form.is_folder:
            _write_text(manifest_beside(part / stem_of(facts)), manifest)
    if not form.is_folder:
        with writing(manifest_beside(path)) as part:
            _write_text(part, manifest)
    return counted.number


def _save(
    form: Format,
    entries: Iterable[DictionaryEntry],
    facts: DictionaryFacts,
    path: Path,
    *,
    zipped: bool,
) -> None:
    if form.save is not None:
        form.save(entries, facts, path)
    elif form.render is not None:
        with _text_file(path, zipped=zipped) as file:
            file.writelines(form.render(entries, facts))


@contextmanager
def _text_file(path: Path, *, zipped: bool) -> Iterator[TextIO]:
    with path.open("wb") as raw:
        if not zipped:
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


class _Counted:
    """Counts what passes through."""

    def __init__(self, entries: Iterable[DictionaryEntry]) -> None:
        self._entries = entries
        self.number = 0

    def __iter__(self) -> Iterator[DictionaryEntry]:
        for entry in self._entries:
            self.number += 1
            yield entry
