"""Plugins of other packages: found by entry point, used and saved by name."""

from __future__ import annotations

import importlib
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import torch

from bilex import LexiconInducer
from bilex.config import build_parts, load_preset, override
from bilex.errors import EmptyLexiconError, PluginError, SettingError, UnknownPluginError
from bilex.protocols import SupervisedStep, UnsupervisedStep
from bilex.registry import KINDS, plugin_names
from bilex.values import IndexedLexicon, LinearMap, SpacePair
from twins import Twins, make_twins

MODULE = '''
from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.errors import SettingError
from bilex.values import LinearMap


@dataclass(frozen=True, slots=True, kw_only=True)
class Ridge:
    """Any linear map that brings the paired words together, kept short."""

    penalty: float = 1e-6

    def __post_init__(self):
        if self.penalty < 0:
            raise SettingError(f"supervised.penalty is {self.penalty}: give 0 or more")

    def fit_map(self, pair, lexicon, *, rng, start=None):
        x = pair.source.vectors[lexicon.source_ids]
        y = pair.target.vectors[lexicon.target_ids]
        gram = x.T @ x + self.penalty * torch.eye(x.shape[1])
        return LinearMap(torch.linalg.solve(gram, x.T @ y).contiguous(), {"step": "ridge"})
'''
METADATA = "Metadata-Version: 2.1\nName: third-party\nVersion: 1.0\n"
ENTRY_POINTS = "[bilex.supervised]\nridge = third_party_ridge:Ridge\n"

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "bilex-contrastive"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """Return a folder that holds the package as pip would have installed it."""
    folder = tmp_path / "site"
    metadata = folder / "third_party-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "third_party_ridge.py").write_text(MODULE, encoding="utf-8")
    (metadata / "METADATA").write_text(METADATA, encoding="utf-8")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    yield folder
    sys.modules.pop("third_party_ridge", None)


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(site))


def ridge_tables() -> dict[str, dict[str, object]]:
    return override(load_preset("procrustes"), "supervised.name=ridge")


@pytest.mark.usefixtures("installed")
def test_an_installed_plugin_is_found_beside_ours() -> None:
    assert {"ridge", "procrustes"} <= set(plugin_names("supervised"))
    step = build_parts(override(ridge_tables(), "supervised.penalty=2"))["strategy"].supervised
    assert (type(step).__name__, step.penalty) == ("Ridge", 2.0)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("supervised.penalti=1", r"'ridge' has no setting 'penalti' \(did you mean 'penalty'"),
        ("supervised.penalty=much", r"supervised\.penalty is 'much': expected .* type float"),
        ("supervised.penalty=-1", r"supervised\.penalty is -1\.0: give 0 or more"),
        ("supervised.name=rigde", r"no supervised plugin is called 'rigde' \(did you mean 'ridge'"),
    ],
)
def test_its_settings_are_checked_like_ours(assignment: str, message: str) -> None:
    with pytest.raises((SettingError, UnknownPluginError), match=message):
        build_parts(override(ridge_tables(), assignment))


@pytest.mark.usefixtures("installed")
def test_a_preset_file_may_name_it_in_any_strategy(tmp_path: Path, twins: Twins) -> None:
    preset = tmp_path / "mine.toml"
    preset.write_text(
        '[preprocessing]\nname = "unit"\n[strategy]\nname = "cyclic"\nrounds = 2\n'
        '[supervised]\nname = "ridge"\npenalty = 0.0\n'
        '[lexicon_update]\nname = "mutual"\n[retrieval]\nname = "nearest"\n',
        encoding="utf-8",
    )
    found = LexiconInducer(str(preset)).fit(twins.source, twins.target, twins.lexicon)
    torch.testing.assert_close(found.map_.weight, twins.rotation, atol=1e-4, rtol=0)


def test_a_model_names_it_and_loads_only_where_it_is_installed(
    site: Path, tmp_path: Path, twins: Twins
) -> None:
    model = tmp_path / "model"
    words = list(twins.source.words[:5])
    with pytest.MonkeyPatch.context() as there:
        there.syspath_prepend(str(site))
        trained = LexiconInducer(override(ridge_tables(), "supervised.penalty=0.001"))
        trained.fit(twins.source, twins.target, twins.lexicon).save(model)
        config = tomllib.loads((model / "config.toml").read_text(encoding="utf-8"))
        assert config["supervised"] == {"name": "ridge", "penalty": 0.001}
        loaded = LexiconInducer.load(model)
        assert loaded.translate(words) == trained.translate(words)
        assert loaded.training_report_.map["step"] == "ridge"

    assert "ridge" not in plugin_names("supervised")
    with pytest.raises(UnknownPluginError) as caught:
        LexiconInducer.load(model)
    message = str(caught.value)
    assert "no supervised plugin is called 'ridge'" in message
    assert f"installed: {', '.join(plugin_names('supervised'))}" in message


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Return the plugin classes of the example package by name, read from its sources."""
    if not EXAMPLE.is_dir():
        pytest.skip("the examples are not part of this distribution")
    pytest.importorskip("ot")
    monkeypatch.syspath_prepend(str(EXAMPLE / "src"))
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    classes: dict[str, Any] = {}
    for group, entries in project["entry-points"].items():
        assert group.removeprefix("bilex.") in KINDS
        for name, value in entries.items():
            module, _, attribute = value.partition(":")
            classes[name] = getattr(importlib.import_module(module), attribute)
    yield classes
    for module in [name for name in sys.modules if name.partition(".")[0] == "bilex_contrastive"]:
        del sys.modules[module]


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def translations(pair: SpacePair, mapping: LinearMap) -> list[str]:
    best = (mapping.apply(pair.source.vectors) @ pair.target.vectors.T).argmax(1)
    return [pair.target.words[i] for i in best.tolist()]


def test_the_supervised_step_of_the_example_obeys_the_contract(
    example: dict[str, Any], twins: Twins
) -> None:
    step = cast(SupervisedStep, example["contrastive"](steps=5))
    located = IndexedLexicon.locate(twins.lexicon, twins.pair)
    first, second = (step.fit_map(twins.pair, located, rng=rng()) for _ in range(2))
    assert torch.equal(first.weight, second.weight)
    assert translations(twins.pair, first) == [entry.target for entry in twins.lexicon.entries]
    torch.testing.assert_close(first.weight, twins.rotation, atol=0.05, rtol=0)
    assert torch.equal(twins.source.vectors, make_twins().source.vectors)
    none = IndexedLexicon(located.source_ids[:0], located.target_ids[:0], located.weights[:0])
    with pytest.raises(EmptyLexiconError, match="no seed pair to learn from"):
        step.fit_map(twins.pair, none, rng=rng())


def test_the_unsupervised_step_of_the_example_obeys_the_contract(
    example: dict[str, Any], twins: Twins
) -> None:
    step = cast(UnsupervisedStep, example["fused-gromov"]())
    noise = 0.2 * torch.randn(twins.rotation.shape, generator=rng())
    start = LinearMap(twins.rotation + noise)
    first, second = (step.fit_map(twins.pair, rng=rng(), start=start) for _ in range(2))
    assert torch.equal(first.weight, second.weight)
    assert torch.equal(start.weight, twins.rotation + noise)
    torch.testing.assert_close(first.weight, twins.rotation, atol=1e-4, rtol=0)
    assert isinstance(first.report["transport_cost"], float)
    assert first.report["step"] == "fused-gromov"


def test_the_preset_of_the_example_sets_only_what_there_is(example: dict[str, Any]) -> None:
    tables = load_preset(str(EXAMPLE / "contrastive.toml"))
    for kind in ("supervised", "unsupervised"):
        settings = dict(tables[kind])
        example[cast(str, settings.pop("name"))](**settings)
        tables = override(tables, f"{kind}.name=none")
    build_parts(
        {
            **tables,
            "supervised": {"name": "procrustes"},
            "unsupervised": {"name": "relaxed-matching"},
        }
    )


@pytest.mark.skipif(not EXAMPLE.is_dir(), reason="the examples are not part of this distribution")
def test_the_guide_shows_the_code_of_the_example() -> None:
    guide = (EXAMPLE.parents[1] / "docs" / "plugins.md").read_text(encoding="utf-8")
    step = EXAMPLE / "src" / "bilex_contrastive" / "contrastive.py"
    assert f"```python\n{step.read_text(encoding='utf-8')}```" in guide
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for group, entries in project["entry-points"].items():
        lines = [f'[project.entry-points."{group}"]']
        lines += [f'{name} = "{value}"' for name, value in entries.items()]
        assert "\n".join(lines) in guide
    for kind in KINDS:
        assert f"| `bilex.{kind}` |" in guide


BROKEN = [
    (
        "import third_party_that_is_not_there\n",
        "broken = third_party_broken:Step\n",
        r"plugin 'broken' \(third_party_broken:Step\) cannot be loaded: No module named",
    ),
    (
        "x = 1\n",
        "broken = third_party_broken:Step\n",
        "cannot be loaded: .*has no attribute 'Step'",
    ),
    ("class Step: ...\n", "broken = third_party_broken:Step\n", "is not a dataclass"),
    (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n\n"
        "@dataclass(frozen=True)\nclass Step:\n    size: Missing = None\n",
        "broken = third_party_broken:Step\n",
        r"the types of supervised plugin 'broken' cannot be read \(name 'Missing'",
    ),
    (
        "",
        "procrustes = third_party_broken:Step\n",
        "two packages offer a supervised plugin called 'procrustes'",
    ),
]


@pytest.mark.parametrize(
    ("module", "entry", "message"),
    BROKEN,
    ids=["import", "name", "dataclass", "types", "twice"],
)
def test_a_broken_plugin_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, entry: str, message: str
) -> None:
    metadata = tmp_path / "third_party-1.0.dist-info"
    metadata.mkdir()
    (tmp_path / "third_party_broken.py").write_text(module, encoding="utf-8")
    (metadata / "METADATA").write_text(METADATA, encoding="utf-8")
    (metadata / "entry_points.txt").write_text(f"[bilex.supervised]\n{entry}", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("third_party_broken", None)
    with pytest.raises(PluginError, match=message):
        build_parts(override(load_preset("procrustes"), "supervised.name=broken"))
