"""Train word vectors on plain text; the same text and random state give the same vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bilex.errors import SettingError, warn_user
from bilex.progress import OnProgress, Stages
from bilex.text.cooccurrence import contexts_of, reduced
from bilex.text.corpus import Corpus
from bilex.text.phrases import join_phrases
from bilex.text.settings import VectorSettings
from bilex.text.skip_gram import skip_gram_vectors
from bilex.text.tokens import Tokens, write_tokens
from bilex.text.unspaced import learn_words

if TYPE_CHECKING:
    from bilex.values import EmbeddingSpace

FEWEST_TOKENS = 1_000
"""Fewer words of text are an error."""

LITTLE_TEXT = 100_000
"""With fewer words of text, translations are poor, and there is a warning."""

_READING, _COUNTING, _REDUCING = "reading the text", "counting pairs", "reducing dimensions"
_TRAINING = "training"
_BYTES_OF_A_WORD = 6  # roughly, to estimate the time before the text is read
_EPOCH_COST = {"fasttext": 7.0, "word2vec": 3.0}  # in units of reading the text once


@dataclass(frozen=True, eq=False)
class TextVectors:
    """Vectors trained on a text, and what they were trained on.

    Attributes:
        space: The words, most frequent first, and their vectors.
        counts: How often each word of `space` occurs in the text.
        settings: The settings used, with all defaults filled in.
        tokens: How many words the text has.
        types: How many different words it has.
        left_out: How many numbers and overlong words were left out.
        random_state: The random state of the training.
        threads: Number of threads; with one, the same text gives the same vectors.
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
    """Make word vectors from plain text.

    The text is read as a stream and its words are kept in a temporary file of about its size.

    Args:
        paths: UTF-8 text files, plain or compressed with gzip, bzip2 or xz, and folders of them.
        settings: Settings of the training; defaults depend on the size of the text.
        random_state: With the same text and one thread, the same number gives the same vectors.
        threads: How many threads compute; with several, vectors differ from run to run.
        on_progress: Called now and then with the share that is done.

    Raises:
        InputFileError: If a file is missing or is not UTF-8 text.
        SettingError: If there is too little text.
        MissingExtraError: If the method or the script of the text needs a package that is not
            installed.
    """
    settings = settings or VectorSettings()
    check_threads(threads)
    corpus = Corpus.of(paths)
    stages = _stages(corpus, settings, threads, on_progress)
    with reading(corpus, settings, stages.within(_READING)) as text:
        vectors = _vectors(text, random_state, threads, stages)
    return text.with_vectors(vectors, random_state, threads)


@dataclass(frozen=True, eq=False)
class ReadText:
    """A text that was read, and the words that get a vector, most frequent first.

    Attributes:
        tokens: The words of the text, in a file.
        vocabulary: How often each word occurs, for the words that get a vector.
        settings: The settings, with all defaults filled in.
    """

    tokens: Tokens
    vocabulary: dict[str, int]
    settings: VectorSettings

    def with_vectors(
        self, vectors: npt.NDArray[np.float32], random_state: int, threads: int
    ) -> TextVectors:
        """Return the vectors of the vocabulary, with what they were trained on."""
        space = _space(self.vocabulary, vectors)
        return TextVectors(
            space=space,
            counts=tuple(self.vocabulary[word] for word in space.words),
            settings=self.settings,
            tokens=self.tokens.total,
            types=len(self.tokens.counts),
            left_out=self.tokens.left_out,
            random_state=random_state,
            threads=threads,
        )


@contextmanager
def reading(
    corpus: Corpus, settings: VectorSettings, on_bytes: Callable[[int, int], None]
) -> Iterator[ReadText]:
    """Read a text; its tokens are in a file as long as the context is open."""
    with TemporaryDirectory(prefix="bilex-text-") as folder:
        words = learn_words(corpus, keep_case=settings.keep_case, segmented=settings.segmented)
        tokens = write_tokens(corpus, words, Path(folder) / "tokens", on_bytes=on_bytes)
        _check_amount(tokens.total)
        settings = settings.for_size(tokens.total)
        if settings.phrases:
            tokens = join_phrases(tokens, Path(folder) / "phrases")
        yield ReadText(tokens, _vocabulary(tokens, settings), settings)


def check_threads(threads: int) -> None:
    """Raise an error if no vectors can be trained with this number of threads."""
    if threads < 1:
        raise SettingError(f"threads is {threads}: expected at least 1")


def _stages(
    corpus: Corpus, settings: VectorSettings, threads: int, on_progress: OnProgress | None
) -> Stages:
    tokens = sum(file.stat().st_size for file in corpus.files) // _BYTES_OF_A_WORD
    if settings.method == "ppmi":
        # The time grows with the vocabulary, which grows more slowly than the text.
        reducing = 0.5 + 4 / (1 + tokens / 2_000_000)
        return Stages([(_READING, 1.0), (_COUNTING, 2.5), (_REDUCING, reducing)], on_progress)
    epochs = settings.for_size(tokens).epochs or 1
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
    frequent = islice(tokens.counts.items(), settings.max_words)
    kept = {word: count for word, count in frequent if count >= least}
    if len(kept) < 2:
        raise SettingError(
            f"{len(kept)} words occur at least {least} times: give more text or a lower min_count"
        )
    return kept


def _vectors(
    text: ReadText, random_state: int, threads: int, stages: Stages
) -> npt.NDArray[np.float32]:
    settings = text.settings
    if settings.method != "ppmi":
        stages.begin(_TRAINING, settings.epochs or 1)
        return skip_gram_vectors(
            text.tokens,
            text.vocabulary,
            settings,
            random_state=random_state,
            threads=threads,
            on_epoch=stages.within(_TRAINING),
        )
    contexts = contexts_of(text.tokens, text.vocabulary, settings, stages.within(_COUNTING))
    stages.begin(_REDUCING)
    vectors = reduced(contexts.matrix, settings, random_state=random_state, threads=threads)
    stages.done(_REDUCING, 1, 1)
    return vectors


def _space(vocabulary: dict[str, int], vectors: npt.NDArray[np.float32]) -> EmbeddingSpace:
    """Return the words that have a vector; a word that always occurs alone has no context."""
    import torch

    from bilex.values import EmbeddingSpace

    known = np.flatnonzero(vectors.any(axis=1))
    words = list(vocabulary)
    return EmbeddingSpace(tuple(words[row] for row in known), torch.from_numpy(vectors[known]))
