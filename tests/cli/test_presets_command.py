"""`bilex presets`: a line for each method, and all its settings."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from bilex.cli.presets import PURPOSES, setting_texts
from bilex.config import build_parts, load_preset, preset_names
from conftest_types import Bilex


def test_every_preset_has_a_line_with_its_purpose(bilex: Bilex) -> None:
    assert sorted(PURPOSES) == preset_names()
    lines = bilex("presets").out.splitlines()
    assert [line.split(None, 1) for line in lines] == [list(item) for item in PURPOSES.items()]
    assert max(map(len, lines)) <= 100
    found = [json.loads(line) for line in bilex("presets", "--json").out.splitlines()]
    assert {one["name"]: one["purpose"] for one in found} == PURPOSES


@pytest.mark.parametrize("name", preset_names())
def test_show_prints_the_same_preset_with_comments(bilex: Bilex, tmp_path: Path, name: str) -> None:
    done = bilex("presets", "show", name)
    assert (done.code, done.err) == (0, "")
    assert build_parts(tomllib.loads(done.out)) == build_parts(load_preset(name))
    assert done.out.startswith(f"# {PURPOSES[name]}\n\n")
    assert max(map(len, done.out.splitlines())) <= 100
    for line, next_line in zip(done.out.splitlines(), done.out.splitlines()[1:], strict=False):
        if next_line.startswith("["):
            assert line.startswith("# ")
    (tmp_path / "mine.toml").write_text(done.out, encoding="utf-8")
    again = bilex("presets", "show", "mine.toml")
    assert again.out == done.out.partition("\n\n")[2]
    facts = json.loads(bilex("presets", "show", name, "--json").out)
    assert facts["settings"] == tomllib.loads(done.out)


def test_settings_have_comments_also_those_that_are_not_set(bilex: Bilex) -> None:
    text = bilex("presets", "show", "css").out
    assert "\n# rounds is not set. " in text
    rounds = text.partition("\nrounds = 5\n")[0].splitlines()[-1]
    assert rounds.startswith("# ")
    assert bilex("presets", "show", "bilx").code == 2


def test_descriptions_are_read_from_the_docstring() -> None:
    @dataclass
    class Plugin:
        """Do it.

        Attributes:
            first: One thing,
                on two lines.
            second: Another: with a colon.

        Example:
            >>> no_setting: 1
        """

        first: int = 1
        second: int = 2

    assert setting_texts(Plugin) == {
        "first": "One thing, on two lines.",
        "second": "Another: with a colon.",
    }

    class Bare:
        pass

    assert setting_texts(Bare) == {}
