"""The peak memory of a job."""

from __future__ import annotations

import re
import sys
from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_RESET_PEAK = "5"
_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB", re.MULTILINE)


def reset_peak() -> None:
    """Reset the peak if the system can; if not, `peak_memory` is that of the whole process."""
    try:
        _CLEAR.write_text(_RESET_PEAK)
    except OSError:
        return


def peak_memory() -> int | None:
    """Return the largest resident size in bytes, mapped files included; None if unknown."""
    try:
        found = _PEAK.search(_STATUS.read_text())
    except OSError:
        found = None
    if found is not None:
        return int(found[1]) * 1024
    return _peak_of_process()


def _peak_of_process() -> int | None:
    try:
        import resource
    except ImportError:  # no such module on Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # bytes there, KiB elsewhere
