from __future__ import annotations

import logging
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from bilex.embeddings import load_embeddings
from bilex.errors import VectorFileError
from load_reports import report_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "vectors.vec"
    path.write_text("3 2\nThe 0.1 0.2\nof 0.3 0.4\nthe 0.5 0.6\n")
    return path


def test_second_load_comes_from_the_cache_and_is_equal(path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = load_embeddings(path, cache=cache)
    second = load_embeddings(path, cache=str(cache))
    assert (report_of(first).from_cache, report_of(second).from_cache) == (False, True)
    assert second.words == first.words
    assert torch.equal(second.vectors, first.vectors)
    assert report_of(second).duplicate_examples == report_of(first).duplicate_examples


def test_other_settings_or_a_changed_file_are_loaded_anew(path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    load_embeddings(path, cache=cache)
    assert load_embeddings(path, cache=cache, limit=1).words == ("The",)
    assert report_of(load_embeddings(path, cache=cache, lowercase=True)).merged_case_variants == 1
    path.write_text("1 2\nnew 0.1 0.2\n")
    assert load_embeddings(path, cache=cache).words == ("new",)
    os.utime(path, ns=(1, 1))
    assert not report_of(load_embeddings(path, cache=cache)).from_cache


@pytest.mark.parametrize("name", ["manifest.json", "words.txt", "vectors.npy"])
@pytest.mark.parametrize("damage", ["", "{}", None])
def test_damaged_entries_are_ignored_and_replaced(
    name: str, damage: str | None, path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = tmp_path / "cache"
    load_embeddings(path, cache=cache)
    (entry,) = cache.iterdir()
    if damage is None:
        (entry / name).unlink()
    else:
        (entry / name).write_text(damage)
    with caplog.at_level(logging.WARNING):
        assert not report_of(load_embeddings(path, cache=cache)).from_cache
    assert "replacing a damaged cache entry" in caplog.text
    assert report_of(load_embeddings(path, cache=cache)).from_cache


def test_entries_of_another_file_are_ignored(path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    load_embeddings(path, cache=cache)
    (entry,) = cache.iterdir()
    manifest = entry / "manifest.json"
    manifest.write_text(manifest.read_text().replace("vectors.vec", "other.vec"))
    assert not report_of(load_embeddings(path, cache=cache)).from_cache


def test_many_loads_at_once_all_succeed(path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: load_embeddings(path, cache=cache), range(40)))
    assert {loaded.words for loaded in found} == {("The", "of", "the")}
    assert [entry.name.split("-")[0] for entry in cache.iterdir()] == ["vectors.vec"]


def test_a_cache_that_cannot_be_written_is_only_a_warning(
    path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = tmp_path / "cache"
    cache.write_text("a file where the folder should be")
    assert len(load_embeddings(path, cache=cache)) == 3
    assert "could not write the cache entry" in caplog.text


def test_bad_files_are_not_remembered(path: Path, tmp_path: Path) -> None:
    path.write_text("the 0.1 x\n")
    for _ in range(2):
        with pytest.raises(VectorFileError):
            load_embeddings(path, cache=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_subwords_outlive_the_cache_and_safetensors_and_stores_need_none(
    golden: Path, tmp_path: Path, valid_files: list[Path]
) -> None:
    cache = tmp_path / "cache"
    first = load_embeddings(golden / "gensim-fasttext.bin", cache=cache)
    second = load_embeddings(golden / "gensim-fasttext.bin", cache=cache)
    assert first.subwords is not None
    assert second.subwords is not None
    spelled = first.subwords.vector("häuser"), second.subwords.vector("häuser")
    assert spelled[0] is not None
    assert spelled[1] is not None
    assert torch.equal(spelled[0], spelled[1])
    for path in valid_files:
        if path.name in ("store", "vectors.safetensors"):
            load_embeddings(path, cache=cache)
            assert not report_of(load_embeddings(path, cache=cache)).from_cache
    assert len(list(cache.iterdir())) == 1
