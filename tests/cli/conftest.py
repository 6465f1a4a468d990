"""Run the command line in this process, as a user would type it."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from bilex.cli.app import main
from bilex.embeddings import save_embeddings
from bilex.lexicons import write_lexicon
from bilex.values import Lexicon
from conftest_types import Bilex, Finished
from twins import make_twins


@pytest.fixture
def bilex(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Bilex:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BILEX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str, stdin: str = "") -> Finished:
        monkeypatch.setattr(sys, "argv", ["bilex", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as exit_:
            main()
        captured = capsys.readouterr()
        return Finished(int(exit_.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Write a vocabulary of 50 words on each side, three seed pairs and a test set."""
    twins = make_twins(50, dim=3)
    save_embeddings(twins.source, tmp_path / "s.vec")
    save_embeddings(twins.target, tmp_path / "t.vec")
    write_lexicon(Lexicon(twins.lexicon.entries[:3]), tmp_path / "seeds.tsv")
    write_lexicon(Lexicon(twins.lexicon.entries[10:30]), tmp_path / "test.tsv")
    return tmp_path


@pytest.fixture
def model(bilex: Bilex, tiny: Path) -> Path:
    assert bilex("fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m").code == 0
    return tiny / "m"
