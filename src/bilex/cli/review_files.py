"""`bilex review export`, `import` and `merge`: decisions as files, and files as decisions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.cli.places import check_writable
from bilex.cli.screen import note
from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex.review.store import ReviewStore

EXPORT_EXAMPLES = (
    "bilex review export en-es.review.sqlite -o en-es.tbx --reviewed-only",
    "bilex review export en-es.review.sqlite -o sent.xlsx",
)
IMPORT_EXAMPLES = (
    "bilex review import en-es.review.sqlite edited.xlsx --exported sent.xlsx --reviewer Ann",
)
MERGE_EXAMPLES = ("bilex review merge mine.sqlite theirs.sqlite",)

Database = Annotated[
    str,
    typer.Argument(
        metavar="DATABASE", help="Database of the review: a file, or postgresql://USER@HOST/NAME."
    ),
]


def export(
    database: Database,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="Dictionary to write, in any format."),
    ],
    reviewed_only: Annotated[
        bool,
        typer.Option("--reviewed-only", help="Leave out translations that nobody has decided on."),
    ] = False,
) -> None:
    """Write the reviewed dictionary, with what reviewers decided about each entry.

    Tables, TBX, TEI and LIFT also have the rejected translations, marked as such.
    """
    from bilex.lexicons.write import write_dictionary
    from bilex.review.exchange import reviewed_dictionary

    check_writable(output)
    with _open(database) as store:
        found = reviewed_dictionary(store.all_items(), store.project, unreviewed=not reviewed_only)
    written = write_dictionary(found, output)
    note(f"{output}: {written:,} entries")


def import_file(
    database: Database,
    edited: Annotated[
        Path, typer.Argument(metavar="EDITED", help="The exported file after it was edited.")
    ],
    exported: Annotated[Path, typer.Option(metavar="FILE", help="The file as `export` wrote it.")],
    reviewer: Annotated[
        str, typer.Option(metavar="NAME", help="Who edited it; stored with the decisions.")
    ] = "me",
    reject_deleted: Annotated[
        bool,
        typer.Option(
            "--reject-deleted", help="A deleted row rejects the translation; otherwise it is kept."
        ),
    ] = False,
    resolves: Annotated[
        bool, typer.Option("--resolves", help="These decisions settle disagreements.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be stored; store nothing.")
    ] = False,
) -> None:
    """Read decisions from a file that was exported and edited.

    Only what differs from the exported file counts. Importing a file twice changes nothing.
    """
    from datetime import UTC, datetime

    from bilex.lexicons.read import read_dictionary
    from bilex.review.events import time_text
    from bilex.review.exchange import edits

    found = edits(
        read_dictionary(exported),
        read_dictionary(edited),
        reviewer=reviewer,
        at=time_text(datetime.now(UTC)),
        resolves=resolves,
        deleted="reject" if reject_deleted else "keep",
    )
    for problem in found.unused:
        note(f"not used: {problem}")
    if found.missing and not reject_deleted:
        note(f"{found.missing:,} exported rows are not in {edited}: they stay as they were")
    if dry_run:
        note(f"{len(found.events):,} words were changed; nothing is stored")
        return
    with _open(database) as store:
        added = store.merge(found.events)
    note(f"{len(found.events):,} words were changed, {added:,} decisions are new")


def merge(
    database: Database,
    others: Annotated[
        list[str],
        typer.Argument(metavar="OTHER…", help="Databases with decisions on the same words."),
    ],
) -> None:
    """Add the decisions of other copies of a review.

    The result does not depend on the order, and merging twice changes nothing.
    """
    if database in others:
        raise SettingError(f"{database} cannot be merged with itself: name another database")
    with _open(database) as store:
        for other in others:
            with _open(other) as theirs:
                added = store.merge(event for _, event in theirs.events())
            note(f"{other}: {added:,} new events")


def _open(database: str) -> ReviewStore:
    from bilex.review.store import ReviewStore

    return ReviewStore.open(database)
