"""Inputs that the fuzzer found, in their smallest form."""

from __future__ import annotations

import gzip
import json
import sys
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow as arrow
import pytest
import torch
from pyarrow import parquet
from safetensors.torch import save_file

import bilex
from benchmark_data import SUITE
from bilex.benchmark import expand, load_suite
from bilex.errors import BilexError, DictionaryFileError, InputFileError, ModelFolderError
from bilex.inducer import LexiconInducer
from bilex.lexicons import DictionaryEntry, read_dictionary, write_dictionary
from bilex.model.checkpoint import Checkpoint
from candidates import calibrated_model


@pytest.fixture(autouse=True)
def _usual_recursion_limit() -> Iterator[None]:
    """Some packages that other tests import raise Python's limit for the whole process."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    yield
    sys.setrecursionlimit(before)


TOO_MUCH = ["[" * 3_000 + "]" * 3_000, "9" * 5_000, "0x" + "f" * 5_000]


@pytest.mark.parametrize("value", TOO_MUCH, ids=["deep", "long", "hexadecimal"])
def test_toml_values_too_deep_or_too_long_are_refused(value: str, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(f"[data]\nlimit = {value}\n")
    with pytest.raises(InputFileError, match="is not valid TOML"):
        LexiconInducer(str(path)).check()
    with pytest.raises(InputFileError, match="is not valid TOML"):
        load_suite(str(path))


def test_a_small_stardict_index_takes_little_memory(tmp_path: Path) -> None:
    write_dictionary([DictionaryEntry("dog", "chien")], tmp_path / "d.stardict")
    tracemalloc.start()
    read_dictionary(tmp_path / "d.stardict")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * 2**20


def test_a_stardict_index_that_repeats_one_long_article_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "d.stardict"
    write_dictionary([DictionaryEntry("dog", "chien" * 10_000)], folder)
    index = folder / "und-und.idx"
    index.write_bytes(index.read_bytes() * 100)
    with pytest.raises(DictionaryFileError, match="more than 32 times"):
        read_dictionary(folder)


def test_a_packed_stardict_index_that_unpacks_to_far_more_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "d.stardict"
    write_dictionary([DictionaryEntry("dog", "chien")], folder)
    index = folder / "und-und.idx"
    with gzip.open(folder / "und-und.idx.gz", "wb") as file:
        file.write(index.read_bytes() * 1_000_000)
    index.unlink()
    tracemalloc.start()
    with pytest.raises(DictionaryFileError, match=r"idx.gz.*has more than 1,048,576 bytes"):
        read_dictionary(folder)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * 2**20


def test_parquet_with_a_repeated_column_is_refused(tmp_path: Path) -> None:
    words = arrow.array(["a"])
    table = arrow.table([words, words, words], names=["source", "target", "target"])
    parquet.write_table(table, tmp_path / "d.parquet")
    with pytest.raises(DictionaryFileError, match="several columns 'target'"):
        read_dictionary(tmp_path / "d.parquet")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("config.toml", "[preprocessing]", "x = 'y'\n[preprocessing]"),
        ("config.toml", "[retrieval]", f"x = {TOO_MUCH[0]}\n[retrieval]"),
        ("candidates.json", '"second": {', '"second": 0.5, "x": {'),
        ("manifest.json", '"map": {', '"map": 0.5, "x": {'),
    ],
)
def test_models_with_values_of_other_types_are_refused(
    name: str, old: str, new: str, tmp_path: Path
) -> None:
    calibrated_model().save(tmp_path / "m")
    path = tmp_path / "m" / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ModelFolderError):
        bilex.load(tmp_path / "m")


@pytest.mark.parametrize(
    ("weight", "state", "best"),
    [
        (torch.eye(3), torch.zeros(5), "current"),
        (torch.eye(3), torch.zeros(5, dtype=torch.uint8), "current"),
        (torch.eye(3).long(), torch.Generator().get_state(), "current"),
        (torch.eye(3) / 0, torch.Generator().get_state(), "current"),
        (torch.eye(3), torch.Generator().get_state(), "other"),
    ],
)
def test_checkpoints_that_cannot_be_resumed_are_refused(
    weight: torch.Tensor, state: torch.Tensor, best: str, tmp_path: Path
) -> None:
    facts = {"run": "r", "number": "1", "total": "3", "best": best, "pairs": "9"}
    facts["reports"] = json.dumps({"current": {}})
    path = tmp_path / "run.safetensors"
    save_file({"map.current": weight, "rng_state": state}, path, metadata=facts)
    with pytest.raises(InputFileError, match="is damaged"):
        Checkpoint(path, "r").read()


@pytest.mark.parametrize(
    "line", ["a " + "9" * 60_000 + "x\n", "x 1 2\na b " + "9" * 60_000 + "x 1 2\n"]
)
def test_long_numbers_are_refused_soon(line: str, tmp_path: Path) -> None:
    path = tmp_path / "v.vec"
    path.write_text(line)
    start = time.process_time()
    for read in (bilex.load_embeddings, read_dictionary):
        with suppress(BilexError):
            read(path)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "facts", [{"candidates": float("inf")}, {"warnings": ["\ud800"]}], ids=["infinite", "half"]
)
def test_candidate_models_with_impossible_values_are_refused(
    facts: dict[str, object], tmp_path: Path
) -> None:
    calibrated_model().save(tmp_path / "m")
    path = tmp_path / "m" / "candidates.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | facts))
    with pytest.raises(ModelFolderError, match="is damaged"):
        bilex.load(tmp_path / "m")


@pytest.mark.parametrize(
    ("found", "changed", "message"),
    [
        ("draws = 2", "draws = 9_000_000", "has 36,000,000 jobs, more than 100,000"),
        ("{ 10 =", "{ " + "9" * 5_000 + " =", "has a size '99999999999999999999'"),
    ],
    ids=["jobs", "digits"],
)
def test_suites_beyond_all_measure_are_refused_soon(
    found: str, changed: str, message: str, tmp_path: Path
) -> None:
    text = SUITE.replace(found, changed)
    assert text != SUITE
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(BilexError, match=message):
        expand(load_suite(str(tmp_path / "s.toml")))


def test_a_manifest_may_name_files_that_cannot_exist(tmp_path: Path) -> None:
    write_dictionary([DictionaryEntry("dog", "chien")], tmp_path / "d.tsv")
    manifest = tmp_path / "d.tsv.manifest.json"
    record = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps(record | {"sha256": {"a" * 10_000: "x"}}))
    assert read_dictionary(tmp_path / "d.tsv").entries
