"""`bilex export`: a dictionary from any format to any other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli.screen import note, progress

if TYPE_CHECKING:
    from bilex.dictionary import DictionaryEntry
    from bilex.values import Progress

EXAMPLE = "Example: `bilex export en-fr.tsv en-fr.tbx --license CC0-1.0`, and back after editing"

ENTRIES_AT_ONCE = 1_000
"""Between two looks at the bar."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(export)


def export(
    dictionary: Annotated[
        Path,
        typer.Argument(help="TSV, CSV, JSONL, Parquet, TBX, TEI or StarDict; or a plain lexicon."),
    ],
    output: Annotated[
        Path,
        typer.Argument(
            help="Written by its ending: .tsv, .csv, .jsonl, .parquet, .gatitos.tsv, .txt (MUSE), "
            ".tbx, .tmx, .tei, .stardict (a folder), .dix, .anki.tsv, .prompts.jsonl."
        ),
    ],
    format: Annotated[
        str | None, typer.Option("--format", help="Of the output, where its ending does not tell.")
    ] = None,
    source_language: Annotated[
        str | None, typer.Option(help="Such as en; picks one where there are several.")
    ] = None,
    target_language: Annotated[
        str | None, typer.Option(help="Such as fr; picks one where there are several.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="What people call it.")] = None,
    license: Annotated[str | None, typer.Option(help="Its terms, such as CC0-1.0.")] = None,
) -> None:
    """Write a dictionary in another format; what both formats hold is kept."""
    from dataclasses import replace

    from bilex.export import check_output, read_dictionary, write_dictionary

    check_output(output, format)
    found = read_dictionary(
        dictionary, source_language=source_language, target_language=target_language
    )
    for left_out in found.notes:
        note(f"{dictionary.name}: left out {left_out}")
    facts = replace(
        found.facts,
        title=found.facts.title if title is None else title,
        license=found.facts.license if license is None else license,
    )
    with progress(f"writing {output.name}", "entries") as on_entries:
        count = write_dictionary(_watched(found.entries, on_entries), output, facts, format=format)
    note(f"{output}: {count:,} entries")


def _watched(entries: list[DictionaryEntry], on_entries: Progress) -> Iterator[DictionaryEntry]:
    for done, entry in enumerate(entries):
        if done % ENTRIES_AT_ONCE == 0:
            on_entries(done, len(entries))
        yield entry
