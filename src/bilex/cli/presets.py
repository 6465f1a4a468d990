"""`bilex presets`: the training methods and their settings."""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from bilex.cli import options
from bilex.cli.help_text import Group, add_command, example_lines
from bilex.cli.screen import json_result, result

if TYPE_CHECKING:
    from bilex.config import Tables

EXAMPLES = (
    "bilex presets",
    "bilex presets show bilex",
    "bilex presets show procrustes > mine.toml",
    "bilex fit en.vec es.vec seeds.tsv -o en-es --preset mine.toml",
)

PURPOSES = {
    "bilex": "The default: self-training from few seeds, then RCSLS; gives probabilities.",
    "css": "Cyclic semi-supervision (Zhao et al., 2020); gives probabilities.",
    "css-paper": "Cyclic semi-supervision as in the paper, to reproduce its results.",
    "css-code": "Cyclic semi-supervision as in the published code of the paper.",
    "pss-paper": "Parallel semi-supervision as in the paper, to reproduce its results.",
    "pss-code": "Parallel semi-supervision as in the published code of the paper.",
    "procrustes": "A fast baseline: one rotation from the seeds (Artetxe et al., 2016).",
    "rcsls": "RCSLS alone, from the seeds (Joulin et al., 2018).",
    "self-learning": "Procrustes that adds its own best pairs (Artetxe et al., 2017).",
    "wasserstein-procrustes": "Optimal transport alone, also without seeds (Grave et al., 2019).",
}
"""What each preset is for."""

_WIDTH = 98


class PresetGroup(Group):
    """A group that refers users who type `bilex presets NAME` to `show`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        """Return the command that is called."""
        if args[0] in PURPOSES and not ctx.resilient_parsing:
            ctx.fail(f"{args[0]!r} is a preset: `bilex presets show {args[0]}` prints it")
        return super().resolve_command(ctx, args)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        cls=PresetGroup,
        invoke_without_command=True,
        help="List the training methods, or show the settings of one.",
        epilog=example_lines(*EXAMPLES),
    )
    group.callback()(list_presets)
    add_command(group, show, *EXAMPLES[1:])
    app.add_typer(group, name="presets")


def list_presets(context: typer.Context, as_json: options.Json = False) -> None:
    """Print the name and purpose of each preset, unless a command is called."""
    if context.invoked_subcommand is not None:
        return
    width = max(map(len, PURPOSES))
    for name, purpose in PURPOSES.items():
        if as_json:
            json_result({"name": name, "purpose": purpose})
        else:
            result(f"{name:<{width}}  {purpose}")


def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A preset, or a .toml file.")],
    as_json: options.Json = False,
) -> None:
    """Print all settings of a preset as TOML, with a comment for each.

    The output is a preset file: edit it and give it to `bilex fit --preset`.
    """
    from bilex.config import build_parts, describe_parts, load_preset

    tables = describe_parts(build_parts(load_preset(name)))
    if as_json:
        json_result({"name": name, "purpose": PURPOSES.get(name), "settings": tables})
        return
    if name in PURPOSES:
        result(f"# {PURPOSES[name]}\n")
    result("\n\n".join("\n".join(lines) for lines in _tables(tables)))


def _tables(tables: Tables) -> Iterator[Iterator[str]]:
    """Yield the lines of each table."""
    from bilex.registry import LISTS

    for kind, table in tables.items():
        if kind in LISTS.values():
            for name, settings in table.items():
                yield _table(kind, name, cast(Mapping[str, object], settings), f"[{kind}.{name}]")
        else:
            name = str(table["name"])
            yield _table(kind, name, table, f'[{kind}]\nname = "{name}"')


def _table(kind: str, name: str, table: Mapping[str, object], head: str) -> Iterator[str]:
    """Yield the lines of one table: a comment and a value for each setting."""
    from bilex.config import to_toml
    from bilex.registry import KINDS, plugin_class

    plugin = plugin_class(kind, name)
    about = setting_texts(plugin)
    yield from _comment((inspect.getdoc(plugin) or "").partition("\n\n")[0])
    yield head
    for field in dataclasses.fields(plugin):
        if field.name in KINDS:  # a part with a table of its own
            continue
        text = about.get(field.name, "")
        if field.name in table:
            yield from _comment(text)
            yield to_toml({kind: {field.name: table[field.name]}}).splitlines()[1]
        else:
            yield from _comment(f"{field.name} is not set. {text}")


def setting_texts(plugin: type) -> dict[str, str]:
    """Return the description of each setting, from the docstrings of a class and of its bases."""
    found: dict[str, str] = {}
    for base in reversed(plugin.__mro__):
        text = inspect.cleandoc(base.__doc__ or "")
        for section in re.findall(
            r"^(?:Args|Attributes):\n((?:    .*\n?|\n)+)", text, re.MULTILINE
        ):
            settings = re.findall(r"^    (\w+): (.*(?:\n     .*)*)", section, re.MULTILINE)
            found |= {name: " ".join(meaning.split()) for name, meaning in settings}
    return found


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(" ".join(text.split()), _WIDTH)]
