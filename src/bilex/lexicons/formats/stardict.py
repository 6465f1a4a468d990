"""StarDict: a folder that sdcv, GoldenDict, KOReader and many other programs open.

The index (.idx) is sorted as these programs expect; the articles (.dict) are in the order of the
entries. An article is plain text for readers: a translation on each line, and how far to trust it.
All fields of the entries are in a table beside it (.tsv), which these programs do not open; it is
read if it matches the articles. Dictionaries of other tools are read if their articles are plain
text.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

from bilex.errors import DictionaryFileError
from bilex.lexicons.dictionary import Dictionary, DictionaryEntry, DictionaryMetadata
from bilex.lexicons.encodings import UTF_8
from bilex.lexicons.entries import RowProblem
from bilex.lexicons.formats.entry_rules import (
    COLUMNS,
    by_source,
    entry_of,
    read_details_line,
    texts_of,
)
from bilex.lexicons.formats.file_start import FileStart
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.reader_labels import for_readers, without_label
from bilex.lexicons.formats.text_lines import numbered_lines

MAGIC = "StarDict's dict ifo file"
ARTICLE_TYPE = "m"  # plain text
LONGEST_WORD = 255
"""In bytes of UTF-8; the format allows no more."""

FOUR_GIGABYTES = 2**32

LARGEST_FILE = 2**48
"""In bytes; file systems do not support much larger positions."""

LONGEST_ARTICLE = 2**22
"""In bytes; a damaged index must not fill the memory."""

LARGEST_INDEX = 2**28
"""In bytes, for the same reason."""

LARGEST_EXPANSION = 32
"""How much longer all articles together may be than the files: words may share an article."""

SMALL = 2**20
"""In bytes; the expansion of smaller dictionaries is not limited."""

_CHUNK = 2**20

Place = tuple[int, int, str]
"""Where an article starts, its length, its word."""

_INDEX, _ARTICLES = (".idx", ".idx.gz"), (".dict", ".dict.dz")
_PACKED = {".gz", ".dz"}

_FILES = {".ifo", ".idx", ".dict", ".dz", ".gz", ".syn", ".oft", ".json", ".tsv"}

_TABLE = ".entries.tsv"


def _stem_of(metadata: DictionaryMetadata) -> str:
    """Return the name of the files in the folder without extension, such as en-fr."""
    return f"{metadata.source_language}-{metadata.target_language}"


def _save(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata, path: Path) -> None:
    """Write the articles one after the other, then the sorted index and the description."""
    path.mkdir()
    stem = path / _stem_of(metadata)
    places: list[tuple[bytes, int, int]] = []  # word, where its article starts, its length
    offset = 0
    with (
        stem.with_name(f"{stem.name}.dict").open("wb") as file,
        stem.with_name(f"{stem.name}{_TABLE}").open("wb") as table,
    ):
        table.write(("\t".join(COLUMNS) + "\n").encode())
        for source, group in by_source(entries):
            article = "\n".join(map(for_readers, group)).encode()
            places.append((_word(source), offset, len(article)))
            offset += file.write(article)
            table.writelines(("\t".join(texts_of(entry)) + "\n").encode() for entry in group)
    wide = offset >= FOUR_GIGABYTES
    place = struct.Struct(">QI" if wide else ">II")
    places.sort(key=_sorting)
    with stem.with_name(f"{stem.name}.idx").open("wb") as file:
        size = sum(
            file.write(word + b"\0" + place.pack(start, length)) for word, start, length in places
        )
    description = _description(metadata, words=len(places), index_size=size, wide=wide)
    ifo = stem.with_name(f"{stem.name}.ifo")
    ifo.write_text(description, encoding="utf-8", newline="\n")


def _word(source: str) -> bytes:
    word = source.encode()
    if len(word) > LONGEST_WORD:
        raise RowProblem(
            f"the source word {source[:20]!r}… has {len(word)} bytes, StarDict allows "
            f"{LONGEST_WORD}: leave it out or write another format"
        )
    return word


def _sorting(place: tuple[bytes, int, int]) -> tuple[bytes, bytes, int]:
    """Sort ASCII letters without case first, then all bytes: `stardict_strcmp`."""
    word, start, _ = place
    return word.lower(), word, start


def _description(metadata: DictionaryMetadata, *, words: int, index_size: int, wide: bool) -> str:
    lines = [
        MAGIC,
        f"version={'3.0.0' if wide else '2.4.2'}",
        f"bookname={metadata.title or _stem_of(metadata)}",
        f"wordcount={words}",
        f"idxfilesize={index_size}",
        *(["idxoffsetbits=64"] if wide else []),
        f"sametypesequence={ARTICLE_TYPE}",
        f"source_language={metadata.source_language}",
        f"target_language={metadata.target_language}",
        f"license={metadata.license}",
        f"description={metadata.source_language} to {metadata.target_language}, written by bilex."
        + (f" License: {metadata.license}" if metadata.license else ""),
    ]
    return "\n".join(lines) + "\n"


def _find_description(path: Path) -> Path:
    """Return the .ifo file: the path itself, or the only one in a folder."""
    if not path.is_dir():
        return path
    found = sorted(path.glob("*.ifo"))
    if len(found) != 1:
        raise DictionaryFileError(
            path, f"found {len(found)} .ifo files, expected the one of a StarDict dictionary"
        )
    return found[0]


def _read(path: Path, source_language: str | None, target_language: str | None) -> Dictionary:
    """Read each line of an article as a translation; synonyms (.syn) are not read."""
    ifo = _find_description(path)
    options = _options(ifo)
    kind = options.get("sametypesequence", "")
    if kind != ARTICLE_TYPE:
        raise DictionaryFileError(
            ifo,
            f"its articles are of type {kind or 'mixed'!r}, expected plain text ('m'): convert it "
            "first, for example with PyGlossary",
        )
    entries: list[DictionaryEntry] = []
    empty = 0
    article, last = "", (-1, -1)
    articles = _existing(ifo, *_ARTICLES)
    places = sorted(_places(ifo, options))
    _check_expansion(ifo, sum(length for _, length, _ in places))
    with _opened(articles) as file:
        for start, length, word in places:
            if (start, length) != last:  # words may share an article, and going back is slow
                article, last = _article(ifo, file, start, length, word), (start, length)
            before = len(entries)
            entries += _pairs(ifo, word, article)
            empty += len(entries) == before
    notes = [f"words without a translation: {empty:,}"] if empty else []
    if ifo.with_suffix(".syn").exists():
        notes.append("synonyms (.syn)")
    table = ifo.with_name(ifo.name.removesuffix(".ifo") + _TABLE)
    if table.exists():
        whole = _entries_of_table(table, entries)
        if whole is None:
            notes.append(f"{table.name}: it does not fit the articles, which were changed")
        entries = whole or entries
    return Dictionary(tuple(entries), _metadata(options), tuple(notes))


def _entries_of_table(path: Path, found: list[DictionaryEntry]) -> list[DictionaryEntry] | None:
    """Return the entries with all their fields; None if they do not match the articles."""
    entries = list(_table_entries(path))
    articles = "\n".join(f"{e.source}\t{e.target}" for e in found)
    shown = "\n".join(f"{e.source}\t{without_label(for_readers(e))}" for e in entries)
    return entries if shown == articles else None


def _table_entries(path: Path) -> Iterator[DictionaryEntry]:
    names = list(COLUMNS)
    with closing(numbered_lines(path, UTF_8)) as lines:
        for line in lines:
            cells = line.text.split("\t")
            if line.number == 1 and {"source", "target"} <= set(cells):
                names = cells
            elif line.number > 1:
                yield _entry(path, line.number, names, cells)


def _entry(path: Path, number: int, names: list[str], cells: list[str]) -> DictionaryEntry:
    try:
        if len(cells) != len(names):
            raise RowProblem(f"found {len(cells)} columns, expected {len(names)}")
        row = dict(zip(names, cells, strict=True))
        return entry_of(row.get("source", ""), row.get("target", ""), row)
    except RowProblem as problem:
        raise DictionaryFileError(path, str(problem), line=number) from None


def _options(ifo: Path) -> dict[str, str]:
    try:
        first, *lines = ifo.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise DictionaryFileError(ifo, "not in UTF-8, expected the .ifo file of StarDict") from None
    except OSError as error:
        raise DictionaryFileError(ifo, f"cannot be read: {error.strerror or error}") from None
    if first.strip() != MAGIC:
        raise DictionaryFileError(ifo, f"starts with {first[:40]!r}, expected {MAGIC!r}", line=1)
    pairs = (line.strip().partition("=") for line in lines if "=" in line)
    return {name.strip(): text.strip() for name, _, text in pairs}


def _metadata(options: dict[str, str]) -> DictionaryMetadata:
    metadata = DictionaryMetadata(
        source_language=options.get("source_language", "und"),
        target_language=options.get("target_language", "und"),
        title=options.get("bookname", ""),
        license=options.get("license", ""),
    )
    if metadata.title == _stem_of(metadata):  # written if there is no title
        return DictionaryMetadata(
            source_language=metadata.source_language,
            target_language=metadata.target_language,
            license=metadata.license,
        )
    return metadata


def _places(ifo: Path, options: dict[str, str]) -> Iterator[Place]:
    path = _existing(ifo, *_INDEX)
    allowed = min(LARGEST_INDEX, max(SMALL, LARGEST_EXPANSION * path.stat().st_size))
    with _opened(path) as file:
        index = bytearray()  # read in chunks: a large size would be allocated at once
        while chunk := file.read(_CHUNK):
            index += chunk
            if len(index) > allowed:
                raise DictionaryFileError(path, f"has more than {allowed:,} bytes: it is damaged")
    place = struct.Struct(">QI" if options.get("idxoffsetbits") == "64" else ">II")
    position = 0
    while position < len(index):
        end = index.find(b"\0", position)
        if end < 0 or end + 1 + place.size > len(index):
            raise DictionaryFileError(ifo.with_suffix(".idx"), "ends in the middle of a word")
        start, length = place.unpack_from(index, end + 1)
        if length > LONGEST_ARTICLE or start > LARGEST_FILE:
            raise DictionaryFileError(
                ifo.with_suffix(".idx"),
                f"an article has {length:,} bytes at {start:,}: the index is damaged",
            )
        yield start, length, _decoded(ifo, bytes(index[position:end]))
        position = end + 1 + place.size


def _check_expansion(ifo: Path, length: int) -> None:
    """Raise if the articles are so much longer than the files that they could fill the memory."""
    files = [_existing(ifo, *_INDEX), _existing(ifo, *_ARTICLES)]
    size = sum(file.stat().st_size for file in files)
    if length > max(SMALL, LARGEST_EXPANSION * size):
        raise DictionaryFileError(
            files[0],
            f"its articles have {length:,} bytes in files of {size:,}, more than "
            f"{LARGEST_EXPANSION} times as many: the index is damaged",
        )


def _article(ifo: Path, file: IO[bytes], start: int, length: int, word: str) -> str:
    file.seek(start)
    data = file.read(length)
    if len(data) < length:
        raise DictionaryFileError(
            ifo.with_suffix(".dict"), f"ends before the article of {word!r}: it was cut short"
        )
    return _decoded(ifo, data)


def _decoded(ifo: Path, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise DictionaryFileError(ifo, f"{data[:40]!r} is not UTF-8") from None


def _pairs(ifo: Path, word: str, article: str) -> Iterator[DictionaryEntry]:
    for line in article.split("\n"):
        target, _, rest = line.partition("\t")
        details = read_details_line(rest)
        if details is None:
            target = without_label(" ".join(line.split("\t")))
        target = target.strip(" \r\0")
        if target:
            try:
                yield entry_of(word.strip(" "), target, details or {})
            except RowProblem as problem:
                raise DictionaryFileError(ifo, f"article {word!r}: {problem}") from None


def _existing(ifo: Path, plain: str, packed: str) -> Path:
    """Return the plain or the packed file beside the description."""
    stem = ifo.name.removesuffix(".ifo")
    for extension in (plain, packed):
        path = ifo.with_name(stem + extension)
        if path.exists():
            return path
    raise DictionaryFileError(ifo, f"there is no {stem}{plain} beside it")


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with gzip.open(path) if path.suffix in _PACKED else path.open("rb") as file:
            yield file  # type: ignore[misc]  # a gzip file reads bytes too
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DictionaryFileError(path, f"the archive is damaged ({error})") from None
    except OSError as error:
        raise DictionaryFileError(path, f"cannot be read: {error.strerror or error}") from None


def _sniff(start: FileStart) -> float:
    if start.path.is_dir():
        return 1.0 if any(start.path.glob("*.ifo")) else 0.0
    return 1.0 if start.suffix == ".ifo" else 0.0


def _may_replace(folder: Path) -> bool:
    extensions = [file.suffix for file in folder.iterdir()]
    return extensions.count(".ifo") == 1 and set(extensions) <= _FILES


STARDICT = Format(
    name="stardict",
    extensions=(".stardict",),
    summary="A folder for sdcv, GoldenDict, KOReader and other dictionary programs.",
    save=_save,
    read=_read,
    sniff=_sniff,
    is_folder=True,
    may_replace=_may_replace,
)
