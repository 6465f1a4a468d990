"""Examples of words from an index of a text."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from bilex.errors import InputFileError, SettingError
from bilex.text import Example, TextIndex, index_building
from bilex.text.index_cache import cached_index
from bilex.text.sentences import sentence_around

TEXT = """The old house stood empty. Nobody lived in the house by the river!
She bought a small house last year.
house
"Is it your house?" he asked. The Houses are here.
"""


@pytest.fixture
def index(tmp_path: Path) -> TextIndex:
    (tmp_path / "a.txt").write_text(TEXT)
    return TextIndex.build([tmp_path / "a.txt"], tmp_path / "index")


def test_sentences_of_a_word_have_their_places(index: TextIndex) -> None:
    found = index.examples("House")

    assert set(found) == {
        Example("The old ", "house", " stood empty.", "a.txt", 1),
        Example("Nobody lived in the ", "house", " by the river!", "a.txt", 1),
        Example("She bought a small ", "house", " last year.", "a.txt", 2),
        Example("", "house", "", "a.txt", 3),
        Example('"Is it your ', "house", '?"', "a.txt", 4),
    }
    assert found[-1].line == 3  # not a sentence
    assert index.count("HOUSE") == 5
    assert index.examples("house", 2) == found[:2]


def test_an_unknown_word_has_no_examples(index: TextIndex) -> None:
    for word in ("castle", "", "12", "hous", "housee", "zzz"):
        assert index.examples(word) == []
        assert index.count(word) == 0


@pytest.mark.parametrize("term", ["small_house", "a small house", "Small House"])
def test_a_term_of_several_words_is_found(index: TextIndex, term: str) -> None:
    (only,) = index.examples(term)
    assert (only.word, only.line) == (term.replace("_", " ").lower(), 2)


def test_a_term_whose_words_are_apart_is_not_found(index: TextIndex) -> None:
    assert index.examples("old stood") == []


def test_several_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"no end of line: alpha")
    (tmp_path / "c.txt.gz").write_bytes(
        gzip.compress("\n".join(["beta"] * 700 + ["gamma"]).encode())
    )

    with TextIndex.build([tmp_path], tmp_path / "index") as index:
        assert [(e.file, e.line) for e in index.examples("alpha")] == [("b.txt", 1)]
        assert [(e.file, e.line) for e in index.examples("gamma")] == [("c.txt.gz", 701)]
        assert len(index) == 7


def test_every_word_of_a_text_has_an_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_building, "_IN_MEMORY", 100)
    draw = random.Random(0)
    words = [f"w{chr(97 + i % 26)}{chr(0xE0 + i // 26)}" for i in range(200)]
    lines = [" ".join(draw.choices(words, range(200, 0, -1), k=12)) + "." for _ in range(250)]
    (tmp_path / "a.txt").write_text("\n".join(lines), encoding="utf-8")

    with TextIndex.build([tmp_path / "a.txt"], tmp_path / "index") as index:
        text = (tmp_path / "a.txt").read_text(encoding="utf-8")
        for word in set(text.replace(".", " ").split()):
            occurrences = text.replace(".", " ").split().count(word)
            found = index.examples(word, 100)
            assert index.count(word) == occurrences
            assert 1 <= len(found) <= occurrences
            for example in found:
                line = f"{example.left}{example.word}{example.right}"
                assert lines[example.line - 1] == line


def test_only_some_places_of_a_frequent_word_are_kept() -> None:
    kept = [n for n in range(1, 100_001) if index_building._is_kept(n)]
    assert kept[:127] == list(range(1, 128))
    assert len(kept) < 128 + 64 * 10
    assert max(b - a for a, b in pairwise(kept)) <= 100_000 // 64


def test_neighbors_of_chosen_examples_differ(tmp_path: Path) -> None:
    same = [f"He went to the bank of the river on day {chr(97 + i) * 3}." for i in range(20)]
    other = ["My bank closes early on Fridays."]
    (tmp_path / "a.txt").write_text("\n".join(same + other))

    with TextIndex.build([tmp_path / "a.txt"], tmp_path / "index") as index:
        assert "My" in {e.left.strip() for e in index.examples("bank", 2)}


def test_the_same_sentence_is_shown_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Amen, he said.\n" * 30)
    with TextIndex.build([tmp_path / "a.txt"], tmp_path / "index") as index:
        assert len(index.examples("amen")) == 1


@pytest.mark.parametrize(
    ("line", "word", "sentence"),
    [
        ("One. Two words; three! Four", "words", "Two words;"),
        ("One. Two words; three! Four", "Four", "Four"),
        ("He said: “Go.” Then he left.", "left", "Then he left."),
        ("It costs 3.50 at shop.com now.", "shop", "It costs 3.50 at shop.com now."),
        ("他来了。我走了！", "我", "我走了！"),
        ("वह आया। मैं गया।", "मैं", "मैं गया।"),
    ],
)
def test_a_sentence_ends_at_a_mark(line: str, word: str, sentence: str) -> None:
    start = line.index(word)
    assert sentence_around(line, start, start + len(word)).text == sentence


def test_the_same_text_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    for name in ("one", "two"):
        TextIndex.build([tmp_path / "a.txt"], tmp_path / name).close()
    files = sorted(path.name for path in (tmp_path / "one").iterdir())

    assert files == sorted(path.name for path in (tmp_path / "two").iterdir())
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_changed_text_is_indexed_again(tmp_path: Path) -> None:
    text, cache = tmp_path / "a.txt", tmp_path / "cache"
    text.write_text("One house stands here.")
    cached_index([text], cache).close()
    with cached_index([text], cache, on_bytes=lambda *_: pytest.fail("read again")) as index:
        assert index.count("house") == 1
    text.write_text("Two castles stand over there.")
    with cached_index([text], cache) as index:
        assert (index.count("house"), index.count("castles")) == (0, 1)


def test_a_damaged_index_in_the_cache_is_built_again(tmp_path: Path) -> None:
    text, cache = tmp_path / "a.txt", tmp_path / "cache"
    text.write_text("One house stands here.")
    cached_index([text], cache).close()
    (folder,) = cache.iterdir()
    (folder / "positions.npy").write_bytes(b"nonsense")
    with cached_index([text], cache) as index:
        assert index.count("house") == 1


def test_what_is_no_index_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputFileError) as error:
        TextIndex.open(tmp_path)
    assert str(error.value) == (
        f"{tmp_path}: not an index of a text; build one with `bilex examples -o`"
    )
    (tmp_path / "index.json").write_text(json.dumps({"version": 99}))
    with pytest.raises(InputFileError, match="an index of another version of bilex"):
        TextIndex.open(tmp_path)


def test_a_text_without_words_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 2 3\n")
    with pytest.raises(SettingError) as error:
        TextIndex.build([tmp_path / "a.txt"], tmp_path / "index")
    assert str(error.value) == "the text has no words to index: give a file of plain text"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_examples_need_neither_torch_nor_gensim() -> None:
    code = (
        "import sys, bilex.text, bilex.cli.examples\n"
        "sys.exit(bool({'torch', 'gensim', 'sentencepiece'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603
