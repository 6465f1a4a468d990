"""Read a lexicon from TSV, CSV, MUSE, XLING, GATITOS or JSON Lines files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from bilex.errors import LexiconFileError
from bilex.lexicons.entries import RowProblem, is_multi_word
from bilex.lexicons.layout import Format, Layout, find_layout
from bilex.lexicons.lines import Line, numbered_lines
from bilex.values import Entry, Lexicon

LINES_LOOKED_AT = 100
"""How many lines decide the format."""


@dataclass(frozen=True)
class LexiconReport:
    """What was found while reading a lexicon file."""

    format: Format
    columns: tuple[str, ...]
    ignored_columns: tuple[str, ...]
    lines: int
    blank_lines: int
    entries: int
    source_words: int
    duplicates: int  # entries whose two words occurred together before
    multi_word: int  # entries with a space or an underscore in either word
    listed: int  # entries whose target holds a comma or semicolon: several words in one cell?


@dataclass(frozen=True)
class LoadedLexicon:
    """A lexicon and the report of how it was read."""

    lexicon: Lexicon
    report: LexiconReport


def read_lexicon(path: Path | str, *, lowercase: bool = False) -> LoadedLexicon:
    r"""Read word pairs; the format is found by looking at the file.

    - **TSV** (XLING, GATITOS): a tab between source and target; further columns are further
      translations. Quotes have no meaning.
    - **CSV**: commas or semicolons; a cell in double quotes may hold them. Each row is one line.
    - **MUSE**: two words and a space; several translations are several lines.
    - **JSON Lines**: `{"source": …, "target": … or […], "weight": …, "provenance": …}`.

    TSV and CSV may start with a line that names the columns source, target (as often as needed),
    weight and provenance (or origin, as dictionaries call it); other columns are ignored and
    reported. A comma inside a target word is kept, since phrases hold commas; `report.listed`
    counts such entries.

    Plain or gzipped, UTF-8, a byte-order mark allowed. Lines end at `\n` or `\r\n`; blank lines
    are skipped; ASCII spaces around a word are dropped, other blanks belong to the word.

    Args:
        path: The file.
        lowercase: Whether to lower-case all words, as most published vectors are.

    Raises:
        LexiconFileError: If the file is damaged, holds no pair or is something else.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder) / "seeds.tsv"
        ...     _ = file.write_text("dog\tchien\n")
        ...     read_lexicon(file).lexicon.translations
        {'dog': ('chien',)}
    """
    path = Path(path)
    with closing(numbered_lines(path)) as lines:
        first = list(islice(lines, LINES_LOOKED_AT))
        layout = _layout(path, first)
        reader = _Reader(path, layout, lowercase)
        entries = tuple(reader.entries(chain(first, lines)))
    if not entries:
        raise LexiconFileError(path, "found a header line but no word pair below it")
    return LoadedLexicon(Lexicon(entries), _report(layout, reader, entries))


class _Reader:
    """Turns lines into entries and counts them."""

    def __init__(self, path: Path, layout: Layout, lowercase: bool) -> None:
        self.path = path
        self.layout = layout
        self.lowercase = lowercase
        self.lines = 0
        self.blank_lines = 0

    def entries(self, lines: Iterator[Line]) -> Iterator[Entry]:
        """Yield the entries of all lines, lower-cased if asked for."""
        header_is_next = self.layout.has_header
        for number, text in lines:
            self.lines = number
            if _is_blank(text):
                self.blank_lines += 1
            elif header_is_next:
                header_is_next = False
            else:
                yield from map(self._cased, self._parsed(number, text))

    def _parsed(self, number: int, text: str) -> list[Entry]:
        try:
            return self.layout.parse(text)
        except RowProblem as problem:
            raise LexiconFileError(self.path, str(problem), line=number) from None

    def _cased(self, entry: Entry) -> Entry:
        if not self.lowercase:
            return entry
        return entry._replace(source=entry.source.lower(), target=entry.target.lower())


def _layout(path: Path, first: list[Line]) -> Layout:
    filled = [line for line in first if not _is_blank(line.text)]
    if not filled:
        raise LexiconFileError(path, "the file is empty, expected lines with one word pair each")
    name = path.name.lower().removesuffix(".gz")
    try:
        return find_layout(filled, Path(name).suffix)
    except RowProblem as problem:
        raise LexiconFileError(path, str(problem), line=filled[0].number) from None


def _is_blank(text: str) -> bool:
    return not text.strip(" \t")


def _report(layout: Layout, reader: _Reader, entries: tuple[Entry, ...]) -> LexiconReport:
    pairs = {(entry.source, entry.target) for entry in entries}
    return LexiconReport(
        format=layout.format,
        columns=layout.columns,
        ignored_columns=layout.ignored_columns,
        lines=reader.lines,
        blank_lines=reader.blank_lines,
        entries=len(entries),
        source_words=len({source for source, _ in pairs}),
        duplicates=len(entries) - len(pairs),
        multi_word=sum(is_multi_word(e.source) or is_multi_word(e.target) for e in entries),
        listed=sum("," in e.target.strip(",") or ";" in e.target.strip(";") for e in entries),
    )
