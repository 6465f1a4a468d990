"""Packages that only some features need: imported where used, with the cure if they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from bilex.errors import MissingExtraError


def import_extra(module: str, needed_for: str, *, extra: str) -> Any:  # noqa: ANN401 - a module
    """Return a module of a package that bilex can do without.

    Args:
        module: Its name.
        needed_for: What cannot be done without it, with the verb, such as "drawing needs".
        extra: The extra of bilex that brings it.

    Raises:
        MissingExtraError: If it is not installed; the message has the command that changes it.
    """
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"{needed_for} the {package} package: pip install 'bilex[{extra}]'"
        ) from None
