"""The Parquet file of a lexicon: columns of a dictionary, and the origin of probabilities.

pyarrow, DuckDB and Spark read all files of a fleet as one table, with the languages as columns
from the names of folders. bilex itself reads each file as a dictionary.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.formats.parquet import METADATA_KEY, ROWS_AT_ONCE
from bilex.registry import import_extra
from bilex.storage.files import writing

COLUMNS = {
    "source": "string",
    "target": "string",
    "probability": "float32",
    "score": "float32",
    "rank": "int32",
    "back_rank": "int32",
    "origin": "string",
    "calibrated_on": "string",
    "carried_over": "bool_",
    "model": "string",
}
"""The columns and their types: fields of a `DictionaryEntry`, and two of a fleet.

`calibrated_on` is the pair whose seeds the probability was learned from, and `carried_over` whether
that is another pair.
"""


def require_pyarrow() -> None:
    """Raise `MissingExtraError` if Parquet files cannot be written."""
    import_extra(
        "pyarrow.parquet", "lexicons of a fleet are Parquet files, which need", extra="scale"
    )


def write_lexicon_file(
    entries: Iterable[DictionaryEntry],
    path: Path,
    metadata: DictionaryMetadata,
    *,
    calibrated_on: str | None,
    carried_over: bool,
) -> None:
    """Write a lexicon; the file appears complete or not at all."""
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    about = {METADATA_KEY: json.dumps(metadata.to_dict()).encode()}
    fields = [arrow.field(name, getattr(arrow, kind)()) for name, kind in COLUMNS.items()]
    schema = arrow.schema(fields, metadata=about)
    rows = iter(entries)
    with writing(path) as part, parquet.ParquetWriter(part, schema, compression="zstd") as writer:
        while block := list(islice(rows, ROWS_AT_ONCE)):
            columns: dict[str, list[Any]] = {
                "calibrated_on": [calibrated_on] * len(block),
                "carried_over": [carried_over] * len(block),
            }
            for name in COLUMNS:
                if name not in columns:
                    columns[name] = [getattr(entry, name) for entry in block]
            writer.write_table(arrow.Table.from_pydict(columns, schema=schema))
