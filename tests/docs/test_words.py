"""The documentation and the help of every command are in plain words."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from bilex.cli.app import app
from pages.words import prose, unplain_words

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def helps(command: Any, name: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - of typer's own click
    """Yield each text of the help of a command and those below it, and where it is."""
    for text in (command.help, command.epilog, command.short_help):
        yield name, text or ""
    for option in command.params:
        yield f"{name} {option.opts[0]}", getattr(option, "help", None) or ""
    if hasattr(command, "list_commands"):
        context = command.context_class(command, info_name=name)
        for each in command.list_commands(context):
            yield from helps(command.get_command(context, each), f"{name} {each}")


@pytest.mark.skipif(
    not (ROOT / "docs").is_dir(), reason="the documentation is not part of this distribution"
)
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_page_is_in_plain_words(path: Path) -> None:
    text = prose(path.read_text(encoding="utf-8"))
    found = [
        f"{path.relative_to(ROOT)}:{line}: {word!r}: write {instead}"
        for line, word, instead in sorted(unplain_words(text))
    ]

    assert not found, "\n".join(["", *found])


@pytest.fixture(scope="module")
def proselint() -> Callable[[str], list[tuple[int, str]]]:
    """Return a function that lists what proselint finds in a text: lines and messages."""
    checks = pytest.importorskip("proselint.checks").__register__
    registry = importlib.import_module("proselint.registry").CheckRegistry()
    tools = importlib.import_module("proselint.tools")
    default = importlib.import_module("proselint.config").DEFAULT
    if not registry.checks:
        registry.register_many(checks)
    # Headings repeat words, and "resume" is a verb here.
    off = ("typography", "lexical_illusions", "psychology", "weasel_words", "dates_times")
    enabled = {name: wanted and name not in off for name, wanted in default["checks"].items()}

    def lint(text: str) -> list[tuple[int, str]]:
        found = tools.LintFile("text", text).lint({**default, "checks": enabled})
        return [(each.pos[0], each.check_result.message) for each in found]

    return lint


def test_proselint_finds_what_is_wrong(proselint: Callable[[str], list[tuple[int, str]]]) -> None:
    assert [line for line, _ in proselint("Good.\n\nThey are in close proximity.\n")] == [3]


@pytest.mark.skipif(
    not (ROOT / "docs").is_dir(), reason="the documentation is not part of this distribution"
)
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_proselint_finds_nothing_in_the_page(
    path: Path, proselint: Callable[[str], list[tuple[int, str]]]
) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {message}"
        for line, message in proselint(prose(path.read_text(encoding="utf-8")))
    ]

    assert not found, "\n".join(["", *found])


def test_the_help_is_in_plain_words() -> None:
    texts = list(helps(typer.main.get_command(app), "bilex"))
    found = [
        f"{name}: {word!r}: write {instead}"
        for name, text in texts
        for _, word, instead in unplain_words(prose(text))
    ]

    assert len(texts) > 100  # all commands and their options were seen
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("The file is told.", "told"),
        ("one\n\nMend it.", "Mend"),
        ("tables that come\nhome", "come\nhome"),
        ("fast — and small", "—"),
        ("It retells the adjust justice.", None),
        ("It tells apart capital letters.", None),
        ('`told`, ``told `it` ``, "told", *told*, [x](told.md)', None),
        ("```text\ntold\n```\n<!-- told -->", None),
        ("```text\nx\n```\ntold", "told"),
    ],
)
def test_words_are_found_in_prose_only(text: str, word: str | None) -> None:
    found = [each for _, each, _ in unplain_words(prose(text))]

    assert found == ([] if word is None else [word])


def test_the_line_is_that_of_the_page() -> None:
    assert [line for line, _, _ in unplain_words(prose("```bash\nx\n```\n\n`a\nb` told"))] == [6]
