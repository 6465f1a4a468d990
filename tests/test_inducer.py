from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
import torch

from bilex import LexiconInducer
from bilex.errors import (
    DimensionError,
    EmptyLexiconError,
    ModelFolderError,
    NotFittedError,
    SettingError,
)
from bilex.model_folder import FILES
from bilex.retrieval import Nearest
from bilex.unknown_words import Lemmas, Subwords
from bilex.values import EmbeddingSpace, Lexicon, Vector
from twins import Twins, make_twins


@pytest.fixture
def fitted(twins: Twins) -> LexiconInducer:
    return LexiconInducer("procrustes").fit(
        twins.source, twins.target, Lexicon(twins.lexicon.entries[:20])
    )


def best(inducer: LexiconInducer, word: str, *, reverse: bool = False) -> str:
    return inducer.translate([word], k=1, reverse=reverse)[0].candidates[0].word


def test_it_translates_words_it_was_not_given(fitted: LexiconInducer) -> None:
    assert all(best(fitted, f"s{i}") == f"t{i}" for i in range(60))
    assert all(best(fitted, f"t{i}", reverse=True) == f"s{i}" for i in range(60))


def test_answers_come_in_order_and_unknown_words_have_none(fitted: LexiconInducer) -> None:
    results = fitted.translate(["s3", "?", "s3", "s1"], k=2)
    assert [result.word for result in results] == ["s3", "?", "s3", "s1"]
    assert [len(result.candidates) for result in results] == [2, 0, 2, 2]
    assert results[0] == results[2]
    assert fitted.translate(["?"])[0].candidates == ()
    assert fitted.translate([]) == []


def test_transform_carries_raw_vectors_to_their_twins(fitted: LexiconInducer, twins: Twins) -> None:
    mapped = fitted.transform(twins.source.vectors)
    rows = fitted.target_.rows([f"t{i}" for i in range(60)])
    torch.testing.assert_close(mapped, fitted.target_.vectors[rows], atol=1e-4, rtol=0)
    with pytest.raises(DimensionError):
        fitted.transform(torch.zeros(2, 5))


def test_induce_yields_every_word_once_with_ranks(fitted: LexiconInducer) -> None:
    seen: list[tuple[int, int]] = []
    entries = list(fitted.induce(k=3, on_block=lambda done, total: seen.append((done, total))))
    assert [entry.source for entry in entries[::3]] == list(fitted.source_.words)
    assert [entry.rank for entry in entries[:6]] == [1, 2, 3, 1, 2, 3]
    assert all(entry.mutual == (entry.rank == 1) for entry in entries)
    assert seen[-1] == (120, 120)
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
    inducer = LexiconInducer(method).fit(source, target, Lexicon.of([("a", "x")]))
    entries = {entry.source: entry for entry in inducer.induce()}
    assert {s: (e.target, e.mutual) for s, e in entries.items()} == {
        "a": ("x", True),
        "b": ("x", False),
    }


def test_spaces_may_differ_in_dimensions() -> None:
    twins = make_twins(300, source_dim=12, dim=8)
    inducer = LexiconInducer("procrustes").fit(twins.source, twins.target, twins.lexicon)
    right = sum(best(inducer, f"s{i}") == f"t{i}" for i in range(300))
    assert right > 150  # a third of the dimensions is lost, so not all can be right


def test_a_saved_model_translates_to_the_last_bit_alike(
    fitted: LexiconInducer, tmp_path: Path
) -> None:
    fitted.save(tmp_path / "model")
    loaded = LexiconInducer.load(tmp_path / "model")
    words = list(fitted.source_.words)
    assert loaded.translate(words) == fitted.translate(words)
    assert list(loaded.induce(k=2)) == list(fitted.induce(k=2))
    assert loaded.translate(["t1"], reverse=True) == fitted.translate(["t1"], reverse=True)
    assert loaded.seeds_ == fitted.seeds_
    raw = torch.ones(1, 8)
    assert torch.equal(loaded.transform(raw), fitted.transform(raw))


def test_same_seed_same_bytes(twins: Twins, tmp_path: Path) -> None:
    for name in ("one", "two"):
        LexiconInducer("procrustes").fit(twins.source, twins.target, twins.lexicon).save(
            tmp_path / name
        )
    first = sorted((tmp_path / "one").iterdir())
    assert [path.name for path in first] == [p.name for p in sorted((tmp_path / "two").iterdir())]
    for path in first:
        if path.name == "report.json":  # tells how long it took
            continue
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_words_keep_their_odd_characters(tmp_path: Path) -> None:
    words = ("a\u2028b", "c\u00a0d", "e f", "\ufeffg", "h\r")
    source = EmbeddingSpace(words, torch.eye(5))
    target = EmbeddingSpace(words[::-1], torch.eye(5).flip(0))
    inducer = LexiconInducer("procrustes").fit(
        source, target, Lexicon.of([(w, w) for w in words[:4]])
    )
    inducer.save(tmp_path / "model")
    loaded = LexiconInducer.load(tmp_path / "model")
    assert loaded.source_.words == words
    assert [best(loaded, word) for word in words] == list(words)


class Spelling:
    """Knows one word that is not in the vocabulary."""

    def __init__(self, vector: Vector) -> None:
        self._vector = vector

    def vector(self, word: str) -> Vector | None:
        return self._vector if word == "new" else None


def test_subwords_spell_unknown_words(fitted: LexiconInducer, twins: Twins) -> None:
    for vectors, reverse, answer in (
        (twins.source.vectors, False, "t7"),
        (twins.target.vectors, True, "s" + twins.target.words[7][1:]),
    ):
        spellers = [Subwords(Spelling(vectors[7]))]
        made, unknown = fitted.translate(["new", "newer"], reverse=reverse, spellers=spellers)
        assert (made.candidates[0].word, made.how) == (answer, "subwords")
        assert (unknown.candidates, unknown.how) == ((), "unknown")
    assert fitted.translate(["new"])[0].candidates == ()


def test_subwords_that_came_with_the_vectors_are_asked_last(twins: Twins) -> None:
    source = dataclasses.replace(twins.source, subwords=Spelling(twins.source.vectors[7]))
    able = LexiconInducer("procrustes").fit(source, twins.target, twins.lexicon)
    assert best(able, "new") == "t7"
    lemma = able.translate(["new"], k=1, spellers=[Lemmas({"new": "s3"}.get)])[0]
    assert (lemma.candidates[0].word, lemma.how, lemma.parts) == ("t3", "lemma", ("s3",))


def test_a_translator_ranks_in_another_way(fitted: LexiconInducer) -> None:
    nearest = fitted.translator(Nearest())
    result = nearest(["s5"], 1)[0]
    assert result.candidates[0].word == "t5"
    assert result.candidates[0].score == pytest.approx(1.0, abs=1e-4)


def test_parts_can_be_replaced_by_instances(twins: Twins) -> None:
    inducer = LexiconInducer(retrieval=Nearest())
    inducer.fit(twins.source, twins.target, twins.lexicon)
    assert inducer.translate(["s1"])[0].candidates[0].score <= 1.0 + 1e-5


def test_uncovered_seeds_say_why(twins: Twins) -> None:
    upper = Lexicon.of([(f"S{i}", f"t{i}") for i in range(9)])
    with pytest.raises(EmptyLexiconError, match=r"none of the 9 seed pairs.*60 source words"):
        LexiconInducer("procrustes").fit(twins.source, twins.target, upper)


def test_an_unfitted_model_says_so() -> None:
    inducer = LexiconInducer()
    for use in (
        lambda: inducer.translate(["a"]),
        lambda: inducer.transform(torch.zeros(1, 2)),
        lambda: list(inducer.induce()),
        lambda: inducer.save("nowhere"),
    ):
        with pytest.raises(NotFittedError, match=r"call fit\(\) or load\(\)"):
            use()


def test_an_unusable_device_says_so(twins: Twins) -> None:
    with pytest.raises(SettingError, match="device 'nonsense' cannot be used here"):
        LexiconInducer(device="nonsense").fit(twins.source, twins.target, twins.lexicon)


def test_saving_never_replaces_what_is_not_a_model(fitted: LexiconInducer, tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    with pytest.raises(SettingError, match="exists and is not a model"):
        fitted.save(tmp_path)
    with pytest.raises(SettingError, match="is a file"):
        fitted.save(tmp_path / "precious")
    (tmp_path / "empty").mkdir()
    fitted.save(tmp_path / "empty")
    fitted.save(tmp_path / "empty")
    assert LexiconInducer.load(tmp_path / "empty")


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
    fitted: LexiconInducer, tmp_path: Path, names: list[str], problem: str
) -> None:
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(SettingError, match=problem):
        fitted.save(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(names)


def test_saving_does_not_mind_what_file_managers_leave(
    fitted: LexiconInducer, tmp_path: Path
) -> None:
    for _ in range(2):
        (tmp_path / ".DS_Store").touch()
        fitted.save(tmp_path)
    assert LexiconInducer.load(tmp_path)


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
    fitted: LexiconInducer, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    fitted.save(tmp_path / "model")
    (tmp_path / "model" / name).write_bytes(content)
    with pytest.raises(ModelFolderError, match=message):
        LexiconInducer.load(tmp_path / "model")


def test_other_formats_and_missing_files_are_refused(
    fitted: LexiconInducer, tmp_path: Path
) -> None:
    with pytest.raises(ModelFolderError, match="no such folder"):
        LexiconInducer.load(tmp_path / "absent")
    with pytest.raises(ModelFolderError, match=r"has no config\.toml"):
        LexiconInducer.load(tmp_path)
    fitted.save(tmp_path / "model")
    damage_manifest(tmp_path / "model", format=99)
    with pytest.raises(ModelFolderError, match="has format 99, this bilex reads format 1"):
        LexiconInducer.load(tmp_path / "model")


def test_tensors_must_fit_and_be_finite(fitted: LexiconInducer, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    fitted.save(tmp_path / "model")
    path = tmp_path / "model" / "tensors.safetensors"
    tensors = load_file(path)
    for name, wrong in {
        "map": torch.zeros(3, 3),
        "source.penalties": torch.zeros(2),
        "target.vectors": torch.full((60, 8), torch.nan),
        "source.vectors": torch.zeros(60, 8, dtype=torch.float64),
    }.items():
        save_file({**tensors, name: wrong}, path)
        with pytest.raises(ModelFolderError, match="is damaged"):
            LexiconInducer.load(tmp_path / "model")
