"""Vectors of two texts: match their words with the seeds, train them together, keep the result."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

from bilex.errors import BilexWarning
from bilex.inducer import LexiconInducer
from bilex.progress import OnProgress
from bilex.text import Corpus, VectorSettings, train_on_two_texts
from bilex.text.cached import kept_spaces
from bilex.text.output import fingerprint
from bilex.values import EmbeddingSpace, Lexicon

_MATCHED_BY = "self-learning"  # a preset that is fast and good with few seeds


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
    """Return word vectors of two texts that fit together better than those of each text alone.

    Words are matched with the seeds by the preset `self-learning`. Then words that translate each
    other count as the same context; see `bilex.text.train_on_two_texts`.

    Args:
        source: The text of the source language: a UTF-8 file, plain or compressed, or a folder.
        target: The text of the target language.
        seeds: Known word pairs; without any, words are matched by spelling or geometry at first.
        settings: Settings of the training; defaults depend on the size of the text.
        any_case: Whether seeds are looked up in other upper or lower case, too.
        cache: A folder that keeps vectors, so that they are trained once. The key is a hash of
            the content of the texts, the seeds, the settings and the versions of packages.
        random_state: With the same texts and one thread, the same number gives the same vectors.
        threads: How many threads train.
        on_progress: Called now and then with the share that is done.

    Raises:
        InputFileError: If a file is missing or is not UTF-8 text.
        SettingError: If there is too little text, or the method is not "ppmi".
        EmptyLexiconError: If seeds are given but no pair has both words in the texts.
        MissingExtraError: If the script of a text needs a package that is not installed.
    """
    settings = settings or VectorSettings()

    def match(one: EmbeddingSpace, other: EmbeddingSpace) -> Iterator[tuple[str, str]]:
        return _matched(one, other, seeds, any_case=any_case, random_state=random_state)

    def train() -> tuple[EmbeddingSpace, EmbeddingSpace]:
        first, second = train_on_two_texts(
            [source],
            [target],
            match,
            settings,
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
        "power": settings.together().power,
    }
    first, second = kept_spaces([source, target], made_from, Path(cache), train)
    return first, second


def _matched(
    source: EmbeddingSpace,
    target: EmbeddingSpace,
    seeds: Lexicon | None,
    *,
    any_case: bool,
    random_state: int,
) -> Iterator[tuple[str, str]]:
    """Yield the seeds, then the pairs in which each word is the other's best translation."""
    inducer = LexiconInducer(_MATCHED_BY, random_state=random_state, any_case=any_case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BilexWarning)  # training the final model repeats them
        model = inducer.fit(source, target, seeds).model_
    yield from ((entry.source, entry.target) for entry in model.seeds.entries)
    yield from ((entry.source, entry.target) for entry in model.induce(k=1) if entry.mutual)
