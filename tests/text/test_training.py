"""Word vectors trained on text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import torch

from bilex.embeddings import load_embeddings
from bilex.errors import BilexWarning, MissingExtraError, SettingError
from bilex.progress import WorkProgress
from bilex.text import Corpus, VectorSettings, space_of_text, tokens, train_on_text, train_vectors
from bilex.text.output import save_text_vectors
from topic_text import TOPICS, write_topics

SMALL = VectorSettings(dim=8, min_count=1, window=5)
SKIP_GRAM = VectorSettings(method="word2vec", dim=8, epochs=20, min_count=1, window=5)
SUBWORDS = VectorSettings(method="fasttext", dim=8, epochs=20, min_count=1, buckets=1_000)
WORDS = sorted([*" ".join(TOPICS).split(), "the", "of"])

pytestmark = pytest.mark.filterwarnings("ignore::bilex.errors.BilexWarning")


@pytest.fixture(params=[SMALL, SKIP_GRAM, SUBWORDS], ids=lambda settings: settings.method)
def settings(request: pytest.FixtureRequest) -> VectorSettings:
    """Return settings of each method; word2vec and fasttext need gensim."""
    chosen: VectorSettings = request.param
    if chosen.method != "ppmi":
        pytest.importorskip("gensim.models")
    return chosen


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return write_topics(tmp_path / "a.txt")


def test_words_of_a_topic_have_similar_vectors(settings: VectorSettings, text: Path) -> None:
    space = train_vectors([text], settings)

    assert sorted(space.words) == WORDS
    assert space.vectors.dtype == torch.float32
    units = torch.nn.functional.normalize(space.vectors)
    topics = [torch.stack([units[space.index[word]] for word in t.split()]) for t in TOPICS]
    for number, own in enumerate(topics):
        others = torch.cat([topic for i, topic in enumerate(topics) if i != number])
        assert (own @ own.T).mean() > (own @ others.T).mean() + 0.2


def test_the_most_frequent_word_is_first_and_counts_are_those_of_the_text(text: Path) -> None:
    found = train_on_text([text], SMALL)

    expected = Counter(text.read_text().lower().replace(",", " ").replace(".", " ").split())
    left_out = sum(n for word, n in expected.items() if word.isdigit())
    expected = Counter({word: n for word, n in expected.items() if not word.isdigit()})
    ranked = sorted(expected.items(), key=lambda item: (-item[1], item[0]))
    assert list(zip(found.space.words, found.counts, strict=True)) == ranked
    assert (found.tokens, found.types, found.left_out) == (3200, 26, left_out)


def test_rare_words_get_no_vector(text: Path) -> None:
    with text.open("a") as file:
        file.write("hapax\n")
    settings = VectorSettings(dim=8, min_count=2)
    assert "hapax" not in train_vectors([text], settings).words


def test_the_rest_of_the_most_frequent_words_gets_no_vector(text: Path) -> None:
    every = train_vectors([text], SMALL).words
    some = train_vectors([text], VectorSettings(dim=8, min_count=1, max_words=5)).words
    assert some == every[:5]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["ppmi", "word2vec", "fasttext"])
def test_two_processes_give_the_same_bytes(method: str, text: Path, tmp_path: Path) -> None:
    if method != "ppmi":
        pytest.importorskip("gensim.models")
    code = (
        "import sys; from pathlib import Path\n"
        "from bilex.text import *; from bilex.text.output import save_text_vectors\n"
        "settings = VectorSettings(method=sys.argv.pop(), dim=8, min_count=1)\n"
        "text, out = map(Path, sys.argv[1:])\n"
        "found = train_on_text([text], settings, random_state=5)\n"
        "save_text_vectors(found, out, Corpus.of([text]))"
    )
    for name, seed in (("1.vec", "1"), ("2.vec", "2")):
        arguments = [str(text), str(tmp_path / name), method]
        command = [sys.executable, "-W", "ignore", "-c", code, *arguments]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run(command, check=True, env=environment)  # noqa: S603

    for ending in ("", ".counts.tsv", ".manifest.json"):
        one, two = (tmp_path / f"{n}.vec{ending}" for n in (1, 2))
        assert one.read_bytes() == two.read_bytes()


def test_the_random_state_changes_the_vectors_and_nothing_else(
    settings: VectorSettings, text: Path
) -> None:
    one, same, other = (train_vectors([text], settings, random_state=n) for n in (1, 1, 2))
    assert torch.equal(one.vectors, same.vectors)
    assert not torch.equal(one.vectors, other.vectors)
    assert one.words == other.words


def test_a_text_in_two_files_is_the_text_in_one(text: Path, tmp_path: Path) -> None:
    lines = text.read_text().splitlines(keepends=True)
    parts = [tmp_path / "1.txt", tmp_path / "2.txt"]
    parts[0].write_text("".join(lines[:100]))
    parts[1].write_text("".join(lines[100:]))

    whole, joined = train_vectors([text], SMALL), train_vectors(parts, SMALL)

    assert whole.words == joined.words
    assert torch.equal(whole.vectors, joined.vectors)


def test_several_threads_train_too(settings: VectorSettings, text: Path) -> None:
    found = train_on_text([text], settings, threads=2)
    assert found.threads == 2
    assert torch.isfinite(found.space.vectors).all()


def test_progress_goes_from_reading_to_the_end(settings: VectorSettings, text: Path) -> None:
    seen: list[WorkProgress] = []
    train_vectors([text], settings, on_progress=seen.append)

    stages = list(dict.fromkeys(progress.stage for progress in seen))
    if settings.method == "ppmi":
        assert stages == ["reading the text", "counting pairs", "reducing dimensions"]
    else:
        assert stages == ["reading the text", "training"]
        assert len(seen) > 20
    assert [p.share for p in seen] == sorted(p.share for p in seen)
    assert seen[-1].share == 1.0


def test_phrases_are_joined(tmp_path: Path) -> None:
    pytest.importorskip("gensim.models")
    text = write_topics(tmp_path / "a.txt", lines=300)
    with text.open("a") as file:
        file.writelines(f"we saw new york {topic}\n" * 10 for topic in TOPICS)
        file.writelines(f"rare{chr(97 + i // 26)}{chr(97 + i % 26)}\n" for i in range(600))

    found = train_on_text([text], VectorSettings(dim=4, min_count=1, phrases=True))

    assert "new_york" in found.space.words
    assert "york" not in found.space.words


def test_capitals_are_kept_if_wanted(text: Path) -> None:
    settings = VectorSettings(dim=4, min_count=1, keep_case=True)
    assert {"King", "king"} <= set(train_vectors([text], settings).words)


def test_rare_words_are_forgotten_if_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "MOST_WORDS", 50)
    text = write_topics(tmp_path / "a.txt")
    with text.open("a") as file:
        file.writelines(f"rare{chr(97 + i // 26)}{chr(97 + i % 26)}\n" for i in range(200))

    assert set(WORDS) <= set(train_vectors([text], SMALL).words)


def test_too_little_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("just a few words\n" * 249)
    with pytest.raises(SettingError) as error:
        train_vectors([tmp_path / "a.txt"])
    assert str(error.value) == (
        "the text has 996 words; expected at least 1,000, and a million for good translations: "
        "add more text"
    )


@pytest.mark.filterwarnings("default::bilex.errors.BilexWarning")
def test_a_short_text_is_warned_of(text: Path) -> None:
    with pytest.warns(BilexWarning) as warned:
        train_vectors([text], SMALL)
    assert str(warned[0].message) == (
        "the text has only 3,200 words: expect vectors for its frequent words and many wrong "
        "translations; a million words give a useful dictionary"
    )


def test_a_text_of_rare_words_only_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(" ".join(f"w{chr(97 + i % 26)}{i}x" for i in range(2_000)))
    with pytest.raises(SettingError) as error:
        train_vectors([tmp_path / "a.txt"], VectorSettings(min_count=3))
    assert str(error.value) == (
        "0 words occur at least 3 times: give more text or a lower min_count"
    )


def test_without_gensim_the_error_says_how_to_install_it(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    assert train_vectors([text], SMALL)  # needs no gensim
    with pytest.raises(MissingExtraError) as error:
        train_vectors([text], SKIP_GRAM)
    assert str(error.value) == (
        "word2vec and fasttext need the gensim package: pip install 'bilex[text]'"
    )


def test_an_interrupted_training_leaves_no_temporary_files(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))

    def interrupt(progress: WorkProgress) -> None:
        if progress.stage == "counting pairs":
            assert list(folder.iterdir())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_vectors([text], SMALL, on_progress=interrupt)
    assert not list(folder.iterdir())


def test_what_is_written_tells_how_it_was_made(text: Path, tmp_path: Path) -> None:
    found = train_on_text([text], SMALL, random_state=3)

    save_text_vectors(found, tmp_path / "a.vec", Corpus.of([text]))

    again = load_embeddings(tmp_path / "a.vec")
    assert again.words == found.space.words
    assert torch.equal(again.vectors, found.space.vectors)
    rows = (tmp_path / "a.vec.counts.tsv").read_text().splitlines()
    assert rows[0] == f"{found.space.words[0]}\t{found.counts[0]}"
    assert len(rows) == len(found.space)
    manifest = json.loads((tmp_path / "a.vec.manifest.json").read_text())
    assert manifest["settings"]["window"] == 5
    assert (manifest["random_state"], manifest["threads"], manifest["tokens"]) == (3, 1, 3200)
    assert manifest["texts"][0]["name"] == "a.txt"
    assert manifest["vocabulary"]["words"] == 26
    assert str(tmp_path) not in json.dumps(manifest)


def test_vectors_of_a_text_are_kept(text: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = space_of_text(text, SMALL, cache=cache)

    def fail(progress: WorkProgress) -> None:
        pytest.fail("trained again")

    again = space_of_text(text, SMALL, cache=cache, on_progress=fail)
    assert again.words == first.words
    assert torch.equal(again.vectors, first.vectors)

    text.write_text(text.read_text() + "one word more\n")
    assert "more" in space_of_text(text, SMALL, cache=cache).words
    assert len(list(cache.iterdir())) == 2
    assert len(space_of_text(text, SMALL)) == 29  # no cache, no file
    assert len(list(cache.iterdir())) == 2
