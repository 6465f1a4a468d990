from __future__ import annotations

import pytest
import torch

from bilex.answers import Candidate, Translation
from bilex.errors import DimensionError, InputFileError, SettingError
from bilex.values import (
    Compute,
    EmbeddingSpace,
    Entry,
    IndexedLexicon,
    Lexicon,
    LexiconReport,
    LinearMap,
    LoadReport,
    Neighbors,
    SpacePair,
)
from twins import Twins


def test_a_space_needs_a_row_for_each_word() -> None:
    with pytest.raises(DimensionError, match=r"2 words but vectors of shape \(3, 4\)"):
        EmbeddingSpace(("a", "b"), torch.zeros(3, 4))


def test_the_first_of_equal_words_wins() -> None:
    space = EmbeddingSpace(("a", "b", "a"), torch.zeros(3, 1))
    assert space.rows(["b", "a", "?"]).tolist() == [1, 0, -1]


def test_locating_drops_unknown_and_repeated_pairs(twins: Twins) -> None:
    lexicon = Lexicon(
        (Entry("s1", "t1", 2.0), Entry("s1", "t1", 3.0), Entry("?", "t2"), Entry("s2", "?"))
    )
    located = IndexedLexicon.locate(lexicon, twins.spaces)
    assert located.source_ids.tolist() == [1]
    assert twins.target.words[int(located.target_ids[0])] == "t1"
    assert located.weights.tolist() == [2.0]


def test_locating_nothing_gives_an_empty_lexicon(twins: Twins) -> None:
    located = IndexedLexicon.locate(Lexicon(()), SpacePair(twins.source, twins.target))
    assert len(located) == 0
    assert located.source_ids.dtype == torch.long


def test_a_lexicon_knows_translations_and_its_reverse() -> None:
    lexicon = Lexicon.of([("a", "x"), ("a", "y"), ("b", "x"), ("a", "x")])
    assert lexicon.translations == {"a": ("x", "y"), "b": ("x",)}
    assert lexicon.reversed().translations == {"x": ("a", "b"), "y": ("a",)}
    assert lexicon.reversed().reversed() == lexicon


def test_a_map_refuses_foreign_vectors() -> None:
    with pytest.raises(DimensionError, match="vectors have 3 dimensions, the map expects 2"):
        LinearMap(torch.eye(2)).apply(torch.zeros(1, 3))


def test_neighbors_can_be_named() -> None:
    neighbors = Neighbors(torch.tensor([[1, 0]]), torch.tensor([[0.5, 0.25]]))
    assert neighbors.named(("a", "b")) == [(Candidate("b", 0.5), Candidate("a", 0.25))]


def test_file_errors_carry_path_and_line() -> None:
    error = InputFileError("words.tsv", "is odd", line=3)
    assert str(error) == "words.tsv, line 3: is odd"
    assert error.line == 3


def test_pairs_are_taken_and_joined() -> None:
    ids = torch.tensor([[0, 5], [2, 1], [2, 9]])
    pairs = IndexedLexicon(ids[:, 0], ids[:, 1], torch.tensor([1.0, 2.0, 3.0]))
    for rows in (torch.tensor([2, 0]), torch.tensor([True, False, True])):
        some = pairs.take(rows)
        assert sorted(some.weights.tolist()) == [1.0, 3.0]
        assert some.answers == {0: frozenset({5}), 2: frozenset({9})}
    more = pairs.followed_by(
        IndexedLexicon(torch.tensor([7]), torch.tensor([5]), torch.tensor([0.5]))
    )
    assert more.source_ids.tolist() == [0, 2, 2, 7]
    assert more.target_ids.tolist() == [5, 1, 9, 5]
    assert more.weights.tolist() == [1.0, 2.0, 3.0, 0.5]


def test_values_show_what_they_hold_in_one_line(twins: Twins) -> None:
    assert repr(twins.source) == "EmbeddingSpace(60 words × 8)"
    assert repr(twins.lexicon) == "Lexicon(60 pairs: s0 → t0, s1 → t1, s2 → t2)"
    assert repr(Lexicon(())) == "Lexicon(0 pairs)"
    answer = Translation("house", (Candidate("maison", 0.5, 0.914), Candidate("foyer", 0.25)))
    assert str(answer) == "house → maison (0.91), foyer"
    assert str(Translation("?", how="unknown")) == "? → ?"


def test_a_translation_is_plain_data() -> None:
    answer = Translation(
        "ice cream", (Candidate("glace", 0.12345678),), "composed", ("ice", "cream")
    )
    assert answer.to_dict() == {
        "word": "ice cream",
        "how": "composed",
        "parts": ["ice", "cream"],
        "missing": [],
        "candidates": [{"word": "glace", "score": 0.123457, "probability": None}],
    }


def test_the_report_of_a_file_is_no_part_of_what_a_lexicon_is() -> None:
    report = LexiconReport("tsv", ("source", "target"), (), 1, 0, 1, 1, 0, 0, 0)
    entries = (Entry("a", "x"),)
    assert Lexicon(entries, report) == Lexicon(entries)
    assert Lexicon(entries).report is None


def test_other_vectors_keep_the_report_and_the_subwords(twins: Twins) -> None:
    report = LoadReport(format="text", compression=None, words_in_file=60, kept=60, dim=8)
    space = EmbeddingSpace(twins.source.words, twins.source.vectors, report=report)
    assert space.with_vectors(torch.zeros(60, 3)).report is report
    assert twins.source.report is None


def test_memory_has_a_least_size() -> None:
    with pytest.raises(SettingError, match="memory is 1000 bytes: give at least 1 MiB"):
        Compute(memory=1000)
