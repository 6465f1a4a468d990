"""Error messages for gensim and safetensors files that are damaged."""

from __future__ import annotations

import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import safetensors.numpy

from refusal import assert_refused


def tensors(words: bytes, vectors: npt.NDArray[Any]) -> bytes:
    arrays = {"words": np.frombuffer(words, np.uint8), "vectors": vectors}
    return bytes(safetensors.numpy.save(arrays))


def keyed_vectors(**state: object) -> bytes:
    """Return the pickle of a gensim object, without having gensim."""
    body = pickle.dumps(state, protocol=4)[2:-1]
    return b"\x80\x04cgensim.models\nKeyedVectors\n)\x81" + body + b"b."


# file name, content, line number in the error, message
BAD_FILES: list[tuple[str, bytes, int | None, str]] = [
    (
        "evil.kv",
        b"\x80\x04cos\nsystem\n\x8c\x04true\x85R.",
        None,
        (
            "the pickle refers to os.system, which no file of word vectors needs; nothing was run:"
            " do not trust this file"
        ),
    ),
    (
        "list.kv",
        pickle.dumps([1, 2]),
        None,
        (
            "found a pickle of 'list'; expected gensim word vectors: in gensim, write the vectors"
            " with save_word2vec_format() and give that file"
        ),
    ),
    (
        "cut.kv",
        keyed_vectors()[:-1],
        None,
        "the pickle is damaged (EOFError); save or download it again",
    ),
    (
        "no-words.kv",
        keyed_vectors(),
        None,
        (
            "found a pickle without a list of words; in gensim, write the vectors with "
            "save_word2vec_format() and give that file"
        ),
    ),
    (
        "no-vectors.kv",
        keyed_vectors(index_to_key=["a"]),
        None,
        (
            "found a gensim object without its vectors; in gensim, write the vectors with "
            "save_word2vec_format() and give that file"
        ),
    ),
    (
        "number.kv",
        keyed_vectors(index_to_key=[7]),
        None,
        (
            "word number 1 is of type int; expected text without line breaks: rename or remove it"
            " in gensim"
        ),
    ),
    (
        "apart.kv",
        keyed_vectors(index_to_key=["a"], __numpys=["vectors"]),
        None,
        "its vectors are in apart.kv.vectors.npy, which is missing: copy it to the same folder",
    ),
    (
        "shape.kv",
        keyed_vectors(index_to_key=["a", "b"], vectors=np.zeros((1, 3), "f4")),
        None,
        (
            "found 2 words and vectors of shape (1, 3); expected a row for each word: save or "
            "download the files again"
        ),
    ),
    (
        "integers.kv",
        keyed_vectors(index_to_key=["a"], vectors=np.zeros((1, 3), "i4")),
        None,
        (
            "its vectors are damaged (numbers of type 'i4', expected 'f4'); save or download the "
            "file again"
        ),
    ),
    (
        "names.safetensors",
        safetensors.numpy.save({"x": np.zeros(3, "f4")}),
        None,
        (
            "found the tensors x; expected 'words' and 'vectors' as written by bilex: convert the"
            " file from another format"
        ),
    ),
    (
        "types.safetensors",
        tensors(b"a", np.zeros(3, "f8")),
        None,
        (
            "found words of type U8 and vectors of type F64 and shape (3,); expected U8 and"
            " a matrix of F32: save them again"
        ),
    ),
    (
        "words.safetensors",
        tensors(b"a\nb", np.ones((3, 2), "f4")),
        None,
        (
            "found 2 words for 3 vectors; expected one word for each vector: the file is damaged, "
            "write it again"
        ),
    ),
    (
        "utf8.safetensors",
        tensors(b"\xff", np.ones((1, 2), "f4")),
        None,
        (
            "the words are not UTF-8 ('utf-8' codec can't decode byte 0xff in position 0: invalid"
            " start byte); the file is damaged: write it again"
        ),
    ),
    (
        "none.safetensors",
        tensors(b"a", np.ones((1, 0), "f4")),
        None,
        "contains no word vectors: was it cut short while being written?",
    ),
    (
        "lying.safetensors",
        struct.pack("<Q", 1 << 31) + b"{}",
        None,
        "the safetensors file is damaged or cut short; download or copy it again",
    ),
]


@pytest.mark.parametrize(
    ("name", "content", "line", "problem"), BAD_FILES, ids=[row[0] for row in BAD_FILES]
)
def test_bad_file_is_refused_in_words_that_help(
    name: str, content: bytes, line: int | None, problem: str, tmp_path: Path
) -> None:
    assert_refused(tmp_path / name, content, line, problem)
