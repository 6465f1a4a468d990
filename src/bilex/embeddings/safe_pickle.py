"""Read pickles without running their code: every class and function becomes a placeholder.

A pickle is a program that can call any function. Here names are never imported: NumPy arrays are
kept as plain data, and every other object becomes a placeholder that does nothing.
"""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import IO, Any

import numpy as np

from bilex.embeddings.collector import Floats
from bilex.errors import VectorFileError

_HARMLESS = ("gensim", "numpy", "collections")
_PLAIN = ("int", "float", "str", "list", "dict", "set", "object", "hash")  # of builtins
_ARRAYS = ("_reconstruct", "_frombuffer")


class Placeholder(dict[Any, Any]):
    """Replaces an object of any class: stores its arguments and state, and does nothing."""

    arguments: tuple[Any, ...] = ()  # defaults: a pickle can skip __init__
    state: Any = None

    def __init__(self, *arguments: Any) -> None:  # noqa: ANN401 - any content of the pickle
        super().__init__()
        self.arguments = arguments

    def __setstate__(self, state: Any) -> None:  # noqa: ANN401
        self.state = state


class ArrayPlaceholder(Placeholder):
    """Replaces a NumPy array: stores its type, shape and bytes."""

    def to_floats(self) -> Floats:
        """Return the contents as a float32 array.

        Raises:
            ValueError: If they are not floats, or do not match the shape.
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
        if not isinstance(shape, tuple) or not all(type(size) is int for size in shape):
            raise ValueError("a shape that is not a tuple of whole numbers")
        if not isinstance(data, bytes | bytearray):
            raise ValueError("numbers that are not bytes")
        if math.prod(shape) * kind.itemsize != len(data):
            raise ValueError(f"{len(data)} bytes for the shape {shape}")
        array = np.frombuffer(data, dtype=kind).reshape(shape, order="F" if fortran else "C")
        with np.errstate(over="ignore"):  # the collector reports infinities
            return array.astype(np.float32)


class _SafeUnpickler(pickle._Unpickler):
    # The Python implementation: with the C one, a pickle can make it allocate any amount of memory.
    """Builds placeholders only, and refuses names that no file of word vectors needs."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        super().__init__(file)
        self._path = path

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401
        """Return a new placeholder class each time, so that one pickle cannot affect the next."""
        if (module, name) == ("_codecs", "encode"):
            return lambda text, encoding: text.encode("latin-1")
        plain = module == "builtins" and name in _PLAIN
        if module.split(".")[0] not in _HARMLESS and not plain:
            raise VectorFileError(
                self._path,
                f"the pickle refers to {module}.{name}, which no file of word vectors needs; "
                "nothing was run: do not trust this file",
            )
        return type(name, (ArrayPlaceholder if name in _ARRAYS else Placeholder,), {})

    def persistent_load(self, identifier: Any) -> Any:  # noqa: ANN401
        """Refuse references to objects outside the file."""
        raise pickle.UnpicklingError("a reference to an object outside the file")


def load_pickle_safely(path: Path) -> Any:  # noqa: ANN401 - any content of the pickle
    """Return the contents of a pickle, with placeholders for all objects.

    Raises:
        VectorFileError: If it is damaged, or refers to code that word vectors do not need.
    """
    with path.open("rb") as file:
        try:
            return _SafeUnpickler(file, path).load()
        except VectorFileError:
            raise
        except Exception as error:
            raise VectorFileError(
                path,
                f"the pickle is damaged ({type(error).__name__}); save or download it again",
            ) from error
