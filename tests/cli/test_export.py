"""`bilex export`: the dictionary or the vectors of a model."""

from __future__ import annotations

import json
from pathlib import Path

from bilex import load_embeddings, read_dictionary
from conftest_types import Bilex


def test_vectors_of_both_languages_are_written(bilex: Bilex, model: Path, tiny: Path) -> None:
    done = bilex(
        "export",
        "m",
        *("-o", "out"),
        *("--vectors", "vec"),
        *("--source-language", "en"),
        *("--target-language", "fr"),
        *("--limit", "20"),
    )
    assert done.code == 0, done.err
    assert done.out == ""
    assert done.err == "out: en.vec, fr.vec, manifest.json\n"
    source = load_embeddings(tiny / "out" / "en.vec")
    target = load_embeddings(tiny / "out" / "fr.vec")
    assert source.words == tuple(f"s{i}" for i in range(20))
    assert len(target) == 20


def test_a_card_carries_the_scores_that_evaluate_printed(
    bilex: Bilex, model: Path, tiny: Path
) -> None:
    printed = bilex("evaluate", "m", "test.tsv", "--json").out
    (tiny / "scores.json").write_text(printed, encoding="utf-8")
    done = bilex("export", "m", "-o", "out", "--vectors", "hf", "--scores", "scores.json")
    assert done.code == 0, done.err
    card = (tiny / "out" / "README.md").read_text(encoding="utf-8")
    share = json.loads(printed)["csls"]["p_at_1"]
    assert f"| csls | {share:.2%} |" in card
    assert "20 of 20 test units were covered" in card


def test_the_dictionary_is_that_of_induce(bilex: Bilex, model: Path, tiny: Path) -> None:
    done = bilex("export", "m", "-o", "d.tsv", "-k", "2")
    assert (done.code, done.err) == (0, "d.tsv: 100 entries\n")
    assert (tiny / "d.tsv").read_text() == bilex("induce", "m", "-k", "2").out
    assert read_dictionary(tiny / "d.tsv").metadata.manifest["limit"] == 2


def test_a_mistake_is_one_line_and_nothing_is_written(
    bilex: Bilex, model: Path, tiny: Path
) -> None:
    (tiny / "bad.json").write_text('{"covered": 3}', encoding="utf-8")
    vectors = ("--vectors", "vec")
    for arguments, message in (
        (("m", "-o", "m", *vectors), "has other files than aligned vectors"),
        (("nowhere", "-o", "out", *vectors), "is not a model folder"),
        (("seeds.tsv", "-o", "out.tbx"), "use `bilex convert`"),
        (("m", "-o", "out"), "no format has the extension of 'out'"),
        (("m", "-o", "out.tsv", "--limit", "3"), "--limit and --scores are for vectors"),
        (("m", "-o", "out", *vectors, "-k", "3"), "are not for --vectors"),
        (("m", "-o", "out", "--vectors", "xml"), "expected: vec, bin, kv, safetensors, hf"),
        (("m", "-o", "out", *vectors, "--license", "MIT"), "choose the format 'hf'"),
        (("m", "-o", "out", "--vectors", "hf", "--scores", "bad.json"), "has no scores"),
        (("m", "-o", "out", "--vectors", "hf", "--scores", "gone.json"), "cannot be read"),
    ):
        done = bilex("export", *arguments)
        assert (done.code, done.out) == (2, "")
        assert message in done.err
        assert not (tiny / "out").exists()


def test_missing_languages_are_an_error_before_long_work(bilex: Bilex, tiny: Path) -> None:
    (tiny / "empty").mkdir()
    for command in ("export", "induce"):
        done = bilex(command, "empty", "-o", "d.aws.csv")  # reading the model would fail
        assert done.code == 2
        assert "aws files name both languages: give their codes" in done.err


def test_a_model_becomes_a_glossary(bilex: Bilex, model: Path, tiny: Path) -> None:
    languages = ("--source-language", "en", "--target-language", "fr")
    done = bilex("export", "m", "-o", "d.aws.csv", "-k", "2", *languages)

    assert done.code == 0, done.err
    assert "entries left out, further translation of a word: " in done.err
    found = read_dictionary(tiny / "d.aws.csv")
    assert len({entry.source for entry in found}) == len(found)
    assert (tiny / "d.aws.csv").read_text().startswith("en,fr\n")
