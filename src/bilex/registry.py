"""Find plugins by name through entry points, and import optional packages."""

from __future__ import annotations

import dataclasses
import difflib
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, TypeVar

from bilex.errors import MissingExtraError, PluginError, UnknownPluginError

T = TypeVar("T")
ImportPath = tuple[tuple[str, int], ...]

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
"""The kinds of plugin that are parts of a configuration; their entry-point group is `bilex.KIND`.

Dictionary formats (`bilex.format`), importers of word pairs (`bilex.import`), the order of jobs
(`bilex.queue`) and the order of words to review (`bilex.review_queue`) are plugins, too, but not
parts of a configuration.
"""


LISTS = {"features": "feature"}
"""Settings that are lists of plugins, and the kind of these plugins."""


def plugin_names(kind: str) -> list[str]:
    """Return the names of all installed plugins of a kind, sorted."""
    return sorted(_found(kind))


def plugin_class(kind: str, name: str) -> type:
    """Load the plugin class called `name`.

    Raises:
        UnknownPluginError: If no installed package has it; the message lists the installed ones.
        PluginError: If it cannot be loaded, or two packages have different ones.
    """
    return _load_class(kind, name, _found(kind))


def plugin_object(kind: str, name: str, expected: type[T]) -> T:
    """Load the plugin called `name` of a kind whose plugins are objects, not classes.

    Raises:
        UnknownPluginError: If no installed package has it; the message lists the installed ones.
        PluginError: If it cannot be loaded, is not of the `expected` type, or two packages have
            different ones.
    """
    return _load_object(kind, name, _found(kind), expected)


def plugin_objects(kind: str, expected: type[T]) -> dict[str, T]:
    """Load all plugins of a kind whose plugins are objects, by name, sorted.

    Raises:
        PluginError: As for `plugin_object`, for any of them.
    """
    found = _found(kind)
    return {name: _load_object(kind, name, found, expected) for name in sorted(found)}


def _load_class(kind: str, name: str, found: Mapping[str, EntryPoint]) -> type:
    loaded = _load(kind, name, found)
    if not (isinstance(loaded, type) and dataclasses.is_dataclass(loaded)):
        raise PluginError(
            f"the {kind} plugin {name!r} ({found[name].value}) is not a dataclass, whose fields "
            "would be its settings: ask its author"
        )
    return loaded


def _load_object(kind: str, name: str, found: Mapping[str, EntryPoint], expected: type[T]) -> T:
    loaded = _load(kind, name, found)
    if not isinstance(loaded, expected):
        package = found[name].dist
        owner = f" of the package {package.name!r}" if package is not None else ""
        raise PluginError(
            f"the {kind} plugin {name!r} ({found[name].value}){owner} is not a "
            f"{expected.__name__} object: ask its author"
        )
    return loaded


def _load(kind: str, name: str, found: Mapping[str, EntryPoint]) -> object:
    if name not in found:
        known = sorted(found)
        raise UnknownPluginError(
            f"no {kind} plugin is called {name!r}{did_you_mean(name, known)}; "
            f"installed: {', '.join(known)}"
        )
    try:
        return found[name].load()
    except (ImportError, AttributeError) as problem:
        raise PluginError(
            f"the {kind} plugin {name!r} ({found[name].value}) cannot be loaded: {problem}; "
            "install its package again, or ask its author"
        ) from problem


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
        if entry.value == own or _load_class(kind, name, found) is type(plugin):
            return name
    raise UnknownPluginError(
        f"{own} is not registered as a {kind} plugin: declare it under the entry-point group "
        f"'bilex.{kind}' of its package so that a saved model can name it"
    )


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Return ' (did you mean …?)' with the most similar known word, or an empty string."""
    by_lower = {each.lower(): each for each in reversed(known)}
    close = difflib.get_close_matches(word.lower(), by_lower, n=1)
    return f" (did you mean {by_lower[close[0]]!r}?)" if close else ""


def import_extra(module: str, needed_for: str, *, extra: str | None = None) -> Any:  # noqa: ANN401 - a module
    """Import a module of an optional package.

    Args:
        module: Its name.
        needed_for: The beginning of the error message, such as "drawing needs".
        extra: The extra of bilex that installs it; None if there is none.

    Raises:
        MissingExtraError: If it is not installed; the message has the command that installs it.
    """
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        command = f"'bilex[{extra}]'" if extra is not None else package
        raise MissingExtraError(
            f"{needed_for} the {package} package: pip install {command}"
        ) from None


def _found(kind: str) -> Mapping[str, EntryPoint]:
    return _scan(kind, _import_path())


@lru_cache(maxsize=64)
def _scan(kind: str, import_path: ImportPath) -> Mapping[str, EntryPoint]:
    """Look through all installed packages, which takes 10 ms or more; hence the cache."""
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=f"bilex.{kind}"):
        other = found.setdefault(entry.name, entry)
        if other.value != entry.value:
            raise PluginError(
                f"two packages offer a {kind} plugin called {entry.name!r}: {other.value} and "
                f"{entry.value}; uninstall one of them"
            )
    return found


def _import_path() -> ImportPath:
    """Return the folders of `sys.path` and their modification times, which installing changes."""
    return tuple((str(folder), _modified(str(folder))) for folder in sys.path)


def _modified(folder: str) -> int:
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0
