"""Programs of others that open what we write."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest_types import Program

DEBIAN_PACKAGES = {"sdcv": "sdcv", "lt-comp": "lttoolbox-dev", "lt-proc": "lttoolbox"}


@pytest.fixture
def run_program(tmp_path: Path) -> Program:
    """Run a program that Debian has and return what it prints; it must be there in CI."""

    def run(name: str, *arguments: str, stdin: str = "") -> str:
        found = shutil.which(name)
        if found is None:
            message = f"{name} is not installed: apt install {DEBIAN_PACKAGES.get(name, name)}"
            if os.environ.get("CI") == "true":
                pytest.fail(message)
            pytest.skip(message)
        done = subprocess.run(  # noqa: S603 - the program and its arguments are ours
            [found, *arguments],
            input=stdin.encode(),
            capture_output=True,
            check=False,
            env={"HOME": str(tmp_path), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    return run
