"""A command with further commands below it, such as `bilex review` and `bilex review users`."""

# ruff: noqa: ANN401 - contexts and commands have no public type that all versions of typer share

from __future__ import annotations

from typing import Any

from bilex.cli.help_text import Group, Row, first_line, write_section


class CommandAndGroup(Group):
    """Commands by name; anything else is for the command `alone`.

    A subclass sets `title`; `alone` is set before it is used.
    """

    title: str
    """Of the commands in the help."""

    alone: Any = None
    """The command without a name of its own."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Return the context of the command that is called."""
        if args[:1] in (["-h"], ["--help"]) or (args and args[0] in self.commands):
            return super().make_context(info_name, args, parent, **extra)
        return self.alone.make_context(info_name, args, parent, **extra)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the name in the usage line."""
        return list(self.alone.collect_usage_pieces(ctx))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options of the command `alone`, and the commands below it."""
        self.alone.format_options(ctx, formatter)
        for title, rows in self.command_rows(ctx).items():
            write_section(title, rows, formatter)

    def command_rows(self, ctx: Any) -> dict[str, list[Row]]:
        """Return the name and the first line of the help of each command."""
        found = ((name, self.get_command(ctx, name)) for name in self.commands)
        return {self.title: [(name, first_line(one.help)) for name, one in found if one]}
