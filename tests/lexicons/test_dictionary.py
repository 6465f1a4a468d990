"""The dictionary value: its size, its text and its conversions."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest

from bilex.errors import MissingExtraError
from bilex.lexicons import Dictionary, DictionaryEntry, DictionaryMetadata
from export_data import ENTRIES, METADATA

FOUND = Dictionary(ENTRIES, METADATA, ("weights",))


def test_a_dictionary_is_a_collection_of_entries() -> None:
    assert len(FOUND) == 3
    assert tuple(FOUND) == ENTRIES


def test_the_text_shows_size_languages_and_first_entries() -> None:
    assert repr(FOUND) == (
        "Dictionary(3 entries, en-fr: house → maison, house → chambre <à> part, "
        'New York → New "York")'
    )
    assert repr(Dictionary(())) == "Dictionary(0 entries, und-und)"


def test_plain_values_can_be_written_as_json() -> None:
    record = json.loads(json.dumps(FOUND.to_dict()))

    assert record["notes"] == ["weights"]
    assert DictionaryMetadata(**record["metadata"]) == METADATA
    assert tuple(DictionaryEntry(**entry) for entry in record["entries"]) == ENTRIES


def test_an_entry_is_mutual_if_both_ranks_are_1() -> None:
    assert [entry.mutual for entry in ENTRIES] == [True, False, False]


class Frame:
    """Stands in for `pandas.DataFrame`."""

    def __init__(self, rows: list[DictionaryEntry], columns: list[str]) -> None:
        self.rows = rows
        self.columns = columns
        self.types: dict[str, str] = {}

    def astype(self, types: dict[str, str]) -> Frame:
        self.types = types
        return self


def test_a_data_frame_has_a_column_for_each_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=Frame))

    frame = FOUND.to_pandas()

    assert tuple(frame.rows) == ENTRIES
    assert frame.columns == list(DictionaryEntry._fields)
    assert frame.types["rank"] == "Int64"  # whole numbers that may be unknown


def test_pandas_keeps_unknown_values() -> None:
    pytest.importorskip("pandas")
    frame = FOUND.to_pandas()

    assert list(frame["source"]) == ["house", "house", "New York"]
    assert list(frame["rank"].isna()) == [False, False, True]
    assert frame["rank"][0] == 1
    assert str(frame["probability"].dtype) == "float64"


def test_without_pandas_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)

    with pytest.raises(MissingExtraError, match=r"the pandas package: pip install pandas$"):
        FOUND.to_pandas()
