"""Train word vectors on two texts together: words that translate each other are one context.

Vectors of each text alone say which words translate each other, if only roughly. A second time, the
two matrices of contexts are reduced as one: the columns of *bread* and *pan* are the same column.
Words of both languages then get similar vectors because they occur near translations of the same
words, which vectors of a single text cannot show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bilex.errors import SettingError
from bilex.progress import OnProgress, Stages
from bilex.text.cooccurrence import Contexts, Sparse, contexts_of, reduced
from bilex.text.corpus import Corpus
from bilex.text.settings import VectorSettings
from bilex.text.training import ReadText, TextVectors, check_threads, reading

if TYPE_CHECKING:
    from bilex.values import EmbeddingSpace

_READING, _COUNTING = ("reading the text", "reading the other text"), ("counting", "counting again")
_ALONE, _MATCHING, _TOGETHER = "reducing dimensions", "matching words", "reducing both texts"

Match = Callable[["EmbeddingSpace", "EmbeddingSpace"], Iterable[tuple[str, str]]]
"""Returns pairs of words that translate each other, the most certain first."""


def train_on_two_texts(
    source: Sequence[str | Path],
    target: Sequence[str | Path],
    match: Match,
    settings: VectorSettings | None = None,
    *,
    random_state: int = 0,
    threads: int = 1,
    on_progress: OnProgress | None = None,
) -> tuple[TextVectors, TextVectors]:
    """Make word vectors of two languages that fit together better than of each text alone.

    Args:
        source: Text files or folders of them, as for `train_on_text`.
        target: The same for the target language.
        match: Finds words that translate each other, given the vectors of each text alone.
        settings: Settings of the training; the method must be "ppmi".
        random_state: With the same texts and one thread, the same number gives the same vectors.
        threads: How many threads compute; with several, vectors differ in their last digits.
        on_progress: Called now and then with the share that is done.

    Raises:
        InputFileError: If a file is missing or is not UTF-8 text.
        SettingError: If there is too little text, or the method is another one.
        MissingExtraError: If the script of a text needs a package that is not installed.
    """
    settings = settings or VectorSettings()
    check_threads(threads)
    if settings.method != "ppmi":
        raise SettingError(
            f"method is {settings.method!r}: two texts are trained together by ppmi only; train "
            "each text alone, or leave out the method"
        )
    power = settings.together().power
    stages = Stages(_weights(), on_progress)
    texts: list[ReadText] = []
    contexts: list[Contexts] = []
    for paths, read, count in zip((source, target), _READING, _COUNTING, strict=True):
        with reading(Corpus.of(paths), settings, stages.within(read)) as text:
            found = contexts_of(text.tokens, text.vocabulary, text.settings, stages.within(count))
        texts.append(text)
        contexts.append(found)

    def vectors_of(matrix: Sparse, chosen: VectorSettings) -> np.ndarray:
        return reduced(matrix, chosen, random_state=random_state, threads=threads)

    alone = []
    for number, (text, each) in enumerate(zip(texts, contexts, strict=True)):
        stages.done(_ALONE, number, 2)
        vectors = vectors_of(each.matrix, text.settings)
        alone.append(text.with_vectors(vectors, random_state, threads).space)
    stages.begin(_MATCHING)
    merged = _merged(contexts[0], contexts[1], match(alone[0], alone[1]))
    stages.begin(_TOGETHER)
    texts = [replace(text, settings=replace(text.settings, power=power)) for text in texts]
    together = vectors_of(merged, texts[0].settings)
    split = len(texts[0].vocabulary)
    first, second = (
        text.with_vectors(part, random_state, threads)
        for text, part in zip(texts, (together[:split], together[split:]), strict=True)
    )
    stages.done(_TOGETHER, 1, 1)
    return first, second


def _weights() -> list[tuple[str, float]]:
    """Return about how long each stage takes."""
    of_texts = [
        (name, weight)
        for pair in zip(_READING, _COUNTING, strict=True)
        for name, weight in zip(pair, (1.0, 2.5), strict=True)
    ]
    return [*of_texts, (_ALONE, 5.0), (_MATCHING, 6.0), (_TOGETHER, 5.0)]


def _merged(source: Contexts, target: Contexts, pairs: Iterable[tuple[str, str]]) -> Sparse:
    """Return the rows of both languages; contexts of a pair share a column, first come first."""
    from scipy.sparse import block_array

    partner: dict[int, int] = {}
    taken: set[int] = set()
    for one, other in pairs:
        first, second = source.columns.get(one), target.columns.get(other)
        if first is None or second is None or first in partner or second in taken:
            continue
        partner[first] = second
        taken.add(second)
    first_columns = np.array(list(partner), dtype=np.int64)
    second_columns = np.array(list(partner.values()), dtype=np.int64)
    left, right = source.matrix, target.matrix
    blocks = [
        [left[:, first_columns], left[:, _others(left, first_columns)], None],
        [right[:, second_columns], None, right[:, _others(right, second_columns)]],
    ]
    return block_array(blocks, format="csr")


def _others(matrix: Sparse, columns: np.ndarray) -> np.ndarray:
    return np.setdiff1d(np.arange(matrix.shape[1]), columns)
