from __future__ import annotations

import json
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
import torch

from bilex.embeddings import fasttext_binary, load_embeddings
from bilex.errors import VectorFileError
from load_reports import report_of

TEXT = "aß"  # <aß> has the n-grams <a, aß, ß> of length 2


def make(
    words: list[str], *, buckets: int, shortest: int, longest: int, labels: int = 0
) -> tuple[bytes, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    settings = (793712314, 12, 3, 5, 5, 1, 5, 1, 2, 1, buckets, shortest, longest, 100, 1e-4)
    n_words = len(words) - labels
    head = struct.pack("<14id", *settings)
    head += struct.pack("<3i2q", len(words), n_words, labels, 99, -1)
    head += b"".join(word.encode() + b"\0" + struct.pack("<qb", 5, 0) for word in words)
    matrix = np.random.default_rng(0).normal(size=(n_words + buckets, 3)).astype(np.float32)
    head += struct.pack("<?2q", False, *matrix.shape)
    return head + matrix.tobytes() + struct.pack("<?2q", False, 0, 3), matrix


def fnv1a(text: str) -> int:
    """Hash as fastText does, one byte after another, bytes being signed."""
    value = 2166136261
    for byte in text.encode():
        value = ((value ^ ((byte - 256 if byte > 127 else byte) & 0xFFFFFFFF)) * 16777619) % 2**32
    return value


def test_words_known_and_unknown_get_the_vectors_that_gensim_gives_them(golden: Path) -> None:
    expected = json.loads((golden / "gensim-fasttext.json").read_text(encoding="utf-8"))
    space = load_embeddings(golden / "gensim-fasttext.bin")
    assert space.subwords is not None
    for word, vector in expected.items():
        spelled = space.subwords.vector(word)
        assert spelled is not None
        torch.testing.assert_close(spelled, torch.tensor(vector), atol=1e-6, rtol=1e-5)
        if word in space.index:
            torch.testing.assert_close(space.vectors[space.index[word]], spelled)


def test_a_vector_is_the_mean_over_the_word_and_its_ngrams(tmp_path: Path) -> None:
    data, matrix = make(["</s>", TEXT], buckets=11, shortest=2, longest=2)
    path = tmp_path / "a.bin"
    path.write_bytes(data)
    space = load_embeddings(path)
    ngrams = [matrix[2 + fnv1a(ngram) % 11] for ngram in ("<a", "aß", "ß>")]
    torch.testing.assert_close(space.vectors[0], torch.from_numpy(matrix[0]))
    torch.testing.assert_close(
        space.vectors[1], torch.from_numpy(np.mean([matrix[1], *ngrams], axis=0))
    )


def test_single_characters_count_but_not_the_marks_around_the_word(tmp_path: Path) -> None:
    data, matrix = make(["x"], buckets=11, shortest=0, longest=1)
    path = tmp_path / "a.bin"
    path.write_bytes(data)
    subwords = load_embeddings(path).subwords
    assert subwords is not None
    spelled = subwords.vector(TEXT)
    assert spelled is not None
    expected = np.mean([matrix[1 + fnv1a("a") % 11], matrix[1 + fnv1a("ß") % 11]], axis=0)
    torch.testing.assert_close(spelled, torch.from_numpy(expected))


def test_words_without_known_parts_have_no_vector(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(make(["house"], buckets=11, shortest=5, longest=6)[0])
    subwords = load_embeddings(path).subwords
    assert subwords is not None
    assert subwords.vector("a") is None
    assert subwords.vector("") is None


@pytest.mark.parametrize(("buckets", "longest"), [(0, 0), (0, 4), (5, 0)])
def test_models_without_ngrams_are_plain_vectors(
    buckets: int, longest: int, tmp_path: Path
) -> None:
    data, matrix = make(
        ["a", "b", "__label__x"], buckets=buckets, shortest=2, longest=longest, labels=1
    )
    path = tmp_path / "a.bin"
    path.write_bytes(data)
    space = load_embeddings(path)
    assert space.words == ("a", "b")
    assert space.subwords is None
    assert torch.equal(space.vectors, torch.from_numpy(matrix[:2]))


def test_words_beyond_the_limit_still_count_as_known(golden: Path) -> None:
    path = golden / "gensim-fasttext.bin"
    whole, cut = load_embeddings(path), load_embeddings(path, limit=2)
    assert (len(cut), report_of(cut).words_in_file) == (2, 8)
    assert cut.subwords is not None
    last = cut.subwords.vector(whole.words[-1])
    assert last is not None
    torch.testing.assert_close(last, whole.vectors[-1])


def test_blocks_and_progress(golden: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = golden / "gensim-fasttext.bin"
    expected = load_embeddings(path).vectors
    monkeypatch.setattr(fasttext_binary, "_BLOCK", 3)
    calls: list[tuple[int, int]] = []
    found = load_embeddings(path, on_progress=lambda *call: calls.append(call)).vectors
    torch.testing.assert_close(found, expected)
    assert len(calls) == 4
    assert calls[-1] == (path.stat().st_size,) * 2


def test_subwords_can_be_sent_to_another_process(golden: Path) -> None:
    subwords = load_embeddings(golden / "gensim-fasttext.bin").subwords
    assert subwords is not None
    before = subwords.vector("häuser")
    sent = pickle.dumps(subwords)
    after = pickle.loads(sent).vector("häuser")
    assert len(sent) < 1000
    assert before is not None
    assert torch.equal(before, after)


def test_damaged_ngrams_are_reported_when_they_are_used(tmp_path: Path) -> None:
    data, matrix = make(["a"], buckets=1, shortest=3, longest=3)
    damaged = data.replace(matrix[1].tobytes(), np.array([1, np.nan, 2], np.float32).tobytes())
    path = tmp_path / "a.bin"
    path.write_bytes(damaged)
    with pytest.raises(VectorFileError, match="the vector of 'a' contains NaN"):
        load_embeddings(path)
    path.write_bytes(data)
    subwords = load_embeddings(path).subwords
    path.write_bytes(damaged)
    assert subwords is not None
    with pytest.raises(VectorFileError, match="the n-grams of 'abc' contain NaN"):
        subwords.vector("abc")
