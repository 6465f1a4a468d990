"""JSON Lines: one JSON object a line, with the fields of an entry or of a word pair."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.entries import RowProblem, checked_weight, make_pairs
from bilex.lexicons.formats.delimited import mostly_tabs, pair_columns
from bilex.lexicons.formats.entry_rules import (
    COLUMNS,
    DEFAULT_ORIGIN,
    MODEL_FIELDS,
    REVIEW_FIELDS,
    check_entry,
)
from bilex.lexicons.formats.file_start import FileStart
from bilex.lexicons.formats.format import Format
from bilex.lexicons.formats.text_rows import Layout
from bilex.values import Entry

SOURCE_KEYS = ("source", "src")
TARGET_KEYS = ("target", "targets", "tgt", "trg", "trgs")
"""The short names are those of the GATITOS files in the SMOL collection."""


def _render(entries: Iterable[DictionaryEntry], metadata: DictionaryMetadata) -> Iterator[str]:
    """Yield one JSON object a line, with the same keys in each; an unknown field is null."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    for entry in entries:
        yield encode(dict(zip(COLUMNS, entry, strict=True))) + "\n"


def _render_pairs(pairs: Sequence[Entry]) -> Iterator[str]:
    columns = pair_columns(pairs)
    for pair in pairs:
        record = {name: value for name, value in pair._asdict().items() if name in columns}
        yield json.dumps(record, ensure_ascii=False) + "\n"


def _layout(lines: Sequence[str]) -> Layout:
    first = next((line for line in lines if not _is_comment(line)), "")
    return Layout(
        pairs=_pairs, entry=_entry if _has_details(first) else None, is_comment=_is_comment
    )


def _is_comment(line: str) -> bool:
    return line.lstrip(" ").startswith("#")


def _has_details(line: str) -> bool:
    try:
        return not set(MODEL_FIELDS).isdisjoint(_object(line))
    except RowProblem:
        return False  # reading the line reports the problem


def _pairs(line: str) -> list[Entry]:
    """Return one word pair for each target word."""
    record = _object(line)
    source = _first_value(record, SOURCE_KEYS)
    targets = _first_value(record, TARGET_KEYS)
    if not isinstance(source, str):
        raise RowProblem(f"the source is {_kind(source)}, expected a string")
    provenance = record.get("provenance", record.get("origin") or "")
    if not isinstance(provenance, str):
        raise RowProblem(f"the provenance is {_kind(provenance)}, expected a string")
    return make_pairs(source, _texts(targets), weight=_weight(record), provenance=provenance)


def _entry(line: str) -> DictionaryEntry:
    record = _object(line)
    entry = DictionaryEntry(
        _field(record, "source", str, ""),
        _field(record, "target", str, ""),
        _field(record, "probability", float, None),
        _field(record, "score", float, None),
        _field(record, "rank", int, None),
        _field(record, "back_rank", int, None),
        _field(record, "origin", str, DEFAULT_ORIGIN),
        _field(record, "model", str, ""),
        *(_field(record, name, str, "") for name in REVIEW_FIELDS),
    )
    check_entry(entry)
    return entry


def _object(line: str) -> dict[str, object]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RowProblem(
            f"not valid JSON ({error}): expected one object a line, such as "
            '{"source": "dog", "target": "chien"}'
        ) from None
    if not isinstance(found, dict):
        raise RowProblem(
            f"found {_kind(found)}, expected one object a line, such as "
            '{"source": "dog", "target": "chien"}; `jq -c ".[]"` turns an array into lines'
        )
    return found


def _first_value(record: dict[str, object], keys: tuple[str, ...]) -> object:
    for key in keys:
        if key in record:
            return record[key]
    found = ", ".join(map(repr, list(record)[:5])) or "no key at all"
    raise RowProblem(f"no {keys[0]!r} key, found {found}: name the two words source and target")


def _texts(targets: object) -> list[str]:
    found = targets if isinstance(targets, list) else [targets]
    texts = [text for text in found if isinstance(text, str)]
    if not found:
        raise RowProblem("the list of targets is empty, expected at least one word")
    if len(texts) < len(found):
        wrong = next(text for text in found if not isinstance(text, str))
        raise RowProblem(f"a target is {_kind(wrong)}, expected a string or a list of strings")
    return texts


def _weight(record: dict[str, object]) -> float:
    weight = record.get("weight", 1.0)
    if isinstance(weight, bool) or not isinstance(weight, int | float):
        raise RowProblem(f"the weight is {_kind(weight)}, expected a number above 0")
    return checked_weight(weight)


def _field(record: dict[str, object], key: str, kind: type, default: str | None) -> Any:  # noqa: ANN401
    value = record.get(key)
    if value is None:
        return default
    if kind is float and type(value) is int:
        value = float(value) if abs(value) < 2**1023 else math.inf
    if type(value) is not kind:
        names = {str: "a text", float: "a number", int: "a whole number"}
        raise RowProblem(f"the {key} is {value!r}, expected {names[kind]}")
    return value


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names = {bool: "a boolean", str: "a string", list: "an array", dict: "an object"}
    return names.get(type(value), "a number")


def _sniff(start: FileStart) -> float:
    if not start.lines or (start.suffix == ".tsv" and mostly_tabs(start)):
        return 0.0
    first = next((line for line in start.lines if not _is_comment(line)), "")
    return 0.9 if _is_json(first, start.suffix) else 0.0


def _is_json(first: str, suffix: str) -> bool:
    if not first.lstrip(" ").startswith(("{", "[")):
        return False
    if suffix in {".jsonl", ".ndjson", ".json"} or first.strip(" ") in {"{", "["}:
        return True
    try:
        _object(first)
    except RowProblem:
        return False
    return True


JSONL = Format(
    name="jsonl",
    extensions=(".jsonl",),
    summary="One JSON object a line, for scripts.",
    render=_render,
    render_pairs=_render_pairs,
    layout=_layout,
    sniff=_sniff,
    compressible=True,
    keeps_rejected=True,
)
