"""A small sample of real data to try bilex on: English and Spanish vectors, word pairs and text."""

from __future__ import annotations

from bilex.sample.files import SAMPLE_FILES, copy_sample, sample_folder
from bilex.sample.load import Sample, load_sample

__all__ = ["SAMPLE_FILES", "Sample", "copy_sample", "load_sample", "sample_folder"]
