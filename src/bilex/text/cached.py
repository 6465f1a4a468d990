"""Vectors of a text, trained once and kept in a folder of cached files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from bilex.progress import OnProgress
from bilex.text.corpus import Corpus
from bilex.text.output import fingerprint
from bilex.text.settings import VectorSettings
from bilex.text.training import train_on_text

if TYPE_CHECKING:
    from bilex.values import EmbeddingSpace


def space_of_text(
    path: str | Path,
    settings: VectorSettings | None = None,
    *,
    cache: str | Path | None = None,
    random_state: int = 0,
    threads: int = 1,
    on_progress: OnProgress | None = None,
) -> EmbeddingSpace:
    """Return the word vectors of a text file or a folder of them; see `train_on_text`.

    Args:
        path: The text.
        settings: Settings of the training; defaults depend on the size of the text.
        cache: A folder that keeps vectors, so that they are trained once. The key is a hash of
            the content of the text, the settings and the versions of packages.
        random_state: With the same text and one thread, the same number gives the same vectors.
        threads: How many threads train.
        on_progress: Called now and then with the share that is done.
    """
    from bilex.embeddings import load_embeddings, save_embeddings

    corpus, settings = Corpus.of([path]), settings or VectorSettings()
    if cache is not None:
        source = json.dumps(fingerprint(corpus, settings, random_state), sort_keys=True)
        digest = hashlib.sha256(source.encode()).hexdigest()
        kept = Path(cache) / f"{Path(path).name}-{digest[:16]}"
        if kept.is_dir():
            return load_embeddings(kept)
    space = train_on_text(
        [path], settings, random_state=random_state, threads=threads, on_progress=on_progress
    ).space
    if cache is not None:
        save_embeddings(space, kept, format="store")
    return space
