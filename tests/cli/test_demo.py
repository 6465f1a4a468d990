from __future__ import annotations

from pathlib import Path

import pytest

from bilex.cli.demo import WORDS
from conftest_types import Bilex


@pytest.mark.docs  # the documentation runs the same fit
def test_the_demo_leaves_a_model_and_a_dictionary_and_shows_how(
    bilex: Bilex, tmp_path: Path
) -> None:
    done = bilex("demo", "-o", "d")
    assert done.code == 0
    shown = [line for line in done.err.splitlines() if line.startswith("$ bilex ")]
    assert [line.split()[2] for line in shown] == ["fit", "translate", "evaluate", "induce"]
    answers = dict(line.split("\t", 1) for line in done.out.splitlines()[: len(WORDS)])
    assert list(answers) == list(WORDS)
    assert answers["water"].startswith("agua:0.9")
    right = next(line for line in done.out.splitlines() if line.startswith("calibrated"))
    assert 65 < float(right.split()[1].rstrip("%")) < 90
    assert len((tmp_path / "d" / "en-es.tsv").read_text(encoding="utf-8").splitlines()) > 2_000


def test_the_demo_leaves_other_folders_alone(bilex: Bilex, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    done = bilex("demo", "-o", ".")
    assert done.code == 2
    assert done.err == "bilex: . exists and does not hold the sample: give another folder\n"
