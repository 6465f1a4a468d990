"""Write vectors trained on text: the vectors, the counts of words, and a manifest."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bilex.storage.files import writing
from bilex.storage.hashes import sha256_of, sha256_of_words
from bilex.storage.version import __version__
from bilex.text.corpus import Corpus
from bilex.text.settings import VectorSettings

if TYPE_CHECKING:
    from bilex.text.training import TextVectors
    from bilex.values import Progress

PACKAGES = ("gensim", "numpy", "scikit-learn", "scipy", "sentencepiece")
"""Packages whose versions may change the vectors."""


def check_vector_output(path: Path) -> None:
    """Raise if vectors cannot be written to this path; call it before training.

    Raises:
        SettingError: If no format that can be written has the extension of the path.
    """
    import torch

    from bilex.embeddings import save_embeddings
    from bilex.values import EmbeddingSpace

    with TemporaryDirectory(prefix="bilex-text-") as folder:
        save_embeddings(EmbeddingSpace(("a",), torch.ones(1, 2)), Path(folder) / path.name)


def save_text_vectors(
    found: TextVectors, path: Path, corpus: Corpus, *, on_block: Progress | None = None
) -> None:
    """Write vectors, and beside them `PATH.counts.tsv` and `PATH.manifest.json`.

    The counts have a line for each word: the word, a tab, how often it occurs. The manifest has
    versions, settings, and the size and hash of each text; no time and no folder, so that the
    same text gives the same bytes.
    """
    from bilex.embeddings import save_embeddings

    words = found.space.words
    counts_path = path.with_name(f"{path.name}.counts.tsv")
    manifest_path = path.with_name(f"{path.name}.manifest.json")
    with writing(counts_path) as counts, writing(manifest_path) as manifest:
        lines = (f"{word}\t{n}\n" for word, n in zip(words, found.counts, strict=True))
        with counts.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
        text = json.dumps(_manifest(found, corpus), indent=2, ensure_ascii=False)
        manifest.write_text(text + "\n", encoding="utf-8", newline="\n")
        save_embeddings(found.space, path, on_block=on_block)


def fingerprint(corpus: Corpus, settings: VectorSettings, random_state: int) -> dict[str, object]:
    """Return everything that vectors trained with one thread depend on, to compare or hash."""
    return {
        "versions": _versions(),
        "settings": asdict(settings),
        "random_state": random_state,
        "texts": [
            {"name": file.name, "bytes": file.stat().st_size, "sha256": sha256_of(file)}
            for file in corpus.files
        ],
    }


def _manifest(found: TextVectors, corpus: Corpus) -> dict[str, object]:
    space = found.space
    return {
        **fingerprint(corpus, found.settings, found.random_state),
        "threads": found.threads,
        "tokens": found.tokens,
        "types": found.types,
        "left_out": found.left_out,
        "vocabulary": {
            "words": len(space),
            "dim": space.dim,
            "sha256": sha256_of_words(space.words),
        },
    }


def _versions() -> dict[str, str]:
    found = {"bilex": __version__, "python": platform.python_version()}
    return found | {package: _version(package) for package in PACKAGES}


def _version(package: str) -> str:
    try:
        return version(package)
    except ModuleNotFoundError:
        return "not installed"
