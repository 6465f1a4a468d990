"""Write the pages of the reference that are made from the program: commands and settings.

    python scripts/make_reference.py

Commands come from the command line's own help, settings from the docstrings of the plugins.
`tests/test_reference.py` fails if a page is out of date.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any

import typer.main

from bilex.cli.app import app
from bilex.cli.presets import PURPOSES, setting_texts
from bilex.config import OPTIONAL_ROOTS, ROOTS, load_preset, to_toml
from bilex.registry import KINDS, LISTS, plugin_class, plugin_names

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
MADE = "<!-- Made by scripts/make_reference.py: do not edit. -->\n"

COMMANDS_INTRODUCTION = """\
# Commands

Every command prints its part of this page with `--help` or `-h`. Results go to stdout, everything \
else (progress, warnings, errors) to stderr. The exit code is 0 after success, 2 after an error in \
the input or the options, 1 if jobs of a benchmark failed, and 130 after an interrupt with Ctrl-C.
"""

SETTINGS_INTRODUCTION = """\
# Presets and settings

A method is made of parts. For each part, a plugin is chosen by name, and its settings can be \
changed. A preset is a choice of plugins and settings that has a name.

Change single settings with `--set`, as `PART.KEY=VALUE`:

```bash
bilex fit en.vec.gz es.vec.gz seeds.tsv -o rotation --preset procrustes \\
  --set retrieval.neighborhood=5
```

`--set PART.name=PLUGIN` chooses another plugin for a part, with its default settings; \
`--set PART.name=none` leaves out a part. For larger changes, write a TOML file with a table for \
each part and give its path as `--preset`. Unknown parts and settings are errors; the message \
suggests the closest valid name.
"""

PARTS = {
    "preprocessing": "Normalizes the vectors of each language before training.",
    "strategy": "Combines the steps below into a training run.",
    "start": "Makes a first map without seed pairs. `bilex fit --start` chooses one if there are "
    "no seeds at all; as a part of a preset, it is a second attempt for runs with few seeds.",
    "supervised": "Learns a map from word pairs.",
    "prior": "Turns a supervised map into probabilities of word pairs, which an unsupervised step "
    "can start from.",
    "unsupervised": "Learns a map from the two sets of vectors alone, by optimal transport.",
    "lexicon_update": "Finds new word pairs with the present map, for the next round of training.",
    "retrieval": "Ranks the words of one language as translations of a word of the other.",
    "calibration": "Learns the probability that a translation is right.",
    "feature": "More evidence for the candidates of a word, for [calibration](#calibration) to "
    "learn from.",
    "feedback": "Adds probable translations to the seeds and trains once more.",
}
"""What each part does, in the order of the page."""

UNLIMITED = 100_000
"""Characters of a line of help: each text is on one line."""

TYPES = {bool: "true or false", int: "integer", float: "number", str: "text"}


def pages() -> dict[Path, str]:
    """Return the text of each page."""
    return {
        FOLDER / "commands.md": "\n".join(_commands_page()),
        FOLDER / "settings.md": "\n".join(_settings_page()),
    }


def _commands_page() -> Iterator[str]:
    yield MADE
    yield COMMANDS_INTRODUCTION
    yield from _section("bilex", typer.main.get_command(app), None)


def _section(name: str, command: Any, parent: Any) -> Iterator[str]:  # noqa: ANN401 - of typer
    """Describe a command as its help does, and then the commands below it."""
    context = command.context_class(
        command, info_name=name.split()[-1], parent=parent, terminal_width=UNLIMITED
    )
    below = command.list_commands(context) if hasattr(command, "list_commands") else []
    yield f"## {name}\n"
    yield f"{_text(inspect.cleandoc(command.help or ''))}\n"
    yield f"```text\n{' '.join([name, *command.collect_usage_pieces(context)])}\n```\n"
    for title, rows in _help_sections(command.get_help(context)).items():
        yield f"**{title}**\n"
        for typed, meaning in rows:
            link = f"[`{typed}`](#{_slug(f'{name} {typed}')})"
            yield _definition(link if typed in below else f"`{typed}`", meaning)
    if command.epilog:
        title, *examples = command.epilog.splitlines()
        yield f"**{title.rstrip(':')}**\n"
        yield "\n".join(["```text", *(one.strip() for one in examples), "```\n"])
    for one in below:
        yield from _section(f"{name} {one}", command.get_command(context, one), context)


def _help_sections(text: str) -> dict[str, list[tuple[str, str]]]:
    """Return what is typed and what it does, by section of a help text."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for title, body in re.findall(r"^(\S.*):\n((?: .*\n|\n(?= ))+)", f"{text}\n", re.MULTILINE):
        rows = re.split(r"^  (?=\S)", body, flags=re.MULTILINE)[1:]
        pairs = [[*re.split(r"\s{2,}", row.strip(), maxsplit=1), ""] for row in rows]
        shown = [(pair[0], pair[1]) for pair in pairs if "--help" not in pair[0]]
        if shown and title not in ("Example", "Examples"):
            sections[title] = shown
    return sections


def _settings_page() -> Iterator[str]:
    yield MADE
    yield SETTINGS_INTRODUCTION
    yield "## Presets\n"
    yield "`bilex presets` lists the presets. `bilex fit --preset NAME` uses one.\n"
    for name in PURPOSES:
        yield from _preset(name)
    for kind, purpose in PARTS.items():
        yield f"## {kind}\n"
        presence = "Every method has this part. " if kind in ROOTS else ""
        presence = "This part may be left out. " if kind in OPTIONAL_ROOTS else presence
        if kind in LISTS.values():
            presence = f"The settings of each are in a table `[{kind}.NAME]`. "
        yield f"{purpose} {presence}Entry-point group: `bilex.{kind}`.\n"
        for name in plugin_names(kind):
            if plugin_class(kind, name).__module__.startswith("bilex."):
                yield from _plugin(kind, name)


def _preset(name: str) -> Iterator[str]:
    yield f"### {name}\n"
    yield f"{PURPOSES[name]}\n"
    for part, table in load_preset(name).items():
        plugin = str(table["name"])
        settings = to_toml({part: {key: one for key, one in table.items() if key != "name"}})
        shown = "".join(f", `{line}`" for line in settings.splitlines()[1:])
        yield f"- [{part}](#{_slug(part)}): [{plugin}](#{_slug(f'{part}: {plugin}')}){shown}"
    yield ""


def _plugin(kind: str, name: str) -> Iterator[str]:
    plugin = plugin_class(kind, name)
    text = _summary(plugin)
    meanings = setting_texts(plugin)
    hints = typing.get_type_hints(plugin)
    fields = dataclasses.fields(plugin)
    yield f"### {kind}: {name}\n"
    yield f"{_text(text)}\n"
    inner = [field for field in fields if field.name in KINDS]
    if inner:
        parts = ", ".join(
            f"[{field.name}](#{_slug(field.name)})" + ("" if _is_required(field) else " (optional)")
            for field in inner
        )
        yield f"Parts: {parts}.\n"
    for field in fields:
        if field.name not in KINDS:
            default = _default(field)
            facts = f"{_type_name(hints[field.name])}, {default}"
            yield _definition(f"`{field.name}` ({facts})", meanings.get(field.name, ""))


def _summary(one: type) -> str:
    """Return the text of a docstring up to its sections."""
    return re.split(r"^\w+:\n(?=    )", inspect.cleandoc(one.__doc__ or ""), flags=re.MULTILINE)[
        0
    ].strip()


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING


def _default(field: dataclasses.Field[Any]) -> str:
    if _is_required(field):
        return "required"
    if field.default is None:
        return "not set by default"
    return f"default `{_toml(field.default)}`"


def _toml(value: object) -> str:
    return to_toml({"": {"": value}}).partition(" = ")[2].strip()


def _inner_type(hint: Any) -> Any:  # noqa: ANN401
    """Return `T` of `T | None`."""
    if typing.get_origin(hint) in (UnionType, typing.Union):
        return next(one for one in typing.get_args(hint) if one is not NoneType)
    return hint


def _type_name(hint: Any) -> str:  # noqa: ANN401
    inner = _inner_type(hint)
    if typing.get_origin(inner) is typing.Literal:
        *first, last = (f"`{_toml(choice)}`" for choice in typing.get_args(inner))
        return f"{', '.join(first)} or {last}" if first else last
    if typing.get_origin(inner) is tuple:
        return f"list of {TYPES.get(typing.get_args(inner)[0], 'name')}s"
    return TYPES[inner]


def _definition(term: str, meaning: str) -> str:
    return f"{term}\n:   {_text(meaning)}\n"


def _text(text: str) -> str:
    """Return Markdown in which `<` outside of code starts no HTML."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in parts)


def _slug(heading: str) -> str:
    """Return the anchor of a heading, as Python-Markdown makes it."""
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


if __name__ == "__main__":
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"{path.name}: {len(text):,} characters")
