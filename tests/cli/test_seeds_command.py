"""`bilex seeds`: the commands, their one line of summary, and their mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bilex.cli.app import app
from bilex.errors import BilexError, LexiconFileError, SettingError
from bilex.lexicons import read_lexicon
from bilex.lexicons.imports import installed_importers
from import_resources import (
    EXPECTED,
    write_cldf,
    write_opus,
    write_smol,
    write_wiktionary,
)

RUN = CliRunner()


def run(*arguments: object) -> str:
    done = RUN.invoke(app, ["seeds", *map(str, arguments)])
    if done.exception is not None:
        raise done.exception
    return done.stderr


def test_the_summary_says_what_was_read_written_and_left_out(tmp_path: Path) -> None:
    path, output = write_wiktionary(tmp_path), tmp_path / "seeds.tsv"

    said = run("import", path, "--pair", "en-fi", "-o", output)

    assert said.splitlines() == [
        "1 words without their qualifier in parentheses",
        f"{path} (wiktionary): 5 entries read, 3 pairs en-fi written to {output}, left out: "
        "1 redirects, 1 repeated, 1 without a word; license CC-BY-SA-4.0",
    ]
    assert list(read_lexicon(output).translations) == [source for source, _ in EXPECTED]


def test_the_manifest_names_the_license(tmp_path: Path) -> None:
    run("import", write_smol(tmp_path), "--pair", "en-fi", "-o", tmp_path / "seeds.jsonl")

    record = json.loads((tmp_path / "seeds.jsonl.manifest.json").read_text())
    assert (record["license"], record["format"]) == ("CC-BY-4.0", "jsonl")


def test_nothing_left_out_and_no_license_are_said_too(tmp_path: Path) -> None:
    path = tmp_path / "words.dic"
    path.write_text("1\t1\tdog\tkoira\t1\t1\n")

    said = run("import", path, "--pair", "eng:fin", "-o", tmp_path / "s.tsv").splitlines()

    assert said[0].startswith("The file does not say its languages: ")
    assert said[1].endswith("left out: nothing; license not stated")


def test_a_minimal_weight_leaves_out_rare_pairs(tmp_path: Path) -> None:
    output = tmp_path / "s.tsv"

    run("import", write_opus(tmp_path), "--pair", "en-fi", "-o", output, "--min-weight", "0.9")

    assert len(read_lexicon(output)) == 1


def test_a_second_word_list_is_joined(tmp_path: Path) -> None:
    path, output = write_cldf(tmp_path), tmp_path / "s.tsv"

    run("import", path, "--pair", "en-fi", "-o", output, "--with", tmp_path)

    assert len(read_lexicon(output)) == 3
    manifest = json.loads((tmp_path / "s.tsv.manifest.json").read_text())["manifest"]
    assert len(manifest["resources"]) == 2


@pytest.mark.parametrize(
    ("options", "kind", "problem"),
    [
        (["--pair", "en"], SettingError, "the pair is 'en', expected two language codes"),
        (["--pair", "en-sv", "--from", "smol"], LexiconFileError, "not a resource|no pair en-sv"),
        (["--pair", "en-fi", "--from", "nope"], BilexError, "no import plugin is called 'nope'"),
    ],
)
def test_a_mistake_is_an_error_and_writes_nothing(
    tmp_path: Path, options: list[str], kind: type[Exception], problem: str
) -> None:
    with pytest.raises(kind, match=problem):
        run("import", write_wiktionary(tmp_path), *options, "-o", tmp_path / "seeds.tsv")

    assert not list(tmp_path.glob("seeds*"))


def test_an_output_of_another_ending_is_refused_before_reading(tmp_path: Path) -> None:
    with pytest.raises(LexiconFileError) as error:
        run("import", tmp_path / "missing.jsonl", "--pair", "en-fi", "-o", tmp_path / "seeds.xyz")
    assert error.value.problem == (
        "cannot be written as a lexicon, expected a name that ends in one of .csv, .jsonl, .tsv"
    )


def test_sources_are_listed_as_lines_and_as_json() -> None:
    lines = RUN.invoke(app, ["seeds", "sources"]).stdout.splitlines()
    as_json = RUN.invoke(app, ["seeds", "sources", "--json"]).stdout.splitlines()
    records = [json.loads(line) for line in as_json]

    assert [line.split("\t")[0] for line in lines] == list(installed_importers())
    assert [record["name"] for record in records] == list(installed_importers())
    assert "wikidata\t.json, .json.gz, .json.bz2\tCC0-1.0\t" in "\n".join(lines)
