"""The structure of the package: import order, file sizes, public names."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import bilex

ROOT = Path(bilex.__file__).parent

# A line may import only from lines above it.
ORDER = [
    "errors",
    "extras",
    "bounds",
    "values",
    "dictionary",
    "protocols",
    "registry",
    "config",
    "files",
    "tensor_files",
    "manifest",
    "scripts",
    "orthogonal",
    "similarity",
    "embeddings",
    "lexicons",
    "export",
    "preprocessing",
    "supervised",
    "transport",
    "messages",
    "starts",
    "strategies",
    "retrieval",
    "unknown_words",
    "aligned",
    "seed_check",
    "training",
    "calibration",
    "induction",
    "checkpoint",
    "model_folder",
    "trained_model",
    "inducer",
    "evaluation",
    "inspection",
    "benchmark",
    "cli",
]
# These never see each other: a strategy brings them together.
STRANGERS = {
    "transport": {"supervised", "messages", "lexicons"},
    "messages": {"supervised", "transport"},
    "strategies": {"messages"},
}
LONGEST_FILE = 300
# Every formula lives once, so the package may know itself only as `import bilex` for its version.
MODULES = sorted(path for path in ROOT.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> set[str]:
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            assert node.level == 0, f"{path}: relative import"
            names.append(node.module)
            if node.module == "bilex":
                names += [f"bilex.{alias.name}" for alias in node.names]
    return {name.split(".")[1] for name in names if name.startswith("bilex.")}


def test_every_part_has_its_place_in_the_order() -> None:
    found = {part_of(path) for path in MODULES} - {"__init__", "__main__"}
    assert found == set(ORDER)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_part_imports_only_from_those_before_it(path: Path) -> None:
    part = part_of(path)
    if part.startswith("__"):
        return
    allowed = set(ORDER[: ORDER.index(part) + 1]) - STRANGERS.get(part, set())
    assert imported_parts(path) <= allowed


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_too_long_to_read(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_holds(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_public_names_are_sorted_and_importable() -> None:
    assert sorted(bilex.__all__) == bilex.__all__
    for name in bilex.__all__:
        assert getattr(bilex, name) is not None
    assert set(bilex.__all__) <= set(dir(bilex))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        bilex.nonsense  # noqa: B018


@pytest.mark.parametrize(
    "name", [m.name for m in pkgutil.iter_modules([str(ROOT)], "bilex.") if m.ispkg]
)
def test_every_package_lists_what_it_offers(name: str) -> None:
    module = importlib.import_module(name)
    listed = getattr(module, "__all__", [])
    assert sorted(listed, key=lambda n: (not n.isupper(), not n[0].isupper(), n)) == listed
    for public in listed:
        assert hasattr(module, public)


def test_importing_bilex_stays_light() -> None:
    code = "import sys, bilex, bilex.cli.app; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603
