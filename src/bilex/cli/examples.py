"""`bilex examples`: sentences of a text in which a word occurs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.cli.help_text import add_command
from bilex.cli.places import check_writable
from bilex.cli.screen import json_result, note, progress, result
from bilex.cli.suggestions import Suggestions
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.text.index import Example, TextIndex

EXAMPLES = (
    "bilex examples corpus.txt casa",
    "bilex examples books/ news.txt.gz casa -o books.index",
    "bilex examples books.index sol",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    add_command(app, examples, *EXAMPLES)


def examples(
    texts_and_word: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT... WORD",
            help="Text files (also .gz, .bz2, .xz), folders of .txt files, or an index; "
            "last, the word.",
        ),
    ],
    number: Annotated[
        int, typer.Option("-n", metavar="N", min=1, help="Print at most N sentences.")
    ] = 10,
    width: Annotated[
        int, typer.Option(metavar="N", min=1, help="Print N characters on each side of the word.")
    ] = 60,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Write the index to this folder instead of the cache.",
        ),
    ] = None,
    keep_case: Annotated[
        bool, typer.Option("--keep-case", help="Distinguish capital and small letters.")
    ] = False,
    segmented: Annotated[
        bool,
        typer.Option(
            "--segmented",
            help="Words are separated by spaces in any script, such as Chinese after a segmenter.",
        ),
    ] = False,
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Cache folder for the index, so that a text is read only once."
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Print sentences of a text that contain a word.

    The text is indexed once; after that, an answer takes milliseconds. Words are found as by
    `bilex vectors`, so every word that has a vector has examples. With --json, sentences are not
    shortened.
    """
    *names, word = texts_and_word
    if not names:
        raise SettingError(f"found only {word!r}: give one or more texts, then a word")
    with _index([Path(name) for name in names], output, cache, keep_case, segmented) as index:
        found = index.examples(word, number)
        occurrences = index.count(word)
        hint = "" if found else Suggestions(index.vocabulary()).hint(index.words.normal(word))
    if as_json:
        listed = [asdict(example) for example in found]
        json_result({"word": word, "occurrences": occurrences, "examples": listed})
    else:
        for example in found:
            result(_line(example, width))
    if not found:
        note(f"no sentence contains {word!r}{hint}")


def _index(
    paths: list[Path],
    output: Path | None,
    cache: Path | None,
    keep_case: bool,
    segmented: bool,
) -> TextIndex:
    from bilex.storage.cache_folder import default_cache_folder
    from bilex.text.index import TextIndex
    from bilex.text.index_cache import cached_index, is_index

    if len(paths) == 1 and is_index(paths[0]):
        if output is not None or keep_case or segmented:
            raise SettingError(
                f"-o, --keep-case and --segmented are for texts, and {paths[0]} is an index: leave "
                "them out"
            )
        return TextIndex.open(paths[0])
    if output is not None:
        check_writable(output, inputs=paths)
    with progress("indexing", "bytes") as on_bytes:
        if output is not None:
            return TextIndex.build(
                paths, output, keep_case=keep_case, segmented=segmented, on_bytes=on_bytes
            )
        folder = cache or default_cache_folder()
        return cached_index(
            paths, folder, keep_case=keep_case, segmented=segmented, on_bytes=on_bytes
        )


def _line(example: Example, width: int) -> str:
    """Return a sentence, aligned at the word, and its file and line."""
    from rich.cells import cell_len

    left, right = example.left, example.right
    if len(left) > width:
        left = f"…{left[len(left) - width + 1 :]}"
    if len(right) > width:
        right = f"{right[: width - 1]}…"
    padding = " " * max(width - cell_len(left), 0)
    return f"{padding}{left}{example.word}{right}  ({example.file}, line {example.line})"
