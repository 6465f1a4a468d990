from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
import torch

import bilex
from bilex import LexiconInducer, TrainedModel
from bilex.errors import (
    DimensionError,
    EmptyLexiconError,
    ModelFolderError,
    NotFittedError,
    SettingError,
    UnknownPluginError,
)
from bilex.model.folder import FILES, read_model
from bilex.oov import Lemmas, Subwords
from bilex.retrieval import Nearest
from bilex.values import Decisions, EmbeddingSpace, Lexicon, Vector
from candidates import calibrated_method
from twins import Twins, make_twins


@pytest.fixture
def fitted(twins: Twins) -> TrainedModel:
    seeds = Lexicon(twins.lexicon.entries[:20])
    return LexiconInducer("procrustes").fit(twins.source, twins.target, seeds).model_


def best(model: TrainedModel, word: str, *, reverse: bool = False) -> str:
    return model.translate([word], k=1, reverse=reverse)[0].candidates[0].word


def test_it_translates_words_it_was_not_given(fitted: TrainedModel) -> None:
    assert all(best(fitted, f"s{i}") == f"t{i}" for i in range(60))
    assert all(best(fitted, f"t{i}", reverse=True) == f"s{i}" for i in range(60))


def test_answers_come_in_order_and_unknown_words_have_none(fitted: TrainedModel) -> None:
    results = fitted.translate(["s3", "?", "s3", "s1"], k=2)
    assert [result.word for result in results] == ["s3", "?", "s3", "s1"]
    assert [len(result.candidates) for result in results] == [2, 0, 2, 2]
    assert results[0] == results[2]
    assert fitted.translate(["?"])[0].candidates == ()
    assert fitted.translate([]) == []


def test_transform_carries_raw_vectors_to_their_twins(fitted: TrainedModel, twins: Twins) -> None:
    mapped = fitted.transform(twins.source.vectors)
    rows = fitted.target.rows([f"t{i}" for i in range(60)])
    torch.testing.assert_close(mapped, fitted.target.vectors[rows], atol=1e-4, rtol=0)
    with pytest.raises(DimensionError):
        fitted.transform(torch.zeros(2, 5))


def test_induce_yields_every_word_once_with_ranks(fitted: TrainedModel) -> None:
    seen: list[tuple[int, int]] = []
    entries = list(fitted.induce(k=3, on_block=lambda done, total: seen.append((done, total))))
    assert [entry.source for entry in entries[::3]] == list(fitted.source.words)
    assert [entry.rank for entry in entries[:6]] == [1, 2, 3, 1, 2, 3]
    assert all(entry.mutual == (entry.rank == 1) for entry in entries)
    assert seen[-1] == (180, 180)
    backward = list(fitted.induce(reverse=True))
    assert {(e.target, e.source) for e in backward} == {
        (e.source, e.target) for e in entries if e.rank == 1
    }


def test_mutual_means_both_prefer_each_other() -> None:
    source = EmbeddingSpace(("a", "b"), torch.tensor([[1.0, 0.0], [0.96, 0.28]]))
    target = EmbeddingSpace(("x", "y"), torch.tensor([[1.0, 0.0], [-1.0, 0.1]]))
    method = {
        "preprocessing": {"name": "unit"},
        "strategy": {"name": "single"},
        "supervised": {"name": "procrustes"},
        "retrieval": {"name": "nearest"},
    }
    model = LexiconInducer(method).fit(source, target, Lexicon.of([("a", "x")])).model_
    entries = {entry.source: entry for entry in model.induce()}
    assert {s: (e.target, e.mutual) for s, e in entries.items()} == {
        "a": ("x", True),
        "b": ("x", False),
    }


def test_spaces_may_differ_in_dimensions() -> None:
    twins = make_twins(300, source_dim=12, dim=8)
    model = LexiconInducer("procrustes").fit(twins.source, twins.target, twins.lexicon).model_
    right = sum(best(model, f"s{i}") == f"t{i}" for i in range(300))
    assert right > 150  # a third of the dimensions is lost, so not all can be right


def test_a_saved_model_translates_to_the_last_bit_alike(
    fitted: TrainedModel, tmp_path: Path
) -> None:
    fitted.save(tmp_path / "model")
    loaded = TrainedModel.load(tmp_path / "model")
    words = list(fitted.source.words)
    assert loaded.translate(words) == fitted.translate(words)
    assert list(loaded.induce(k=2)) == list(fitted.induce(k=2))
    assert loaded.translate(["t1"], reverse=True) == fitted.translate(["t1"], reverse=True)
    assert loaded.seeds == fitted.seeds
    raw = torch.ones(1, 8)
    assert torch.equal(loaded.transform(raw), fitted.transform(raw))


def test_an_index_may_keep_tensors_that_share_memory_with_the_vectors(
    twins: Twins, tmp_path: Path
) -> None:
    inducer = LexiconInducer("procrustes", retrieval=Nearest())
    model = inducer.fit(twins.source, twins.target, twins.lexicon).model_
    state = {"all": model.target.vectors, "some": model.target.vectors[3:9, :2]}
    contents = dataclasses.replace(model.contents, retrieval_state=state)
    dataclasses.replace(model, contents=contents).save(tmp_path / "model")
    kept = read_model(tmp_path / "model").retrieval_state
    assert kept.keys() == state.keys()
    assert all(torch.equal(kept[name], tensor) for name, tensor in state.items())


def test_same_seed_same_bytes(twins: Twins, tmp_path: Path) -> None:
    for name in ("one", "two"):
        inducer = LexiconInducer("procrustes").fit(twins.source, twins.target, twins.lexicon)
        inducer.model_.save(tmp_path / name)
    first = sorted((tmp_path / "one").iterdir())
    assert [path.name for path in first] == [p.name for p in sorted((tmp_path / "two").iterdir())]
    for path in first:
        if path.name == "report.json":  # has the time it took
            continue
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_words_keep_their_odd_characters(tmp_path: Path) -> None:
    words = ("a\u2028b", "c\u00a0d", "e f", "\ufeffg", "h\r")
    source = EmbeddingSpace(words, torch.eye(5))
    target = EmbeddingSpace(words[::-1], torch.eye(5).flip(0))
    inducer = LexiconInducer("procrustes").fit(
        source, target, Lexicon.of([(w, w) for w in words[:4]])
    )
    inducer.model_.save(tmp_path / "model")
    loaded = TrainedModel.load(tmp_path / "model")
    assert loaded.source.words == words
    assert [best(loaded, word) for word in words] == list(words)


class OneWord:
    """Knows one word that is not in the vocabulary."""

    def __init__(self, vector: Vector) -> None:
        self._vector = vector

    def vector(self, word: str) -> Vector | None:
        return self._vector if word == "new" else None


def test_subwords_translate_unknown_words(fitted: TrainedModel, twins: Twins) -> None:
    for vectors, reverse, answer in (
        (twins.source.vectors, False, "t7"),
        (twins.target.vectors, True, "s" + twins.target.words[7][1:]),
    ):
        resolvers = [Subwords(OneWord(vectors[7]))]
        made, unknown = fitted.translate(["new", "newer"], reverse=reverse, resolvers=resolvers)
        assert (made.candidates[0].word, made.how) == (answer, "subwords")
        assert (unknown.candidates, unknown.how) == ((), "unknown")
    assert fitted.translate(["new"])[0].candidates == ()


def test_subwords_that_came_with_the_vectors_are_used_last(twins: Twins) -> None:
    source = dataclasses.replace(twins.source, subwords=OneWord(twins.source.vectors[7]))
    able = LexiconInducer("procrustes").fit(source, twins.target, twins.lexicon).model_
    assert best(able, "new") == "t7"
    lemma = able.translate(["new"], k=1, resolvers=[Lemmas({"new": "s3"}.get)])[0]
    assert (lemma.candidates[0].word, lemma.how, lemma.parts) == ("t3", "lemma", ("s3",))


def test_a_ranker_uses_another_retriever(fitted: TrainedModel) -> None:
    nearest = fitted.ranker(Nearest())
    result = nearest(["s5"], 1)[0]
    assert result.candidates[0].word == "t5"
    assert result.candidates[0].score == pytest.approx(1.0, abs=1e-4)


def test_parts_can_be_replaced_by_instances(twins: Twins) -> None:
    inducer = LexiconInducer("procrustes", retrieval=Nearest())
    model = inducer.fit(twins.source, twins.target, twins.lexicon).model_
    assert model.translate(["s1"])[0].candidates[0].score <= 1.0 + 1e-5
    assert model.retriever == Nearest()
    assert model.contents.config["retrieval"] == {"name": "nearest"}


def test_uncovered_seeds_are_an_error_with_the_reason(twins: Twins) -> None:
    unknown = Lexicon.of([(f"x{i}", f"t{i}") for i in range(9)])
    with pytest.raises(EmptyLexiconError, match=r"none of the 9 seed pairs.*60 source words"):
        LexiconInducer("procrustes").fit(twins.source, twins.target, unknown)


def test_before_fit_there_is_no_model(twins: Twins) -> None:
    inducer = LexiconInducer("procrustes")
    with pytest.raises(NotFittedError, match=r"the model is not trained yet: call fit\(\) first"):
        _ = inducer.model_
    assert inducer.fit(twins.source, twins.target, twins.lexicon) is inducer
    assert isinstance(inducer.model_, TrainedModel)


def test_one_call_is_enough_to_train_and_one_to_load(twins: Twins, tmp_path: Path) -> None:
    model = bilex.fit(twins.source, twins.target, twins.lexicon, preset="procrustes")
    assert isinstance(model, TrainedModel)
    assert best(model, "s5") == "t5"
    model.save(tmp_path / "model")
    loaded = bilex.load(tmp_path / "model")
    assert loaded.translate(["s5"]) == model.translate(["s5"])
    assert loaded.identity == model.identity


def test_a_single_text_is_not_a_list_of_words(fitted: TrainedModel) -> None:
    with pytest.raises(
        SettingError, match=r"words is the text 's1': give a list of words, \['s1'\]"
    ):
        fitted.translate("s1")


def test_a_model_describes_itself(fitted: TrainedModel) -> None:
    assert repr(fitted) == "TrainedModel(60 source words, 60 target words, without probabilities)"
    found = fitted.to_dict()
    assert json.loads(json.dumps(found)) == found
    assert (found["id"], found["pairs"], found["pairs_used"]) == (fitted.identity, 20, 20)


def test_a_models_own_ranking_is_one_of_its_rankers(fitted: TrainedModel, twins: Twins) -> None:
    assert fitted.own_ranking == "csls"
    for reverse, word in ((False, "s3"), (True, "t3")):
        rankers = fitted.rankers(reverse=reverse)
        assert list(rankers) == ["csls", "nearest"]
        assert rankers["csls"]([word], 4) == fitted.translate([word], k=4, reverse=reverse)
    inducer = LexiconInducer(calibrated_method(), retrieval=Nearest())
    calibrated = inducer.fit(twins.source, twins.target, twins.lexicon).model_
    assert calibrated.own_ranking == "calibrated"
    assert set(calibrated.rankers()) == {"csls", "nearest", "calibrated"}


def test_check_finds_wrong_settings_before_any_data_are_read() -> None:
    LexiconInducer().check()
    with pytest.raises(SettingError, match="no preset is called 'procrustis'"):
        LexiconInducer("procrustis").check()
    with pytest.raises(UnknownPluginError, match="no start plugin is called 'nowhere'"):
        LexiconInducer(start="nowhere").check()
    with pytest.raises(SettingError, match="device 'nonsense' cannot be used here"):
        LexiconInducer(device="nonsense").check()


def test_an_unusable_device_is_an_error(twins: Twins) -> None:
    with pytest.raises(SettingError, match="device 'nonsense' cannot be used here"):
        LexiconInducer(device="nonsense").fit(twins.source, twins.target, twins.lexicon)


def test_saving_never_replaces_what_is_not_a_model(fitted: TrainedModel, tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    with pytest.raises(SettingError, match="exists and is not a model"):
        fitted.save(tmp_path)
    with pytest.raises(SettingError, match="is a file"):
        fitted.save(tmp_path / "precious")
    (tmp_path / "empty").mkdir()
    fitted.save(tmp_path / "empty")
    fitted.save(tmp_path / "empty")
    assert TrainedModel.load(tmp_path / "empty")


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["manifest.json"], "exists and is not a model"),  # as web pages have one
        (["manifest.json", "config.toml", "report.json"], "exists and is not a model"),
        ([*FILES, "notes.txt"], r"is a model, but holds notes\.txt, which would be lost: move it"),
        ([*FILES, ".git"], r"holds \.git, which would be lost"),
    ],
)
def test_saving_never_loses_what_is_not_of_a_model(
    fitted: TrainedModel, tmp_path: Path, names: list[str], problem: str
) -> None:
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(SettingError, match=problem):
        fitted.save(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(names)


def test_saving_does_not_mind_what_file_managers_leave(
    fitted: TrainedModel, tmp_path: Path
) -> None:
    for _ in range(2):
        (tmp_path / ".DS_Store").touch()
        fitted.save(tmp_path)
    assert TrainedModel.load(tmp_path)


def damage_manifest(folder: Path, **changes: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("manifest.json", b"{", "is damaged"),
        ("manifest.json", b"[]", "is damaged"),
        ("manifest.json", b"{}", "is damaged"),
        ("config.toml", b"x = [", "is damaged"),
        ("tensors.safetensors", b"", "is damaged"),
        ("tensors.safetensors", b"\xff" * 100, "is damaged"),
        ("source.txt", b"a\nb\n", "not the vocabulary this model was made with"),
        ("target.txt", b"\xff\n", "is damaged"),
    ],
)
def test_a_damaged_model_is_refused(
    fitted: TrainedModel, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    fitted.save(tmp_path / "model")
    (tmp_path / "model" / name).write_bytes(content)
    with pytest.raises(ModelFolderError, match=message):
        TrainedModel.load(tmp_path / "model")


def test_other_formats_and_missing_files_are_refused(fitted: TrainedModel, tmp_path: Path) -> None:
    with pytest.raises(ModelFolderError, match="no such folder"):
        TrainedModel.load(tmp_path / "absent")
    with pytest.raises(ModelFolderError, match=r"has no config\.toml"):
        TrainedModel.load(tmp_path)
    fitted.save(tmp_path / "model")
    damage_manifest(tmp_path / "model", format=99)
    with pytest.raises(ModelFolderError, match="has format 99, this bilex reads format 2"):
        TrainedModel.load(tmp_path / "model")


def test_tensors_must_fit_and_be_finite(fitted: TrainedModel, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    fitted.save(tmp_path / "model")
    path = tmp_path / "model" / "tensors.safetensors"
    tensors = load_file(path)
    for name, wrong in {
        "map": torch.zeros(3, 3),
        "retrieval.source_means": torch.zeros(2),
        "retrieval.target_means": torch.full((60,), torch.nan),
        "target.vectors": torch.full((60, 8), torch.nan),
        "source.vectors": torch.zeros(60, 8, dtype=torch.float64),
    }.items():
        save_file({**tensors, name: wrong}, path)
        with pytest.raises(ModelFolderError, match="is damaged"):
            TrainedModel.load(tmp_path / "model")
    for name in ("map", "source.vectors", "retrieval.source_means"):
        save_file({key: tensor for key, tensor in tensors.items() if key != name}, path)
        with pytest.raises(ModelFolderError, match="is damaged"):
            TrainedModel.load(tmp_path / "model")


def test_seeds_with_articles_are_used_without_them() -> None:
    twins = make_twins(60)
    written = [(f"the s{i}", f"t{i}") for i in range(30)]
    model = bilex.fit(twins.source, twins.target, Lexicon.of(written), preset="procrustes")
    assert model.contents.seeds.entries[0].source == "s0"
    assert model.translate(["s40"], k=1)[0].candidates[0].word == "t40"


def in_capitals(lexicon: Lexicon) -> Lexicon:
    return Lexicon.of([(entry.source.upper(), entry.target.upper()) for entry in lexicon.entries])


def test_seeds_are_used_in_the_case_of_the_vocabulary(twins: Twins) -> None:
    seeds = Lexicon(twins.lexicon.entries[:20])
    usual = bilex.fit(twins.source, twins.target, seeds, preset="procrustes")
    found = bilex.fit(twins.source, twins.target, in_capitals(seeds), preset="procrustes")

    assert found.seeds.entries == seeds.entries
    torch.testing.assert_close(found.mapping.weight, usual.mapping.weight, rtol=0, atol=0)


def test_exact_case_uses_seeds_as_they_are_written(twins: Twins) -> None:
    seeds = in_capitals(Lexicon(twins.lexicon.entries[:20]))

    with pytest.raises(EmptyLexiconError):
        bilex.fit(twins.source, twins.target, seeds, preset="procrustes", any_case=False)


def test_decisions_count_in_other_case(twins: Twins) -> None:
    right = twins.lexicon.entries[:20]
    seeds = Lexicon.of([(e.source.upper(), e.target.upper()) for e in right[:10]] + [("S1", "T2")])
    decisions = Decisions(
        accepted=in_capitals(Lexicon(right[10:])), rejected=frozenset({("s1", "T2")})
    )
    inducer = LexiconInducer("procrustes")
    model = inducer.fit(twins.source, twins.target, seeds, decisions=decisions).model_

    assert {e[:2] for e in model.seeds.entries} == {e[:2] for e in right}


def test_a_checkpoint_belongs_to_the_way_that_seeds_are_matched(
    twins: Twins, tmp_path: Path
) -> None:
    runs = {
        LexiconInducer("procrustes", any_case=any_case)
        .checkpoint(tmp_path / "c", twins.source, twins.target, twins.lexicon)
        .run
        for any_case in (True, False)
    }
    assert len(runs) == 2
