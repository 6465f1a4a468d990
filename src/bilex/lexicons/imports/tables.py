"""Tables of large resources: CSV files in a folder or zip archive, read row by row."""

from __future__ import annotations

import csv
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from bilex.errors import LexiconFileError
from bilex.lexicons.imports.lines import LONGEST_ROW, bounded_lines, opened, text_of
from bilex.lexicons.imports.start import ZIP_ERRORS
from bilex.lexicons.imports.tally import Tally


class Table:
    """A CSV file in a folder or zip archive, read row by row."""

    def __init__(
        self, path: Path, name: str, columns: Sequence[str], *, delimiter: str = ","
    ) -> None:
        self.path = path / name if path.is_dir() else path
        self._archive = None if path.is_dir() else path
        self._name = name
        self._columns = tuple(columns)
        self._delimiter = delimiter
        self.line = 0

    def rows(self, tally: Tally) -> Generator[list[str], None, None]:
        """Yield the wanted columns of each row, found by the header.

        Raises:
            LexiconFileError: If the file cannot be read, a column is missing or a row is short.
        """
        with self._plain() as (plain, on_lines):
            lines = (
                text_of(self.path, number, line) + "\n"
                for number, line in bounded_lines(
                    self.path, plain, LONGEST_ROW, lambda: on_lines(tally)
                )
            )
            reader = csv.reader(lines, delimiter=self._delimiter, strict=True)
            try:
                yield from self._chosen(reader)
            except csv.Error as error:
                raise self.problem(f"not valid CSV ({error})") from None

    def problem(self, text: str) -> LexiconFileError:
        """Return an error at the current row."""
        where = f"{self._name}: {text}" if self._archive is not None else text
        return LexiconFileError(self.path, where, line=self.line or None)

    def _chosen(self, reader: Any) -> Generator[list[str], None, None]:  # noqa: ANN401
        header = next(reader, None)
        self.line = reader.line_num
        if header is None:
            raise self.problem("the file is empty, expected a header line")
        missing = [name for name in self._columns if name not in header]
        if missing:
            raise self.problem(
                f"no column {missing[0]!r}, found {', '.join(map(repr, header[:20]))}"
            )
        places = [header.index(name) for name in self._columns]
        needed = max(places, default=-1)
        for row in reader:
            self.line = reader.line_num
            if len(row) > needed:
                yield [row[place] for place in places]
            elif row:
                raise self.problem(f"found {len(row)} columns, expected {len(header)}")

    @contextmanager
    def _plain(self) -> Iterator[tuple[IO[bytes], Callable[[Tally], None]]]:
        if self._archive is None:
            with opened(self.path) as (plain, raw):
                size = self.path.stat().st_size
                yield plain, lambda tally: tally.advance(raw.tell(), size)
            return
        with zip_member(self._archive, self._name) as (plain, size):
            yield plain, lambda tally: tally.advance(plain.tell(), size)


@contextmanager
def zip_member(archive: Path, name: str) -> Iterator[tuple[IO[bytes], int]]:
    """Yield the plain bytes of a file in a zip archive, in any of its folders, and its size.

    Raises:
        LexiconFileError: If the archive is damaged or encrypted, or has no such file.
    """
    with ExitStack() as stack:
        try:
            opened_archive = stack.enter_context(zipfile.ZipFile(archive))
            found = [i for i in opened_archive.infolist() if Path(i.filename).name == name]
            plain = stack.enter_context(opened_archive.open(found[0])) if len(found) == 1 else None
        except OSError as error:
            raise LexiconFileError(archive, f"cannot be read: {error.strerror or error}") from None
        except ZIP_ERRORS as error:
            raise _damaged(archive, error) from None
        if plain is None:
            raise LexiconFileError(archive, f"found {len(found)} files called {name}, expected one")
        try:
            yield plain, found[0].file_size
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise _damaged(archive, error) from None


def _damaged(archive: Path, error: Exception) -> LexiconFileError:
    return LexiconFileError(
        archive, f"the zip archive is damaged or encrypted ({error}): download it again"
    )
