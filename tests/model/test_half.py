"""Models with 16 bits a number: half the size, the same answers."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file

import bilex
from bilex.storage.answer_file import known_answers
from candidates import calibrated_model


def test_half_a_model_answers_as_the_whole(tmp_path: Path) -> None:
    model = calibrated_model()
    half = model.in_half()
    words = model.source.words
    best, rounded = (
        [found.candidates[0] for found in each.translate(words, k=1)] for each in (model, half)
    )
    same = [one.word == other.word for one, other in zip(best, rounded, strict=True)]
    assert sum(same) >= 0.97 * len(same)
    assert max(abs(a.score - b.score) for a, b in zip(best, rounded, strict=True)) < 0.01
    half.with_answers().save(tmp_path / "m")
    assert load_file(tmp_path / "m" / "tensors.safetensors")["source.vectors"].dtype == torch.half
    loaded = bilex.load(tmp_path / "m")
    assert loaded.contents.half
    assert loaded.source.vectors.dtype == torch.float32
    assert loaded.translate(words) == half.translate(words)
    known = known_answers(tmp_path / "m", reverse=False)
    assert known is not None
    assert known.translate(words, 5) == half.translate(words)
    loaded.save(tmp_path / "n")  # stays half
    assert (tmp_path / "n" / "tensors.safetensors").read_bytes() == (
        tmp_path / "m" / "tensors.safetensors"
    ).read_bytes()


def test_the_whole_model_stays_as_it_is(tmp_path: Path) -> None:
    model = calibrated_model()
    before = model.source.vectors.clone()
    model.in_half()
    assert torch.equal(model.source.vectors, before)
    assert not model.contents.half
