"""Pages are split into blocks, and what a page does not say clearly is a problem."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pages.blocks import Block, Command, Page, console_commands

ReadPage = Callable[[str], Page]


def test_blocks_are_found_with_their_lines_and_reasons(page: ReadPage) -> None:
    found = page(
        "# Title\n\n```bash\necho a\n```\n\n<!-- not run: needs the network -->\n"
        "```python title='x'\nimport bilex\n```\n- item\n\n    ```console\n    $ echo  b\n"
        "      b\n    ```\n````text\n```sh\n````\n"
    )

    assert found.problems == []
    assert found.blocks == [
        Block(4, "bash", "echo a"),
        Block(9, "python", "import bilex", not_run="needs the network"),
        Block(14, "console", "$ echo  b\n  b"),
        Block(18, "text", "```sh"),
    ]
    assert [block.is_executed for block in found.blocks] == [True, False, True, False]


def test_output_belongs_to_the_block_before_it(page: ReadPage) -> None:
    found = page("```python\nprint(1)\n```\n\n<!-- output -->\n```text\n1\n```\n")

    assert found.problems == []
    assert found.blocks[1] == Block(7, "text", "1", is_output=True)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("```sh\nls\n```", 1, "the block has the language 'sh', expected bash, console, python"),
        ("```py\n1\n```", 1, "the block has the language 'py'"),
        ("```\nls\n```", 1, "the block has no language"),
        ("\n```bash\nls", 2, "the block is not closed"),
        ("<!-- not run -->\n```bash\nls\n```", 2, "`not run` needs a reason"),
        ("<!-- not run: -->\n```bash\nls\n```", 2, "`not run` needs a reason"),
        ("<!-- not run: slow -->\n\n```bash\nls\n```", 1, "on the line directly before a block"),
        ("<!-- not run: slow -->\n```text\nls\n```", 2, "a block of text is never executed"),
        ("```powershell\nls\n```", 1, "powershell cannot run here"),
        ("<!-- output -->\n```text\n1\n```", 2, "there is no executed block of bash or python"),
        (
            "<!-- not run: slow -->\n```bash\nls\n```\n<!-- output -->\n```text\n1\n```",
            6,
            "there is no executed block of bash or python",
        ),
        ("```bash\nls\n```\n<!-- output -->\n```json\n1\n```", 5, "output is in a block of text"),
    ],
)
def test_what_is_unclear_is_a_problem(page: ReadPage, text: str, line: int, problem: str) -> None:
    (found,) = page(text).problems

    assert found.startswith(f"page.md:{line}: ")
    assert problem in found


def test_a_console_block_is_commands_with_their_output() -> None:
    block = Block(10, "console", "$ echo a \\\n    b\na b\n$ true\n$ ls\n\nx\n")

    assert console_commands(block) == [
        Command(10, "echo a \\\n    b", "a b"),
        Command(13, "true", ""),
        Command(14, "ls", "\nx"),
    ]
    with pytest.raises(ValueError, match="begins with a command"):
        console_commands(Block(1, "console", "a b\n$ ls"))
