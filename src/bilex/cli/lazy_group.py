"""A program whose commands are imported when they are called, so that `--help` is fast."""

# ruff: noqa: ANN401 - contexts and commands have no public type that all versions of typer share

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

import typer

from bilex.cli.help_text import Group, Row


class Listed(NamedTuple):
    """A command that is known by name before it is imported."""

    section: str  # of the help
    help: str  # the first line of its own help


class LazyGroup(Group):
    """A group whose command NAME is added by `register` of the module `bilex.cli.NAME`.

    A subclass sets `listed`.
    """

    listed: dict[str, Listed]

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return list(self.listed)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command; None if there is no such command."""
        if cmd_name not in self.listed:
            return None
        if cmd_name not in self.commands:
            module = importlib.import_module(f"bilex.cli.{cmd_name}")
            alone = typer.Typer(rich_markup_mode=None)
            module.register(alone)
            self.commands.update(typer.main.get_group(alone).commands)
        return self.commands[cmd_name]

    def command_rows(self, ctx: Any) -> dict[str, list[Row]]:
        """Return the name and help of each command by section, without importing any."""
        rows: dict[str, list[Row]] = {}
        for name, command in self.listed.items():
            rows.setdefault(command.section, []).append((name, command.help))
        return rows
