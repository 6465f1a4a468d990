"""`bilex presets`: the methods there are, and their settings."""

from __future__ import annotations

from typing import Annotated

import typer

from bilex.cli.screen import result

EXAMPLE = "Example: `bilex presets procrustes > mine.toml`, edit, `bilex fit … --preset mine.toml`"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=EXAMPLE)(presets)


def presets(
    name: Annotated[str | None, typer.Argument(help="Print the settings of this one.")] = None,
) -> None:
    """List the presets, or print one as TOML."""
    from bilex.config import load_preset, preset_names, to_toml

    if name is None:
        for known in preset_names():
            result(known)
        return
    result(to_toml(load_preset(name)), end="")
