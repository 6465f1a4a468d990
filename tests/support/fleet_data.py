"""A little fleet: languages that are turned and noisy copies of one space, and seeds to a hub."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from bilex.embeddings import save_embeddings
from bilex.lexicons import write_lexicon
from bilex.values import EmbeddingSpace, Lexicon, unit_rows

CODES = ("en", "fr", "fi", "ru")
METHOD = """
[method]
preset = "procrustes"
"""
CALIBRATED = """
[method]
preset = "procrustes"
set = ["calibration.name=held-out-seeds"]
"""


def write_languages(
    folder: Path,
    codes: Sequence[str] = CODES,
    *,
    hub: str = "en",
    size: int = 120,
    dim: int = 12,
    noise: float = 0.05,
    seeds: int = 60,
) -> Path:
    """Write vectors of each language, and seeds of each with the hub; words are CODEnumber."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = torch.Generator().manual_seed(0)
    center = unit_rows(torch.randn(size, dim, generator=rng))
    for code in codes:
        own = torch.Generator().manual_seed(sum(map(ord, code)))
        turn = torch.linalg.qr(torch.randn(dim, dim, generator=own)).Q
        vectors = center @ turn + noise * torch.randn(size, dim, generator=own)
        words = tuple(f"{code}{number}" for number in range(size))
        save_embeddings(EmbeddingSpace(words, vectors), folder / f"{code}.vec")
        if code != hub:
            pairs = [(f"{hub}{number}", f"{code}{number}") for number in range(seeds)]
            write_lexicon(Lexicon.of(pairs), folder / f"{hub}-{code}.tsv")
    return folder


def fleet_text(codes: Sequence[str] = CODES, *, hub: str = "en", more: str = METHOD) -> str:
    """Return the text of a fleet file for these languages."""
    languages = "".join(f"[languages.{code}]\n" for code in codes)
    seeds = "".join(f'{hub}-{code} = "{hub}-{code}.tsv"\n' for code in codes if code != hub)
    return f'hub = "{hub}"\nvectors = "{{language}}.vec"\n{languages}[seeds]\n{seeds}{more}'


def write_fleet(folder: Path, text: str, name: str = "FLEET") -> Path:
    """Write a fleet file beside its data and return its path."""
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path
