"""Parquet, by pyarrow: a column for each field, and the metadata in the schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from bilex.errors import DictionaryFileError
from bilex.lexicons.dictionary import Dictionary, DictionaryEntry, DictionaryMetadata
from bilex.lexicons.entries import RowProblem
from bilex.lexicons.formats.entry_rules import (
    COLUMNS,
    DEFAULT_ORIGIN,
    REVIEW_FIELDS,
    check_entry,
)
from bilex.lexicons.formats.file_start import FileStart
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.metadata import metadata_from_json

ROWS_AT_ONCE = 2**16
"""The size of a row group, which is held in memory while writing."""

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
    **dict.fromkeys(REVIEW_FIELDS, "string"),
}


def _save(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata, path: Path) -> None:
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    schema = _schema(arrow, COLUMNS, {METADATA_KEY: json.dumps(metadata.to_dict()).encode()})
    rows = iter(entries)
    with parquet.ParquetWriter(path, schema) as writer:
        while block := list(islice(rows, ROWS_AT_ONCE)):
            arrays = [
                arrow.array(column, type=field.type)
                for column, field in zip(zip(*block, strict=True), schema, strict=True)
            ]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def _read(path: Path, source_language: str | None, target_language: str | None) -> Dictionary:
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    try:
        with parquet.ParquetFile(path) as file:
            schema = file.schema_arrow
            if "source" not in schema.names or "target" not in schema.names:
                raise DictionaryFileError(
                    path,
                    f"found the columns {', '.join(schema.names)}, expected source and target",
                )
            known = [name for name in COLUMNS if name in schema.names]
            if repeated := [name for name in known if schema.names.count(name) > 1]:
                raise DictionaryFileError(
                    path, f"found several columns {repeated[0]!r}, expected one: rename the others"
                )
            entries = list(_entries(path, _rows(arrow, file, known), known))
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DictionaryFileError(path, f"cannot be read as Parquet: {error}") from None
    ignored = [name for name in schema.names if name not in COLUMNS]
    notes = (f"columns: {', '.join(ignored)}",) if ignored else ()
    return Dictionary(tuple(entries), _metadata(path, schema.metadata or {}), notes)


def _schema(arrow: Any, names: Sequence[str], metadata: dict[bytes, bytes] | None) -> Any:  # noqa: ANN401
    fields = [arrow.field(name, getattr(arrow, _TYPES[name])()) for name in names]
    return arrow.schema(fields, metadata=metadata)


def _rows(arrow: Any, file: Any, names: Sequence[str]) -> Iterator[tuple[object, ...]]:  # noqa: ANN401
    schema = _schema(arrow, names, None)
    for batch in file.iter_batches(ROWS_AT_ONCE, columns=names):
        table = arrow.Table.from_batches([batch]).select(names)
        columns = zip(table.columns, table.cast(schema).columns, strict=True)
        yield from zip(*(_values(arrow, *each) for each in columns), strict=True)


def _values(arrow: Any, stored: Any, column: Any) -> list[object]:  # noqa: ANN401
    """Return the values of a column; of 32-bit numbers, the shortest ones that mean the same."""
    values: list[Any] = column.to_pylist()
    if stored.type != arrow.float32():
        return values
    import numpy as np

    return [None if each is None else float(str(np.float32(each))) for each in values]


def _entries(
    path: Path, rows: Iterable[tuple[object, ...]], names: Sequence[str]
) -> Iterator[DictionaryEntry]:
    for number, row in enumerate(rows, start=1):
        values: dict[str, Any] = dict(zip(names, row, strict=True))
        values["source"], values["target"] = values["source"] or "", values["target"] or ""
        values["origin"] = values.get("origin") or DEFAULT_ORIGIN
        for name in ("model", *REVIEW_FIELDS):
            values[name] = values.get(name) or ""
        entry = DictionaryEntry(**values)
        try:
            check_entry(entry)
        except RowProblem as problem:
            raise DictionaryFileError(path, f"row {number}: {problem}") from None
        yield entry


def _metadata(path: Path, metadata: dict[bytes, bytes]) -> DictionaryMetadata:
    try:
        record = json.loads(metadata.get(METADATA_KEY, b"{}"))
    except (ValueError, RecursionError) as error:
        raise DictionaryFileError(path, f"its metadata is not valid JSON ({error})") from None
    return metadata_from_json(record, path)


def _sniff(start: FileStart) -> float:
    return 1.0 if start.data.startswith(b"PAR1") else 0.0


PARQUET = Format(
    name="parquet",
    extensions=(".parquet",),
    summary="Typed columns, for pandas, DuckDB and Spark.",
    save=_save,
    read=_read,
    sniff=_sniff,
    keeps_rejected=True,
    requires=("pyarrow.parquet", "export"),
)
