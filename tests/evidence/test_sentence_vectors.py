"""Cosines of sentence-transformers, with a package of the same form in its place."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import torch

from bilex import LexiconInducer
from bilex.config import Tables, load_preset, override
from bilex.errors import MissingExtraError, SettingError
from bilex.evidence import sentence_vectors
from bilex.evidence.sentence_vectors import SentenceVectors
from bilex.values import Lexicon
from twins import make_twins


class FakeTransformer:
    """Encodes a word by its number, so that the twins of both languages are the same."""

    encoded: list[str] = []  # noqa: RUF012 - of all instances

    def __init__(self, name: str, *, device: str) -> None:
        assert (name, device) == ("some/model", "cpu")

    def encode(self, words: list[str], **options: object) -> torch.Tensor:
        assert options["normalize_embeddings"]
        assert options["convert_to_tensor"]
        self.encoded.extend(words)
        rows = [
            torch.randn(16, generator=torch.Generator().manual_seed(int(word[1:])))
            for word in words
        ]
        return torch.nn.functional.normalize(torch.stack(rows)).double()


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    fake = SimpleNamespace(SentenceTransformer=FakeTransformer)
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)
    FakeTransformer.encoded.clear()
    yield
    sentence_vectors._encoder.cache_clear()


def tables() -> Tables:
    calibration = {"name": "held-out-seeds", "without": ["strings"]}
    found: Tables = load_preset("procrustes") | {"calibration": calibration}
    found = override(found, 'calibration.features=["sentence-vectors"]')
    return override(found, "feature.sentence-vectors.model=some/model")


@pytest.mark.usefixtures("package")
def test_the_cosines_are_learned_from_and_each_word_is_encoded_once() -> None:
    twins = make_twins(200, noise=0.6)
    seeds, gold = Lexicon(twins.lexicon.entries[:100]), Lexicon(twins.lexicon.entries[100:])
    model = LexiconInducer(tables()).fit(twins.source, twins.target, seeds).model_
    scores = model.evaluate(gold).scores
    assert scores["calibrated"].p_at_1 > scores["csls"].p_at_1 + 0.1
    assert len(FakeTransformer.encoded) == len(set(FakeTransformer.encoded))


@pytest.mark.usefixtures("package")
def test_words_that_no_longer_fit_into_memory_are_encoded_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sentence_vectors, "_KEPT_WORDS", 2)
    encoder = sentence_vectors._encoder(SentenceVectors(model="some/model"))
    first = encoder.encode(["s1", "s2", "s1"])
    second = encoder.encode(["s3", "s1"])
    assert torch.equal(first[0], first[2])
    assert torch.equal(first[0], second[1])
    assert FakeTransformer.encoded == ["s1", "s2", "s3", "s1"]


def test_without_the_package_or_a_model_it_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match="sentence-vectors needs the sentence_transformers"):
        sentence_vectors._encoder(SentenceVectors(model="some/model"))
    with pytest.raises(SettingError, match=r"sentence-vectors\.model is not set"):
        SentenceVectors()
