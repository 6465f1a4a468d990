"""The fenced blocks of a Markdown page, and what is to be done with each."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

EXECUTED = frozenset({"bash", "console", "python"})
OTHER_SYSTEMS = frozenset({"powershell", "bat"})
"""Commands that cannot run on Linux: such a block needs a reason not to run, too."""
SHOWN = frozenset(
    {"text", "toml", "json", "jsonl", "tsv", "csv", "xml", "yaml", "bibtex", "mermaid"}
)
"""Not executed."""

_FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[^\s`]*)[^`]*$")
_COMMENT = re.compile(r"^\s*<!--\s*(?P<word>not run|output)\b(?P<rest>.*?)-->\s*$")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        line: The number of its first line in the page, below the fence.
        language: As written behind the fence.
        text: Without the indentation of the fence.
        not_run: Why it is not executed; None if nothing is said.
        is_output: Whether it shows what the executed block before it prints.
    """

    line: int
    language: str
    text: str
    not_run: str | None = None
    is_output: bool = False

    @property
    def is_executed(self) -> bool:
        """Return whether the block runs."""
        return self.language in EXECUTED and self.not_run is None


@dataclass(frozen=True)
class Command:
    """A command of a console block, and the lines that it shall print."""

    line: int
    text: str
    output: str


@dataclass
class Page:
    """The blocks of a page in order, and what is wrong with them as they are written."""

    name: str
    blocks: list[Block] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def complain(self, line: int, problem: str) -> None:
        """Note what is wrong at a line."""
        self.problems.append(f"{self.name}:{line}: {problem}")


def read_page(path: Path, name: str) -> Page:
    """Return the blocks of a Markdown file; problems are collected, not raised."""
    page = Page(name)
    remark: re.Match[str] | None = None  # the comment on the line before
    lines = path.read_text(encoding="utf-8").split("\n")
    number = 0
    while number < len(lines):
        opening = _FENCE.match(lines[number])
        if opening is not None:
            end = _end(lines, number, opening["fence"])
            if end == len(lines):
                page.complain(number + 1, "the block is not closed")
            _add(page, number + 2, opening, lines[number + 1 : end], remark)
            remark, number = None, end + 1
            continue
        if remark is not None:
            page.complain(number, "the comment must be on the line directly before a block")
        remark = _COMMENT.match(lines[number])
        number += 1
    return page


def console_commands(block: Block) -> list[Command]:
    """Return the commands of a console block; `\\` at the end of a line continues a command.

    Raises:
        ValueError: If the block begins with output.
    """
    found: list[tuple[int, list[str], list[str]]] = []
    continues = False
    for number, line in enumerate(block.text.splitlines(), start=block.line):
        if continues:
            found[-1][1].append(line.removeprefix("> "))
        elif line.startswith("$ "):
            found.append((number, [line.removeprefix("$ ")], []))
        elif not found:
            raise ValueError("a console block begins with a command: `$ ` and the command")
        else:
            found[-1][2].append(line)
            continue
        continues = line.endswith("\\")
    return [
        Command(number, "\n".join(command), "\n".join(output)) for number, command, output in found
    ]


def _end(lines: list[str], opening: int, fence: str) -> int:
    """Return the number of the closing line; that of the end of the page if there is none."""
    for number in range(opening + 1, len(lines)):
        line = lines[number].strip()
        if len(line) >= len(fence) and line == fence[0] * len(line):
            return number
    return len(lines)


def _add(
    page: Page,
    line: int,
    opening: re.Match[str],
    lines: list[str],
    remark: re.Match[str] | None,
) -> None:
    indent, language = opening["indent"], opening["language"]
    not_run, is_output = None, False
    if remark is not None and remark["word"] == "output":
        is_output = True
    elif remark is not None:
        not_run = remark["rest"].strip().removeprefix(":").strip()
    block = Block(
        line, language, "\n".join(each.removeprefix(indent) for each in lines), not_run, is_output
    )
    problem = _problem(block, page.blocks)
    if problem is not None:
        page.complain(line - 1, problem)
    page.blocks.append(block)


def _problem(block: Block, before: list[Block]) -> str | None:
    """Return what is wrong with a block as it is written."""
    language = block.language
    if language not in EXECUTED | OTHER_SYSTEMS | SHOWN:
        found = f"the language {language!r}" if language else "no language"
        return (
            f"the block has {found}, expected {', '.join(sorted(EXECUTED))}, or one that is not "
            f"executed: {', '.join(sorted(SHOWN))}"
        )
    if block.not_run == "":
        return "`not run` needs a reason: <!-- not run: reason -->"
    if block.not_run is not None and language in SHOWN:
        return f"a block of {language} is never executed: remove the `not run`"
    if language in OTHER_SYSTEMS and block.not_run is None:
        return f"{language} cannot run here: write <!-- not run: Windows --> before it"
    if block.is_output:
        executed = [each for each in before if each.language in EXECUTED | OTHER_SYSTEMS]
        if language != "text":
            return f"output is in a block of text, not of {language}"
        if not executed or executed[-1].language == "console" or not executed[-1].is_executed:
            return "there is no executed block of bash or python before this output"
    return None
