"""The reference in docs/reference is complete, and what is made from the program is current."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

import bilex
from bilex.config import preset_names
from bilex.registry import KINDS, plugin_class, plugin_names

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"

pytestmark = pytest.mark.skipif(
    not (ROOT / "scripts" / "make_reference.py").is_file() or not REFERENCE.is_dir(),
    reason="the documentation is not part of this distribution",
)


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_commands_and_settings_are_current() -> None:
    for path, text in script("make_reference").pages().items():
        assert path.read_text(encoding="utf-8") == text, (
            f"{path.name} is out of date: run python scripts/make_reference.py"
        )


def test_every_setting_has_a_meaning() -> None:
    text = (REFERENCE / "settings.md").read_text(encoding="utf-8")

    assert not re.findall(r"^(`\w+` .*)\n:   $", text, flags=re.MULTILINE)


def test_every_option_has_help() -> None:
    text = (REFERENCE / "commands.md").read_text(encoding="utf-8")

    assert not re.findall(r"^(`.*)\n:   $", text, flags=re.MULTILINE)


def test_every_preset_and_plugin_has_a_section() -> None:
    text = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^###? (.*)$", text, flags=re.MULTILINE))
    ours = {
        f"{kind}: {name}"
        for kind in KINDS
        for name in plugin_names(kind)
        if plugin_class(kind, name).__module__.startswith("bilex.")
    }

    assert headings >= {*KINDS, *preset_names(), *ours}


def test_every_public_name_is_on_the_python_page() -> None:
    text = (REFERENCE / "python.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^::: bilex\.(\w+)$", text, flags=re.MULTILINE))

    assert documented >= set(bilex.__all__)


def test_the_glossary_is_sorted_and_each_term_is_defined_once() -> None:
    text = (REFERENCE / "glossary.md").read_text(encoding="utf-8")
    terms = [term.casefold() for term in re.findall(r"^(.+)\n:   \S", text, flags=re.MULTILINE)]

    assert len(terms) > 40
    assert terms == sorted(set(terms))


def test_a_broken_link_image_or_anchor_of_the_site_is_reported(tmp_path: Path) -> None:
    (tmp_path / "start").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="top">x</h1><a href="start/#here">1</a><a href="start/#gone">2</a>'
        '<a href="lost/">3</a><img src="lost.svg"><a href="https://example.org/">4</a>'
        '<script src="https://example.org/x.js"></script>',
        encoding="utf-8",
    )
    (tmp_path / "start" / "index.html").write_text(
        '<p id="here"></p><a href="../#top">1</a>', encoding="utf-8"
    )
    (tmp_path / "look.css").write_text(
        '@import "https://example.org/a.css"; p {background: url(b.png)}', encoding="utf-8"
    )

    found = list(script("check_site").problems(tmp_path))

    assert found == [
        "index.html: fetches https://example.org/x.js from another host: keep a copy in docs/",
        "index.html: start/#gone has no such anchor",
        "index.html: lost/ does not exist",
        "index.html: lost.svg does not exist",
        'look.css: fetches @import "https://example.org/a.css',
    ]


def test_a_site_without_pages_is_reported(tmp_path: Path) -> None:
    (problem,) = script("check_site").problems(tmp_path)

    assert problem == f"{tmp_path} has no page: build the documentation first"
