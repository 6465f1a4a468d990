"""The structure of the package: import order, root files, public names."""

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
    "answers",
    "progress",
    "values",
    "protocols",
    "registry",
    "config",
    "storage",
    "catalog",
    "similarity",
    "embeddings",
    "text",
    "lexicons",
    "sample",
    "retrieval",
    "oov",
    "glossary",
    "client",
    "candidates",
    "evidence",
    "evaluation",
    "model",
    "alignment",
    "calibration",
    "inducer",
    "text_pair",
    "inspection",
    "jobs",
    "benchmark",
    "fleet",
    "review",
    "service",
    "cli",
]
# A model is used without the code that trains one.
TRAINING = {"alignment", "calibration", "inducer"}
SERVING = {"retrieval", "oov", "candidates", "evaluation", "model"}
# Inside alignment/, too, a line may import only from lines above it.
ALIGNMENT_ORDER = [
    "orthogonal",
    "preprocessing",
    "supervised",
    "transport",
    "messages",
    "starts",
    "quality",
    "strategies",
    "seed_check",
    "training",
    "feedback",
]
# These never see each other: a strategy brings them together.
STRANGERS = {
    "transport": {"supervised", "messages"},
    "messages": {"supervised", "transport"},
    "strategies": {"messages"},
}
MOST_ROOT_FILES = 8
MODULES = sorted(path for path in ROOT.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_modules(path: Path) -> set[str]:
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            assert node.level == 0, f"{path}: relative import"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return {name.removeprefix("bilex.") for name in names if name.startswith("bilex.")}


def imported_parts(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported_modules(path)}


def test_every_part_has_its_place_in_the_order() -> None:
    found = {part_of(path) for path in MODULES} - {"__init__", "__main__"}
    assert found == set(ORDER)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_part_imports_only_from_those_before_it(path: Path) -> None:
    part = part_of(path)
    if part.startswith("__"):
        return
    assert imported_parts(path) <= set(ORDER[: ORDER.index(part) + 1])


def test_what_serves_a_model_imports_nothing_that_trains_one() -> None:
    for path in MODULES:
        if part_of(path) in SERVING:
            assert not imported_parts(path) & TRAINING, path


@pytest.mark.parametrize(
    "path", sorted((ROOT / "alignment").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_parts_of_alignment_have_an_order_too(path: Path) -> None:
    part = path.relative_to(ROOT / "alignment").parts[0].removesuffix(".py")
    found = {name.split(".")[1] for name in imported_modules(path) if name.startswith("alignment.")}
    if part == "__init__":
        assert not found
        return
    allowed = set(ALIGNMENT_ORDER[: ALIGNMENT_ORDER.index(part) + 1])
    assert found <= allowed - STRANGERS.get(part, set())


def test_the_root_has_few_files() -> None:
    assert len(list(ROOT.glob("*.py"))) <= MOST_ROOT_FILES


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
