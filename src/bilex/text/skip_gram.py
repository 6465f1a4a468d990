"""Word vectors by skip-gram with negative sampling, trained by gensim."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from bilex.registry import import_extra
from bilex.text.settings import VectorSettings
from bilex.text.tokens import Tokens

OnEpoch = Callable[[int, int], None]
"""Called with the number of finished epochs and the total."""


def skip_gram_vectors(
    tokens: Tokens,
    vocabulary: dict[str, int],
    settings: VectorSettings,
    *,
    random_state: int,
    threads: int,
    on_epoch: OnEpoch | None = None,
) -> npt.NDArray[np.float32]:
    """Return a vector for each word of the vocabulary.

    Raises:
        MissingExtraError: If gensim is not installed.
    """
    models = import_extra("gensim.models", "word2vec and fasttext need", extra="text")
    model = _model(models, settings, random_state, threads)
    model.build_vocab_from_freq(vocabulary, corpus_count=tokens.sentences)
    epochs = settings.epochs or 1

    class Report(models.callbacks.CallbackAny2Vec):  # type: ignore[misc, name-defined]
        done = 0

        def on_epoch_end(self, model: object) -> None:
            self.done += 1
            if on_epoch is not None:
                on_epoch(self.done, epochs)

    model.train(
        corpus_file=str(tokens.path),
        total_examples=tokens.sentences,
        total_words=tokens.total,
        epochs=epochs,
        callbacks=[Report()],
    )
    # With `sorted_vocab` off, gensim keeps the order of the vocabulary.
    vectors: npt.NDArray[np.float32] = model.wv.vectors.copy()
    return vectors


def _model(models: Any, settings: VectorSettings, random_state: int, threads: int) -> Any:  # noqa: ANN401 - gensim has no types
    options = {
        "sg": 1,
        "vector_size": settings.dim,
        "window": settings.window,
        "negative": settings.negative,
        "sample": settings.sample,
        "min_count": 1,  # the vocabulary is already cut
        "sorted_vocab": 0,  # the vocabulary is already sorted, ties included
        "seed": random_state,
        "workers": threads,
        "hashfxn": _stable_hash,
    }
    if settings.method == "word2vec":
        return models.Word2Vec(**options)
    parts = {
        "min_n": settings.shortest_part,
        "max_n": settings.longest_part,
        "bucket": settings.buckets,
    }
    return models.FastText(**options, **parts)


def _stable_hash(text: str) -> int:
    """Replace Python's `hash`, which differs from process to process."""
    return zlib.crc32(text.encode())
