"""A file format of dictionaries: one object that describes it, reads it and writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bilex.errors import PluginError, SettingError
from bilex.lexicons.dictionary import Dictionary, DictionaryEntry, DictionaryMetadata
from bilex.lexicons.formats.file_start import FileStart
from bilex.lexicons.formats.selection import Select
from bilex.lexicons.formats.table_rows import ReadTable
from bilex.lexicons.formats.text_rows import FindLayout
from bilex.registry import import_extra
from bilex.values import Entry

Render = Callable[[Iterable[DictionaryEntry], DictionaryMetadata], Iterator[str]]
"""Returns the text of a dictionary, piece by piece."""

Save = Callable[[Iterable[DictionaryEntry], DictionaryMetadata, Path], None]
"""Writes a dictionary to a new file or folder."""

RenderPairs = Callable[[Sequence[Entry]], Iterator[str]]
"""Returns the text of a lexicon, piece by piece."""

Read = Callable[[Path, str | None, str | None], Dictionary]
"""Reads a dictionary; the languages, if given, choose two where a file holds several."""

Sniff = Callable[[FileStart], float]
"""Returns how certain it is that a file is in this format: from 0 (it is not) to 1."""

UNKNOWN_LANGUAGE = DictionaryMetadata().source_language
ALL_FIELDS = DictionaryEntry._fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A file format, declared by an entry point of the group `bilex.format`.

    It writes by at most one of `render` and `save`, and reads by at most one of `read`, `layout`
    and `table`. A format whose packages may be missing imports them inside its functions.

    Attributes:
        name: The name, as in `format="tbx"`; the same as that of the entry point.
        extensions: The extensions of its files, such as ".tbx"; the usual one first.
        summary: One sentence for the documentation.
        keeps: The fields of an entry that the file holds.
        keeps_rejected: Whether the file marks rejected entries as such. If not, they are not
            written: readers of the file would take them for translations.
        select: Decides which entries a file may hold, if there are rules for them. The others are
            listed in a file beside it, and reported.
        needs_languages: Whether the file must name both languages.
        render: Returns the text of a dictionary.
        save: Writes a dictionary that is not one text file.
        render_pairs: Returns the text of a lexicon, if the format holds weight and provenance.
        read: Reads a dictionary.
        layout: Finds out how to read a text file with one row a line.
        table: Opens a file with rows and columns, of text or in a spreadsheet.
        sniff: Recognizes a file by its content; None if only the extension decides.
        compressible: Whether its text files may be compressed by gzip (.gz).
        is_folder: Whether a dictionary is a folder.
        may_replace: Returns whether an existing folder holds nothing but a dictionary of this
            format, and may be replaced; without it, only an empty folder is.
        requires: A module that must be importable, and the extra of bilex that installs it (None
            if it is a package of its own).
        requires_to_write: The same, if only writing needs it.
    """

    name: str
    extensions: tuple[str, ...]
    summary: str
    keeps: tuple[str, ...] = ALL_FIELDS
    keeps_rejected: bool = False
    select: Select | None = None
    needs_languages: bool = False
    render: Render | None = None
    save: Save | None = None
    render_pairs: RenderPairs | None = None
    read: Read | None = None
    layout: FindLayout | None = None
    table: ReadTable | None = None
    sniff: Sniff | None = None
    compressible: bool = False
    is_folder: bool = False
    may_replace: Callable[[Path], bool] | None = None
    requires: tuple[str, str | None] | None = None
    requires_to_write: tuple[str, str | None] | None = None

    def __post_init__(self) -> None:
        problem = self._problem()
        if problem:
            raise PluginError(f"the format {self.name!r} {problem}: ask its author")

    @property
    def is_readable(self) -> bool:
        """Return whether the format is read, not only written."""
        return any(way is not None for way in (self.read, self.layout, self.table))

    @property
    def is_writable(self) -> bool:
        """Return whether the format is written, not only read."""
        return self.render is not None or self.save is not None

    def matches(self, path: Path) -> int:
        """Return the length of its longest extension that the file name ends with, or 0."""
        name = path.name.lower().removesuffix(".gz")
        return max((len(e) for e in self.extensions if name.endswith(e)), default=0)

    def certainty(self, start: FileStart) -> float:
        """Return how certain it is, from 0 to 1, that a file with this start is in the format."""
        return 0.0 if self.sniff is None or not self.is_readable else self.sniff(start)

    def check_packages(self) -> None:
        """Raise a `MissingExtraError` if a package that the format needs is not installed."""
        _check_package(self.requires, f"{self.name} files need")

    def check_output(self, path: Path) -> None:
        """Raise if no dictionary can be written to this path, without writing anything.

        Raises:
            SettingError: If something else is there, or the format is not compressed by gzip.
            MissingExtraError: If the format needs a package that is not installed.
        """
        if not self.is_writable:
            raise SettingError(
                f"{self.name} is read but not written: give {path.name!r} another extension, such "
                "as .xlsx or .csv"
            )
        if is_compressed(path) and not self.compressible:
            raise SettingError(f"{self.name} is not written gzipped: leave .gz off {path.name!r}")
        self.check_packages()
        _check_package(self.requires_to_write, f"writing {self.name} files needs")
        if path.is_dir() and not self.is_folder:
            raise SettingError(f"{path} is a folder; give the name of a file to write")
        if self.is_folder and path.exists() and not self._may_replace(path):
            raise SettingError(
                f"{path} exists and is not a {self.name} dictionary: give a new name, or remove it "
                "yourself"
            )

    def check_languages(self, metadata: DictionaryMetadata) -> None:
        """Raise a `SettingError` if the file must name both languages and one is unknown."""
        unknown = UNKNOWN_LANGUAGE in (metadata.source_language, metadata.target_language)
        if self.needs_languages and unknown:
            raise SettingError(
                f"{self.name} files name both languages: give their codes, such as "
                "--source-language en --target-language fr (in Python, in the metadata)"
            )

    def _may_replace(self, path: Path) -> bool:
        if not path.is_dir():
            return False
        is_empty = next(path.iterdir(), None) is None
        return is_empty or (self.may_replace is not None and self.may_replace(path))

    def _problem(self) -> str:
        if not self.extensions or not all(e.startswith(".") for e in self.extensions):
            return f"has the extensions {self.extensions}, expected at least one such as '.tbx'"
        if not {"source", "target"} <= set(self.keeps) <= set(ALL_FIELDS):
            return f"keeps {self.keeps}, expected source, target and other fields of an entry"
        if self.render is not None and self.save is not None:
            return "may have only one of render and save"
        if not self.is_writable and not self.is_readable:
            return "can neither be read nor written"
        if self.select is not None and not self.is_writable:
            return "has select, but is not written"
        if sum(way is not None for way in (self.read, self.layout, self.table)) > 1:
            return "may have only one of read, layout and table"
        if self.save is not None and self.compressible:
            return "has save, so it cannot be compressible"
        if self.render is not None and self.is_folder:
            return "has render, so it cannot be a folder"
        return ""


def _check_package(required: tuple[str, str | None] | None, need: str) -> None:
    if required is not None:
        module, extra = required
        import_extra(module, need, extra=extra)


def is_compressed(path: Path) -> bool:
    """Return whether the name of a file ends with .gz."""
    return path.name.lower().endswith(".gz")
