"""`bilex data`: which vectors, seeds and test sets are published, and how to get them."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bilex.cli import options
from bilex.cli.screen import note, result

if TYPE_CHECKING:
    from bilex.catalog import Entry, RemoteFile

LIST_EXAMPLE = "Example: `bilex data list --pair en-fi --kind seeds`"
GET_EXAMPLE = (
    "Examples: `bilex data get fasttext-crawl --language fi -o vectors/`; "
    "`bilex data get muse-train --pair en-fi`"
)
INTERRUPTED = 130


class KindName(StrEnum):
    """What a data set is for."""

    vectors = "vectors"
    seeds = "seeds"
    tests = "tests"
    text = "text"


Catalogs = Annotated[
    list[Path] | None,
    typer.Option(
        "--catalog",
        metavar="FILE.toml",
        envvar="BILEX_CATALOG",
        help="Your own entries, or corrections of those in bilex (see the docs).",
    ),
]
Language = Annotated[str | None, typer.Option(help="A language code, such as fi.")]
PairName = Annotated[str | None, typer.Option(metavar="PAIR", help="Two codes, such as en-fi.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Find and download vectors, seeds, test sets.")
    group.command("list", epilog=LIST_EXAMPLE)(list_data)
    group.command("get", epilog=GET_EXAMPLE)(get)
    app.add_typer(group, name="data")


def list_data(
    language: Language = None,
    kind: Annotated[KindName | None, typer.Option(help="What it is for.")] = None,
    pair: PairName = None,
    catalogs: Catalogs = None,
    as_json: options.Json = False,
) -> None:
    """List what is published: for which languages, its size and license, what it is good for."""
    from bilex.catalog import catalog, choose
    from bilex.cli.data_screen import table

    wanted = None if kind is None else kind.value
    known = catalog(*(catalogs or ()))
    found = choose(known, kind=wanted, language=language, pair=pair)
    if as_json:
        result(json.dumps([_record(entry) for entry in found], ensure_ascii=False))
        return
    if not found:
        note(f"none of {len(known)} data sets is known to have that: bilex data list shows all")
        return
    result(table(found))
    note("–: not known. Get one with `bilex data get NAME`. Its page has the license in full.")


def get(
    name: Annotated[str, typer.Argument(help="See `bilex data list`.")],
    language: Language = None,
    pair: PairName = None,
    output: Annotated[
        str,  # a path would lose the slash of a folder that does not exist yet
        typer.Option(
            "--output", "-o", metavar="PATH", help="File to write, or folder (ends in / if new)."
        ),
    ] = ".",
    catalogs: Catalogs = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds to wait for a server that sends nothing.")
    ] = 30.0,
) -> None:
    """Download a file, or continue a download; print its path.

    Nothing is left under its name unless it is complete. Run the same command again after an
    interrupt: the download continues where it stopped.
    """
    from bilex.catalog import Patience, download, find, place
    from bilex.cli.data_screen import arriving

    file = find(name, language=language, pair=pair, files=catalogs or ())
    target = place(file, output)
    note(f"license: {_license(file)}; see {file.page}")
    with arriving(target.name) as (arrival, say):
        try:
            done = download(
                file, target, arrival.update, on_note=say, patience=Patience(timeout=timeout)
            )
        except KeyboardInterrupt:
            at = f" at {arrival.text}" if arrival.text else ""
            say(f"bilex: interrupted{at}; run the same command again to continue")
            raise typer.Exit(INTERRUPTED) from None
    if done.is_new:
        note(f"{target.name}: {done.bytes:,} bytes, SHA-256 {done.sha256}")
    else:
        checked = "unchanged" if done.sha256 else "not downloaded by bilex, so not checked"
        note(f"{target} is already there ({checked}); nothing to do")
    note(f"next: {_next(file, target)}")
    result(str(target))


def _license(file: RemoteFile) -> str:
    return f"{file.license} ({file.terms})" if file.terms else file.license


def _next(file: RemoteFile, target: Path) -> str:
    if file.next:
        return file.next.replace(file.name, str(target))
    if file.pair is None:
        return f"bilex fit {target} TARGET SEEDS -o MODEL --limit 200000"
    return f"bilex fit SOURCE TARGET {target} -o MODEL --limit 200000"


def _record(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "title": entry.title,
        "kind": entry.kind,
        "about": entry.about,
        "page": entry.page,
        "address": entry.address,
        "license": entry.license,
        "terms": entry.terms or None,
        "covers": entry.coverage or None,
        "languages": entry.languages,
        "pairs": None if entry.pairs is None else [str(pair) for pair in entry.pairs],
        "size": entry.size or None,
        "bytes": dict(entry.bytes),
        "sha256": dict(entry.sha256),
        "md5": dict(entry.md5),
    }
