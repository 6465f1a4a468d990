"""Vectors of a text, trained once and kept in a folder of cached files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
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
    settings = settings or VectorSettings()

    def train() -> tuple[EmbeddingSpace]:
        found = train_on_text(
            [path], settings, random_state=random_state, threads=threads, on_progress=on_progress
        )
        return (found.space,)

    if cache is None:
        return train()[0]
    source = fingerprint(Corpus.of([path]), settings, random_state)
    return kept_spaces([path], source, Path(cache), train)[0]


def kept_spaces(
    paths: Sequence[str | Path],
    made_from: Mapping[str, object],
    cache: Path,
    train: Callable[[], Sequence[EmbeddingSpace]],
) -> Sequence[EmbeddingSpace]:
    """Return the vectors of each path, from the cache if they were made from the same before."""
    from bilex.embeddings import load_embeddings, save_embeddings

    text = json.dumps(made_from, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    sides = [f"-{number}" for number in range(len(paths))] if len(paths) > 1 else [""]
    kept = [
        cache / f"{Path(path).name}-{digest}{side}" for path, side in zip(paths, sides, strict=True)
    ]
    if all(folder.is_dir() for folder in kept):
        return [load_embeddings(folder) for folder in kept]
    spaces = train()
    for space, folder in zip(spaces, kept, strict=True):
        save_embeddings(space, folder, format="store")
    return spaces
