from __future__ import annotations

import dataclasses
import json
import stat
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from bilex import TrainedModel
from bilex.calibration.learning import learn
from bilex.candidates.model import (
    CandidateModels,
    plain_contents,
    read_candidate_models,
    write_candidate_models,
)
from bilex.candidates.scorers import LinearScorer, TreeScorer
from bilex.candidates.word_parts import WordPairs
from bilex.errors import ModelFolderError
from bilex.values import LinearMap
from candidates import calibrated_model, candidate_models, linear_model, synthetic

FEATURES = ("margin", "similarity", "rank")


@pytest.fixture(scope="module", params=[15, 60, 150])
def models(request: pytest.FixtureRequest) -> CandidateModels:
    """Learn with one learner, two, and three to choose from."""
    model = learn(synthetic(request.param, similarity=1.0, both=2.0).labeled, FEATURES)
    assert model is not None
    second = LinearMap(torch.randn(3, 4, generator=torch.Generator().manual_seed(1)), {"step": "x"})
    pairs = WordPairs(torch.tensor([4, 0]), torch.tensor([1, 9]))
    return CandidateModels(second, 7, model, None, ("hear, hear",), pairs)


def test_what_is_written_is_read(models: CandidateModels, tmp_path: Path) -> None:
    write_candidate_models(models, tmp_path)
    found = read_candidate_models(tmp_path)
    assert found is not None
    assert (found.depth, found.warnings, found.backward) == (7, ("hear, hear",), None)
    assert found.second.report == {"step": "x"}
    assert found.pairs is not None
    assert [rows.tolist() for rows in found.pairs] == [[4, 0], [1, 9]]
    assert models.forward is not None
    assert found.forward is not None
    assert found.forward.facts() == models.forward.facts()
    features = synthetic(20, draw=3).labeled.features
    chances = [model.probabilities(features) for model in (models.forward, found.forward)]
    assert torch.equal(*chances)
    (text, tensors), (again, same) = plain_contents(models), plain_contents(found)
    assert text == again
    assert all(torch.equal(tensor, same[name]) for name, tensor in tensors.items())


def test_two_learners_are_read_back_in_their_order(tmp_path: Path) -> None:
    model = learn(synthetic(400, similarity=1.0, both=0.5).labeled, FEATURES)
    assert model is not None
    assert model.learner == "listwise+boosted"
    kinds = [type(scorer) for scorer in model.scorers]
    assert kinds == [LinearScorer] * 5 + [TreeScorer] * 5
    write_candidate_models(CandidateModels(LinearMap(torch.eye(3)), 7, model), tmp_path)
    found = read_candidate_models(tmp_path)
    assert found is not None
    assert found.forward is not None
    assert [type(scorer) for scorer in found.forward.scorers] == kinds
    features = synthetic(20, draw=3).labeled.features
    assert torch.equal(found.forward.probabilities(features), model.probabilities(features))


@pytest.mark.parametrize("name", ["lead", "share"])
def test_a_model_written_without_a_lead_or_share_has_none(
    models: CandidateModels, tmp_path: Path, name: str
) -> None:
    write_candidate_models(models, tmp_path)
    facts = json.loads((tmp_path / "candidates.json").read_text(encoding="utf-8"))
    del facts["forward"][name]
    (tmp_path / "candidates.json").write_text(json.dumps(facts), encoding="utf-8")
    found = read_candidate_models(tmp_path)
    assert found is not None
    assert found.forward is not None
    assert getattr(found.forward, name) == 0


def test_the_lead_over_the_best_rival_changes_the_probability() -> None:
    model = dataclasses.replace(linear_model(("csls",), weight=1.0), lead=0.5)
    odds = torch.tensor([[2.0, 1.0, -1.0], [2.0, -9.0, -9.0]])
    leads = torch.tensor([[1.0, -1.0, -3.0], [3.0, -3.0, -3.0]])  # at most 3 apart
    expected = torch.sigmoid(odds + 0.5 * leads)
    torch.testing.assert_close(model.calibrated(odds), expected)
    torch.testing.assert_close(model.calibrated(odds[:, :1]), torch.sigmoid(odds[:, :1]))
    torch.testing.assert_close(model.probabilities(odds[..., None] + 1), expected)


def test_the_share_among_all_candidates_changes_the_probability() -> None:
    model = dataclasses.replace(linear_model(("csls",), weight=1.0), share=2.0)
    odds = torch.tensor([[2.0, 1.0, -1.0], [2.0, -9.0, -9.0]])
    weights = (odds / 2).exp()
    expected = torch.sigmoid(odds + 2.0 * (weights / weights.sum(1, keepdim=True)).log())
    torch.testing.assert_close(model.calibrated(odds), expected)
    assert float(expected[0, 0]) < float(expected[1, 0])  # it has rivals


def test_same_models_same_bytes_and_same_permissions(
    models: CandidateModels, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_candidate_models(models, tmp_path / name)
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "one").iterdir()}
    assert len(modes) == 1


def test_where_nothing_was_written_nothing_is_read(tmp_path: Path) -> None:
    assert read_candidate_models(tmp_path) is None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    calibrated_model().save(tmp_path / "model")
    return tmp_path / "model"


def assert_refused(folder: Path) -> None:
    with pytest.raises(ModelFolderError, match="is damaged"):
        TrainedModel.load(folder)


@pytest.mark.parametrize("name", ["candidates.json", "candidates.safetensors"])
@pytest.mark.parametrize("content", [None, b"", b"[]", b"{}", b"\xff" * 40])
def test_a_damaged_or_missing_file_is_refused(
    folder: Path, name: str, content: bytes | None
) -> None:
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    assert_refused(folder)


@pytest.mark.parametrize(
    "changes",
    [
        {"candidates": 0},
        {"candidates": "many"},
        {"forward": {}},
        {"forward": []},
        {"forward.learner": "oracle"},
        {"forward.learner": "boosted"},  # other tensors than there are
        {"forward.learner": "listwise+boosted"},
        {"forward.lead": "long"},
        {"forward.features": ["csls", "stars"]},
        {"forward.features": ["csls"]},  # fewer than the scorers weigh
        {"forward.features": []},
        {"forward.slope": "steep"},
        {"forward.report": 3},
        {"second": None, "warnings": None},
    ],
    ids=str,
)
def test_facts_that_do_not_fit_are_refused(folder: Path, changes: dict[str, Any]) -> None:
    path = folder / "candidates.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    for key, value in changes.items():
        *parents, last = key.split(".")
        inner = facts
        for parent in parents:
            inner = inner[parent]
        inner[last] = value
    path.write_text(json.dumps(facts), encoding="utf-8")
    assert_refused(folder)


@pytest.mark.parametrize("change", ["nan", "gone", "shape", "more", "second"])
def test_tensors_that_do_not_fit_are_refused(folder: Path, change: str) -> None:
    path = folder / "candidates.safetensors"
    tensors = load_file(path)
    name = next(name for name in sorted(tensors) if tensors[name].ndim == 1)
    if change == "nan":
        tensors[name] = torch.full_like(tensors[name], torch.nan)
    elif change == "gone":
        del tensors[name]
    elif change == "shape":
        tensors[name] = tensors[name][:-1].contiguous()
    elif change == "more":
        tensors["forward.5.mean"] = tensors[name].clone()
    else:
        tensors["second"] = torch.eye(3)
    save_file(tensors, path)
    assert_refused(folder)


@pytest.mark.parametrize(
    "pairs",
    [
        torch.tensor([[0, 10_000], [0, 1]]),
        torch.tensor([[0, 1], [-1, 1]]),
        torch.zeros(2, 3),
        torch.zeros(3, 2, dtype=torch.int32),
        torch.zeros(2, dtype=torch.int32),
    ],
    ids=["beyond the vocabulary", "negative", "no integers", "three rows", "one list"],
)
def test_pairs_that_are_no_rows_of_both_vocabularies_are_refused(
    folder: Path, pairs: torch.Tensor
) -> None:
    path = folder / "candidates.safetensors"
    save_file({**load_file(path), "pairs": pairs}, path)
    assert_refused(folder)


def test_a_loaded_model_does_not_search_its_pairs_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("bilex.candidates.lists.find_pairs")
    model = calibrated_model()
    words = model.source.words[:5]
    assert TrainedModel.load(folder).translate(words) == model.translate(words)


def test_a_model_that_learned_no_probabilities_keeps_its_warnings(tmp_path: Path) -> None:
    bare = dataclasses.replace(candidate_models(calibrated_model()), forward=None, backward=None)
    write_candidate_models(bare, tmp_path)
    found = read_candidate_models(tmp_path)
    assert found is not None
    assert (found.forward, found.backward, found.warnings) == (None, None, bare.warnings)
