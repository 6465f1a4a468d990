"""Parquet, by pyarrow: a column for each field, and the facts in the metadata of the schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.errors import LexiconFileError
from bilex.export.contents import Dictionary
from bilex.export.entry_rules import COLUMNS, GIVEN, check_entry
from bilex.export.facts_rules import facts_json, facts_of_json
from bilex.extras import import_extra
from bilex.lexicons.entries import RowProblem

ROWS_AT_ONCE = 2**16
"""A row group: what is held in memory while writing."""

METADATA_KEY = b"bilex"

_TYPES = {
    "source": "string",
    "target": "string",
    "probability": "float64",
    "score": "float64",
    "rank": "int32",
    "back_rank": "int32",
    "origin": "string",
    "model": "string",
}


def require_pyarrow() -> None:
    """Raise a `MissingExtraError` if Parquet files can be neither written nor read."""
    import_extra("pyarrow.parquet", "Parquet files need", extra="export")


def save_parquet(entries: Iterable[DictionaryEntry], facts: DictionaryFacts, path: Path) -> None:
    """Write row group by row group."""
    require_pyarrow()
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    schema = _schema(arrow, COLUMNS, {METADATA_KEY: json.dumps(facts_json(facts)).encode()})
    rows = iter(entries)
    with parquet.ParquetWriter(path, schema) as writer:
        while block := list(islice(rows, ROWS_AT_ONCE)):
            arrays = [
                arrow.array(column, type=field.type)
                for column, field in zip(zip(*block, strict=True), schema, strict=True)
            ]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def read_parquet(path: Path) -> Dictionary:
    """Read a file with columns source and target, and any others of a dictionary.

    Raises:
        LexiconFileError: If it is no such file, or a row is no entry.
    """
    require_pyarrow()
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    try:
        with parquet.ParquetFile(path) as file:
            schema = file.schema_arrow
            if "source" not in schema.names or "target" not in schema.names:
                raise LexiconFileError(
                    path,
                    f"found the columns {', '.join(schema.names)}, expected source and target",
                )
            known = [name for name in COLUMNS if name in schema.names]
            entries = list(_entries(path, _rows(arrow, file, known), known))
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise LexiconFileError(path, f"cannot be read as Parquet: {error}") from None
    ignored = [name for name in schema.names if name not in COLUMNS]
    notes = (f"columns: {', '.join(ignored)}",) if ignored else ()
    return Dictionary(entries, _facts(path, schema.metadata or {}), notes)


def _schema(arrow: Any, names: Sequence[str], metadata: dict[bytes, bytes] | None) -> Any:  # noqa: ANN401
    fields = [arrow.field(name, getattr(arrow, _TYPES[name])()) for name in names]
    return arrow.schema(fields, metadata=metadata)


def _rows(arrow: Any, file: Any, names: Sequence[str]) -> Iterator[tuple[object, ...]]:  # noqa: ANN401
    schema = _schema(arrow, names, None)
    for batch in file.iter_batches(ROWS_AT_ONCE, columns=names):
        table = arrow.Table.from_batches([batch]).select(names).cast(schema)
        yield from zip(*(column.to_pylist() for column in table.columns), strict=True)


def _entries(
    path: Path, rows: Iterable[tuple[object, ...]], names: Sequence[str]
) -> Iterator[DictionaryEntry]:
    for number, row in enumerate(rows, start=1):
        values: dict[str, Any] = dict(zip(names, row, strict=True))
        values["source"], values["target"] = values["source"] or "", values["target"] or ""
        values["origin"] = values.get("origin") or GIVEN
        values["model"] = values.get("model") or ""
        entry = DictionaryEntry(**values)
        try:
            check_entry(entry)
        except RowProblem as problem:
            raise LexiconFileError(path, f"row {number}: {problem}") from None
        yield entry


def _facts(path: Path, metadata: dict[bytes, bytes]) -> DictionaryFacts:
    try:
        record = json.loads(metadata.get(METADATA_KEY, b"{}"))
    except (ValueError, RecursionError) as error:
        raise LexiconFileError(path, f"its metadata is not valid JSON ({error})") from None
    return facts_of_json(record, path)
