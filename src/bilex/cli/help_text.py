"""How `--help` looks: plain text in sections, the same with every version of typer."""

# ruff: noqa: ANN401 - contexts and parameters have no public type that all versions of typer share

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""For the context of the program; its commands inherit them."""

Row = tuple[str, str]
"""What is typed, and what it does."""

_ARGUMENTS, _OPTIONS = "Arguments", "Options"
_INDENT, _GAP = 2, 2  # spaces before a line, and between two columns
_WIDEST = 30  # of the first column; what is wider has a line of its own


def add_command(
    app: typer.Typer, function: Callable[..., None], *examples: str, name: str | None = None
) -> None:
    """Add a command with plain help; its name is that of the function if none is given."""
    app.command(name, cls=Command, epilog=example_lines(*examples))(function)


def example_lines(*examples: str) -> str | None:
    """Return the last section of a help text: the examples, one a line."""
    if not examples:
        return None
    title = "Example:" if len(examples) == 1 else "Examples:"
    return "\n".join([title, *(f"  {example}" for example in examples)])


def first_line(help_text: str | None) -> str:
    """Return the first paragraph of a help text on one line."""
    return " ".join((help_text or "").strip().partition("\n\n")[0].split())


class Command(TyperCommand):
    """A command with plain help."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the name of the command in the usage line."""
        return ["[OPTIONS]", *_argument_names(self)]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write the description."""
        _write_description(self, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the sections of arguments and options."""
        _write_parameters(self, ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        _write_epilog(self, formatter)


class Group(TyperGroup):
    """A group of commands with plain help."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the name of the group in the usage line."""
        return ["[OPTIONS]", "[COMMAND]" if self.invoke_without_command else "COMMAND", "..."]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write the description."""
        _write_description(self, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the sections of commands and options."""
        for title, rows in self.command_rows(ctx).items():
            write_section(title, rows, formatter)
        _write_parameters(self, ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        _write_epilog(self, formatter)

    def command_rows(self, ctx: Any) -> dict[str, list[Row]]:
        """Return the name and the first line of the help of each command, by section."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        return {"Commands": [(name, first_line(one.help)) for name, one in found if one]}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is called; an unknown one is an error with a suggestion."""
        name = args[0]
        is_unknown = not name.startswith("-") and self.get_command(ctx, name) is None
        if is_unknown and not ctx.resilient_parsing:
            from bilex.registry import did_you_mean

            known = self.list_commands(ctx)
            ctx.fail(
                f"There is no command {name!r}{did_you_mean(name, known)}; "
                f"the commands are: {', '.join(known)}"
            )
        return super().resolve_command(ctx, args)


def _argument_names(command: Any) -> Iterator[str]:
    for param in command.params:
        if param.param_type_name == "argument":
            name = _name(param) + ("..." if param.nargs == -1 and "." not in _name(param) else "")
            yield name if param.required else f"[{name}]"


def _write_parameters(command: Any, ctx: Any, formatter: Any) -> None:
    sections: dict[str, list[Row]] = {_ARGUMENTS: [], _OPTIONS: []}
    for param in command.get_params(ctx):
        if getattr(param, "hidden", False):
            continue
        is_argument = param.param_type_name == "argument"
        own = getattr(param, "rich_help_panel", None)
        title = own or (_ARGUMENTS if is_argument else _OPTIONS)
        typed = _name(param) if is_argument else _option_names(param)
        sections.setdefault(title, []).append((typed, _help(param)))
    for title, rows in sections.items():
        write_section(title, rows, formatter)


def _write_description(command: Any, formatter: Any) -> None:
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        lines = "\n".join(_wrapped(paragraph, formatter.width - _INDENT, " " * _INDENT))
        formatter.write(f"\n{lines}\n")


def write_section(title: str, rows: Sequence[Row], formatter: Any) -> None:
    """Write a section of a help text; nothing if it has no rows."""
    if not rows:
        return
    column = max((len(typed) for typed, _ in rows if len(typed) <= _WIDEST), default=0)
    formatter.write(f"\n{title}:\n")
    for typed, text in rows:
        indent = " " * (_INDENT + column + _GAP)
        first, *others = _wrapped(text, formatter.width, indent) or [""]
        if len(typed) > column:
            others = [first, *others]
            first = ""
        line = f"{' ' * _INDENT}{typed:<{column}}{' ' * _GAP}{first.strip()}".rstrip()
        formatter.write("\n".join([line, *others]) + "\n")


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    """Return the lines of a text; names of options are never divided at a hyphen."""
    return textwrap.wrap(
        " ".join(text.split()),
        max(width, len(indent) + 20),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _write_epilog(command: Any, formatter: Any) -> None:
    if command.epilog:
        formatter.write(f"\n{command.epilog}\n")


def _name(param: Any) -> str:
    return str(param.metavar or param.name.upper())


def _option_names(param: Any) -> str:
    """Return the names of an option, the short one first, and the name of its value."""
    names = ", ".join(sorted(param.opts, key=len))
    if param.secondary_opts:
        names = f"{names} / {', '.join(param.secondary_opts)}"
    return names if param.is_flag else f"{names} {_name(param)}"


def _help(param: Any) -> str:
    extra = "required" if param.required else _default(param)
    return f"{param.help or ''} [{extra}]" if extra else param.help or ""


def _default(param: Any) -> str:
    value = param.default
    is_shown = getattr(param, "show_default", False) is True
    if not is_shown or value is None or isinstance(value, bool) or callable(value):
        return ""
    value = value.value if isinstance(value, Enum) else value
    return f"default: {value}" if value not in ("", (), []) else ""
