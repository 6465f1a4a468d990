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
from bilex.text.two_texts import train_on_two_texts

if TYPE_CHECKING:
    from bilex.values import EmbeddingSpace, Lexicon


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
    return _kept([path], source, Path(cache), train)[0]


def spaces_of_texts(
    source: str | Path,
    target: str | Path,
    seeds: Lexicon | None = None,
    settings: VectorSettings | None = None,
    *,
    any_case: bool = True,
    cache: str | Path | None = None,
    random_state: int = 0,
    threads: int = 1,
    on_progress: OnProgress | None = None,
) -> tuple[EmbeddingSpace, EmbeddingSpace]:
    """Return the word vectors of two texts that were trained together; see `train_on_two_texts`.

    Args:
        source: The text of the source language, a file or a folder.
        target: The text of the target language.
        seeds: Known word pairs.
        settings: Settings of the training; defaults depend on the size of the text.
        any_case: Whether seeds are looked up in other upper or lower case, too.
        cache: As for `space_of_text`; the key also depends on the seeds.
        random_state: With the same texts and one thread, the same number gives the same vectors.
        threads: How many threads train.
        on_progress: Called now and then with the share that is done.
    """
    settings = settings or VectorSettings()

    def train() -> tuple[EmbeddingSpace, EmbeddingSpace]:
        first, second = train_on_two_texts(
            [source],
            [target],
            seeds,
            settings,
            any_case=any_case,
            random_state=random_state,
            threads=threads,
            on_progress=on_progress,
        )
        return first.space, second.space

    if cache is None:
        return train()
    made_from = {
        "texts": [
            fingerprint(Corpus.of([path]), settings, random_state) for path in (source, target)
        ],
        "seeds": None if seeds is None else [[e.source, e.target] for e in seeds.entries],
        "any_case": any_case,
    }
    first, second = _kept([source, target], made_from, Path(cache), train)
    return first, second


def _kept(
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
