"""Ratings of a cross-encoder, with a package of the same form in place of sentence-transformers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bilex import LexiconInducer
from bilex.config import Tables, load_preset, override
from bilex.errors import MissingExtraError, SettingError
from bilex.evidence import cross_encoder
from bilex.evidence.cross_encoder import CrossEncoder
from bilex.values import Lexicon
from twins import make_twins


class FakeEncoder:
    """Knows that words with the same number are translations, and which language comes first."""

    rated: list[tuple[str, str]] = []  # noqa: RUF012 - of all instances
    labels = 1

    def __init__(self, name: str, *, device: str) -> None:
        assert device == "cpu"
        self.name = name

    def predict(self, pairs: list[tuple[str, str]], **options: object) -> np.ndarray:
        assert options["convert_to_numpy"]
        assert all(one[0] == "s" and other[0] == "t" for one, other in pairs)
        self.rated.extend(pairs)
        found = np.array([float(one[1:] == other[1:]) for one, other in pairs], np.float32)
        return found if self.labels == 1 else np.stack([found] * self.labels, axis=1)


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    fake = SimpleNamespace(CrossEncoder=FakeEncoder)
    monkeypatch.setitem(sys.modules, "sentence_transformers", fake)
    FakeEncoder.rated.clear()
    cross_encoder._ratings.cache_clear()
    yield
    cross_encoder._ratings.cache_clear()


def tables(cache: Path) -> Tables:
    calibration = {"name": "held-out-seeds", "without": ["strings"]}
    found: Tables = load_preset("procrustes") | {"calibration": calibration}
    found = override(found, 'calibration.features=["cross-encoder"]')
    found = override(found, "feature.cross-encoder.model=some/model")
    return override(found, f'feature.cross-encoder.cache="{cache.as_posix()}"')


@pytest.mark.usefixtures("package")
def test_ratings_are_learned_from_and_each_pair_is_rated_once_in_one_order(tmp_path: Path) -> None:
    twins = make_twins(200, noise=0.6)
    seeds, gold = Lexicon(twins.lexicon.entries[:100]), Lexicon(twins.lexicon.entries[100:])
    model = LexiconInducer(tables(tmp_path)).fit(twins.source, twins.target, seeds).model_
    scores = model.evaluate(gold).scores
    assert scores["calibrated"].p_at_1 > scores["csls"].p_at_1 + 0.1
    assert len(FakeEncoder.rated) == len(set(FakeEncoder.rated))

    before = len(FakeEncoder.rated)
    cross_encoder._ratings.cache_clear()  # as in another process
    again = LexiconInducer(tables(tmp_path)).fit(twins.source, twins.target, seeds).model_
    assert again.evaluate(gold).scores == scores
    assert len(FakeEncoder.rated) == before


@pytest.mark.usefixtures("package")
def test_a_model_of_a_folder_that_was_changed_rates_again(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    settings = CrossEncoder(model=str(folder), cache=str(tmp_path / "kept"))
    pairs = [("s1", "t1"), ("s1", "t2")]
    assert cross_encoder._ratings(settings).rate(pairs) == {pairs[0]: 1.0, pairs[1]: 0.0}
    cross_encoder._ratings.cache_clear()
    (folder / "weights").write_text("new")
    assert cross_encoder._ratings(settings).rate(pairs) == {pairs[0]: 1.0, pairs[1]: 0.0}
    assert FakeEncoder.rated == [*pairs, *pairs]


@pytest.mark.usefixtures("package")
def test_a_model_with_several_labels_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeEncoder, "labels", 3)
    settings = CrossEncoder(model="some/model", cache=str(tmp_path))
    with pytest.raises(SettingError, match=r"shape \(2, 3\) for 2 pairs, expected one number"):
        cross_encoder._ratings(settings).rate([("s1", "t1"), ("s2", "t2")])


def test_without_the_package_or_a_model_it_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    settings = CrossEncoder(model="some/model", cache=str(tmp_path))
    with pytest.raises(MissingExtraError, match="cross-encoder needs the sentence_transformers"):
        cross_encoder._Ratings(settings).rate([("s1", "t1")])
    with pytest.raises(SettingError, match=r"cross-encoder\.model is not set"):
        CrossEncoder()


def test_the_cost_names_the_model_and_the_largest_number_of_pairs() -> None:
    cost = CrossEncoder(model="some/model", candidates=5).cost(1_000)
    assert cost == "up to 5,000 pairs are rated by some/model on cpu"
