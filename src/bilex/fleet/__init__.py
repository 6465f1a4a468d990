"""Many languages through a hub: one run writes lexicons between all of them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bilex.fleet.fleet import Fleet
    from bilex.fleet.fleet_file import load_fleet
    from bilex.fleet.measurement import Measurement, measure
    from bilex.fleet.plan import Plan, make_plan
    from bilex.fleet.run import StageEnd, run_fleet
    from bilex.fleet.status import StageStatus, fleet_status

_HOMES = {
    "Fleet": "bilex.fleet.fleet",
    "Measurement": "bilex.fleet.measurement",
    "Plan": "bilex.fleet.plan",
    "StageEnd": "bilex.fleet.run",
    "StageStatus": "bilex.fleet.status",
    "fleet_status": "bilex.fleet.status",
    "load_fleet": "bilex.fleet.fleet_file",
    "make_plan": "bilex.fleet.plan",
    "measure": "bilex.fleet.measurement",
    "run_fleet": "bilex.fleet.run",
}

__all__ = [
    "Fleet",
    "Measurement",
    "Plan",
    "StageEnd",
    "StageStatus",
    "fleet_status",
    "load_fleet",
    "make_plan",
    "measure",
    "run_fleet",
]


def __getattr__(name: str) -> object:
    """Import a name when it is first used: the status of a fleet is read without torch."""
    if name not in _HOMES:
        raise AttributeError(f"module 'bilex.fleet' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
