"""One JSON object a line: source, target (or a list of them), weight, provenance."""

from __future__ import annotations

import json

from bilex.lexicons.entries import RowProblem, checked_weight, make_entries
from bilex.values import Entry

SOURCE_KEYS = ("source", "src")
TARGET_KEYS = ("target", "targets", "tgt", "trg", "trgs")
"""The short names are those of the GATITOS files in the SMOL collection."""


def json_object(line: str) -> dict[str, object]:
    """Read one line as a JSON object."""
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


def json_entries(line: str) -> list[Entry]:
    """Turn one line into entries, one for each target word."""
    record = json_object(line)
    source = _value(record, SOURCE_KEYS)
    targets = _value(record, TARGET_KEYS)
    if not isinstance(source, str):
        raise RowProblem(f"the source is {_kind(source)}, expected a string")
    provenance = record.get("provenance", record.get("origin") or "")
    if not isinstance(provenance, str):
        raise RowProblem(f"the provenance is {_kind(provenance)}, expected a string")
    return make_entries(source, _texts(targets), weight=_weight(record), provenance=provenance)


def _value(record: dict[str, object], keys: tuple[str, ...]) -> object:
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


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names = {bool: "a boolean", str: "a string", list: "an array", dict: "an object"}
    return names.get(type(value), "a number")
