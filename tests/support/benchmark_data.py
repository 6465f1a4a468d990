"""A little benchmark: twins on disk, and a suite that runs in moments."""

from __future__ import annotations

from pathlib import Path

from bilex.benchmark import FileHashes, Job, expand, load_suite
from bilex.embeddings import save_embeddings
from bilex.lexicons import write_lexicon
from bilex.values import Lexicon
from twins import make_twins

SUITE = """
description = "twins"

[vectors]
default = "{language}.vec"

[lexicons.twins]
train = { 10 = "train.10.tsv", 30 = "train.30.tsv" }
test = "test.tsv"
sampling = "first-then-random"

[methods.short]
preset = "self-learning"
set = ["strategy.rounds=2", "lexicon_update.size=20"]

[[tasks]]
lexicon = "twins"
pairs = ["s-t"]
seeds = [10, 30]
draws = 2
methods = ["procrustes", "short"]
"""


def write_data(folder: Path, *, size: int = 80, noise: float = 0.3, dim: int = 8) -> Path:
    """Write vectors of two languages, nested training files and a test file."""
    twins = make_twins(size, dim=dim, noise=noise)
    folder.mkdir(parents=True, exist_ok=True)
    save_embeddings(twins.source, folder / "s.vec")
    save_embeddings(twins.target, folder / "t.vec")
    entries = twins.lexicon.entries
    write_lexicon(Lexicon(entries[:10]), folder / "train.10.tsv")
    write_lexicon(Lexicon(entries[:30]), folder / "train.30.tsv")
    write_lexicon(Lexicon(entries[30:60]), folder / "test.tsv")
    return folder


def write_suite(folder: Path, text: str = SUITE, name: str = "twins") -> str:
    """Write a suite beside its data and return its path."""
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def jobs_of(suite: str, data: Path | None = None) -> list[Job]:
    """Return the jobs of a suite with the hashes of their files."""
    hashes = FileHashes()
    return [job.with_hashes(hashes) for job in expand(load_suite(suite), data)]
