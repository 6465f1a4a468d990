"""Vectors saved by gensim's `KeyedVectors.save` or `Word2Vec.save`, read without gensim."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bilex.embeddings.collector import Collector, Floats, Selection
from bilex.embeddings.safe_pickle import ArrayPlaceholder, Placeholder, load_pickle_safely
from bilex.errors import VectorFileError
from bilex.storage.hashes import sha256_of
from bilex.values import EmbeddingSpace

VECTORS_HASH = "bilex_vectors_sha256"
"""The attribute in which bilex keeps the hash of the second file; gensim ignores it."""

_BLOCK = 1 << 14
_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which UTF-8 cannot encode
_CONVERT = "in gensim, write the vectors with save_word2vec_format() and give that file"


def read_gensim(path: Path, selection: Selection) -> EmbeddingSpace:
    """Read words and vectors; the vectors may be in a separate `.npy` file next to it."""
    state, prefix = _find_state(path)
    words = _words(path, state)
    vectors = _vectors(path, state, prefix)
    if vectors.ndim != 2 or len(vectors) < len(words) or not vectors.shape[1]:
        raise VectorFileError(
            path,
            f"found {len(words)} words and vectors of shape {vectors.shape}; "
            "expected a row for each word: save or download the files again",
        )
    collector = Collector(path, selection)
    for start in range(0, len(words), _BLOCK):
        some = words[start : start + _BLOCK]
        with np.errstate(over="ignore"):  # the collector reports infinities
            rows = np.asarray(vectors[start : start + len(some)], dtype=np.float32)
        collector.add(some, rows)
        if collector.full:
            break
    return collector.finish(format="gensim", words_in_file=len(words))


def _find_state(path: Path) -> tuple[Mapping[str, Any], str]:
    """Return the attributes of the `KeyedVectors` object and the prefix of its file names."""
    root = load_pickle_safely(path)
    state = root.state if isinstance(root, Placeholder) else None
    prefix = path.name
    if isinstance(state, dict) and isinstance(state.get("wv"), Placeholder):
        state, prefix = state["wv"].state, f"{prefix}.wv"
    if not isinstance(state, dict):
        raise VectorFileError(
            path,
            f"found a pickle of {type(root).__name__!r}; expected gensim word vectors: {_CONVERT}",
        )
    return state, prefix


def _words(path: Path, state: Mapping[str, Any]) -> Sequence[str]:
    words = state.get("index_to_key", state.get("index2word"))  # the latter before gensim 4
    if not isinstance(words, list):
        raise VectorFileError(path, f"found a pickle without a list of words; {_CONVERT}")
    for number, word in enumerate(words, start=1):
        if not isinstance(word, str) or not word or "\n" in word or _SURROGATE.search(word):
            raise VectorFileError(
                path,
                f"word number {number} is {_shown(word)}; expected text without line breaks: "
                "rename or remove it in gensim",
            )
    return words


def _shown(word: object) -> str:
    """Return a word as text; of anything else only its type, since it may be of any size."""
    return repr(word[:40]) if isinstance(word, str) else f"of type {type(word).__name__}"


def _vectors(path: Path, state: Mapping[str, Any], prefix: str) -> Floats:
    vectors = state.get("vectors")
    if isinstance(vectors, ArrayPlaceholder):
        try:
            return vectors.to_floats()
        except (ValueError, TypeError, AttributeError, LookupError, OverflowError) as error:
            raise VectorFileError(
                path, f"its vectors are damaged ({error}); save or download the file again"
            ) from error
    beside = path.with_name(f"{prefix}.vectors.npy")
    apart = state.get("__numpys")
    if not isinstance(apart, list) or "vectors" not in apart:
        raise VectorFileError(path, f"found a gensim object without its vectors; {_CONVERT}")
    if not beside.is_file():
        raise VectorFileError(
            path, f"its vectors are in {beside.name}, which is missing: copy it to the same folder"
        )
    expected = state.get(VECTORS_HASH)
    if expected is not None and sha256_of(beside) != expected:
        raise VectorFileError(
            beside,
            f"is not the file that {path.name} was written with (the writing was interrupted, or "
            "one of them was replaced): write or copy both again",
        )
    return _map_array(beside)


def _map_array(path: Path) -> Floats:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
        if isinstance(array, np.ndarray) and array.dtype.kind == "f":
            return array
        problem = f"type {getattr(array, 'dtype', 'unknown')}, expected float32"
    except Exception as error:  # noqa: BLE001 - NumPy evaluates the header, which can fail in any way
        problem = str(error)
    raise VectorFileError(
        path, f"not a NumPy file of vectors ({problem}); save or download it again"
    )
