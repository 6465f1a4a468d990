"""Commands that write, and a way to kill one at any of its file-system calls."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from bilex import load, load_embeddings, read_dictionary
from bilex.cli.app import main
from bilex.storage import files

CALLS = ("rename", "replace", "unlink", "remove", "rmdir", "mkdir", "chmod", "link")
"""Functions of `os` that change names in a folder; pathlib and shutil call them too."""


FIT = ["fit", "s.vec", "t.vec", "seeds.tsv", "--preset", "procrustes", "--no-cache"]
COMMANDS: dict[str, tuple[list[str], Callable[[Path], object]]] = {
    "fit": ([*FIT, "-o", "out"], load),
    "induce": (["induce", "m", "-o", "out.tsv"], read_dictionary),
    "export stardict": (["export", "m", "-o", "out.stardict"], read_dictionary),
    "export vectors": (
        ["export", "m", "-o", "out", "--vectors", "vec"],
        lambda path: load_embeddings(path / "source.vec"),
    ),
    "convert to the store": (["convert", "s.vec", "-o", "out"], load_embeddings),
    "convert to gensim": (["convert", "s.vec", "-o", "out.kv"], load_embeddings),
    "convert to text": (["convert", "s.vec", "-o", "out.vec"], load_embeddings),
    "convert a dictionary": (["convert", "seeds.tsv", "-o", "out.tbx"], read_dictionary),
}
"""By name: the arguments of each command that writes, and what reads its output."""


def leftovers(folder: Path) -> list[str]:
    """Return what a write that did not end left in a folder."""
    return [path.name for path in folder.iterdir() if path.name.endswith((".part", ".old", ".new"))]


def run_and_kill(arguments: list[str], number: int, *, before: bool) -> bool:
    """Run a command in a child process that is killed at its `number`-th call, counted from 1.

    Args:
        arguments: Of `bilex`.
        number: Which call.
        before: Whether to kill before the call takes place, or right after it.

    Returns:
        Whether the child was killed; False if it ended by itself, having made fewer calls.
    """
    child = os.fork()
    if child == 0:
        try:
            _run(arguments, number, before=before)
        finally:
            os._exit(99)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0, f"bilex {' '.join(arguments)} ended with {status}"
    return False


def _run(arguments: list[str], number: int, *, before: bool) -> None:
    torch.set_num_threads(1)
    left = [number]

    def watched(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*given: Any, **named: Any) -> Any:  # noqa: ANN401
            left[0] -= 1
            if left[0] == 0 and before:
                os.kill(os.getpid(), signal.SIGKILL)
            result = call(*given, **named)
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return wrapper

    for name in CALLS:
        setattr(os, name, watched(getattr(os, name)))
    exchange = files._exchange
    files._exchange = watched(exchange)
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(null, stream)
    sys.argv = ["bilex", *arguments]
    try:
        main()
    except SystemExit as end:
        os._exit(int(end.code or 0))
    os._exit(0)
