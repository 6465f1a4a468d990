"""Answers worked out beforehand: the same as computed ones, kept with the model, read anew."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import bilex
from bilex.answers import AnswerTable
from bilex.answers.table import Array
from bilex.errors import ModelFolderError
from bilex.model import TrainedModel
from bilex.oov import AnyCase
from bilex.storage.answer_file import ANSWERS, known_answers
from candidates import calibrated_model
from conftest_types import Bilex
from twins import make_twins


def uncalibrated() -> TrainedModel:
    twins = make_twins(60, dim=8, noise=0.2)
    return bilex.fit(twins.source, twins.target, twins.lexicon, preset="procrustes")


@pytest.fixture(scope="module", params=["calibrated", "uncalibrated"])
def model(request: pytest.FixtureRequest) -> TrainedModel:
    return calibrated_model() if request.param == "calibrated" else uncalibrated()


@pytest.fixture(scope="module")
def answered(model: TrainedModel) -> TrainedModel:
    return model.with_answers()


@pytest.mark.parametrize("reverse", [False, True])
def test_answers_are_those_of_the_model(
    model: TrainedModel, answered: TrainedModel, reverse: bool
) -> None:
    words = [*(model.target if reverse else model.source).words, "nobody knows"]
    for k in (1, 5, 10, 1_000):  # with more than are kept, the model computes
        assert answered.translate(words, k=k, reverse=reverse) == model.translate(
            words, k=k, reverse=reverse
        )
    assert list(answered.induce(reverse=reverse)) == list(model.induce(reverse=reverse))
    assert list(answered.induce(k=15, reverse=reverse)) == list(model.induce(k=15, reverse=reverse))


def test_a_word_alone_is_answered_as_among_others(model: TrainedModel) -> None:
    words = model.source.words
    together = model.translate(words, k=7)
    assert [model.translate([word], k=7)[0] for word in words] == together


def test_unknown_words_still_go_to_resolvers(model: TrainedModel, answered: TrainedModel) -> None:
    word = model.source.words[3].upper()
    found = answered.translate([word], resolvers=[AnyCase()])
    assert found == model.translate([word], resolvers=[AnyCase()])
    assert found[0].how == "case"


@pytest.mark.parametrize("reverse", [False, True])
def test_a_saved_model_keeps_its_answers(
    answered: TrainedModel, reverse: bool, tmp_path: Path
) -> None:
    answered.save(tmp_path / "m")
    loaded = bilex.load(tmp_path / "m")
    assert loaded.identity == answered.identity
    for name, array in answered.contents.answers[reverse].arrays().items():
        np.testing.assert_array_equal(loaded.contents.answers[reverse].arrays()[name], array)
    known = known_answers(tmp_path / "m", reverse=reverse)
    assert known is not None
    words = [*known.words, "nobody knows"]
    assert known.translate(words, 4) == answered.translate(words, k=4, reverse=reverse)
    answered.save(tmp_path / "m")  # over itself: nothing in the folder is foreign to it
    assert sorted(path.name for path in (tmp_path / "m").iterdir()).count(ANSWERS) == 1


def test_a_model_without_answers_has_none(model: TrainedModel, tmp_path: Path) -> None:
    model.save(tmp_path / "m")
    assert not (tmp_path / "m" / ANSWERS).exists()
    assert known_answers(tmp_path / "m", reverse=False) is None
    assert known_answers(tmp_path / "no such", reverse=False) is None


def _ids_out_of_range(arrays: dict[str, Array]) -> None:
    arrays["forward.ids"][0, 0] = 1_000_000


def _wrong_shape(arrays: dict[str, Array]) -> None:
    arrays["forward.scores"] = arrays["forward.scores"][1:].copy()


def _wrong_type(arrays: dict[str, Array]) -> None:
    arrays["forward.scores"] = arrays["forward.scores"].astype(np.float64)


def _not_finite(arrays: dict[str, Array]) -> None:
    arrays["backward.scores"][0, 0] = np.nan


def _missing(arrays: dict[str, Array]) -> None:
    del arrays["backward.ids"]


@pytest.mark.parametrize(
    "damage", [_ids_out_of_range, _wrong_shape, _wrong_type, _not_finite, _missing]
)
def test_damaged_answers_are_an_error(
    damage: Callable[[dict[str, Array]], None], tmp_path: Path
) -> None:
    model = uncalibrated().with_answers()
    model.save(tmp_path / "m")
    arrays = load_file(tmp_path / "m" / ANSWERS)
    damage(arrays)
    save_file(arrays, tmp_path / "m" / ANSWERS, metadata={"model": model.identity})
    with pytest.raises(ModelFolderError, match="is damaged"):
        known_answers(tmp_path / "m", reverse=False)
    with pytest.raises(ModelFolderError, match="is damaged"):
        bilex.load(tmp_path / "m")


def test_answers_of_another_model_are_an_error(tmp_path: Path) -> None:
    one, other = uncalibrated(), uncalibrated()
    changed = replace(other.mapping, weight=other.mapping.weight * 2)
    other = replace(other, contents=replace(other.contents, mapping=changed))
    for name, model in (("one", one), ("other", other)):
        model.with_answers().save(tmp_path / name)
    shutil.copy(tmp_path / "other" / ANSWERS, tmp_path / "one" / ANSWERS)
    with pytest.raises(ModelFolderError, match="the answers are those of another model"):
        known_answers(tmp_path / "one", reverse=False)


def test_a_table_of_fewer_candidates_than_wanted_answers_with_all() -> None:
    table = AnswerTable(
        np.array([[1, 0]], dtype=np.int32),
        np.array([[0.5, 0.25]], dtype=np.float32),
        np.ones((1, 2), dtype=np.int16),
        None,
    )
    assert [found.word for found in table.candidates([0], 9, ["a", "b"])[0]] == ["b", "a"]


def test_the_command_looks_words_up_without_torch(tmp_path: Path, bilex: Bilex) -> None:
    calibrated_model().with_answers().save(tmp_path / "m")
    script = (
        "import sys; sys.argv[1:] = ['translate', 'm', 's1', 'unknown', '--json'];"
        "from bilex.cli.app import app; app(standalone_mode=False);"
        "assert 'torch' not in sys.modules, 'torch was imported'"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "'unknown' is not in the vocabulary" in done.stderr
    (tmp_path / "m" / ANSWERS).unlink()
    slowly = bilex("translate", "m", "s1", "unknown", "--json")
    assert list(map(json.loads, done.stdout.splitlines())) == list(
        map(json.loads, slowly.out.splitlines())
    )


def test_fit_keeps_answers_unless_told_not_to(tmp_path: Path, bilex: Bilex) -> None:
    from bilex.embeddings import save_embeddings
    from bilex.lexicons import write_lexicon

    twins = make_twins(40, dim=4)
    save_embeddings(twins.source, tmp_path / "s.vec")
    save_embeddings(twins.target, tmp_path / "t.vec")
    write_lexicon(twins.lexicon, tmp_path / "seeds.tsv")
    fit = ("fit", "s.vec", "t.vec", "seeds.tsv", "--preset", "procrustes", "-o")
    assert bilex(*fit, "m").code == 0
    assert (tmp_path / "m" / ANSWERS).exists()
    assert bilex(*fit, "n", "--no-answers").code == 0
    assert not (tmp_path / "n" / ANSWERS).exists()
    for more in ((), ("--reverse",), ("-k", "40"), ("--threads", "1")):
        words = ("t1", "t2") if "--reverse" in more else ("s1", "s2")
        found, computed = (bilex("translate", name, *words, *more) for name in "mn")
        assert found.code == computed.code == 0
        assert found.out == computed.out
    assert bilex("translate", "m", "s1", "--probabilities").code == 2
