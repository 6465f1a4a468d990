"""From a name to a plugin: entry points of any installed package, ours included."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points

from bilex.errors import PluginError, UnknownPluginError

KINDS = (
    "preprocessing",
    "start",
    "supervised",
    "prior",
    "unsupervised",
    "lexicon_update",
    "strategy",
    "retrieval",
    "calibration",
    "feedback",
)
"""The kinds of plugin; the entry-point group of a kind is `bilex.KIND`."""


def plugin_names(kind: str) -> list[str]:
    """Return the names of all installed plugins of a kind, sorted."""
    return sorted(_found(kind))


def plugin_class(kind: str, name: str) -> type:
    """Load the plugin class called `name`.

    Raises:
        UnknownPluginError: If no installed package offers it; the message lists those there are.
        PluginError: If it cannot be loaded, or two packages offer different ones.
    """
    return _load(kind, name, _found(kind))


def _load(kind: str, name: str, found: Mapping[str, EntryPoint]) -> type:
    if name not in found:
        known = sorted(found)
        raise UnknownPluginError(
            f"no {kind} plugin is called {name!r}{did_you_mean(name, known)}; "
            f"installed: {', '.join(known)}"
        )
    try:
        loaded = found[name].load()
    except (ImportError, AttributeError) as problem:
        raise PluginError(
            f"the {kind} plugin {name!r} ({found[name].value}) cannot be loaded: {problem}; "
            "install its package again, or ask its author"
        ) from problem
    if not (isinstance(loaded, type) and dataclasses.is_dataclass(loaded)):
        raise PluginError(
            f"the {kind} plugin {name!r} ({found[name].value}) is not a dataclass, whose fields "
            "would be its settings: ask its author"
        )
    return loaded


def resolve(kind: str, plugin: object) -> object:
    """Return a plugin with its default settings if given a name, else what was given."""
    return plugin_class(kind, plugin)() if isinstance(plugin, str) else plugin


def plugin_name(kind: str, plugin: object) -> str:
    """Return the name under which the class of `plugin` is registered.

    Raises:
        UnknownPluginError: If its class is not registered, so no saved model could name it.
    """
    own = f"{type(plugin).__module__}:{type(plugin).__qualname__}"
    found = _found(kind)  # once: it looks through all installed packages
    for name, entry in found.items():
        if entry.value == own or _load(kind, name, found) is type(plugin):
            return name
    raise UnknownPluginError(
        f"{own} is not registered as a {kind} plugin: declare it under the entry-point group "
        f"'bilex.{kind}' of its package so that a saved model can name it"
    )


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Return ' (did you mean …?)' for the nearest known word, or nothing."""
    close = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _found(kind: str) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=f"bilex.{kind}"):
        other = found.setdefault(entry.name, entry)
        if other.value != entry.value:
            raise PluginError(
                f"two packages offer a {kind} plugin called {entry.name!r}: {other.value} and "
                f"{entry.value}; uninstall one of them"
            )
    return found
