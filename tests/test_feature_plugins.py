"""Features of other packages: listed in [calibration], learned from, saved and loaded by name."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from bilex import LexiconInducer, TrainedModel
from bilex.config import Tables, build_parts, describe_parts, load_preset, override, to_toml
from bilex.errors import ModelFolderError, PluginError, SettingError, UnknownPluginError
from bilex.values import EmbeddingSpace, Lexicon
from third_party import install_package
from twins import make_twins

MODULE = '''
from dataclasses import dataclass

import torch


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """Whether word and candidate have the same number, which decides all in the twins."""

    sign: float = 1.0
    column: str = "same_number"

    @property
    def names(self):
        return (self.column,)

    def columns(self, candidates):
        words = candidates.direction.target.space.words
        rows = [
            [self.sign * (words[i][1:] == word[1:]) for i in ids]
            for word, ids in zip(candidates.queries.words, candidates.lists.ids.tolist())
        ]
        return {"same_number": torch.tensor(rows)}


@dataclass(frozen=True)
class Nothing:
    names = ("nothing",)

    def columns(self, candidates):
        return {"nothing": candidates.lists.scores * float("nan")}
'''
ENTRY_POINTS = (
    "[bilex.feature]\nnumbers = third_party_features:Numbers\n"
    "nothing = third_party_features:Nothing\n"
)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """Return a folder with a package of two features, as pip would have installed it."""
    folder = tmp_path / "site"
    install_package(folder, {"third_party_features": MODULE}, ENTRY_POINTS)
    yield folder
    sys.modules.pop("third_party_features", None)


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(site))


def tables(*assignments: str) -> Tables:
    calibration = {"name": "held-out-seeds", "without": ["strings", "forms"]}
    found: Tables = load_preset("procrustes") | {"calibration": calibration}
    for assignment in assignments:
        found = override(found, assignment)
    return found


def confusing() -> tuple[EmbeddingSpace, EmbeddingSpace, Lexicon, list[str]]:
    """Return twins with so much noise that a map alone is often wrong."""
    twins = make_twins(300, noise=0.7)
    seeds = Lexicon(twins.lexicon.entries[:150])
    return twins.source, twins.target, seeds, [f"s{number}" for number in range(150, 300)]


def right(model: TrainedModel, words: list[str]) -> float:
    answers = model.translate(words, k=1)
    found = [answer.candidates[0].word == f"t{answer.word[1:]}" for answer in answers]
    return sum(found) / len(found)


def test_a_feature_decides_where_the_map_does_not_and_is_saved(site: Path, tmp_path: Path) -> None:
    source, target, seeds, words = confusing()
    folder = tmp_path / "model"
    before = LexiconInducer(tables()).fit(source, target, seeds).model_
    with pytest.MonkeyPatch.context() as there:
        there.syspath_prepend(str(site))
        settings = tables('calibration.features=["numbers"]', "feature.numbers.sign=-2.0")
        model = LexiconInducer(settings).fit(source, target, seeds).model_
        assert right(model, words) > right(before, words) + 0.2
        model.save(folder)
        config = tomllib.loads((folder / "config.toml").read_text(encoding="utf-8"))
        assert config["calibration"]["features"] == ["numbers"]
        assert config["feature"] == {"numbers": {"sign": -2.0, "column": "same_number"}}
        loaded = TrainedModel.load(folder)
        assert loaded.identity == model.identity
        for reverse in (False, True):
            asked = [f"t{word[1:]}" if reverse else word for word in words]
            expected = model.translate(asked, k=3, reverse=reverse)
            assert loaded.translate(asked, k=3, reverse=reverse) == expected
    with pytest.raises(UnknownPluginError, match="no feature plugin is called 'numbers'"):
        TrainedModel.load(folder)


@pytest.mark.usefixtures("installed")
def test_a_model_whose_features_nothing_computes_is_damaged(tmp_path: Path) -> None:
    source, target, seeds, _ = confusing()
    folder = tmp_path / "model"
    settings = tables('calibration.features=["numbers"]')
    LexiconInducer(settings).fit(source, target, seeds).model_.save(folder)
    facts = folder / "candidates.json"
    text = facts.read_text(encoding="utf-8")
    facts.write_text(text.replace("same_number", "other_number"), encoding="utf-8")
    with pytest.raises(ModelFolderError):
        TrainedModel.load(folder)


@pytest.mark.usefixtures("installed")
def test_wrong_columns_are_errors_of_the_plugin() -> None:
    source, target, seeds, _ = confusing()
    for assignments, message in (
        (['calibration.features=["nothing"]'], "third_party_features:Nothing .*finite numbers"),
        (
            ['calibration.features=["numbers"]', "feature.numbers.column=another"],
            "returned the columns same_number, but promised another",
        ),
    ):
        with pytest.raises(PluginError, match=message):
            LexiconInducer(tables(*assignments)).fit(source, target, seeds)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        (["calibration.features=numbers"], "'numbers': expected a list of names"),
        (['calibration.features=["number"]'], r"'number' \(did you mean 'numbers'"),
        (["feature.numbers.sign=1"], "no part of this configuration uses the table .feature"),
        (
            ['calibration.features=["nothing"]', "feature.numbers.sign=1"],
            r"does not name 'numbers', which has a table \[feature\.numbers\]",
        ),
        (
            ['calibration.features=["numbers"]', "feature.numbers.sing=1"],
            r"has no setting 'sing' \(did you mean 'sign'",
        ),
        (["feature.numbers=1"], r"expected feature\.NAME\.SETTING=VALUE"),
        (
            ['calibration.features=["numbers"]', "feature.numbers.column=csls"],
            "two features are called 'csls'",
        ),
        (['calibration.features=["numbers", "numbers"]'], "two features are called 'same_number'"),
        (
            ['calibration.features=["numbers"]', 'calibration.without=["same_numbers"]'],
            r"'same_numbers' \(did you mean 'same_number'",
        ),
    ],
)
def test_wrong_settings_are_errors_that_say_what_is_wrong(
    assignments: list[str], message: str
) -> None:
    with pytest.raises((SettingError, UnknownPluginError), match=message):
        build_parts(tables(*assignments))


@pytest.mark.usefixtures("installed")
def test_settings_of_features_are_described_as_they_are_read() -> None:
    given = tables('calibration.features=["nothing", "numbers"]', "feature.numbers.sign=2")
    described = describe_parts(build_parts(given))
    assert described["feature"] == {"numbers": {"sign": 2.0, "column": "same_number"}}
    assert tomllib.loads(to_toml(described)) == described
    assert describe_parts(build_parts(described)) == described


@pytest.mark.usefixtures("installed")
def test_a_feature_can_be_left_out_by_name() -> None:
    source, target, seeds, words = confusing()
    found = [
        LexiconInducer(tables(*more)).fit(source, target, seeds).model_
        for more in (
            [],
            [
                'calibration.features=["numbers"]',
                'calibration.without=["strings", "forms", "same_number"]',
            ],
        )
    ]
    answers = [model.translate(words, k=2) for model in found]
    assert answers[0] == answers[1]
    assert all(torch.equal(model.mapping.weight, found[0].mapping.weight) for model in found)
