from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bilex.errors import LexiconFileError
from bilex.oov import AnyCase, Lemmas, Vocabulary


@pytest.mark.parametrize(
    ("query", "word"),
    [("House", "house"), ("HOUSE", "house"), ("paris", "Paris"), ("nato", "NATO"), ("gnu", None)],
)
def test_any_case_finds_what_differs_in_case_alone(
    vocabulary: Vocabulary, query: str, word: str | None
) -> None:
    found = replace(vocabulary, resolvers=(AnyCase(),)).resolve(query)
    expected = ("unknown", ()) if word is None else ("case", (word,))
    assert (found.how, found.parts) == expected


def test_lemmas_come_from_any_function(vocabulary: Vocabulary) -> None:
    able = replace(vocabulary, resolvers=(Lemmas(lambda form: form.removesuffix("s")),))
    assert (able.resolve("houses").how, able.resolve("houses").parts) == ("lemma", ("house",))
    assert able.resolve("gnus").how == "unknown"


def test_lemma_and_case_help_each_other(vocabulary: Vocabulary) -> None:
    lemmas = Lemmas({"houses": "house", "Parisian": "PARIS"}.get)
    for chain in ((lemmas, AnyCase()), (AnyCase(), lemmas)):
        able = replace(vocabulary, resolvers=chain)
        assert able.resolve("Houses").parts == ("house",)
        assert able.resolve("Parisian").parts == ("Paris",)


def test_lemmas_that_lead_in_a_circle_come_to_an_end(vocabulary: Vocabulary) -> None:
    circle = {"gnu": "gnat", "gnat": "gnu"}.get
    able = replace(vocabulary, resolvers=(Lemmas(circle), Lemmas(circle)))
    assert able.resolve("gnu").how == "unknown"


def test_lemmas_are_read_form_first(tmp_path: Path, vocabulary: Vocabulary) -> None:
    (tmp_path / "lemmas.tsv").write_text("houses\thouse\nhouses\tdog\ndogs\tdog\n")
    able = replace(vocabulary, resolvers=(Lemmas.read(tmp_path / "lemmas.tsv"),))
    assert able.resolve("houses").parts == ("house",)
    assert able.resolve("dogs").parts == ("dog",)
    (tmp_path / "empty.tsv").touch()
    with pytest.raises(LexiconFileError):
        Lemmas.read(tmp_path / "empty.tsv")
    (tmp_path / "titled.tsv").write_text("form\tlemma\nhouses\thouse\n")
    assert Lemmas.read(tmp_path / "titled.tsv").lemma_of("houses") == "house"


def test_lemmas_of_simplemma_leave_out_words_it_does_not_change(vocabulary: Vocabulary) -> None:
    pytest.importorskip("simplemma")
    lemmas = Lemmas.read("simplemma:en")
    assert (lemmas.name, lemmas.lemma_of("houses"), lemmas.lemma_of("house")) == (
        "simplemma:en",
        "house",
        None,
    )
    assert replace(vocabulary, resolvers=(lemmas,)).resolve("houses").parts == ("house",)
