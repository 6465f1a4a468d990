from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bilex.embeddings import load_embeddings, save_embeddings
from bilex.errors import SettingError, VectorFileError
from bilex.values import EmbeddingSpace
from load_reports import report_of
from twins import make_twins

NAMES = [
    "a.vec", "a.txt", "a.vec.gz", "a.vec.bz2", "a.vec.xz", "a.txt.zst", "a.bin", "a.bin.gz",
    "a.safetensors", "a.kv", "store",
]  # fmt: skip
nasty = st.text(
    st.one_of(
        st.sampled_from(" .-0123456789\t\r\u2028\u00a0\ufeff\x00<ß"), st.characters(codec="utf-8")
    ),
    min_size=1,
    max_size=8,
).filter(lambda word: "\n" not in word)
numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)


@st.composite
def spaces(draw: st.DrawFn) -> EmbeddingSpace:
    words = draw(st.lists(nasty, min_size=1, max_size=6, unique=True))
    dim = draw(st.integers(1, 5))
    size = len(words) * dim
    flat = draw(st.lists(numbers, min_size=size, max_size=size))
    return EmbeddingSpace(tuple(words), torch.tensor(flat).reshape(len(words), dim))


@pytest.mark.parametrize("name", NAMES)
@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(space=spaces())
@example(
    space=EmbeddingSpace(
        ("5 1.0", " ", "\ufeff", "3"), torch.tensor([[1.0], [0.1], [-0.0], [1e-45]])
    )
)
@example(space=EmbeddingSpace(("\x80\u0400",), torch.tensor([[1.1, 2.0], [0.0, 0.0]])[:1]))
def test_what_is_written_is_read_back_bit_for_bit(
    name: str, space: EmbeddingSpace, tmp_path: Path
) -> None:
    if ".bin" in name:
        words = tuple(word.replace(" ", "_") for word in space.words)
        if len(set(words)) < len(words):
            return
        space = space.__class__(words, space.vectors)
    save_embeddings(space, tmp_path / name)
    read = load_embeddings(tmp_path / name)
    assert read.words == space.words
    np.testing.assert_array_equal(
        read.vectors.numpy().view(np.uint32), space.vectors.numpy().view(np.uint32)
    )


def test_text_is_written_with_the_fewest_digits(tmp_path: Path) -> None:
    space = EmbeddingSpace(("the", "new york"), torch.tensor([[0.1, -2.0], [1e-9, 0.053]]))
    save_embeddings(space, tmp_path / "a.vec")
    assert (tmp_path / "a.vec").read_text() == "2 2\nthe 0.1 -2.0\nnew york 1e-09 0.053\n"


def test_the_same_space_gives_the_same_compressed_bytes(
    tmp_path: Path, space: EmbeddingSpace
) -> None:
    save_embeddings(space, tmp_path / "a.vec.gz")
    save_embeddings(space, tmp_path / "b.vec.gz")
    assert (tmp_path / "a.vec.gz").read_bytes() == (tmp_path / "b.vec.gz").read_bytes()


def test_format_can_be_given_and_files_and_stores_are_replaced(
    tmp_path: Path, space: EmbeddingSpace
) -> None:
    for _ in range(2):
        save_embeddings(space, tmp_path / "wiki.en", format="store")
        save_embeddings(space, tmp_path / "wiki.fr", format="text")
    assert report_of(load_embeddings(tmp_path / "wiki.en")).format == "store"
    assert report_of(load_embeddings(tmp_path / "wiki.fr")).format == "text"


@pytest.mark.parametrize(
    ("words", "vectors", "name", "message"),
    [
        (("a\nb",), [[1.0]], "a.vec", r"word number 1, 'a\\nb', contains '\\n'"),
        (("a", "b c"), [[1.0], [2.0]], "a.bin", "word number 2, 'b c', contains ' '"),
        (("",), [[1.0]], "a.vec", "word number 1 is ''; expected at least one character"),
        (("\ud800",), [[1.0]], "store", "all encodable in UTF-8"),
        (("a",), [[float("nan")]], "a.vec", "NaN or infinity"),
        (("a",), [[1.0]], "a.parquet", "no known format has the suffix '.parquet'; use .vec"),
        (("a",), [[1.0]], "a.safetensors.gz", "cannot be compressed; remove the .gz"),
        (("a",), [[1.0]], "a.kv.gz", "cannot be compressed; remove the .gz"),
        (("a\nb",), [[1.0]], "a.kv", r"word number 1, 'a\\nb', contains '\\n'"),
        (("a",), [[float("inf")]], "a.kv", "NaN or infinity"),
        (("a",), [[float("inf")]], "store", "NaN or infinity"),
    ],
)
def test_what_cannot_be_written_is_refused_and_leaves_nothing(
    words: tuple[str, ...], vectors: list[list[float]], name: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingError, match=message):
        save_embeddings(EmbeddingSpace(words, torch.tensor(vectors)), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_an_empty_space_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="a space of 0 words and 3 dimensions"):
        save_embeddings(EmbeddingSpace((), torch.empty(0, 3)), tmp_path / "a.vec")


def test_vectors_that_need_a_gradient_or_other_numbers_are_written_as_float32(
    tmp_path: Path,
) -> None:
    vectors = torch.tensor([[0.5, 0.25]], dtype=torch.float64, requires_grad=True)
    save_embeddings(EmbeddingSpace(("a",), vectors), tmp_path / "store")
    assert load_embeddings(tmp_path / "store").vectors.tolist() == [[0.5, 0.25]]


def test_vectors_that_another_gensim_file_was_written_with_are_noticed(tmp_path: Path) -> None:
    one, other = (make_twins(5, draw=draw).source for draw in (0, 1))
    save_embeddings(one, tmp_path / "one.kv")
    save_embeddings(other, tmp_path / "other.kv")
    (tmp_path / "other.kv.vectors.npy").replace(tmp_path / "one.kv.vectors.npy")
    with pytest.raises(VectorFileError, match=r"not the file that one\.kv was written with"):
        load_embeddings(tmp_path / "one.kv")
