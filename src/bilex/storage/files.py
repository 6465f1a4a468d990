"""Atomic writes: a file or folder appears complete or not at all, and is never absent.

Data is written under a hidden name in the same folder, `.NAME.HOST-PID-TOKEN.part`. A file is then
renamed to its final name. A folder is exchanged with the old one where the system can exchange two
names in one step (Linux). Elsewhere the complete new folder is renamed to `.new`, then the old one
to `.old`, then the new one to its final name; `recover` completes a replacement that was killed in
between. Leftovers of processes that no longer run are removed by the next write.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import platform
import re
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from bilex.errors import SettingError

_SECONDS_OF_A_DAY = 86_400
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
_WINDOWS = sys.platform == "win32"
_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)  # seconds


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` at the end.

    A file or a folder may be written there. An existing file or folder is replaced only when the
    new one is complete. On any error, `path` is not changed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    recover(path)
    remove_leftovers(path)
    temporary = beside(path)
    try:
        yield temporary
        _move_into_place(temporary, path)
    finally:
        _remove(temporary)


def beside(path: Path, ending: str = "part") -> Path:
    """Return a new hidden name in the same folder, for a new or an old version of `path`."""
    owner = f"{_host()}-{os.getpid()}-{secrets.token_hex(4)}"
    return path.with_name(f".{path.name}.{owner}.{ending}")


def recover(path: Path) -> None:
    """Complete the replacement of a folder if the process that did it was killed.

    `path` may be the folder, or a file in it.
    """
    if path.exists():
        return
    if not path.parent.exists() and path.parent != path:
        recover(path.parent)
        return
    for ending in ("new", "old"):
        for left in _leftovers(path, ending):
            try:
                left.rename(path)
            except OSError:  # another process was faster, or it cannot be renamed
                continue
            return


def remove_leftovers(path: Path) -> None:
    """Remove temporary files beside `path` of processes that no longer run."""
    for ending in ("part", "new", "old"):
        for left in _leftovers(path, ending):
            _remove(left, ignore_errors=True)


def _leftovers(path: Path, ending: str) -> Iterator[Path]:
    """Yield the hidden files and folders for `path` whose process no longer runs."""
    name = re.compile(
        rf"\.{re.escape(path.name)}\.(?P<host>[0-9a-f]+)-(?P<pid>\d+)-[0-9a-f]+\.{ending}"
    )
    try:
        found = sorted(path.parent.iterdir())
    except OSError:
        return
    for other in found:
        match = name.fullmatch(other.name)
        if match and _is_dead(match["host"], int(match["pid"]), other):
            yield other


def _is_dead(host: str, pid: int, path: Path) -> bool:
    """Return whether the process that made a hidden file no longer runs.

    If the process is on another machine, or cannot be looked up safely, it counts as dead when the
    file has not changed for a day.
    """
    if host != _host() or _WINDOWS:
        try:
            return time.time() - path.stat().st_mtime > _SECONDS_OF_A_DAY
        except OSError:
            return False
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # it runs, but belongs to another user
        return False
    return False


@lru_cache(maxsize=1)
def _host() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def _move_into_place(temporary: Path, path: Path) -> None:
    if not path.is_dir() or path.is_symlink():
        if temporary.is_dir() and path.exists():
            raise SettingError(f"{path} is a file; give a folder that is new or was made by bilex")
        _rename_with_retries(temporary.replace, path)
        return
    if not temporary.is_dir():
        raise SettingError(f"{path} is a folder; give the name of a file to write")
    if not _exchange(temporary, path):
        _replace_in_steps(temporary, path)


def _replace_in_steps(temporary: Path, path: Path) -> None:
    """Replace a folder where names cannot be exchanged; `recover` completes a killed attempt."""
    complete, retired = beside(path, "new"), beside(path, "old")
    _rename_with_retries(temporary.rename, complete)
    try:
        _rename_with_retries(path.rename, retired, path)
        try:
            _rename_with_retries(complete.rename, path)
        except OSError:
            _rename_with_retries(retired.rename, path)
            raise
    finally:
        _remove(complete)
    # Windows cannot delete files that are mapped into memory; the next write removes them.
    _remove(retired, ignore_errors=_WINDOWS)


def _rename_with_retries(
    rename: Callable[[Path], object], name: Path, in_use: Path | None = None
) -> None:
    """Rename a file or folder; on Windows, retry while another program has it open.

    Windows cannot rename or replace open files, and virus scanners open new files.

    Args:
        rename: Takes the new name.
        name: The new name.
        in_use: The path for the error message, if it is not the new name.
    """
    for pause in _PAUSES if _WINDOWS else ():
        try:
            rename(name)
        except PermissionError:
            time.sleep(pause)
        else:
            return
    try:
        rename(name)
    except PermissionError as problem:
        if not _WINDOWS:
            raise
        advice = "is open in another program, or may not be changed: close it and try again"
        raise PermissionError(problem.errno, advice, str(in_use or name)) from problem


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step; return False where the system cannot."""
    call = _renameat2()
    if call is None:
        return False
    done = call(
        _AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), ctypes.c_uint(_RENAME_EXCHANGE)
    )
    if done == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):  # this kernel or file system cannot
        return False
    raise OSError(code, os.strerror(code), str(other))


@lru_cache(maxsize=1)
def _renameat2() -> Callable[..., int] | None:
    if sys.platform != "linux":
        return None
    found: Callable[..., int] | None
    found = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    return found


def _remove(path: Path, *, ignore_errors: bool = False) -> None:
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError:
        if not ignore_errors:
            raise
