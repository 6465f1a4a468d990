"""Words outside the vocabulary on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bilex.embeddings import save_embeddings
from bilex.lexicons import write_lexicon
from conftest_types import Bilex
from twins import make_twins

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "gensim-fasttext.bin"


def one(bilex: Bilex, *arguments: str) -> tuple[dict[str, Any], str]:
    done = bilex("translate", "m", *arguments, "-k", "1", "--json")
    assert done.code == 0, done.err
    return json.loads(done.out), done.err


def test_a_term_is_composed_only_if_asked_and_says_so(bilex: Bilex, model: Path) -> None:
    plain, told = one(bilex, "s7 s9")
    assert (plain["how"], plain["candidates"]) == ("unknown", [])
    assert "'s7 s9' is not in the vocabulary of this model; try --compose" in told
    composed, told = one(bilex, "s7 s9", "--compose")
    assert (composed["how"], composed["parts"]) == ("composed", ["s7", "s9"])
    assert composed["candidates"]
    assert told == "'s7 s9' is not in the vocabulary: composed of 's7' + 's9'\n"


def test_plain_output_carries_candidates_alone(bilex: Bilex, model: Path) -> None:
    done = bilex("translate", "m", "t7 t7", "--compose", "--reverse", "-k", "1")
    assert done.out == "t7 t7\ts7\n"


def test_what_is_missing_in_a_term_is_named(bilex: Bilex, model: Path) -> None:
    refused, told = one(bilex, "s7 gnu gnat", "--compose")
    assert (refused["how"], refused["missing"]) == ("unknown", ["gnu", "gnat"])
    assert "cannot be composed without 'gnu', 'gnat'\n" in told


def test_lemmas_and_case_are_looked_up_only_if_asked(bilex: Bilex, model: Path) -> None:
    Path("lemmas.tsv").write_text("gnus\ts7\n", encoding="utf-8")
    assert one(bilex, "gnus")[0]["how"] == "unknown"
    found, told = one(bilex, "gnus", "--lemmas", "lemmas.tsv")
    assert (found["how"], found["parts"], found["candidates"][0]["word"]) == (
        "lemma", ["s7"], "t7",
    )  # fmt: skip
    assert told == "'gnus' is not in the vocabulary: translated as its lemma 's7'\n"
    assert (
        "'S7' is not in the vocabulary of this model; 's7' is: try --any-case"
        in (one(bilex, "S7")[1])
    )
    found, told = one(bilex, "S7", "--any-case")
    assert (found["how"], found["candidates"][0]["word"]) == ("case", "t7")
    assert "translated as 's7'" in told


@pytest.fixture
def spelled(bilex: Bilex, tmp_path: Path) -> Path:
    """Fit the same fastText vectors to themselves, with all words but one as seeds."""
    words = ("haus", "straße", "привет", "日本語", "😀")
    (tmp_path / "same.tsv").write_text("".join(f"{w}\t{w}\n" for w in words), encoding="utf-8")
    done = bilex("fit", str(GOLDEN), str(GOLDEN), "same.tsv", "-o", "m")
    assert done.code == 0, done.err
    return tmp_path


@pytest.mark.parametrize("direction", [(), ("--reverse",)])
def test_subwords_spell_in_both_directions(
    bilex: Bilex, spelled: Path, direction: tuple[str, ...]
) -> None:
    found, told = one(bilex, "приветы", "--subwords", str(GOLDEN), *direction)
    assert (found["how"], found["parts"]) == ("subwords", [])
    assert found["candidates"][0]["word"] == "привет"
    assert told == "'приветы' is not in the vocabulary: vector made from subwords\n"
    assert one(bilex, "приветы", *direction)[0]["how"] == "unknown"


def test_subwords_of_other_vectors_are_pointed_out(bilex: Bilex, model: Path) -> None:
    done = bilex("translate", "m", "gnu", "--subwords", str(GOLDEN))
    assert done.code == 2
    assert "has 4 dimensions, expected 3" in done.err
    done = bilex("translate", "m", "gnu", "--subwords", "s.vec")
    assert "holds no subwords" in done.err


def test_subwords_of_the_same_size_but_another_model_are_warned_of(
    bilex: Bilex, tmp_path: Path
) -> None:
    twins = make_twins(50, dim=4)
    save_embeddings(twins.source, tmp_path / "s.vec")
    save_embeddings(twins.target, tmp_path / "t.vec")
    write_lexicon(twins.lexicon, tmp_path / "seeds.tsv")
    assert bilex("fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m").code == 0
    found, told = one(bilex, "gnu", "--subwords", str(GOLDEN))
    assert found["how"] == "subwords"
    assert "warning: gensim-fasttext.bin does not match the vectors of the model" in told
