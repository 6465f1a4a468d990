"""Words of scripts without spaces, learned from the text."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
import sentencepiece

from bilex.errors import MissingExtraError
from bilex.text import Corpus, TextIndex
from bilex.text.unspaced import LearnedPieces, learn_pieces, learn_words
from bilex.text.words import Words

assert sentencepiece
LETTERS = [chr(0x4E00 + 7 * i) for i in range(150)]
DICTIONARY = ["".join(random.Random(i).choices(LETTERS, k=2 + (i % 3 == 0))) for i in range(300)]


def sentence(draw: random.Random) -> list[str]:
    return draw.choices(DICTIONARY, k=8)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("unspaced") / "a.txt"
    draw = random.Random(0)
    lines = ["".join(sentence(draw)) + "。" for _ in range(1_000)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def words(text: Path) -> Words:
    return learn_words(Corpus.of([text]))


def test_most_words_are_found_in_text_that_was_not_learned_from(words: Words) -> None:
    draw = random.Random(1)
    sentences = [sentence(draw) for _ in range(50)]

    right = sum(len(set(words.of("".join(each))) & set(each)) for each in sentences)

    assert right > 0.8 * sum(len(set(each)) for each in sentences)
    assert words.of("Python 3, version") == ["python", "version"]


def test_pieces_join_to_the_run_even_with_unknown_characters(words: Words) -> None:
    assert words.pieces is not None
    for run in (f"{DICTIONARY[0]}龘龘{DICTIONARY[1]}", "ไทย", "高"):
        assert "".join(LearnedPieces(words.pieces).split(run)) == run


def test_words_separated_by_spaces_are_taken_as_they_are(text: Path) -> None:
    words = learn_words(Corpus.of([text]), segmented=True)
    assert words.of("老师喜欢 学生") == ["老师喜欢", "学生"]
    assert words.pieces is None


def test_the_same_text_gives_the_same_pieces() -> None:
    runs = [one + other for one in DICTIONARY[:20] for other in DICTIONARY[20:40]]
    assert learn_pieces(runs) == learn_pieces(runs)


def test_the_index_finds_the_words_that_were_learned(text: Path, tmp_path: Path) -> None:
    with TextIndex.build([text], tmp_path / "index") as index:
        for word in DICTIONARY[1:3]:
            found = index.examples(word, 3)
            assert len(found) == 3
            assert {example.word for example in found} == {word}
            assert all((e.left + e.word + e.right).endswith("。") for e in found)
    with TextIndex.open(tmp_path / "index") as again:
        assert again.examples(DICTIONARY[1], 3)


def test_a_few_foreign_characters_need_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    (tmp_path / "a.txt").write_text(
        "An English text with two characters, 中文, in each of its lines.\n" * 10, encoding="utf-8"
    )
    assert learn_words(Corpus.of([tmp_path / "a.txt"])).of("with 中文") == ["with", "中文"]


def test_without_sentencepiece_the_error_says_how_to_install_it(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingExtraError) as error:
        learn_words(Corpus.of([text]))
    assert str(error.value) == (
        "finding the words of a script without spaces needs the sentencepiece package: "
        "pip install 'bilex[text]'"
    )
