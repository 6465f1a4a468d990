"""A package with plugins, written as pip would have installed it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def install_package(
    site: Path, modules: Mapping[str, str], entry_points: str, *, name: str = "third-party"
) -> None:
    """Write modules and what declares their plugins.

    Args:
        site: A folder, which a test puts on the import path.
        modules: The code of each module, by name.
        entry_points: The content of `entry_points.txt`.
        name: The name of the package.
    """
    metadata = site / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir(parents=True)
    for module, code in modules.items():
        (site / f"{module}.py").write_text(code, encoding="utf-8")
    facts = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    (metadata / "METADATA").write_text(facts, encoding="utf-8")
    (metadata / "entry_points.txt").write_text(entry_points, encoding="utf-8")
