"""What `bilex evaluate` prints."""

from __future__ import annotations

import json
from pathlib import Path

from conftest_types import Bilex


def test_the_table_shows_every_ranking_by_spelling_similarity(bilex: Bilex, model: Path) -> None:
    lines = bilex("evaluate", "m", "test.tsv").out.splitlines()

    start = next(row for row, line in enumerate(lines) if line.startswith("P@1 by spelling"))
    head, units, csls, nearest = lines[start + 1 : start + 5]
    # s10 and t10 have two of three letters in common
    assert head.split() == ["0.3-0.7"]
    assert units.split() == ["test", "units", "20"]
    assert csls.split()[0] == "csls"
    assert nearest.split() == ["nearest", "100.00%", "(100.0", "to", "100.0)"]
    assert max(map(len, lines)) <= 100
    assert not any("lemma" in line for line in lines)


def test_form_and_lemma_stand_side_by_side(bilex: Bilex, model: Path, tiny: Path) -> None:
    pairs = (tiny / "test.tsv").read_text(encoding="utf-8").splitlines()
    table = "".join(f"{pair.split()[1]}\tlemma\n" for pair in pairs)
    (tiny / "lemmas.tsv").write_text(table, encoding="utf-8")
    (tiny / "wrong.tsv").write_text(
        "".join(f"{pair.split()[0]}\tt{row}\n" for row, pair in enumerate(pairs)), "utf-8"
    )
    command = ("evaluate", "m", "wrong.tsv", "--lemmas", "lemmas.tsv")

    lines = bilex(*command).out.splitlines()
    result = json.loads(bilex(*command, "--json").out)

    start = lines.index("P@1 by form and by lemma (lemmas.tsv), with 95 % intervals:")
    assert lines[start + 1].split() == ["same", "form", "same", "lemma"]
    for line in lines[start + 2 : start + 4]:
        name, form, *_ = line.split()
        assert form == f"{result[name]['p_at_1']:.2%}"
        assert f"{result[name]['lemma']['p_at_1']:.2%} (" in line
    assert result["lemmas"] == "lemmas.tsv"
    assert result["nearest"]["lemma"]["p_at_1"] > result["nearest"]["p_at_1"]


def test_a_missing_file_of_lemmas_is_an_error(bilex: Bilex, model: Path) -> None:
    done = bilex("evaluate", "m", "test.tsv", "--lemmas", "absent.tsv")

    assert done.code == 2
    assert "bilex: absent.tsv: no such file" in done.err
