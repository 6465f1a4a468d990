"""`bilex examples` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest_types import Bilex

TEXT = "The old house by the river stood empty.\nNobody knew whose house it had been before.\n"


@pytest.fixture(autouse=True)
def text(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text(TEXT)
    return tmp_path / "a.txt"


def test_the_word_is_in_one_column(bilex: Bilex) -> None:
    done = bilex("examples", "a.txt", "house", "--width", "12")

    assert (done.code, done.err) == (0, "")
    assert sorted(done.out.splitlines()) == [
        "    The old house by the riv…  (a.txt, line 1)",
        "…knew whose house it had bee…  (a.txt, line 2)",
    ]


def test_json_has_whole_sentences(bilex: Bilex) -> None:
    done = bilex("examples", "a.txt", "House", "--json", "-n", "1")

    found = json.loads(done.out)
    assert (found["word"], found["occurrences"], len(found["examples"])) == ("House", 2, 1)
    (example,) = found["examples"]
    assert set(example) == {"left", "word", "right", "file", "line"}
    assert example["left"] + example["word"] + example["right"] in TEXT


def test_an_index_is_used_without_the_text(bilex: Bilex, text: Path) -> None:
    first = bilex("examples", "a.txt", "house", "-o", "a.index")
    text.unlink()

    assert bilex("examples", "a.index", "house").out == first.out


def test_the_cache_is_used(bilex: Bilex, tmp_path: Path) -> None:
    assert bilex("examples", "a.txt", "house").code == 0
    (folder,) = (tmp_path / "cache").iterdir()
    assert folder.name.startswith("index-")
    assert bilex("examples", "a.txt", "river").code == 0
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_a_word_without_examples_is_noted(bilex: Bilex) -> None:
    done = bilex("examples", "a.txt", "castle")
    assert (done.code, done.out, done.err) == (0, "", "no sentence contains 'castle'\n")
    assert json.loads(bilex("examples", "a.txt", "castle", "--json").out)["examples"] == []


def test_mistakes_are_one_line(bilex: Bilex) -> None:
    bilex("examples", "a.txt", "house", "-o", "a.index")
    for arguments, message in {
        ("house",): "found only 'house': give one or more texts, then a word",
        ("b.txt", "house"): "b.txt: no such file; expected a text file or a folder of them",
        ("a.index", "house", "--keep-case"): "-o, --keep-case and --segmented are for texts, "
        "and a.index is an index: leave them out",
    }.items():
        done = bilex("examples", *arguments)
        assert (done.code, done.err) == (2, f"bilex: {message}\n")
