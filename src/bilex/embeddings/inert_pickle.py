"""Reading pickles without running them: every class and function is replaced by a stand-in.

A pickle is a program that may name any function to call. Here, names are never looked up: what
NumPy would rebuild is kept as plain data, and anything else becomes an object that does nothing.
"""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import IO, Any

import numpy as np

from bilex.embeddings.collecting import Floats
from bilex.errors import VectorFileError

_HARMLESS = ("gensim", "numpy", "collections")
_PLAIN = ("int", "float", "str", "list", "dict", "set", "object", "hash")  # of builtins
_ARRAYS = ("_reconstruct", "_frombuffer")


class Inert(dict[Any, Any]):
    """Stands in for an object of any class: remembers what it was made of, and does nothing."""

    arguments: tuple[Any, ...] = ()  # here too, as pickles can leave __init__ out
    state: Any = None

    def __init__(self, *arguments: Any) -> None:  # noqa: ANN401 - whatever the pickle holds
        super().__init__()
        self.arguments = arguments

    def __setstate__(self, state: Any) -> None:  # noqa: ANN401
        self.state = state


class InertArray(Inert):
    """Stands in for a NumPy array: holds its type, shape and bytes as found."""

    def to_floats(self) -> Floats:
        """Make a float32 array of the contents.

        Raises:
            ValueError: If they are not floats, or not as many as the shape says.
        """
        if self.state is None:  # (buffer, dtype, shape, order)
            data, dtype, shape, order = self.arguments
            fortran = order == "F"
        else:
            _, shape, dtype, fortran, data = self.state
        code, byte_order = dtype.arguments[0], dtype.state[1]
        if code not in ("f2", "f4", "f8") or byte_order not in ("<", ">", "|", "="):
            raise ValueError(f"numbers of type {code!r}, expected 'f4'")
        kind = np.dtype(byte_order + code)
        if math.prod(shape) * kind.itemsize != len(data):
            raise ValueError(f"{len(data)} bytes for the shape {shape}")
        array = np.frombuffer(data, dtype=kind).reshape(shape, order="F" if fortran else "C")
        with np.errstate(over="ignore"):  # infinities are found and reported later
            return array.astype(np.float32)


class _InertUnpickler(pickle._Unpickler):
    # The slower of the two unpicklers, as the other can be made to reserve memory at will.
    """Builds stand-ins only, and refuses what no file of word vectors needs."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        super().__init__(file)
        self._path = path

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401
        """Return a new stand-in class, so that no pickle can leave a trace on the next."""
        if (module, name) == ("_codecs", "encode"):
            return lambda text, encoding: text.encode("latin-1")
        plain = module == "builtins" and name in _PLAIN
        if module.split(".")[0] not in _HARMLESS and not plain:
            raise VectorFileError(
                self._path,
                f"the pickle asks for {module}.{name}, which no file of word vectors needs; "
                "nothing was run: do not trust this file",
            )
        return type(name, (InertArray if name in _ARRAYS else Inert,), {})

    def persistent_load(self, identifier: Any) -> Any:  # noqa: ANN401
        """Refuse references to things outside the file."""
        raise pickle.UnpicklingError("a reference to something outside the file")


def load_inert(path: Path) -> Any:  # noqa: ANN401 - whatever the pickle holds
    """Return the contents of a pickle, with stand-ins for all objects.

    Raises:
        VectorFileError: If it is damaged, or asks for code that word vectors do not need.
    """
    with path.open("rb") as file:
        try:
            return _InertUnpickler(file, path).load()
        except VectorFileError:
            raise
        except Exception as error:
            raise VectorFileError(
                path,
                f"the pickle is damaged ({type(error).__name__}); save or download it again",
            ) from error
