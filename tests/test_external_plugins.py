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

import bilex
from bilex import LexiconInducer, TrainedModel
from bilex.config import build_parts, load_preset, override
from bilex.errors import EmptyLexiconError, PluginError, SettingError, UnknownPluginError
from bilex.protocols import SupervisedStep, UnsupervisedStep
from bilex.registry import KINDS, plugin_names
from bilex.values import IndexedLexicon, Lexicon, LinearMap, SpacePair, unit_rows
from third_party import install_package
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

    def fit_map(self, spaces, lexicon, *, rng, start=None):
        x = spaces.source.vectors[lexicon.source_ids]
        y = spaces.target.vectors[lexicon.target_ids]
        gram = x.T @ x + self.penalty * torch.eye(x.shape[1])
        return LinearMap(torch.linalg.solve(gram, x.T @ y).contiguous(), {"step": "ridge"})
'''
RETRIEVER = '''
from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.values import Neighbors, unit_rows

measured = []  # how often anything was measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Popularity:
    """Rank by where a cosine lies between a word's worst and best, less how popular the word is."""

    weight: float = 0.5

    def build(self, source, target, *, compute, state=None):
        rows = {"source": unit_rows(source), "target": unit_rows(target)}
        if state is None:
            measured.append(len(source))
            state = {**_measure("source", rows, "target"), **_measure("target", rows, "source")}
        return PopularityIndex(rows, dict(state), self.weight)


def _measure(side, rows, other):
    cosines = rows[side] @ rows[other].T
    ranges = torch.stack([cosines.amin(1), cosines.amax(1)], dim=1)
    counts = torch.bincount(cosines.argmax(0), minlength=len(rows[side]))
    return {f"{side} ranges": ranges, f"{side}.counts": counts}


@dataclass(frozen=True)
class PopularityIndex:
    rows: dict
    tensors: dict
    weight: float

    @property
    def forward(self):
        return PopularitySearch(self, "target")

    @property
    def backward(self):
        return PopularitySearch(self, "source")

    def state(self):
        return self.tensors


@dataclass(frozen=True)
class PopularitySearch:
    index: PopularityIndex
    side: str

    def search(self, queries, *, k, rows=None):
        least, most = self.index.tensors[f"{self.side} ranges"].unbind(1)
        cosines = unit_rows(queries) @ self.index.rows[self.side].T
        penalty = self.index.weight * self.index.tensors[f"{self.side}.counts"]
        best = ((cosines - least) / (most - least) - penalty).topk(min(k, len(least)), dim=1)
        return Neighbors(best.indices, best.values)
'''
ENTRY_POINTS = (
    "[bilex.supervised]\nridge = third_party_ridge:Ridge\n"
    "[bilex.retrieval]\npopularity = third_party_popularity:Popularity\n"
)

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "bilex-contrastive"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """Return a folder that holds a package of two plugins as pip would have installed it."""
    folder = tmp_path / "site"
    modules = {"third_party_ridge": MODULE, "third_party_popularity": RETRIEVER}
    install_package(folder, modules, ENTRY_POINTS)
    yield folder
    for name in ("third_party_ridge", "third_party_popularity"):
        sys.modules.pop(name, None)


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(site))


def ridge_tables() -> dict[str, dict[str, object]]:
    return override(load_preset("procrustes"), "supervised.name=ridge")


@pytest.mark.usefixtures("installed")
def test_an_installed_plugin_is_found_beside_ours() -> None:
    assert {"ridge", "procrustes"} <= set(plugin_names("supervised"))
    strategy: Any = build_parts(override(ridge_tables(), "supervised.penalty=2"))["strategy"]
    step = strategy.supervised
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
    torch.testing.assert_close(found.model_.mapping.weight, twins.rotation, atol=1e-4, rtol=0)


def test_a_model_names_the_plugin_that_trained_it_and_is_used_without_it(
    site: Path, tmp_path: Path, twins: Twins
) -> None:
    folder = tmp_path / "model"
    words = list(twins.source.words[:5])
    with pytest.MonkeyPatch.context() as there:
        there.syspath_prepend(str(site))
        inducer = LexiconInducer(override(ridge_tables(), "supervised.penalty=0.001"))
        trained = inducer.fit(twins.source, twins.target, twins.lexicon).model_
        trained.save(folder)
        config = tomllib.loads((folder / "config.toml").read_text(encoding="utf-8"))
        assert config["supervised"] == {"name": "ridge", "penalty": 0.001}

    assert "ridge" not in plugin_names("supervised")
    loaded = TrainedModel.load(folder)
    assert loaded.translate(words) == trained.translate(words)
    assert loaded.report.map["step"] == "ridge"
    with pytest.raises(
        UnknownPluginError, match="no supervised plugin is called 'ridge'"
    ) as caught:
        LexiconInducer(config).check()
    assert f"installed: {', '.join(plugin_names('supervised'))}" in str(caught.value)


def popularity_tables(weight: float = 0.5) -> dict[str, dict[str, object]]:
    tables = override(load_preset("procrustes"), "retrieval.name=popularity")
    return override(tables, f"retrieval.weight={weight}")


def by_popularity(model: TrainedModel, word: str, *, reverse: bool = False) -> list[str]:
    """Rank all words for a known word, by the definition of the plugin."""
    rows = [
        unit_rows(model.mapping.apply(model.source.vectors)),
        unit_rows(model.target.vectors),
    ]
    spaces = [model.source, model.target]
    if reverse:
        rows, spaces = rows[::-1], spaces[::-1]
    cosines = (rows[1] @ rows[0].T).double()  # (n_candidates, n_words)
    favorites = cosines.argmax(0).tolist()
    column = spaces[0].index[word]
    scores = {
        name: float((line[column] - line.min()) / (line.max() - line.min()))
        - 0.5 * favorites.count(row)
        for row, (name, line) in enumerate(zip(spaces[1].words, cosines, strict=True))
    }
    return sorted(scores, key=lambda name: -scores[name])


def test_a_retriever_saves_any_tensors_it_measured_and_gets_them_back(
    site: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    twins = make_twins(noise=0.3)
    words = list(twins.source.words)
    with pytest.MonkeyPatch.context() as there:
        there.syspath_prepend(str(site))
        inducer = LexiconInducer(popularity_tables())
        trained = inducer.fit(twins.source, twins.target, twins.lexicon).model_
        state = trained.index.state()
        assert {name: (tensor.dtype, tensor.shape) for name, tensor in state.items()} == {
            "source ranges": (torch.float32, (60, 2)),
            "source.counts": (torch.int64, (60,)),
            "target ranges": (torch.float32, (60, 2)),
            "target.counts": (torch.int64, (60,)),
        }
        trained.save(folder)
        measured = importlib.import_module("third_party_popularity").measured
        assert measured == [60]

        loaded = bilex.load(folder)

        assert measured == [60]  # nothing was measured again
        assert loaded.index.state().keys() == state.keys()
        for name, tensor in loaded.index.state().items():
            assert tensor.dtype == state[name].dtype
            assert torch.equal(tensor, state[name])
        assert loaded.own_ranking == trained.own_ranking == "popularity"
        assert loaded.identity == trained.identity
        for model in (trained, loaded):
            for word, reverse in (("s3", False), ("t9", True)):
                (answer,) = model.translate([word], k=60, reverse=reverse)
                names = [candidate.word for candidate in answer.candidates]
                assert names == by_popularity(model, word, reverse=reverse)
        assert loaded.translate(words, k=5) == trained.translate(words, k=5)
        assert list(loaded.induce(k=2)) == list(trained.induce(k=2))

    with pytest.raises(UnknownPluginError) as caught:
        TrainedModel.load(folder)
    message = str(caught.value)
    assert "no retrieval plugin is called 'popularity'" in message
    assert f"installed: {', '.join(plugin_names('retrieval'))}" in message


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("reverse", [False, True])
def test_the_scores_of_a_retriever_are_used_to_compare_rankers(reverse: bool) -> None:
    twins = make_twins(noise=0.3)
    seeds, gold = Lexicon(twins.lexicon.entries[:30]), Lexicon(twins.lexicon.entries[30:])
    model = LexiconInducer(popularity_tables()).fit(twins.source, twins.target, seeds).model_
    rankers = model.rankers(reverse=reverse)
    assert list(rankers) == ["csls", "nearest", "popularity"]
    words = list((model.target if reverse else model.source).words)
    own = rankers["popularity"](words, 4)
    assert own == model.translate(words, k=4, reverse=reverse)
    assert own != rankers["csls"](words, 4)
    found = bilex.evaluate(model, gold, reverse=reverse)
    right = sum(
        by_popularity(model, outcome.word, reverse=reverse)[0] in outcome.gold
        for outcome in found.outcomes["popularity"]
    )
    assert found.scores["popularity"].p_at_1 == right / 30


@pytest.mark.usefixtures("installed")
def test_probabilities_are_learned_from_the_scores_of_a_retriever(tmp_path: Path) -> None:
    twins = make_twins(noise=0.2)
    tables = popularity_tables(0.01) | {"calibration": {"name": "held-out-seeds"}}
    model = LexiconInducer(tables).fit(twins.source, twins.target, twins.lexicon).model_
    assert model.own_ranking == "calibrated"
    assert list(model.rankers()) == ["csls", "nearest", "popularity", "calibrated"]
    answers = model.translate(["s1", "s2"], k=3)
    by_score = model.rankers()["popularity"](["s1", "s2"], 60)
    for answer, scored in zip(answers, by_score, strict=True):
        scores = {candidate.word: candidate.score for candidate in scored.candidates}
        for candidate in answer.candidates:
            assert candidate.probability is not None
            assert candidate.score == pytest.approx(scores[candidate.word], abs=1e-5)
    model.save(tmp_path / "model")
    assert TrainedModel.load(tmp_path / "model").translate(["s1", "s2"], k=3) == answers


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


def translations(spaces: SpacePair, mapping: LinearMap) -> list[str]:
    best = (mapping.apply(spaces.source.vectors) @ spaces.target.vectors.T).argmax(1)
    return [spaces.target.words[i] for i in best.tolist()]


def test_the_supervised_step_of_the_example_obeys_the_contract(
    example: dict[str, Any], twins: Twins
) -> None:
    step = cast(SupervisedStep, example["contrastive"](steps=5))
    located = IndexedLexicon.locate(twins.lexicon, twins.spaces)
    first, second = (step.fit_map(twins.spaces, located, rng=rng()) for _ in range(2))
    assert torch.equal(first.weight, second.weight)
    assert translations(twins.spaces, first) == [entry.target for entry in twins.lexicon.entries]
    torch.testing.assert_close(first.weight, twins.rotation, atol=0.05, rtol=0)
    assert torch.equal(twins.source.vectors, make_twins().source.vectors)
    none = IndexedLexicon(located.source_ids[:0], located.target_ids[:0], located.weights[:0])
    with pytest.raises(EmptyLexiconError, match="no seed pair to learn from"):
        step.fit_map(twins.spaces, none, rng=rng())


def test_the_unsupervised_step_of_the_example_obeys_the_contract(
    example: dict[str, Any], twins: Twins
) -> None:
    step = cast(UnsupervisedStep, example["fused-gromov"]())
    noise = 0.2 * torch.randn(twins.rotation.shape, generator=rng())
    start = LinearMap(twins.rotation + noise)
    first, second = (step.fit_map(twins.spaces, rng=rng(), start=start) for _ in range(2))
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
    guide = (EXAMPLE.parents[1] / "docs" / "research" / "plugins.md").read_text(encoding="utf-8")
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
def test_a_broken_plugin_is_an_error_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, entry: str, message: str
) -> None:
    install_package(tmp_path, {"third_party_broken": module}, f"[bilex.supervised]\n{entry}")
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("third_party_broken", None)
    with pytest.raises(PluginError, match=message):
        build_parts(override(load_preset("procrustes"), "supervised.name=broken"))
