"""The table of all formats in the documentation."""

from __future__ import annotations

from bilex.lexicons.formats.format import ALL_FIELDS, Format
from bilex.lexicons.formats.lookup import installed_formats


def formats_table() -> str:
    """Return a Markdown table of the installed formats, as in docs/dictionary/export.md."""
    lines = [
        "| Name | Extensions | Read | gzip | Fields | Rejected | Needs | Use |",
        "|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *map(_row, installed_formats().values())]) + "\n"


def _row(form: Format) -> str:
    cells = (
        f"`{form.name}`",
        ", ".join(f"`{extension}`" for extension in form.extensions)
        + (" (a folder)" if form.is_folder else ""),
        "yes" if form.is_readable and form.is_writable else "only" if form.is_readable else "no",
        "yes" if form.compressible else "no",
        "all" if set(form.keeps) == set(ALL_FIELDS) else ", ".join(form.keeps),
        "yes" if form.keeps_rejected else "no",
        _needs(form),
        form.summary,
    )
    return f"| {' | '.join(cells)} |"


def _needs(form: Format) -> str:
    required = form.requires or form.requires_to_write
    if required is None:
        return "–"
    module, extra = required
    package = module.partition(".")[0]
    needed = f"`{package}`" if extra is None else f"`bilex[{extra}]`"
    return needed if form.requires else f"{needed} to write"
