"""Settings as TOML tables, one for each part, and plugins made from them.

    [supervised]          # the part
    name = "procrustes"   # its plugin
    ...                   # its settings: the fields of its dataclass

A field that is itself a part (a strategy has a `supervised` step) is described by the table of
that name. A setting that lists plugins (`features` of [calibration]) has their names; the settings
of each are in a table such as [feature.NAME], which may be left out. Unknown tables and keys are
errors: no setting is accepted and ignored.
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
import typing
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from types import UnionType
from typing import Any

import torch

from bilex.errors import InputFileError, PluginError, SettingError
from bilex.registry import KINDS, LISTS, did_you_mean, plugin_class, plugin_name, plugin_names
from bilex.values import Mode

Tables = Mapping[str, Mapping[str, object]]
"""A configuration: the table of each part."""

ROOTS = ("preprocessing", "strategy", "retrieval")
"""The parts that every configuration has; other parts are fields of these."""

OPTIONAL_ROOTS = ("calibration", "feedback")
"""Parts like `ROOTS` that may be left out."""


def preset_names() -> list[str]:
    """Return the names of the presets in the package, sorted."""
    folder = resources.files("bilex") / "presets"
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name[0] not in "._")


def load_preset(name: str) -> dict[str, dict[str, object]]:
    """Return the tables of a preset in the package, or of a TOML file if `name` is a path."""
    if name.endswith(".toml"):
        return _parse(Path(name), _read(Path(name)))
    if name not in preset_names():
        raise SettingError(
            f"no preset is called {name!r}{did_you_mean(name, preset_names())}; there are: "
            f"{', '.join(preset_names())}; or give the path of a .toml file"
        )
    text = (resources.files("bilex") / "presets" / f"{name}.toml").read_text(encoding="utf-8")
    return _parse(Path(f"{name}.toml"), text)


def override(tables: Tables, assignment: str) -> dict[str, dict[str, object]]:
    """Return the tables with one `part.key=value` changed; the value is TOML, or a bare word.

    `part.name=NAME` chooses another plugin for the part, with default settings; `part.name=none`
    removes the part.
    """
    left, equals, right = assignment.partition("=")
    part, dot, key = left.strip().partition(".")
    if not (equals and dot and part and key):
        raise SettingError(
            f"cannot understand {assignment!r}: expected PART.KEY=VALUE, "
            "for example retrieval.neighborhood=5"
        )
    changed = {name: dict(table) for name, table in tables.items()}
    value = _toml_value(right.strip())
    if part in LISTS.values():
        return _override_listed(changed, part, key, value)
    if part not in (KINDS if key == "name" else changed):
        raise SettingError(
            f"there is no part {part!r} in this configuration"
            f"{did_you_mean(part, list(changed))}; it has: {', '.join(changed)}"
        )
    if key == "name" and value == "none":  # for optional parts of a strategy
        return {name: table for name, table in changed.items() if name != part}
    # Another plugin has other settings: those of the replaced plugin would be errors.
    changed[part] = {"name": value} if key == "name" else {**changed[part], key: value}
    return changed


def _override_listed(
    tables: dict[str, dict[str, object]], kind: str, key: str, value: object
) -> dict[str, dict[str, object]]:
    """Return the tables with `key`, such as NAME.SETTING, changed in the table of its plugin."""
    name, dot, setting = key.partition(".")
    if not (dot and name and setting):
        raise SettingError(
            f"cannot understand {kind}.{key}: expected {kind}.NAME.SETTING=VALUE, where NAME is a "
            f"plugin ({', '.join(plugin_names(kind)) or 'none is installed'})"
        )
    listed = dict(tables.get(kind, {}))
    listed[name] = {**_table(kind, name, listed), setting: value}
    return {**tables, kind: listed}


def in_mode(tables: Tables, mode: Mode) -> dict[str, dict[str, object]]:
    """Return the tables with `mode` set in every part that has a choice of modes.

    The fast mode leaves out settings that have no effect in it (`exact_only` of a plugin).
    """
    return {part: _in_mode(part, table, mode) for part, table in tables.items()}


def _in_mode(part: str, table: Mapping[str, object], mode: Mode) -> dict[str, object]:
    name = table.get("name")
    if part not in KINDS or not isinstance(name, str):
        return dict(table)  # `build_parts` reports the error
    chosen = plugin_class(part, name)
    if _type_hints(part, name, chosen).get("mode") != Mode:
        return dict(table)
    dropped = getattr(chosen, "exact_only", ()) if mode == "fast" else ()
    kept = {key: value for key, value in table.items() if key not in dropped}
    return {**kept, "mode": mode}


def build_parts(tables: Tables) -> dict[str, object]:
    """Return the plugin of each root part, made from its table and those it refers to."""
    used: set[str] = set()
    wanted = (*ROOTS, *(kind for kind in OPTIONAL_ROOTS if kind in tables))
    parts = {kind: _build(kind, tables, used) for kind in wanted}
    unused = [name for name in tables if name not in used]
    if unused:
        known = [kind for kind in KINDS if kind not in used] + sorted(used)
        raise SettingError(
            f"no part of this configuration uses the table [{unused[0]}]"
            f"{did_you_mean(unused[0], known)}; tables in use: {', '.join(sorted(used))}"
        )
    return parts


def build_part(kind: str, tables: Tables) -> object:
    """Return the plugin of one part, made from its table and those it refers to."""
    return _build(kind, tables, set())


def describe_parts(parts: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Return the tables from which `build_parts` would make these plugins again."""
    tables: dict[str, dict[str, object]] = {}
    for kind, plugin in parts.items():
        table: dict[str, object] = {"name": plugin_name(kind, plugin)}
        inner: dict[str, object] = {}
        for field in dataclasses.fields(typing.cast(Any, plugin)):
            value = getattr(plugin, field.name)
            if value is None or (field.name in LISTS and not value):
                continue
            if field.name in KINDS:
                inner[field.name] = value
            elif field.name in LISTS:
                listed = LISTS[field.name]
                described = [describe_parts({listed: one})[listed] for one in value]
                names = [str(one.pop("name")) for one in described]
                table[field.name] = names
                tables[listed] = {
                    name: one for name, one in zip(names, described, strict=True) if one
                }
            else:
                table[field.name] = list(value) if isinstance(value, tuple) else value
        tables[kind] = table
        tables.update(describe_parts(inner))
    return {name: table for name, table in tables.items() if table}


def check_device(name: str) -> None:
    """Raise `SettingError` if torch cannot compute on this device."""
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError) as problem:
        reason = str(problem).splitlines()[0]
        raise SettingError(
            f"device {name!r} cannot be used here ({reason}); try 'cpu'"
        ) from problem


def require_at_least_one(part: str, plugin: object, *names: str) -> None:
    """Raise `SettingError` if one of these settings of a plugin is less than 1."""
    for name in names:
        value = getattr(plugin, name)
        if value < 1:
            raise SettingError(f"{part}.{name} is {value}: give 1 or more")


def to_toml(tables: Tables) -> str:
    """Write tables of plain values (text, numbers, booleans, lists of these) as TOML."""
    blocks = []
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            raise SettingError(f"{name!r} is {table!r}, expected a table of settings")
        inner = {key: value for key, value in table.items() if isinstance(value, Mapping)}
        lines = [f"{key} = {_toml_text(value)}" for key, value in table.items() if key not in inner]
        if lines or not inner:
            blocks.append("\n".join([f"[{name}]", *lines]) + "\n")
        if inner:
            blocks.append(to_toml({f"{name}.{key}": value for key, value in inner.items()}))
    return "\n".join(blocks)


def _build(kind: str, tables: Tables, used: set[str]) -> object:
    if kind not in tables:
        raise SettingError(
            f"this configuration has no [{kind}] table: add one with a name, for example\n"
            f'[{kind}]\nname = "…"'
        )
    used.add(kind)
    table = dict(tables[kind])
    name = table.pop("name", None)
    if not isinstance(name, str):
        raise SettingError(f'table [{kind}] has no name: add name = "…" to choose a plugin')
    return _make(kind, name, table, tables, used)


def _make(
    kind: str, name: str, table: Mapping[str, object], tables: Tables, used: set[str]
) -> object:
    """Return a plugin with the settings of its table."""
    chosen = plugin_class(kind, name)
    hints = _type_hints(kind, name, chosen)
    settings: dict[str, object] = {}
    fields = [field.name for field in dataclasses.fields(chosen)]
    for key, value in table.items():
        if key not in fields or key in KINDS:
            known = [field for field in fields if field not in KINDS]
            raise SettingError(
                f"{kind} plugin {name!r} has no setting {key!r}{did_you_mean(key, known)}; "
                f"it has: {', '.join(known) or 'none'}"
            )
        if key in LISTS:
            settings[key] = tuple(_make_listed(f"{kind}.{key}", LISTS[key], value, tables, used))
        else:
            settings[key] = _checked(f"{kind}.{key}", hints[key], value)
    for field in fields:
        if field in KINDS and (field in tables or not _optional(hints[field])):
            settings[field] = _build(field, tables, used)
    return chosen(**settings)


def _make_listed(
    setting: str, kind: str, names: object, tables: Tables, used: set[str]
) -> Iterator[object]:
    """Yield the plugins that a setting lists."""
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise SettingError(f"{setting} is {names!r}: expected a list of names")
    used.add(kind)
    listed = tables.get(kind, {})
    for name in listed:
        if name not in names:
            raise SettingError(
                f"{setting} does not name {name!r}, which has a table [{kind}.{name}]"
                f"{did_you_mean(name, names)}: add it to {setting}, or remove the table"
            )
    for name in names:
        yield _make(kind, name, _table(kind, name, listed), tables, used)


def _table(kind: str, name: str, listed: Mapping[str, object]) -> Mapping[str, object]:
    table = listed.get(name, {})
    if not isinstance(table, Mapping):
        raise SettingError(f"{kind}.{name} is {table!r}, expected a table of settings")
    return table


def _type_hints(kind: str, name: str, chosen: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(chosen)
    except NameError as problem:
        raise PluginError(
            f"the types of {kind} plugin {name!r} cannot be read ({problem}): its module must "
            "import them at run time, not only for type checkers"
        ) from problem


def _optional(hint: Any) -> bool:  # noqa: ANN401 - type hints have no common type
    return type(None) in typing.get_args(hint)


def _checked(name: str, hint: Any, value: object) -> object:  # noqa: ANN401
    """Return the value as the field's type; raise `SettingError` if that is not possible."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (UnionType, typing.Union):
        inner = [argument for argument in arguments if argument is not type(None)]
        return _checked(name, inner[0], value)
    if origin is typing.Literal:
        if value not in arguments:
            raise SettingError(
                f"{name} is {value!r}: expected one of {', '.join(map(repr, arguments))}"
            )
        return value
    if origin is tuple and isinstance(value, list):
        return tuple(_checked(name, arguments[0], item) for item in value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if origin is None and isinstance(value, hint) and (hint is bool or not isinstance(value, bool)):
        return value
    expected = "list" if origin is tuple else getattr(hint, "__name__", str(hint))
    raise SettingError(f"{name} is {value!r}: expected a value of type {expected}")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputFileError(path, "no such file; check the path") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise InputFileError(path, f"cannot be read as UTF-8 text: {problem}") from None


def _parse(path: Path, text: str) -> dict[str, dict[str, object]]:
    try:
        tables = tomllib.loads(text)
        repr(tables)  # raises if a number is too long or a list too deep for messages
    except (ValueError, RecursionError) as problem:
        raise InputFileError(path, f"is not valid TOML: {problem}") from None
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise InputFileError(path, f"{name!r} is outside any table: put it under a [part]")
    return tables


def _toml_value(text: str) -> object:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def _toml_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml_text, value))}]"
    raise SettingError(f"{value!r} cannot be written to a TOML file")
