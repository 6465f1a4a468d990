"""Stands in for `bilex` on pages: the same long command on the same files runs once a session.

What it printed and wrote is kept in the folder `$BILEX_ONCE` and given again.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WRITING = {"fit": None, "demo": "bilex-demo", "vectors": None}
"""Commands that take long, with the output that they write if none is given."""
PRINTING = {"inspect", "evaluate"}
"""Commands that take long and write no file."""


def main() -> int:
    """Run a command of bilex, or give again what it gave before."""
    arguments = sys.argv[1:]
    program = str(Path(sys.executable).with_name("bilex"))
    output = output_of(arguments)
    prints = output is None and arguments[:1] and arguments[0] in PRINTING
    if not (output or prints) or {"--resume", "--help"} & set(arguments) or _has_plugins():
        os.execv(program, [program, *arguments])  # noqa: S606
    kept = Path(os.environ["BILEX_ONCE"]) / key_of(arguments, output)
    kept.parent.mkdir(parents=True, exist_ok=True)
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another page may be at it
        if kept.is_dir():
            code = 0
            if output is not None:
                _copy(kept / "result", output)
        else:
            code = _run_and_keep([program, *arguments], output, kept)
    if not code:
        _print(kept)
    return code


def output_of(arguments: list[str]) -> Path | None:
    """Return what a command writes if it takes long; None for all others."""
    if not arguments or arguments[0] not in WRITING:
        return None
    for option in ("-o", "--output"):
        if option in arguments[:-1]:
            return Path(arguments[arguments.index(option) + 1])
    default = WRITING[arguments[0]]
    return None if default is None else Path(default)


def key_of(arguments: list[str], output: Path | None) -> str:
    """Return a name for a command, the files that it reads, and where its output goes."""
    found = hashlib.sha256(repr((arguments, _is_merged())).encode())
    for path in map(Path, arguments):
        if path == output:
            continue
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


def _run_and_keep(command: list[str], output: Path | None, kept: Path) -> int:
    """Run a command; keep what it prints and writes if it succeeds, else print it."""
    part = Path(tempfile.mkdtemp(dir=kept.parent))
    with (part / "printed").open("wb") as printed, (part / "errors").open("wb") as errors:
        notes = printed if _is_merged() else errors
        done = subprocess.run(command, stdout=printed, stderr=notes)  # noqa: S603
    if done.returncode:
        _print(part)
        shutil.rmtree(part)
        return done.returncode
    if output is not None:
        _copy(output, part / "result")
    part.rename(kept)
    return 0


def _print(kept: Path) -> None:
    sys.stderr.buffer.write((kept / "errors").read_bytes())
    sys.stderr.flush()
    sys.stdout.buffer.write((kept / "printed").read_bytes())
    sys.stdout.flush()


def _is_merged() -> bool:
    """Return whether results and notes go to the same place, so that their order matters."""
    return os.path.sameopenfile(1, 2)


def _has_plugins() -> bool:
    """Return whether a page has installed plugins, which change what a command does."""
    return any(Path(os.environ.get("PYTHONPATH", "")).glob("*.dist-info"))


def _copy(source: Path, target: Path) -> None:
    if target.is_dir():
        shutil.rmtree(target)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)


if __name__ == "__main__":
    sys.exit(main())
