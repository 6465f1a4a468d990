from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import torch

from bilex.embeddings import load_embeddings
from bilex.errors import BilexWarning, LexiconFileError, VectorFileError
from bilex.oov import AnyCase, Composition, Lemmas, Subwords, Vocabulary, choose_resolvers
from bilex.values import Normalization, NormalizationStep, unit_rows

FASTTEXT = Path(__file__).parents[1] / "golden" / "gensim-fasttext.bin"


@pytest.fixture
def lemmas(tmp_path: Path) -> Path:
    path = tmp_path / "lemmas.tsv"
    path.write_text("houses\thouse\n", encoding="utf-8")
    return path


@pytest.fixture
def own() -> Vocabulary:
    """Return the vocabulary of the file that has subwords."""
    space = load_embeddings(FASTTEXT)
    normalized = space.with_vectors(unit_rows(space.vectors))
    return Vocabulary(normalized, Normalization((NormalizationStep("unit"),)))


def test_nothing_is_chosen_unless_requested(vocabulary: Vocabulary) -> None:
    assert choose_resolvers(vocabulary) == ()


def test_the_most_reliable_resolver_comes_first(own: Vocabulary, lemmas: Path) -> None:
    chain = choose_resolvers(own, lemmas=lemmas, any_case=True, compose=True, subwords=FASTTEXT)
    assert [type(each) for each in chain] == [Lemmas, AnyCase, Composition, Subwords]


def test_subwords_of_the_same_vectors_give_no_warning(own: Vocabulary) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (resolver,) = choose_resolvers(own, subwords=FASTTEXT)
    found = resolver.resolve("haus", own)
    assert found is not None
    assert found.vector is not None
    expected = own.space.vectors[own.space.index["haus"]]
    torch.testing.assert_close(found.vector, expected, atol=1e-5, rtol=0)


def test_subwords_of_other_vectors_give_a_warning(own: Vocabulary) -> None:
    rng = torch.Generator().manual_seed(0)
    noise = unit_rows(torch.randn(own.space.vectors.shape, generator=rng))
    other = Vocabulary(own.space.with_vectors(noise), own.normalization)
    with pytest.warns(
        BilexWarning, match=r"gensim-fasttext\.bin does not match.*cosine is -?0\."
    ) as all_:
        choose_resolvers(other, subwords=FASTTEXT)
    assert all_[0].filename == __file__


def test_files_without_what_is_needed_are_refused(vocabulary: Vocabulary, tmp_path: Path) -> None:
    (tmp_path / "plain.vec").write_text("a 1 2\nb 3 4\n", encoding="utf-8")
    with pytest.raises(VectorFileError, match=r"holds no subwords: give the \.bin file"):
        choose_resolvers(vocabulary, subwords=tmp_path / "plain.vec")
    (tmp_path / "empty.tsv").touch()
    with pytest.raises(LexiconFileError):
        choose_resolvers(vocabulary, lemmas=tmp_path / "empty.tsv")
