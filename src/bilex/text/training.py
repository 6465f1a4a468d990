"""Word vectors trained on plain text, by gensim: the same text and seed give the same vectors."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from bilex.errors import SettingError, warn_user
from bilex.progress import OnProgress, Stages
from bilex.registry import import_extra
from bilex.text.corpus import Corpus
from bilex.text.phrases import join_phrases
from bilex.text.settings import VectorSettings
from bilex.text.tokens import Tokens, write_tokens
from bilex.text.unspaced import learn_words

if TYPE_CHECKING:
    from bilex.values import EmbeddingSpace

FEWEST_TOKENS = 1_000
"""With fewer words of text there is nothing to learn from."""

LITTLE_TEXT = 100_000
"""With fewer words of text, translations are poor."""

_READING, _TRAINING = "reading the text", "training"
_BYTES_OF_A_WORD = 6  # about, to guess the time before the text is read
_EPOCH_COST = {"fasttext": 2.5, "word2vec": 0.5}  # in units of reading the text once


@dataclass(frozen=True, eq=False)
class TextVectors:
    """Vectors trained on a text, and what they were trained on.

    Attributes:
        space: The words, most frequent first, and their vectors.
        counts: How often each word of `space` occurs in the text.
        settings: What was used, with nothing left to choose.
        tokens: How many words the text has.
        types: How many different words it has.
        left_out: How many numbers and overlong words were left out.
        random_state: What the training began from.
        threads: How many trained; with one, the same text gives the same vectors.
    """

    space: EmbeddingSpace
    counts: tuple[int, ...]
    settings: VectorSettings
    tokens: int
    types: int
    left_out: int
    random_state: int
    threads: int


def train_vectors(
    paths: Sequence[str | Path],
    settings: VectorSettings | None = None,
    *,
    random_state: int = 0,
    threads: int = 1,
    on_progress: OnProgress | None = None,
) -> EmbeddingSpace:
    """Train word vectors on text files or folders of them; see `train_on_text`."""
    return train_on_text(
        paths, settings, random_state=random_state, threads=threads, on_progress=on_progress
    ).space


def train_on_text(
    paths: Sequence[str | Path],
    settings: VectorSettings | None = None,
    *,
    random_state: int = 0,
    threads: int = 1,
    on_progress: OnProgress | None = None,
) -> TextVectors:
    """Train word vectors on plain text: skip-gram with negative sampling.

    The text is read as a stream and its words are kept in a temporary file of about its size.

    Args:
        paths: UTF-8 text files, plain or compressed with gzip, bzip2 or xz, and folders of them.
        settings: How to train; by default what fits the size of the text.
        random_state: With the same text and one thread, the same number gives the same vectors.
        threads: How many threads train; with several, each run gives slightly different vectors.
        on_progress: Called now and then with the share that is done.

    Raises:
        InputFileError: If a file is missing or is not UTF-8 text.
        SettingError: If there is too little text.
        MissingExtraError: If gensim is not installed.
    """
    models = import_extra("gensim.models", "training word vectors needs", extra="text")
    settings = settings or VectorSettings()
    if threads < 1:
        raise SettingError(f"threads is {threads}: expected at least 1")
    corpus = Corpus.of(paths)
    stages = _stages(corpus, settings, threads, on_progress)
    with TemporaryDirectory(prefix="bilex-text-") as folder:
        words = learn_words(corpus, keep_case=settings.keep_case, segmented=settings.segmented)
        on_bytes = stages.within(_READING)
        tokens = write_tokens(corpus, words, Path(folder) / "tokens", on_bytes=on_bytes)
        _check_amount(tokens.total)
        settings = settings.for_size(tokens.total)
        if settings.phrases:
            tokens = join_phrases(tokens, Path(folder) / "phrases")
        vocabulary = _vocabulary(tokens, settings)
        model = _model(models, settings, random_state, threads)
        model.build_vocab_from_freq(vocabulary, corpus_count=tokens.sentences)
        _train(models, model, tokens, settings.epochs or 1, stages)
    return TextVectors(
        space=_space(model, vocabulary),
        counts=tuple(vocabulary.values()),
        settings=settings,
        tokens=tokens.total,
        types=len(tokens.counts),
        left_out=tokens.left_out,
        random_state=random_state,
        threads=threads,
    )


def _stages(
    corpus: Corpus, settings: VectorSettings, threads: int, on_progress: OnProgress | None
) -> Stages:
    size = sum(file.stat().st_size for file in corpus.files)
    epochs = settings.for_size(size // _BYTES_OF_A_WORD).epochs or 1
    training = _EPOCH_COST[settings.method] * epochs / threads
    return Stages([(_READING, 1.0), (_TRAINING, training)], on_progress)


def _check_amount(tokens: int) -> None:
    if tokens < FEWEST_TOKENS:
        raise SettingError(
            f"the text has {tokens:,} words; expected at least {FEWEST_TOKENS:,}, and a million "
            "for good translations: add more text"
        )
    if tokens < LITTLE_TEXT:
        warn_user(
            f"the text has only {tokens:,} words: expect vectors for its frequent words and many "
            "wrong translations; a million words give a useful dictionary"
        )


def _vocabulary(tokens: Tokens, settings: VectorSettings) -> dict[str, int]:
    least = settings.min_count or 1
    kept = {word: count for word, count in tokens.counts.items() if count >= least}
    if len(kept) < 2:
        raise SettingError(
            f"{len(kept)} words occur at least {least} times: give more text or a lower min_count"
        )
    return kept


def _model(models: Any, settings: VectorSettings, random_state: int, threads: int) -> Any:  # noqa: ANN401 - gensim has no types
    options = {
        "sg": 1,
        "vector_size": settings.dim,
        "window": settings.window,
        "negative": settings.negative,
        "sample": settings.sample,
        "min_count": 1,  # the vocabulary is already cut
        "sorted_vocab": 0,  # ours is sorted, and equals too
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


def _train(
    models: Any,  # noqa: ANN401
    model: Any,  # noqa: ANN401
    tokens: Tokens,
    epochs: int,
    stages: Stages,
) -> None:
    stages.begin(_TRAINING, epochs)

    class Report(models.callbacks.CallbackAny2Vec):  # type: ignore[misc]
        done = 0

        def on_epoch_end(self, model: object) -> None:
            self.done += 1
            stages.done(_TRAINING, self.done, epochs)

    model.train(
        corpus_file=str(tokens.path),
        total_examples=tokens.sentences,
        total_words=tokens.total,
        epochs=epochs,
        callbacks=[Report()],
    )


def _space(model: Any, vocabulary: dict[str, int]) -> EmbeddingSpace:  # noqa: ANN401
    import torch

    from bilex.values import EmbeddingSpace

    # With `sorted_vocab` off, gensim keeps the order of the vocabulary.
    return EmbeddingSpace(tuple(vocabulary), torch.from_numpy(model.wv.vectors.copy()))
