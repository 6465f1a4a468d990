"""gensim reads what we write, and we read what gensim writes, with the same result."""

from __future__ import annotations

import pickletools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bilex.embeddings import load_embeddings, save_embeddings
from bilex.values import EmbeddingSpace

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # raised by what gensim imports
    models = pytest.importorskip("gensim.models")
    fasttext = pytest.importorskip("gensim.models.fasttext")

pytestmark = pytest.mark.filterwarnings("ignore")  # gensim's own, about deprecated calls
WORDS = ("haus", "straße", "привет", "日本語", "😀", "naïve")


def same(keyed: Any, space: EmbeddingSpace) -> bool:  # noqa: ANN401 - gensim has no types
    return tuple(keyed.index_to_key) == space.words and np.array_equal(
        keyed.vectors, space.vectors.numpy()
    )


@pytest.mark.parametrize("binary", [False, True])
def test_word2vec_files_are_exchanged(binary: bool, tmp_path: Path) -> None:
    path = tmp_path / ("a.bin" if binary else "a.vec")
    space = EmbeddingSpace(WORDS, torch.randn(6, 5, generator=torch.Generator().manual_seed(0)))
    save_embeddings(space, path)
    keyed = models.KeyedVectors.load_word2vec_format(path, binary=binary)
    assert same(keyed, space)
    keyed.save_word2vec_format(path, binary=binary)
    assert same(keyed, load_embeddings(path))


@pytest.mark.parametrize("mmap", [None, "r"])
def test_keyed_vectors_are_written_as_gensim_loads_them(mmap: str | None, tmp_path: Path) -> None:
    words = (*WORDS, "new york", "a\u2028b")
    space = EmbeddingSpace(words, torch.randn(8, 5, generator=torch.Generator().manual_seed(0)))
    save_embeddings(space, tmp_path / "a.kv")
    keyed = models.KeyedVectors.load(str(tmp_path / "a.kv"), mmap=mmap)
    assert same(keyed, space)
    assert keyed.key_to_index["привет"] == 2
    assert keyed.most_similar("haus", topn=1)[0][0] in words
    keyed.add_vector("one more", np.ones(5, dtype=np.float32))
    assert len(keyed) == 9
    keyed.save(str(tmp_path / "b.kv"))
    assert same(keyed, load_embeddings(tmp_path / "b.kv"))


def test_the_pickle_we_write_names_one_class_and_calls_nothing_else(tmp_path: Path) -> None:
    save_embeddings(EmbeddingSpace(("a",), torch.ones(1, 2)), tmp_path / "a.kv")
    operations = [
        (opcode.name, argument)
        for opcode, argument, _ in pickletools.genops((tmp_path / "a.kv").read_bytes())
        if opcode.name in ("GLOBAL", "STACK_GLOBAL", "REDUCE", "NEWOBJ", "INST", "OBJ", "BUILD")
    ]
    assert operations == [
        ("GLOBAL", "gensim.models.keyedvectors KeyedVectors"),
        ("NEWOBJ", None),
        ("BUILD", None),
    ]


@pytest.mark.parametrize("apart", [False, True])
def test_keyed_vectors_and_models_are_read(apart: bool, tmp_path: Path) -> None:
    model = models.Word2Vec([list(WORDS)] * 3, vector_size=4, min_count=1, workers=1, seed=1)
    settings = {"sep_limit": 0} if apart else {}
    model.wv.save(str(tmp_path / "a.kv"), **settings)
    model.save(str(tmp_path / "a.model"), **settings)
    assert same(model.wv, load_embeddings(tmp_path / "a.kv"))
    assert same(model.wv, load_embeddings(tmp_path / "a.model"))


def test_fasttext_models_give_the_same_vectors_for_words_known_and_not(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    model = models.FastText(
        [list(WORDS)] * 3,
        vector_size=4,
        min_count=1,
        bucket=50,
        min_n=1,
        max_n=5,
        workers=1,
        seed=1,
    )
    fasttext.save_facebook_model(model, str(path))
    keyed, space = fasttext.load_facebook_vectors(str(path)), load_embeddings(path)
    assert tuple(keyed.index_to_key) == space.words
    np.testing.assert_allclose(space.vectors.numpy(), keyed.vectors, atol=1e-7, rtol=1e-5)
    assert space.subwords is not None
    for word in ("häuser", "приветик", "日本", "😀😀😀", "x"):
        spelled = space.subwords.vector(word)
        assert spelled is not None
        np.testing.assert_allclose(spelled.numpy(), keyed[word], atol=1e-7, rtol=1e-5)
