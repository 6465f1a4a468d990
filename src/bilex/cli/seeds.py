"""`bilex seeds`: word pairs from existing resources, to learn from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from bilex.cli import options
from bilex.cli.loading import note_import
from bilex.cli.screen import progress, result

EXAMPLE = (
    "Example: `bilex seeds import kaikki.org-dictionary-English.jsonl.gz --pair en-fi "
    "-o seeds.tsv`, then `bilex fit en.vec fi.vec seeds.tsv -o en-fi`"
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        no_args_is_help=True, help="Import word pairs from Wiktionary, PanLex and others."
    )
    group.command("import", epilog=EXAMPLE)(import_seeds)
    group.command("sources")(sources)
    app.add_typer(group, name="seeds")


def import_seeds(
    file: Annotated[Path, typer.Argument(help="A file or folder of the resource.")],
    pair: Annotated[
        str,
        typer.Option(metavar="SOURCE-TARGET", help="Two language codes, such as en-fi or eng-fin."),
    ],
    output: options.Output = ...,  # type: ignore[assignment]
    importer: Annotated[
        str | None,
        typer.Option("--from", metavar="NAME", help="See `bilex seeds sources`; recognized."),
    ] = None,
    other: Annotated[
        Path | None,
        typer.Option("--with", help="A second CLDF word list, paired by Concepticon concepts."),
    ] = None,
    min_weight: Annotated[
        float, typer.Option(min=0, help="Leave out pairs with a smaller weight.")
    ] = 0.0,
) -> None:
    """Write the pairs of two languages in a resource as a file of seeds.

    The output is .tsv, .csv or .jsonl; a manifest beside it names the license of the resource.
    """
    from bilex.lexicons.imports import import_pairs, parse_pair, write_imported
    from bilex.lexicons.imports.write import check_lexicon_name

    source, target = parse_pair(pair)
    check_lexicon_name(output)
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
    write_imported(found, output, [file] if other is None else [file, other])
    note_import(file, found.report, f"{found.report.pairs:,} pairs {pair} written to {output}")


def sources(as_json: options.Json = False) -> None:
    """List the resources that can be imported: name, files, license, what it is."""
    from bilex.lexicons.imports import installed_importers

    found = [one.to_dict() for one in installed_importers().values()]
    if as_json:
        result(json.dumps(found, ensure_ascii=False, indent=2))
        return
    for one in found:
        terms = one["license"] or "of the file"
        result(f"{one['name']}\t{one['files']}\t{terms}\t{one['summary']}")
