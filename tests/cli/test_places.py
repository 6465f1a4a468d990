"""Outputs are checked before the work begins; the same file twice is pointed out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bilex.cli.places import check_writable
from bilex.errors import SettingError
from conftest_types import Bilex

# Each command that writes, up to its output. Inputs that do not exist show that the check is first.
WRITERS = {
    "fit": ["fit", "no.vec", "no.vec", "no.tsv", "-o"],
    "induce": ["induce", "no-model", "-o"],
    "export": ["export", "m", "-o"],
    "convert": ["convert", "no.vec", "-o"],
    "convert a dictionary": ["convert", "no.tbx", "-o"],
    "seeds import": ["seeds", "import", "no.jsonl", "--pair", "en-fi", "-o"],
    "bench run": ["bench", "run", "no-suite", "-o"],
    "bench report": ["bench", "report", "no-results", "-o"],
    "demo": ["demo", "-o"],
    "coverage plot": ["induce", "no-model", "--coverage-plot"],
}
NAMES = {
    "convert": "o.vec",
    "coverage plot": "o.svg",
    "bench report": "o.html",
    "convert a dictionary": "o.tsv",
    "induce": "o.tsv",
    "export": "o.tsv",
    "seeds import": "o.tsv",
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_place_that_cannot_be_written_is_an_error_before_any_work(
    bilex: Bilex, model: Path, name: str
) -> None:
    if name == "coverage plot":
        pytest.importorskip("matplotlib")
    below_a_file = Path("seeds.tsv") / "folder" / NAMES.get(name, "o")
    done = bilex(*WRITERS[name], str(below_a_file))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"bilex: cannot write {below_a_file}")
    assert done.err.endswith("seeds.tsv is a file, expected a folder\n")


@pytest.mark.parametrize("name", ["examples", "vectors"])
def test_commands_on_text_check_too(bilex: Bilex, tmp_path: Path, name: str) -> None:
    (tmp_path / "a.txt").write_text("some text\n")
    arguments = ["a.txt"] if name == "vectors" else ["a.txt", "text"]
    done = bilex(name, *arguments, "-o", "a.txt/o.vec")
    assert done.code == 2
    assert "a.txt is a file, expected a folder" in done.err


def test_a_folder_without_permission_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(SettingError, match="is read-only, or you have no permission to write"):
        check_writable(tmp_path / "new" / "file.tsv")


def test_a_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kept.tsv").write_text("")
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) == tmp_path)
    with pytest.raises(SettingError, match="it exists and is read-only"):
        check_writable(tmp_path / "kept.tsv")


def test_missing_folders_are_made(bilex: Bilex, model: Path, tmp_path: Path) -> None:
    assert bilex("induce", "m", "-o", "new/folder/d.tsv").code == 0
    assert (tmp_path / "new" / "folder" / "d.tsv").is_file()


@pytest.mark.parametrize(
    "arguments", [["convert", "s.vec", "-o", "./s.vec"], ["convert", "test.tsv", "-o", "test.tsv"]]
)
@pytest.mark.usefixtures("tiny")
def test_an_output_that_is_the_input_is_an_error(bilex: Bilex, arguments: list[str]) -> None:
    before = Path(arguments[1]).read_bytes()
    done = bilex(*arguments)
    assert done.code == 2
    assert done.err.endswith("is also the input: give another name with -o\n")
    assert Path(arguments[1]).read_bytes() == before


@pytest.mark.usefixtures("tiny")
def test_the_same_vectors_twice_are_warned_of(bilex: Bilex) -> None:
    Path("same.tsv").write_text("s1\ts1\ns2\ts2\ns3\ts3\n")
    fit = bilex("fit", "s.vec", "./s.vec", "same.tsv", "-o", "m", "--preset", "procrustes")
    assert fit.code == 0
    assert "warning: s.vec and s.vec are the same file: every word" in fit.err
    assert "warning: s.vec and s.vec are the same file" in bilex("inspect", "s.vec", "s.vec").err
    assert "same file" not in bilex("inspect", "s.vec", "t.vec").err


def test_seeds_as_test_pairs_are_warned_of(bilex: Bilex, model: Path) -> None:
    assert "warning: 3 test pairs" in bilex("evaluate", "m", "seeds.tsv").err


def test_export_writes_the_dictionary_if_no_output_is_named(
    bilex: Bilex, model: Path, tmp_path: Path
) -> None:
    done = bilex("export", "m")
    assert (done.code, done.err) == (0, "m.tsv: 50 entries\n")
    assert bilex("export", "m/", "--format", "tbx").err == "m.tbx: 50 entries\n"
    again = bilex("export", "m")
    assert again.code == 2
    assert again.err == (
        "bilex: m.tsv exists: name the file to write, for example bilex export m -o m.tsv\n"
    )
    assert bilex("export", "m", "-o", "m.tsv").code == 0
    vectors = bilex("export", "m", "--vectors", "vec")
    assert vectors.code == 2
    assert "for example: bilex export m -o aligned --vectors vec" in vectors.err


def test_an_unknown_format_is_suggested(bilex: Bilex, model: Path) -> None:
    assert "(did you mean 'tbx'?)" in bilex("export", "m", "--format", "tbxx").err
    done = bilex("export", "m", "-o", "aligned", "--vectors", "safetensor")
    assert "'safetensor' (did you mean 'safetensors'?)" in done.err
