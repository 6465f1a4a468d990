from __future__ import annotations

import pickle
import shutil
from collections import OrderedDict
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import torch

from bilex.embeddings import load_embeddings
from bilex.errors import VectorFileError

ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)


def keyed_vectors(protocol: int = 4, **state: object) -> bytes:
    """Return the pickle of a gensim object, without having gensim."""
    body = pickle.dumps(state, protocol=protocol)[2:-1]
    return b"\x80\x04cgensim.models\nKeyedVectors\n)\x81" + body + b"b."


class Malice:
    def __init__(self, *call: object) -> None:
        self.call = call

    def __reduce__(self) -> tuple[Any, ...]:
        return self.call[0], self.call[1:]


@pytest.mark.parametrize("name", ["gensim.kv", "gensim-apart.kv"])
def test_saved_vectors_are_read_without_gensim(name: str, golden: Path) -> None:
    space = load_embeddings(golden / name)
    assert space.words[:2] == ("haus", "straße")
    assert torch.equal(space.vectors, torch.arange(32.0).reshape(8, 4) / 8)


@pytest.mark.parametrize("protocol", [2, 4, 5])
@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", "<f2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_any_kind_are_rebuilt(
    protocol: int, dtype: str, order: Literal["C", "F"], tmp_path: Path
) -> None:
    path = tmp_path / "a.kv"
    vectors = np.array(ROWS, dtype=dtype, order=order)
    other = OrderedDict(count=np.arange(2), name=np.float32(1))
    state = {"index_to_key": ["a", "b"], "vectors": vectors, "expandos": other}
    path.write_bytes(keyed_vectors(protocol, **state))
    assert torch.equal(load_embeddings(path).vectors, torch.from_numpy(ROWS))


def test_whole_models_and_names_of_older_versions_are_read(tmp_path: Path) -> None:
    old = keyed_vectors(index2word=["a", "b"], vectors=ROWS)
    path = tmp_path / "old.model"
    path.write_bytes(old)
    assert load_embeddings(path).words == ("a", "b")
    # MARK, EMPTY_DICT and SETITEM around the vectors give {"wv": vectors} as the state of a model
    inner = old[2:-1]
    path.write_bytes(b"\x80\x04cgensim.models\nWord2Vec\n)\x81}\x8c\x02wv" + inner + b"sb.")
    assert load_embeddings(path).words == ("a", "b")


@pytest.mark.parametrize(
    "call",
    [
        (eval, "open('ran', 'w')"),
        (exec, "open('ran', 'w')"),
        (getattr, "", "join"),
        (__import__, "os"),
        (np.load, "x.npy"),
    ],
    ids=lambda call: str(call[0].__name__),
)
def test_no_code_in_a_pickle_is_run(
    call: tuple[Any, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.kv"
    path.write_bytes(keyed_vectors(index_to_key=["a", "b"], vectors=Malice(*call)))
    with pytest.raises(VectorFileError, match=r"nothing was run|without its vectors"):
        load_embeddings(path)
    path.write_bytes(pickle.dumps(Malice(*call)))
    with pytest.raises(VectorFileError):
        load_embeddings(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.kv"]


def test_a_pickle_cannot_reach_outside_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.kv"
    path.write_bytes(b"\x80\x04\x8c\x01xQ.")
    with pytest.raises(VectorFileError, match=r"damaged \(UnpicklingError\)"):
        load_embeddings(path)


@pytest.mark.parametrize("opcodes", [b"r\xff\xff\xff\x7f", b"\x96" + b"\xff" * 5 + b"\0\0\0"])
def test_a_pickle_cannot_reserve_memory_by_promise(opcodes: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.kv"
    path.write_bytes(b"\x80\x05N" + opcodes + b".")
    with pytest.raises(VectorFileError):
        load_embeddings(path)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (ROWS[0], "found 2 words and vectors of shape"),
        (np.full((2, 3), 1e39), "the vector of 'a' contains NaN, infinity or a number too large"),
    ],
)
def test_wrong_vectors_are_refused(vectors: object, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.kv"
    path.write_bytes(keyed_vectors(index_to_key=["a", "b"], vectors=vectors))
    with pytest.raises(VectorFileError, match=message):
        load_embeddings(path)


def test_an_array_with_fewer_bytes_than_it_claims_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.kv"
    whole = keyed_vectors(index_to_key=["a", "b"], vectors=ROWS)
    assert whole.count(b"K\x02K\x03\x86") == 1  # the shape (2, 3)
    path.write_bytes(whole.replace(b"K\x02K\x03\x86", b"K\x02K\x63\x86"))
    with pytest.raises(VectorFileError, match=r"damaged \(24 bytes for the shape \(2, 99\)\)"):
        load_embeddings(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a NumPy file of vectors"),
        (b"\x93NUMPY\x01\x00\x05\x00{[(((", "not a NumPy file of vectors"),
        (None, r"not a NumPy file of vectors \(type int64, expected float32\)"),
    ],
)
def test_the_file_beside_must_hold_an_array(
    content: bytes | None, message: str, golden: Path, tmp_path: Path
) -> None:
    shutil.copy(golden / "gensim-apart.kv", tmp_path)
    beside = tmp_path / "gensim-apart.kv.vectors.npy"
    if content is None:
        np.save(beside, np.zeros((8, 4), np.int64))
    else:
        beside.write_bytes(content)
    with pytest.raises(VectorFileError, match=message):
        load_embeddings(tmp_path / "gensim-apart.kv")
