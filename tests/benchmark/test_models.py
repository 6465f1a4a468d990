"""The model of a job."""

from __future__ import annotations

from pathlib import Path

from benchmark_data import jobs_of, write_data, write_suite
from bilex.benchmark.models import train_model
from bilex.embeddings import load_embeddings
from bilex.lexicons import read_lexicon, write_lexicon
from bilex.values import Lexicon


def test_seeds_are_used_as_they_are_written(tmp_path: Path) -> None:
    """Other tools do the same, and their scores must be comparable."""
    data = write_data(tmp_path)
    known = read_lexicon(data / "train.10.tsv").entries
    cased = [e._replace(source=e.source.upper()) if n < 4 else e for n, e in enumerate(known)]
    write_lexicon(Lexicon(tuple(cased)), data / "train.10.tsv")
    job = next(job for job in jobs_of(write_suite(data)) if job.seeds == 10)
    source, target = (load_embeddings(data / f"{name}.vec") for name in "st")

    model = train_model(job, source, target, job.read_pairs(), memory=2**29)

    assert model.seed_pairs == 6
