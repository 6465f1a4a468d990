"""The one check of settings that count something."""

from __future__ import annotations

from bilex.errors import SettingError


def require_at_least_one(part: str, plugin: object, *names: str) -> None:
    """Raise unless each of these settings of a plugin is 1 or more."""
    for name in names:
        value = getattr(plugin, name)
        if value < 1:
            raise SettingError(f"{part}.{name} is {value}: give 1 or more")
