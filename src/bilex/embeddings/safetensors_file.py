r"""Word vectors in `.safetensors`: tensor `vectors`, and `words` as UTF-8 bytes joined by `\n`."""

from __future__ import annotations

from pathlib import Path

from safetensors import SafetensorError, safe_open

from bilex.embeddings.collector import Collector, Selection
from bilex.embeddings.vocabulary_bytes import split_words
from bilex.errors import VectorFileError
from bilex.values import EmbeddingSpace

_BLOCK = 1 << 14


def read_safetensors(path: Path, selection: Selection) -> EmbeddingSpace:
    """Read the words and vectors up to the limit."""
    try:
        with safe_open(path, framework="numpy") as file:
            names = set(file.keys())
            if not {"words", "vectors"} <= names:
                raise VectorFileError(
                    path,
                    f"found the tensors {', '.join(sorted(names)) or '(none)'}; expected 'words' "
                    "and 'vectors' as written by bilex: convert the file from another format",
                )
            listed, vectors = file.get_slice("words"), file.get_slice("vectors")
            types, shape = (listed.get_dtype(), vectors.get_dtype()), tuple(vectors.get_shape())
            if types != ("U8", "F32") or len(shape) != 2:
                raise VectorFileError(
                    path,
                    f"found words of type {types[0]} and vectors of type {types[1]} "
                    f"and shape {shape}; expected U8 and a matrix of F32: save them again",
                )
            words = split_words(file.get_tensor("words").tobytes(), shape[0], path)
            collector = Collector(path, selection)
            for start in range(0, shape[0] if shape[1] else 0, _BLOCK):
                end = min(start + _BLOCK, shape[0])
                collector.add(words[start:end], vectors[start:end])
                if collector.full:
                    break
    except (SafetensorError, OSError) as error:
        raise VectorFileError(
            path, "the safetensors file is damaged or cut short; download or copy it again"
        ) from error
    return collector.finish(format="safetensors", words_in_file=shape[0])
