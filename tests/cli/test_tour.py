"""Fifty words and three pairs through every command."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from bilex import load_embeddings
from bilex.cli.fit import fit
from bilex.inducer import DEFAULT_PRESET
from bilex.lexicons.dictionary import DictionaryEntry
from conftest_types import Bilex


def test_fit_reports_what_it_used(bilex: Bilex, tiny: Path) -> None:
    done = bilex("fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m", "--json")
    assert done.code == 0
    result = json.loads(done.out)
    assert (result["pairs"], result["pairs_used"], result["source_words"]) == (3, 3, 50)
    assert "3 of 3 pairs usable" in done.err
    assert "s.vec: 50 words × 3 (text)" in done.err
    again = bilex("fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m")
    assert "from the cache" in again.err
    assert again.out == ""


def test_the_command_and_the_library_have_one_default() -> None:
    assert inspect.signature(fit).parameters["preset"].default == DEFAULT_PRESET


def test_the_default_method_takes_fifty_words_too(bilex: Bilex, tiny: Path) -> None:
    assert bilex("fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m").code == 0
    assert 'name = "bootstrap"' in (tiny / "m" / "config.toml").read_text(encoding="utf-8")
    assert bilex("translate", "m", "s7", "-k", "1").out == "s7\tt7\n"
    assert bilex("induce", "m", "-o", "d.tsv").code == 0
    assert len((tiny / "d.tsv").read_text(encoding="utf-8").splitlines()) == 51


def test_fit_without_cache_leaves_none(bilex: Bilex, tiny: Path) -> None:
    assert bilex("fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m", "--no-cache").code == 0
    assert not (tiny / "cache").exists()
    done = bilex("fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m", "--cache", "here")
    assert done.code == 0
    assert (tiny / "here").is_dir()


def test_translate_prints_candidates(bilex: Bilex, model: Path) -> None:
    done = bilex("translate", "m", "s7", "s9", "-k", "2")
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert [row[:2] for row in rows] == [["s7", "t7"], ["s9", "t9"]]
    assert all(len(row) == 3 for row in rows)
    assert done.err == ""


def test_translate_reads_stdin_and_speaks_json(bilex: Bilex, model: Path) -> None:
    done = bilex("translate", "m", "--json", stdin="s7\r\n\nS9\n")
    result = [json.loads(line) for line in done.out.splitlines()]
    assert result[0]["candidates"][0]["word"] == "t7"
    assert (result[0]["how"], result[1]["how"]) == ("known", "unknown")
    assert (result[1]["word"], result[1]["candidates"]) == ("S9", [])
    assert "'S9' is not in the vocabulary of this model; 's9' is" in done.err


def test_translate_goes_back(bilex: Bilex, model: Path) -> None:
    done = bilex("translate", "m", "t7", "nonsense", "--reverse", "-k", "1")
    assert done.out == "t7\ts7\nnonsense\n"
    assert "'nonsense' is not in the vocabulary of this model\n" in done.err


def test_induce_writes_the_whole_dictionary(bilex: Bilex, model: Path, tiny: Path) -> None:
    assert bilex("induce", "m", "-o", "d.tsv").code == 0
    lines = (tiny / "d.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t") == list(DictionaryEntry._fields)
    assert len(lines) == 51
    assert lines[8].split("\t")[:2] == ["s7", "t7"]
    done = bilex("induce", "m", "-o", "d.jsonl", "-k", "3")
    assert "150 entries" in done.err
    rows = [json.loads(line) for line in (tiny / "d.jsonl").read_text().splitlines()]
    assert len(rows) == 150
    assert rows[0].keys() == set(DictionaryEntry._fields)


def test_induce_to_stdout_and_mutual_only(bilex: Bilex, model: Path) -> None:
    lines = bilex("induce", "m", "--mutual", "-k", "2").out.splitlines()[1:]
    assert lines
    assert all(line.split("\t")[4:6] == ["1", "1"] for line in lines)
    rows = [
        json.loads(line) for line in bilex("induce", "m", "--json", "--reverse").out.splitlines()
    ]
    assert rows[0]["source"].startswith("t")


def test_induce_joins_forms_by_lemma(bilex: Bilex, model: Path, tiny: Path) -> None:
    (tiny / "forms.tsv").write_text("s7\ts8\ns9\ts8\n", encoding="utf-8")
    (tiny / "targets.tsv").write_text("t7\tt8\n", encoding="utf-8")
    joined = ["--source-lemmas", "forms.tsv", "--target-lemmas", "targets.tsv"]
    lines = bilex("induce", "m", "-k", "1", *joined).out.splitlines()[1:]
    pairs = [tuple(line.split("\t")[:2]) for line in lines]
    assert len(pairs) == 49  # of 50: s7 and s8 are one entry, s9 is another of the same word
    assert {target for source, target in pairs if source == "s8"} == {"t8", "t9"}
    assert bilex("induce", "m", "--source-lemmas", "simplemma:xx").code == 2


def test_evaluate_scores_both_retrievals(bilex: Bilex, model: Path) -> None:
    result = json.loads(bilex("evaluate", "m", "test.tsv", "--json").out)
    assert (result["covered"], result["total"], result["leaked_pairs"]) == (20, 20, 0)
    assert result["nearest"]["p_at_1"] == 1.0
    assert result["copy_baseline"] == 0.0
    table = bilex("evaluate", "m", "test.tsv", "--reverse").out
    assert "20 of 20 test units covered" in table
    assert "csls" in table
    assert "nearest" in table


def test_evaluating_on_the_seeds_is_pointed_out(bilex: Bilex, model: Path) -> None:
    done = bilex("evaluate", "m", "seeds.tsv")
    assert "warning: 3 test pairs were also training pairs" in done.err


def test_inspect_one_two_three(bilex: Bilex, tiny: Path) -> None:
    assert "s.vec: 50 words × 3 dimensions" in bilex("inspect", "s.vec").out
    assert "both languages:" in bilex("inspect", "s.vec", "t.vec").out
    done = bilex("inspect", "s.vec", "t.vec", "seeds.tsv")
    assert "seeds: 3 of 3 pairs usable (100%)" in done.out
    assert "difficulty  hard" in done.out
    result = json.loads(bilex("inspect", "s.vec", "t.vec", "seeds.tsv", "--json").out)
    assert set(result) == {"s.vec", "t.vec", "pair", "seeds"}


@pytest.mark.parametrize("name", ["o.vec", "o.vec.gz", "o.bin", "o.kv", "o.safetensors", "store"])
def test_convert_keeps_words_and_vectors(bilex: Bilex, tiny: Path, name: str) -> None:
    assert bilex("convert", "s.vec", "-o", name, "--limit", "20").code == 0
    space = load_embeddings(tiny / name)
    assert space.words == tuple(f"s{i}" for i in range(20))
    assert space.vectors.equal(load_embeddings(tiny / "s.vec").vectors[:20])


def test_presets_can_be_listed_edited_and_used(bilex: Bilex, tiny: Path) -> None:
    text = bilex("presets", "show", "procrustes").out
    (tiny / "mine.toml").write_text(text.replace("neighborhood = 10", "neighborhood = 3"))
    done = bilex("fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m", "--preset", "mine.toml")
    assert done.code == 0
    assert "neighborhood = 3" in (tiny / "m" / "config.toml").read_text()


def test_set_changes_a_setting(bilex: Bilex, tiny: Path) -> None:
    done = bilex(
        "fit", "s.vec", "t.vec", "seeds.tsv", "-o", "m", "--set", "retrieval.neighborhood=4"
    )
    assert done.code == 0
    assert "neighborhood = 4" in (tiny / "m" / "config.toml").read_text()


def test_version_and_help(bilex: Bilex) -> None:
    assert bilex("--version").out.startswith("bilex ")
    for command in ("fit", "translate", "induce", "evaluate", "inspect", "convert", "presets"):
        done = bilex(command, "--help")
        assert done.code == 0
        assert "Example" in done.out


def test_completion_can_be_shown(bilex: Bilex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    done = bilex("--show-completion", "bash")
    assert "_bilex_completion" in done.out
