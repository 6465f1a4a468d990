"""Aligned vectors on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from bilex import load_embeddings
from conftest_types import Bilex


def test_align_writes_both_languages(bilex: Bilex, model: Path, tiny: Path) -> None:
    done = bilex("align", "m", "out", "--source-name", "en", "--target-name", "fr", "--limit", "20")
    assert done.code == 0, done.err
    assert done.out == ""
    assert done.err == "out: en.vec, fr.vec, manifest.json\n"
    source = load_embeddings(tiny / "out" / "en.vec").space
    target = load_embeddings(tiny / "out" / "fr.vec").space
    assert source.words == tuple(f"s{i}" for i in range(20))
    assert len(target) == 20


def test_a_card_carries_the_scores_that_evaluate_printed(
    bilex: Bilex, model: Path, tiny: Path
) -> None:
    printed = bilex("evaluate", "m", "test.tsv", "--json").out
    (tiny / "scores.json").write_text(printed, encoding="utf-8")
    done = bilex("align", "m", "out", "--format", "hf", "--scores", "scores.json")
    assert done.code == 0, done.err
    card = (tiny / "out" / "README.md").read_text(encoding="utf-8")
    share = json.loads(printed)["csls"]["p_at_1"]
    assert f"| csls | {share:.2%} |" in card
    assert "20 of 20 test units were covered" in card


def test_mistakes_are_told_in_one_line(bilex: Bilex, model: Path, tiny: Path) -> None:
    (tiny / "bad.json").write_text('{"covered": 3}', encoding="utf-8")
    for arguments, message in (
        (("m", "m"), "holds something else than aligned vectors"),
        (("nowhere", "out"), "there is no such folder"),
        (("m", "out", "--format", "xml"), "expected one of vec, bin, kv, safetensors, hf"),
        (("m", "out", "--license", "MIT"), "choose the format 'hf'"),
        (("m", "out", "--format", "hf", "--scores", "bad.json"), "holds no scores"),
        (("m", "out", "--format", "hf", "--scores", "gone.json"), "cannot be read"),
    ):
        done = bilex("align", *arguments)
        assert (done.code, done.out) == (2, "")
        assert message in done.err
        assert not (tiny / "out").exists()
