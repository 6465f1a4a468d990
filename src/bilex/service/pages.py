"""Pages from templates, in one look: light and dark, nothing from other hosts."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

STATIC = Path(__file__).parent / "static"
"""Style, scripts and images; served at /static."""


def make_templates() -> Environment:
    """Return the templates, with what all pages need."""
    made = Environment(
        loader=PackageLoader("bilex.service"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"percent": _percent, "static": _static}
    return made


def _percent(share: float) -> str:
    """Return a probability; what is not certain is never shown as 0 or 100 %."""
    if 0 < share < 0.01:
        return "<\u00a01\u00a0%"
    if 0.99 < share < 1:
        return ">\u00a099\u00a0%"
    return f"{100 * share:.0f}\u00a0%"


@cache
def _static(name: str) -> str:
    """Return the address of a static file; it changes with the content."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"
