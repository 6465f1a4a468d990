"""Words that would control a terminal or a spreadsheet: kept in data, harmless on screen."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from bilex.cli import screen
from bilex.embeddings import load_embeddings, save_embeddings
from bilex.lexicons import DictionaryEntry, read_dictionary, write_dictionary, write_lexicon
from bilex.values import EmbeddingSpace, Lexicon
from conftest_types import Bilex
from twins import make_twins

HOSTILE = ("\x1b[31mred", "a\u202eb", "<script>alert(1)</script>", "=1+1", "\x9b2J")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def hostile_files(tmp_path: Path) -> Path:
    """Write twins whose first words are hostile, on both sides."""
    twins = make_twins(50, dim=3)
    renamed = {f"{side}{n}": word for side in "st" for n, word in enumerate(HOSTILE)}
    for name, space in (("s", twins.source), ("t", twins.target)):
        words = tuple(renamed.get(word, word) for word in space.words)
        save_embeddings(EmbeddingSpace(words, space.vectors), tmp_path / f"{name}.vec")
    pairs = [(renamed.get(e.source, e.source), renamed.get(e.target, e.target))
             for e in twins.lexicon.entries]  # fmt: skip
    write_lexicon(Lexicon.of(pairs[:30]), tmp_path / "seeds.tsv")
    return tmp_path


@pytest.fixture
def model(bilex: Bilex, hostile_files: Path) -> Path:
    fit = ("fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m", "--preset", "procrustes")
    assert bilex(*fit).code == 0
    return hostile_files / "m"


def test_vectors_keep_hostile_words(hostile_files: Path) -> None:
    assert set(HOSTILE) <= set(load_embeddings(hostile_files / "s.vec").words)


def test_translate_writes_hostile_words_unchanged_to_a_pipe(bilex: Bilex, model: Path) -> None:
    done = bilex("translate", str(model), "-k", "1", stdin="\n".join(HOSTILE))
    assert done.code == 0
    assert done.out.split("\n") == [*(f"{word}\t{word}" for word in HOSTILE), ""]
    as_json = bilex("translate", str(model), "--json", stdin="\n".join(HOSTILE)).out
    assert [json.loads(line)["word"] for line in as_json.split("\n")[:-1]] == list(HOSTILE)


def test_induce_writes_hostile_words_unchanged_to_a_pipe(bilex: Bilex, model: Path) -> None:
    rows = [line.split("\t") for line in bilex("induce", str(model)).out.split("\n")]
    assert set(HOSTILE) <= {row[0] for row in rows}


def test_a_terminal_gets_no_control_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    screen.result("\t".join(HOSTILE))
    assert terminal.getvalue() == (
        "\\u001b[31mred\ta\\u202eb\t<script>alert(1)</script>\t=1+1\t\\u009b2J\n"
    )


def test_notes_and_errors_have_no_control_characters(bilex: Bilex, model: Path) -> None:
    unknown = bilex("translate", str(model), "\x1b[2Jx", "y\u202e")
    missing = bilex("inspect", "no\x1b[31m.vec")
    assert missing.code == 2
    for text in (unknown.err, missing.err):
        assert text
        assert not {"\x1b", "\u202e"} & set(text)


def test_inspect_shows_identical_words_escaped_on_a_terminal(
    bilex: Bilex, hostile_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    piped = bilex("inspect", "s.vec", "t.vec", "seeds.tsv")
    assert piped.code == 0
    assert any(word in piped.out for word in HOSTILE)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shown = bilex("inspect", "s.vec", "t.vec", "seeds.tsv").out
    assert not {"\x1b", "\x9b", "\u202e"} & set(shown)


@pytest.mark.parametrize("name", ["d.tsv", "d.csv", "d.jsonl"])
def test_dictionaries_keep_hostile_words(name: str, tmp_path: Path) -> None:
    entries = [DictionaryEntry(word, word, rank=1) for word in HOSTILE]
    write_dictionary(entries, tmp_path / name)
    found = read_dictionary(tmp_path / name).entries
    assert [(entry.source, entry.target) for entry in found] == [(w, w) for w in HOSTILE]


def test_other_programs_read_hostile_words_from_csv(tmp_path: Path) -> None:
    write_dictionary([DictionaryEntry(word, word) for word in HOSTILE], tmp_path / "d.csv")
    with (tmp_path / "d.csv").open(encoding="utf-8", newline="") as file:
        assert [row["source"] for row in csv.DictReader(file)] == list(HOSTILE)
