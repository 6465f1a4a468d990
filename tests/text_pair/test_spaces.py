"""Word vectors of two texts that are trained together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from bilex import EmbeddingSpace, Lexicon
from bilex.errors import BilexWarning, EmptyLexiconError, SettingError
from bilex.progress import WorkProgress
from bilex.text import VectorSettings
from bilex.text.cooccurrence import Contexts
from bilex.text.two_texts import _merged, train_on_two_texts
from bilex.text_pair import spaces_of_texts
from bilex.values import Entry
from topic_text import TOPICS, write_topics

SMALL = VectorSettings(dim=8, min_count=1, window=5)
SEEDS = Lexicon.of([(word, f"z{word}") for topic in TOPICS for word in topic.split()[:4]])


@pytest.fixture
def texts(tmp_path: Path) -> tuple[Path, Path]:
    """Write a text, and other sentences in which each word begins with z."""
    source = write_topics(tmp_path / "a.txt")
    target = write_topics(tmp_path / "b.txt", draw=1)
    words = target.read_text("utf-8").split()
    target.write_text(
        "\n".join(" ".join(f"z{w}" for w in words[i : i + 9]) for i in range(0, len(words), 9)),
        "utf-8",
    )
    return source, target


def units(space: EmbeddingSpace, words: list[str]) -> torch.Tensor:
    return torch.nn.functional.normalize(space.vectors[[space.index[word] for word in words]])


def test_words_and_their_translations_have_similar_vectors_without_a_map(
    texts: tuple[Path, Path],
) -> None:
    source, target = spaces_of_texts(*texts, SEEDS, SMALL)
    unseen = [topic.split()[4:] for topic in TOPICS]
    for number, own in enumerate(unseen):
        ours = units(source, own)
        others = [f"z{word}" for i, topic in enumerate(unseen) if i != number for word in topic]
        theirs = units(target, [f"z{word}" for word in own])
        assert (ours @ theirs.T).mean() > (ours @ units(target, others).T).mean() + 0.5


def test_only_the_texts_are_warned_about(texts: tuple[Path, Path]) -> None:
    """Training the final model gives the warnings that matching words would give first."""
    unknown = (Entry(f"unknown{number}", f"z{number}") for number in range(200))
    seeds = Lexicon((*SEEDS.entries, *unknown))

    with pytest.warns(BilexWarning) as warned:
        spaces_of_texts(*texts, seeds, SMALL)

    assert all(str(each.message).startswith("the text has only") for each in warned)


def test_the_contexts_of_a_pair_are_one_column() -> None:
    source = Contexts(csr_array(np.array([[1.0, 2, 3], [4, 5, 6]])), {"a": 0, "b": 1, "c": 2})
    target = Contexts(csr_array(np.array([[7.0, 8]])), {"x": 0, "xs": 0, "y": 1})
    pairs = [("b", "y"), ("?", "x"), ("b", "x"), ("a", "y"), ("c", "xs"), ("a", "x")]
    merged = _merged(source, target, pairs).toarray()
    assert merged.tolist() == [[2, 3, 1], [5, 6, 4], [8, 7, 0]]  # b and y, c and x, a alone


def test_texts_without_a_pair_share_no_column() -> None:
    source = Contexts(csr_array(np.array([[1.0, 2]])), {"a": 0, "b": 1})
    target = Contexts(csr_array(np.array([[3.0]])), {"x": 0})
    assert _merged(source, target, []).toarray().tolist() == [[1, 2, 0], [0, 0, 3]]


def test_the_same_texts_and_seeds_give_the_same_vectors_and_are_kept(
    texts: tuple[Path, Path], tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    first = spaces_of_texts(*texts, SEEDS, SMALL, cache=cache)

    def fail(progress: WorkProgress) -> None:
        pytest.fail("trained again")

    kept = spaces_of_texts(*texts, SEEDS, SMALL, cache=cache, on_progress=fail)
    again = spaces_of_texts(*texts, SEEDS, SMALL)
    for one, two, three in zip(first, kept, again, strict=True):
        assert one.words == two.words == three.words
        assert torch.equal(one.vectors, two.vectors)
        assert torch.equal(one.vectors, three.vectors)

    fewer = Lexicon(SEEDS.entries[:6])
    other = spaces_of_texts(*texts, fewer, SMALL, cache=cache)
    assert not torch.equal(other[0].vectors, first[0].vectors)
    assert len(list(cache.iterdir())) == 4


def test_both_texts_are_reduced_with_the_settings_of_two_texts(texts: tuple[Path, Path]) -> None:
    def match(source: EmbeddingSpace, target: EmbeddingSpace) -> list[tuple[str, str]]:
        return [(entry.source, entry.target) for entry in SEEDS.entries]

    source, target = ([path] for path in texts)
    found = train_on_two_texts(source, target, match, SMALL)
    power = SMALL.together().power
    assert [each.settings.power for each in found] == [power, power]
    assert power != SMALL.for_size(10_000).power
    strengths = torch.cat([each.space.vectors for each in found]).norm(dim=0)
    other = train_on_two_texts(source, target, match, replace(SMALL, power=0.0))
    equal = torch.cat([each.space.vectors for each in other]).norm(dim=0)
    assert torch.allclose((strengths / equal)[0], torch.tensor(1.0), atol=0.01)
    assert strengths[-1] < equal[-1] / 2


def test_seeds_in_other_case_are_used(texts: tuple[Path, Path]) -> None:
    capitals = Lexicon.of([(e.source.upper(), e.target) for e in SEEDS.entries])
    expected = spaces_of_texts(*texts, SEEDS, SMALL)
    found = spaces_of_texts(*texts, capitals, SMALL)
    assert torch.equal(found[0].vectors, expected[0].vectors)
    with pytest.raises(EmptyLexiconError):
        spaces_of_texts(*texts, capitals, SMALL, any_case=False)


def test_the_whole_progress_is_reported(texts: tuple[Path, Path]) -> None:
    shares: list[float] = []
    spaces_of_texts(*texts, SEEDS, SMALL, on_progress=lambda work: shares.append(work.share))
    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.parametrize(
    ("settings", "threads", "said"),
    [
        (VectorSettings(method="word2vec"), 1, "method is 'word2vec': two texts are trained"),
        (SMALL, 0, "threads is 0"),
    ],
)
def test_what_cannot_be_trained_is_an_error(
    texts: tuple[Path, Path], settings: VectorSettings, threads: int, said: str
) -> None:
    with pytest.raises(SettingError, match=said):
        spaces_of_texts(*texts, SEEDS, settings, threads=threads)
