"""`bilex induce`: the whole dictionary."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli import options
from bilex.cli.screen import note, progress
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.values import InducedEntry

EXAMPLE = "Example: `bilex induce en-fr -o en-fr.tsv`"

Writer = Callable[[Iterable["InducedEntry"]], Iterator[str]]

COLUMNS = ("source", "target", "score", "rank", "mutual")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(induce)


def induce(
    model: Annotated[Path, typer.Argument(help="Folder written by `bilex fit`.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write: .tsv or .jsonl; stdout when absent."),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="Translations for each word.")] = 1,
    mutual: Annotated[
        bool,
        typer.Option("--mutual", help="Only pairs that are each other's best: fewer, cleaner."),
    ] = False,
    reverse: options.Reverse = False,
    device: options.Device = "cpu",
    memory: options.Memory = options.DEFAULT_MEMORY,
    as_json: options.Json = False,
) -> None:
    """Translate every word of the model: the dictionary, most frequent word first.

    Columns are source, target, score (higher is better), rank among the word's translations, and
    mutual (1 when each word is the other's best translation).
    """
    from bilex.files import writing
    from bilex.inducer import LexiconInducer

    rows = _writer(output, as_json)
    inducer = LexiconInducer.load(model, device=device, memory=options.memory_bytes(memory))
    with progress("inducing", "words") as on_block:
        entries = inducer.induce(k=k, reverse=reverse, on_block=on_block)
        kept = (entry for entry in entries if entry.mutual or not mutual)
        if output is None:
            for line in rows(kept):
                typer.echo(line)
            return
        count = 0
        with writing(output) as part, part.open("w", encoding="utf-8", newline="\n") as file:
            for line in rows(kept):
                file.write(line + "\n")
                count += 1
    note(f"{output}: {count - (0 if rows is _jsonl else 1):,} entries")


def _writer(output: Path | None, as_json: bool) -> Writer:
    suffix = ".jsonl" if as_json else ".tsv"
    if output is not None:
        suffix = output.suffix.lower() or suffix
    if suffix not in _WRITERS:
        raise SettingError(
            f"cannot write {suffix!r} files: expected a name ending in {' or '.join(_WRITERS)}"
        )
    return _WRITERS[suffix]


def _tsv(entries: Iterable[InducedEntry]) -> Iterator[str]:
    yield "\t".join(COLUMNS)
    for entry in entries:
        yield (f"{entry.source}\t{entry.target}\t{entry.score:.6f}\t{entry.rank}\t{entry.mutual:d}")


def _jsonl(entries: Iterable[InducedEntry]) -> Iterator[str]:
    for entry in entries:
        yield json.dumps({**entry._asdict(), "score": round(entry.score, 6)}, ensure_ascii=False)


_WRITERS: dict[str, Writer] = {".tsv": _tsv, ".jsonl": _jsonl}
