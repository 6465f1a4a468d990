"""`bilex data`: which vectors, seeds and test sets are published, and how to get them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bilex.cli import options
from bilex.cli.help_text import Group, add_command
from bilex.cli.places import check_writable
from bilex.cli.screen import command_line, json_result, note, quoted, result

if TYPE_CHECKING:
    from bilex.catalog import Entry, RemoteFile

LIST_EXAMPLES = ("bilex data list --language fi", "bilex data list --pair en-fi --kind seeds")
GET_EXAMPLES = (
    "bilex data get fasttext-crawl --language fi -o vectors/",
    "bilex data get muse-train --pair en-fi",
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
        help="A file with your own data sets, or corrections of those in bilex (see the "
        "documentation).",
    ),
]
Language = Annotated[str | None, typer.Option(metavar="CODE", help="A language code, such as fi.")]
PairName = Annotated[
    str | None,
    typer.Option(metavar="SOURCE-TARGET", help="Two language codes, such as en-fi."),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        cls=Group,
        no_args_is_help=True,
        help="Find and download vectors, seed pairs and test sets.",
    )
    add_command(group, list_data, *LIST_EXAMPLES, name="list")
    add_command(group, get, *GET_EXAMPLES)
    app.add_typer(group, name="data")


def list_data(
    language: Language = None,
    kind: Annotated[
        KindName | None,
        typer.Option(metavar="vectors|seeds|tests|text", help="Only data sets of this kind."),
    ] = None,
    pair: PairName = None,
    catalogs: Catalogs = None,
    as_json: options.Json = False,
) -> None:
    """List the data sets: languages, size, license, and what each is good for."""
    from bilex.catalog import catalog, choose
    from bilex.cli.data_screen import table

    wanted = None if kind is None else kind.value
    known = catalog(*(catalogs or ()))
    found = choose(known, kind=wanted, language=language, pair=pair)
    if as_json:
        for entry in found:
            json_result(_record(entry))
        return
    if not found:
        note(f"none of the {len(known)} data sets matches: `bilex data list` shows all of them")
        return
    result(table(found))
    note("A – means not known. `bilex data get NAME` downloads one; its page has the full license.")


def get(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A name that `bilex data list` shows.")
    ],
    language: Language = None,
    pair: PairName = None,
    output: Annotated[
        str,  # a path would lose the slash of a folder that does not exist yet
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="File or folder to write to. The name of a new folder ends in /.",
        ),
    ] = ".",
    catalogs: Catalogs = None,
    timeout: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0.1, help="How long to wait for a server that sends nothing."
        ),
    ] = 30.0,
) -> None:
    """Download a file, or continue a download; print its path.

    The file appears under its name only when it is complete. After an interrupt, run the same
    command again: the download continues where it stopped.
    """
    from bilex.catalog import Patience, download, find, place
    from bilex.cli.data_screen import arriving

    file = find(name, language=language, pair=pair, files=catalogs or ())
    target = place(file, output)
    if not target.exists():
        check_writable(target)
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
        return file.next.replace(file.name, quoted(target))
    if file.pair is None:
        return command_line("fit", target, "TARGET", "SEEDS", "-o", "MODEL", "--limit", 200000)
    return command_line("fit", "SOURCE", "TARGET", target, "-o", "MODEL", "--limit", 200000)


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
