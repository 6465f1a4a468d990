"""Full disks, read-only folders and two processes that write the same output."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest_types import Bilex
from killing import COMMANDS, leftovers, run_and_kill


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 64 KiB; only a superuser may."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:  # noqa: S603
        pytest.skip("a small file system can be mounted by a superuser only")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)  # noqa: S603, S607


def contents(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return {str(file.relative_to(path.parent)): file.read_bytes() for file in files}


def moved(arguments: list[str], folder: Path) -> tuple[list[str], Path]:
    """Return the arguments with the output in another folder, and the output."""
    place = arguments.index("-o") + 1
    output = folder / arguments[place]
    return [*arguments[:place], str(output), *arguments[place + 1 :]], output


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_is_one_line_and_the_old_output_stays(
    bilex: Bilex, model: Path, small_disk: Path, name: str
) -> None:
    arguments, output = moved(COMMANDS[name][0], small_disk)
    assert bilex(*arguments).code == 0
    before = contents(output)
    free = shutil.disk_usage(small_disk).free
    (small_disk / "filler").write_bytes(b"x" * (free - free % 4096))
    done = bilex(*arguments)
    assert done.code == 2, done.err
    assert "No space left on device" in done.err
    assert "Traceback" not in done.err
    assert contents(output) == before
    assert leftovers(small_disk) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_read_only_folder_is_one_line(
    bilex: Bilex, model: Path, small_disk: Path, name: str
) -> None:
    arguments, output = moved(COMMANDS[name][0], small_disk)
    assert bilex(*arguments).code == 0
    before = contents(output)
    command = ["mount", "-o", "remount,ro", str(small_disk)]
    subprocess.run(command, check=True)  # noqa: S603
    done = bilex(*arguments)
    assert done.code == 2
    assert done.err.endswith(
        "is read-only, or you have no permission to write there; give another place with -o\n"
    )
    assert "Traceback" not in done.err
    assert contents(output) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("name", COMMANDS)
def test_two_processes_on_one_output_leave_one_complete(
    bilex: Bilex, model: Path, name: str
) -> None:
    arguments, read = COMMANDS[name]
    output = Path(arguments[arguments.index("-o") + 1])
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            killed = run_and_kill(arguments, 10**9, before=True)  # never: it runs to its end
            os._exit(int(killed))
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    read(output)
    assert leftovers(Path()) == []
