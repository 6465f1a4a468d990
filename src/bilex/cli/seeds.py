"""`bilex seeds`: word pairs from existing resources, to learn from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bilex.cli import options
from bilex.cli.help_text import Group, add_command
from bilex.cli.loading import note_import
from bilex.cli.places import check_writable
from bilex.cli.screen import json_result, progress, result

IMPORT_EXAMPLES = (
    "bilex seeds import kaikki.org-dictionary-English.jsonl.gz --pair en-fi -o seeds.tsv",
)
SOURCES_EXAMPLES = ("bilex seeds sources",)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        cls=Group,
        no_args_is_help=True,
        help="Get seed pairs from Wiktionary, PanLex and other dictionaries.",
    )
    add_command(group, import_seeds, *IMPORT_EXAMPLES, name="import")
    add_command(group, sources, *SOURCES_EXAMPLES)
    app.add_typer(group, name="seeds")


def import_seeds(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file or folder of the resource.")],
    pair: Annotated[
        str,
        typer.Option(metavar="SOURCE-TARGET", help="Two language codes, such as en-fi or eng-fin."),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Seed file to write: .tsv, .csv or .jsonl."
        ),
    ] = ...,  # type: ignore[assignment]
    importer: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME",
            help="The kind of resource: see `bilex seeds sources`. By default, it is recognized.",
        ),
    ] = None,
    other: Annotated[
        Path | None,
        typer.Option(
            "--with",
            metavar="FOLDER",
            help="A second CLDF word list; words of the same Concepticon concept are paired.",
        ),
    ] = None,
    min_weight: Annotated[
        float, typer.Option(metavar="WEIGHT", min=0, help="Leave out pairs with a smaller weight.")
    ] = 0.0,
) -> None:
    """Write the word pairs of two languages in a resource as a seed file.

    A second file, OUTPUT.manifest.json, names the license of the resource.
    """
    from bilex.lexicons.imports import import_pairs, parse_pair, write_imported
    from bilex.lexicons.imports.write import check_lexicon_name

    source, target = parse_pair(pair)
    check_lexicon_name(output)
    inputs = [file] if other is None else [file, other]
    check_writable(output, inputs=inputs)
    with progress(f"reading {file.name}", "bytes") as on_progress:
        found = import_pairs(
            file,
            source,
            target,
            importer=importer,
            other=other,
            min_weight=min_weight,
            on_progress=on_progress,
        )
    write_imported(found, output, inputs)
    note_import(file, found.report, f"{found.report.pairs:,} pairs {pair} written to {output}")


def sources(as_json: options.Json = False) -> None:
    """List the resources that can be imported: name, files, license, description."""
    from bilex.lexicons.imports import installed_importers

    for importer in installed_importers().values():
        facts = importer.to_dict()
        if as_json:
            json_result(facts)
        else:
            terms = facts["license"] or "of the file"
            result(f"{facts['name']}\t{facts['files']}\t{terms}\t{facts['summary']}")
