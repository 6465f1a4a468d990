"""What a page finds when it begins: the sample, a fitted model, and no network."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from bilex.sample import copy_sample
from pages.running import PageFolder

FIT = ("bilex", "fit", "en.vec.gz", "es.vec.gz", "seeds.tsv", "-o", "en-es")
"""Makes the model that every page may use."""

_ONCE = Path(__file__).with_name("bilex_once.py")
_NOWHERE = "http://127.0.0.1:9"  # the discard port: refused at once


class PageFolders:
    """Makes a folder for each page.

    Args:
        folder: A new folder.
        examples: Of the repository: each page finds them in a folder of that name.
        fits: Whether the model is there.
    """

    def __init__(self, folder: Path, examples: Path, *, fits: bool = True) -> None:
        self._folder, self._examples = folder, examples
        programs = folder / "programs"
        programs.mkdir(parents=True)
        stand_in = programs / "bilex"
        command = shlex.join([sys.executable, str(_ONCE)])
        stand_in.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
        stand_in.chmod(0o755)
        (folder / "home").mkdir()
        self._start = folder / "start"
        copy_sample(self._start)
        if fits:
            subprocess.run(  # noqa: S603
                FIT,
                cwd=self._start,
                env=self._environment(self._start),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=True,
            )

    def new(self, name: str) -> PageFolder:
        """Return a new folder with all that a page may use."""
        folder = self._folder / "pages" / name
        shutil.copytree(self._start, folder)
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.ipynb")
        shutil.copytree(self._examples, folder / "examples", ignore=ignored)
        environment = self._environment(folder)
        return PageFolder(folder, environment, Path(environment["PYTHONPATH"]), self._examples)

    def _environment(self, folder: Path) -> dict[str, str]:
        beside = self._folder / "beside" / folder.name  # what a page uses but does not see
        site, cache = beside / "site", beside / "cache"
        site.mkdir(parents=True)
        programs = [self._folder / "programs", Path(sys.executable).parent]
        return {
            **os.environ,
            "PATH": os.pathsep.join([*map(str, programs), os.environ["PATH"]]),
            "HOME": str(self._folder / "home"),
            "PYTHONPATH": str(site),
            "PYTHONUNBUFFERED": "1",
            "BILEX_CACHE": str(cache),
            "BILEX_ONCE": str(self._folder / "once"),
            "COLUMNS": "80",
            "TERM": "dumb",
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
            "MPLBACKEND": "Agg",
            "PIP_NO_INDEX": "1",
            **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), _NOWHERE),
            **dict.fromkeys(("no_proxy", "NO_PROXY"), ""),
        }
