"""`bilex formats`: the dictionary formats that can be read and written."""

from __future__ import annotations

import typer

from bilex.cli import options
from bilex.cli.help_text import add_command
from bilex.cli.screen import json_result, result

EXAMPLES = ("bilex formats", "bilex induce en-fr -o en-fr.tbx    # writes TBX")


def register(app: typer.Typer) -> None:
    """Add the command."""
    add_command(app, formats, *EXAMPLES)


def formats(as_json: options.Json = False) -> None:
    """List the dictionary formats.

    Prints name, extensions, whether it is read and written, and a description.
    """
    from bilex.lexicons.formats import installed_formats

    for form in installed_formats().values():
        if as_json:
            json_result(
                {
                    "name": form.name,
                    "extensions": list(form.extensions),
                    "read": form.is_readable,
                    "written": form.is_writable,
                    "summary": form.summary,
                }
            )
        else:
            uses = {"read": form.is_readable, "written": form.is_writable}
            can = " and ".join(use for use, possible in uses.items() if possible)
            result(f"{form.name}\t{' '.join(form.extensions)}\t{can}\t{form.summary}")
