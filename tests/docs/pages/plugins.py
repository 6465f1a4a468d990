"""Plugins that a page shows, installed in a folder as pip would."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Sequence
from pathlib import Path

from pages.blocks import Block

_METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: 1.0\n"


def entry_points(toml: str) -> dict[str, dict[str, str]]:
    """Return the entry points that a block of TOML declares, by group and name."""
    project = tomllib.loads(toml).get("project", {})
    found: dict[str, dict[str, str]] = project.get("entry-points", {})
    return found


def declarations(blocks: Sequence[Block]) -> dict[int, str]:
    """Return which blocks declare a plugin, by their number, each with the Python before it."""
    found, code = {}, ""
    for number, block in enumerate(blocks):
        if block.language == "python":
            code = block.text
        elif block.language == "toml" and entry_points(block.text):
            found[number] = code
    return found


def install(site: Path, toml: str, code: str, packages: Path) -> str:
    """Install the package that declares the entry points; return its name.

    Its code is in a folder of `packages` if there is one of that name, as for a complete example;
    else it is the module `code`.
    """
    groups = entry_points(toml)
    first = next(iter(next(iter(groups.values())).values()))
    *folders, module = first.partition(":")[0].split(".")
    package = folders[0] if folders else module
    complete = next(packages.glob(f"*/src/{package}"), None)
    if complete is not None:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(complete, site / package, ignore=ignored)
    else:
        path = site.joinpath(*folders, f"{module}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code, encoding="utf-8")
    metadata = site / f"{package}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(_METADATA.format(package), encoding="utf-8")
    lines: list[str] = []
    for group, names in groups.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in names.items())]
    (metadata / "entry_points.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return package
