"""Read a dictionary that people hold or have edited."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bilex.dictionary import DictionaryFacts
from bilex.errors import LexiconFileError, SettingError
from bilex.export.contents import Dictionary
from bilex.export.facts_rules import manifest_beside, read_manifest
from bilex.export.formats import find_format, format_by_ending
from bilex.export.parquet import read_parquet
from bilex.export.stardict_reading import find_description, read_stardict
from bilex.export.tables import read_table
from bilex.export.tbx_reading import ROOTS as TBX_ROOTS
from bilex.export.tbx_reading import read_tbx
from bilex.export.tei_reading import ROOTS as TEI_ROOTS
from bilex.export.tei_reading import read_tei
from bilex.export.xml_nodes import xml_parts
from bilex.lexicons.lines import GZIP_START

_READERS: dict[str, Callable[[Path, str | None, str | None], Dictionary]] = {
    **dict.fromkeys(
        ("tsv", "csv", "jsonl", "gatitos", "muse"), lambda path, source, target: read_table(path)
    ),
    "parquet": lambda path, source, target: read_parquet(path),
    "tbx": read_tbx,
    "tei": read_tei,
    "stardict": lambda path, source, target: read_stardict(path),
}


def read_dictionary(
    path: Path | str,
    *,
    format: str | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
) -> Dictionary:
    """Read a dictionary, or a plain lexicon, and what its manifest tells of it.

    Entries whose file tells no origin count as seeds. What a file tells of itself goes before what
    the manifest beside it tells.

    Args:
        path: A TSV, CSV, JSON Lines, Parquet, MUSE, GATITOS, TBX or TEI file, plain or gzipped
            where that is text; the folder or the .ifo file of a StarDict dictionary.
        format: Its format; told by the ending of the name, or by the content, when absent.
        source_language: Its source language; picks one where TBX holds several.
        target_language: Its target language; picks one where TBX or TEI holds several.

    Raises:
        LexiconFileError: If the file is damaged, holds no entry or is something else.
        SettingError: If the format is not known, or written but not read.
        MissingExtraError: If the format needs a package that is not installed.
    """
    path = Path(path)
    if not path.exists():
        raise LexiconFileError(path, "no such file")
    kind = _kind(path) if format is None else find_format(path, format).name
    if kind not in _READERS:
        raise SettingError(
            f"{kind} is written but not read: give a dictionary as one of {', '.join(_READERS)}"
        )
    found = _READERS[kind](path, source_language, target_language)
    if not found.entries:
        raise LexiconFileError(path, "found no entry with both words")
    if kind == "stardict":
        ifo = find_description(path)
        beside = manifest_beside(ifo.with_name(ifo.name.removesuffix(".ifo")))
    else:
        beside = manifest_beside(path)
    facts = _joined(found.facts, read_manifest(beside))
    if source_language is not None:
        facts = replace(facts, source_language=source_language)
    if target_language is not None:
        facts = replace(facts, target_language=target_language)
    return replace(found, facts=facts)


def _kind(path: Path) -> str:
    if path.is_dir() or path.suffix.lower() == ".ifo":
        return "stardict"
    form = format_by_ending(path)
    if form is not None:
        return form.name
    start = _start_of(path)
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        return _kind_of_xml(path)
    return "tsv"  # or another table: the reader looks at the lines


def _start_of(path: Path) -> bytes:
    with path.open("rb") as file:
        start = file.read(64)
        if not start.startswith(GZIP_START):
            return start
        file.seek(0)
        try:
            return gzip.GzipFile(fileobj=file).read(64)
        except (EOFError, OSError, zlib.error):
            return b""  # the reader tells what is wrong


def _kind_of_xml(path: Path) -> str:
    root = next(xml_parts(path, ()))
    if root.name in TBX_ROOTS:
        return "tbx"
    if root.name in TEI_ROOTS:
        return "tei"
    raise LexiconFileError(
        path, f"found <{root.name}>, expected a dictionary in TBX or TEI", line=root.line
    )


def _joined(own: DictionaryFacts, beside: DictionaryFacts) -> DictionaryFacts:
    """Fill what a file does not tell of itself from its manifest."""
    unknown = DictionaryFacts()
    names = ("source_language", "target_language", "title", "license", "manifest")
    values = {
        name: getattr(own if getattr(own, name) != getattr(unknown, name) else beside, name)
        for name in names
    }
    return DictionaryFacts(**values)
