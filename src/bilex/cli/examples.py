"""`bilex examples`: sentences of a text in which a word occurs."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.cells import cell_len

from bilex.cli import options
from bilex.cli.screen import note, progress, result
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.text.index import Example, TextIndex

EXAMPLE = (
    "Examples: `bilex examples corpus.txt casa`; "
    "`bilex examples books/ news.txt.gz casa -o books.index`, then `bilex examples books.index sol`"
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(examples)


def examples(
    texts_and_word: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT... WORD",
            help="Text files (also .gz, .bz2, .xz), folders of .txt files, or an index; "
            "then the word.",
        ),
    ],
    number: Annotated[int, typer.Option("-n", min=1, help="At most so many sentences.")] = 10,
    width: Annotated[
        int, typer.Option(min=1, help="Characters shown to each side of the word.")
    ] = 60,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the index here, instead of into the cache."),
    ] = None,
    keep_case: Annotated[
        bool, typer.Option("--keep-case", help="Tell capital letters from small ones.")
    ] = False,
    segmented: Annotated[
        bool,
        typer.Option("--segmented", help="Spaces separate the words in any script, also Chinese."),
    ] = False,
    cache: Annotated[
        Path | None, typer.Option(help="Folder for the index, so that the text is read once.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Print sentences with a word: what is before it, the word, what is after it.

    The text is indexed once; from then on, an answer takes milliseconds. Words are found as by
    `bilex vectors`, so every word that has a vector has examples. With --json, the sentences are
    whole.
    """
    *names, word = texts_and_word
    if not names:
        raise SettingError(f"found only {word!r}: give one or more texts, then a word")
    with ExitStack() as closing:
        index = _index([Path(name) for name in names], output, cache, keep_case, segmented)
        closing.enter_context(index)
        found = index.examples(word, number)
        occurrences = index.count(word)
    if as_json:
        record = {
            "word": word,
            "occurrences": occurrences,
            "examples": [asdict(example) for example in found],
        }
        result(json.dumps(record, ensure_ascii=False))
        return
    for example in found:
        result(_line(example, width))
    if not found:
        note(f"no example of {word!r}")


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
                "-o, --keep-case and --segmented are for texts: an index is built already"
            )
        return TextIndex.open(paths[0])
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
    """Return a sentence with the word in one column, and the place where it is."""
    left, right = example.left, example.right
    if len(left) > width:
        left = f"…{left[len(left) - width + 1 :]}"
    if len(right) > width:
        right = f"{right[: width - 1]}…"
    padding = " " * max(width - cell_len(left), 0)
    return f"{padding}{left}{example.word}{right}  ({example.file}, line {example.line})"
