"""Words that are not in a vocabulary: the nearest spelling is suggested."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilex.cli.suggestions import Suggestions
from bilex.embeddings import save_embeddings
from bilex.lexicons import write_lexicon
from bilex.values import EmbeddingSpace, Lexicon
from conftest_types import Bilex
from twins import make_twins

WORDS = ("the", "house", "mother", "houses", "sea")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("hous", "house"),
        ("mohter", "mother"),
        ("teh", "the"),
        ("housess", "houses"),
        ("xylophone", None),
        ("q", None),
    ],
)
def test_the_nearest_spelling_is_suggested(word: str, expected: str | None) -> None:
    hint = Suggestions({word: row for row, word in enumerate(WORDS)}).hint(word)
    assert hint == ("" if expected is None else f"; did you mean {expected!r}?")


def test_only_the_first_unknown_words_get_one() -> None:
    suggestions = Suggestions(WORDS)
    hints = [suggestions.hint("hous") for _ in range(30)]
    assert [bool(hint) for hint in hints] == [True] * 20 + [False] * 10


@pytest.fixture
def spelled(bilex: Bilex, tmp_path: Path) -> Path:
    """Fit a model whose source words are English."""
    twins = make_twins(len(WORDS), dim=3)
    save_embeddings(EmbeddingSpace(WORDS, twins.source.vectors), tmp_path / "s.vec")
    save_embeddings(twins.target, tmp_path / "t.vec")
    pairs = list(zip(WORDS, twins.target.words, strict=True))
    write_lexicon(Lexicon.of(pairs), tmp_path / "seeds.tsv")
    fit = ("fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m", "--preset", "procrustes")
    assert bilex(*fit).code == 0
    return tmp_path


@pytest.mark.usefixtures("spelled")
@pytest.mark.parametrize("more", [(), ("--any-case",), ("--reverse",)])
def test_translate_suggests_a_word(bilex: Bilex, more: tuple[str, ...]) -> None:
    word, meant = ("t00", None) if more == ("--reverse",) else ("mothr", "mother")
    done = bilex("translate", "m", word, *more)
    assert done.code == 0
    assert f"{word!r} is not in the vocabulary of this model" in done.err
    if meant is not None:
        assert done.err.endswith(f"; did you mean {meant!r}?\n")


def test_examples_suggest_a_word(bilex: Bilex, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The old house by the river.\n")
    done = bilex("examples", "a.txt", "Rivver")
    assert (done.code, done.out) == (0, "")
    assert done.err == "no sentence contains 'Rivver'; did you mean 'river'?\n"
