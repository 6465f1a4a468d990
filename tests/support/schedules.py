"""Presets with schedules short enough for tests."""

from __future__ import annotations

from bilex.config import load_preset, override

SHORT = {"strategy.rounds": 4, "supervised.steps": 10, "unsupervised.steps": 8}


def short_preset(
    preset: str, schedule: dict[str, int] | None = None
) -> dict[str, dict[str, object]]:
    """Return a preset with fewer rounds and steps, where it has any."""
    tables = load_preset(preset)
    for key, value in (schedule or SHORT).items():
        part, _, name = key.partition(".")
        default = (part, name) == ("unsupervised", "steps")  # a setting though not spelled out
        if part in tables and (default or name in tables[part]):
            tables = override(tables, f"{key}={value}")
    return tables
