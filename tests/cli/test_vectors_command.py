"""`bilex vectors` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilex.embeddings import load_embeddings
from conftest_types import Bilex
from topic_text import write_topics

FAST = ("--dim", "4", "--min-count", "1", "--window", "3")
WARNING = (
    "warning: the text has only 3,200 words: expect vectors for its frequent words and many "
    "wrong translations; a million words give a useful dictionary"
)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return write_topics(tmp_path / "a.txt")


@pytest.mark.parametrize("name", ["xx.vec", "xx.vec.gz", "xx.bin", "xx.safetensors", "xx"])
def test_vectors_are_written_in_every_format(
    name: str, bilex: Bilex, text: Path, tmp_path: Path
) -> None:
    done = bilex("vectors", "a.txt", "-o", name, *FAST)

    assert (done.code, done.out) == (0, "")
    lines = done.err.splitlines()
    assert lines[0] == WARNING
    assert lines[1] == (
        "3,200 words of text, 26 different; 400 numbers and overlong words left out"
    )
    assert lines[2].startswith(f"{name}: 26 words × 4 (ppmi, window 3, at least 1 occurrences)")
    assert len(load_embeddings(tmp_path / name)) == 26
    assert (tmp_path / f"{name}.counts.tsv").exists()
    assert (tmp_path / f"{name}.manifest.json").exists()


def test_an_impossible_output_is_found_before_training(
    bilex: Bilex, text: Path, tmp_path: Path
) -> None:
    done = bilex("vectors", "a.txt", "-o", "xx.pdf")
    assert done.code == 2
    assert done.err.startswith("bilex: xx.pdf: no known format has the suffix '.pdf'; use .vec")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_mistakes_are_one_line(bilex: Bilex, text: Path, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"caf\xe9\n")
    for arguments, message in {
        ("b.txt",): "b.txt, line 1: byte 0xe9 after 'caf' is not UTF-8; convert the file, for "
        "example with `iconv -f latin1 -t utf-8`",
        ("c.txt",): "c.txt: no such file; expected a text file or a folder of them",
        ("a.txt", "--method", "glove"): "method is 'glove': expected one of ppmi, word2vec, "
        "fasttext",
        ("a.txt", "--dim", "0"): "dim is 0: expected at least 2",
        ("a.txt", "--epochs", "5"): "epochs has no effect on ppmi: leave it out, or set method to "
        "word2vec or fasttext",
    }.items():
        done = bilex("vectors", *arguments, "-o", "xx.vec")
        assert (done.code, done.err) == (2, f"bilex: {message}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]


def test_an_interrupt_leaves_nothing(
    bilex: Bilex, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bilex.embeddings.save_embeddings", interrupt)
    monkeypatch.setattr("bilex.text.output.check_vector_output", lambda path: None)

    done = bilex("vectors", "a.txt", "-o", "xx.vec", *FAST)

    assert done.code == 130
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
