"""`bilex formats`: the dictionary formats that can be read and written."""

from __future__ import annotations

import typer

from bilex.cli.screen import result

EXAMPLE = "Example: `bilex induce en-fr -o en-fr.tbx` writes TBX"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(formats)


def formats() -> None:
    """List the formats of dictionaries: name, endings, read or written, what it is."""
    from bilex.lexicons.formats import installed_formats

    for form in installed_formats().values():
        can = "read and written" if form.is_readable else "written"
        result(f"{form.name}\t{' '.join(form.extensions)}\t{can}\t{form.summary}")
