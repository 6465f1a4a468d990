"""Loading fastText `.bin` files: each word's vector is the mean over it and its n-grams."""

from __future__ import annotations

from pathlib import Path

from bilex.embeddings.collecting import Collector
from bilex.embeddings.fasttext_file import open_fasttext
from bilex.embeddings.report import LoadedEmbeddings, Progress, Selection
from bilex.embeddings.subwords import FastTextSubwords, word_vectors

_BLOCK = 512  # words; each gathers some 25 rows of the matrix


def read_fasttext_binary(
    path: Path, selection: Selection, on_progress: Progress | None = None
) -> LoadedEmbeddings:
    """Read the words up to the limit; the space can then spell vectors for unknown words too."""
    file = open_fasttext(path)
    collector = Collector(path, selection)
    total = path.stat().st_size
    for first in range(0, file.n_words, _BLOCK):
        words = file.words[first : first + _BLOCK]
        collector.add(words, word_vectors(file, first, words))
        if on_progress is not None:
            on_progress(total * min(first + _BLOCK, file.n_words) // file.n_words, total)
        if collector.full:
            break
    subwords = FastTextSubwords(path) if file.has_subwords else None
    return collector.finish(format="fasttext-bin", words_in_file=file.n_words, subwords=subwords)
