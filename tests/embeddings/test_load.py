from __future__ import annotations

from pathlib import Path

import pytest
import torch

from bilex.embeddings import load_embeddings, save_embeddings
from bilex.errors import SettingError, VectorFileError
from bilex.values import EmbeddingSpace, LoadReport
from load_reports import report_of

ROWS = "The 0.1 0.2\nthe 0.3 0.4\nof 0.0 0.0\nThe 0.5 0.6\nTHE 0.7 0.8\nOF 0.9 1.0\nand 1.1 1.2\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "vectors.txt"
    path.write_text("7 2\n" + ROWS)
    return path


def test_first_of_equal_words_is_kept_and_the_rest_is_reported(path: Path) -> None:
    loaded = load_embeddings(str(path))
    assert loaded.words == ("The", "the", "of", "THE", "OF", "and")
    torch.testing.assert_close(loaded.vectors[0], torch.tensor([0.1, 0.2]))
    assert report_of(loaded) == LoadReport(
        format="text",
        compression=None,
        words_in_file=7,
        kept=6,
        dim=2,
        duplicates=1,
        duplicate_examples=("The",),
        zero_vectors=1,
    )


def test_lowercase_keeps_the_first_variant_and_counts_merged_and_repeated_words(
    path: Path,
) -> None:
    loaded = load_embeddings(path, lowercase=True)
    assert loaded.words == ("the", "of", "and")
    torch.testing.assert_close(loaded.vectors[0], torch.tensor([0.1, 0.2]))
    assert (report_of(loaded).merged_case_variants, report_of(loaded).duplicates) == (3, 1)


def test_limit_counts_distinct_words_that_are_kept(path: Path) -> None:
    assert load_embeddings(path, limit=5).words == ("The", "the", "of", "THE", "OF")
    assert load_embeddings(path, limit=2, lowercase=True).words == ("the", "of")
    assert report_of(load_embeddings(path, limit=100)).kept == 6


def test_only_a_few_duplicates_are_named_each_once(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"w{i} 1.0 0.5\n" for i in range(9)) * 3)
    report = report_of(load_embeddings(path))
    assert report.duplicates == 18
    assert report.duplicate_examples == ("w0", "w1", "w2", "w3", "w4")


@pytest.mark.parametrize("limit", [0, -3])
def test_limit_below_one_is_refused(limit: int, path: Path) -> None:
    with pytest.raises(SettingError, match=f"limit is {limit}: expected 1 or more words"):
        load_embeddings(path, limit=limit)


def test_limit_and_lowercase_hold_for_every_format(valid_files: list[Path]) -> None:
    for path in valid_files:
        loaded = load_embeddings(path, limit=3, lowercase=True)
        assert len(loaded) == report_of(loaded).kept == 3, path
        assert all(word == word.lower() for word in loaded.words), path
        assert load_embeddings(path).vectors.dtype == torch.float32


def test_the_format_is_detected_from_the_content_and_not_the_name(valid_files: list[Path]) -> None:
    found = {path.name: report_of(load_embeddings(path)) for path in valid_files}
    assert {name: (report.format, report.compression) for name, report in found.items()} == {
        "gensim-apart.kv": ("gensim", None),
        "gensim-fasttext.bin": ("fasttext-bin", None),
        "gensim.kv": ("gensim", None),
        "glove.txt": ("text", None),
        "store": ("store", None),
        "text.vec": ("text", None),
        "text.vec.bz2": ("text", "bzip2"),
        "text.vec.gz": ("text", "gzip"),
        "text.vec.xz": ("text", "xz"),
        "text.vec.zst": ("text", "zstd"),
        "text.zip": ("text", "zip"),
        "vectors.safetensors": ("safetensors", None),
        "word2vec.bin": ("word2vec-bin", None),
        "word2vec.bin.gz": ("word2vec-bin", "gzip"),
    }


def test_a_wrong_name_does_no_harm(tmp_path: Path, valid_files: list[Path]) -> None:
    for number, path in enumerate(path for path in valid_files if path.is_file()):
        if path.name == "gensim-apart.kv":
            continue  # looks for the file beside it by name
        misnamed = tmp_path / f"{number}.dat"
        misnamed.write_bytes(path.read_bytes())
        expected, found = load_embeddings(path), load_embeddings(misnamed)
        assert found.words == expected.words
        assert torch.equal(found.vectors, expected.vectors)


def test_missing_files_are_named(tmp_path: Path) -> None:
    for cache in (None, tmp_path / "cache"):
        with pytest.raises(VectorFileError, match=r"none\.vec: no such file; check the path"):
            load_embeddings(tmp_path / "none.vec", cache=cache)


def test_other_errors_of_the_disk_are_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(VectorFileError, match=r"cannot be read \(Input/output error\)"):
        load_embeddings(path)


def test_progress_ends_at_the_size_of_the_file(tmp_path: Path, valid_files: list[Path]) -> None:
    for path in valid_files:
        calls: list[tuple[int, int]] = []
        load_embeddings(path, limit=1, on_progress=lambda *call, to=calls: to.append(call))
        assert path.is_dir() or calls[-1] == (path.stat().st_size,) * 2


def test_lack_of_permission_is_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(VectorFileError, match="no permission to read it"):
        load_embeddings(path)


def test_loaded_vectors_can_be_changed_without_touching_the_file(
    tmp_path: Path, space: EmbeddingSpace
) -> None:
    save_embeddings(space, tmp_path / "store")
    load_embeddings(tmp_path / "store").vectors.zero_()
    assert torch.equal(load_embeddings(tmp_path / "store").vectors, space.vectors)
