"""The default folder for cached vectors and hashes."""

from __future__ import annotations

import os
from pathlib import Path


def default_cache_folder() -> Path:
    """Return `$BILEX_CACHE` if it is set, else a folder in the user's cache folder."""
    own = os.environ.get("BILEX_CACHE")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "bilex"
