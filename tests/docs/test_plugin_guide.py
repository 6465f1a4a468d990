"""The complete examples of docs/research/plugins.md work as they are printed there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import bilex
from bilex.config import build_parts, load_preset, override
from bilex.errors import SettingError
from bilex.jobs import InlineEngine, ResultStore, run_tasks
from bilex.lexicons import DictionaryEntry, DictionaryMetadata, write_dictionary
from bilex.lexicons.formats import installed_formats
from bilex.values import Lexicon
from pages.blocks import read_page
from pages.plugins import declarations, install
from squares import Square, Squaring
from twins import make_twins

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "research" / "plugins.md"

pytestmark = pytest.mark.skipif(
    not GUIDE.is_file(), reason="the documentation is not part of this distribution"
)


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the plugins that the guide declares, as pip would."""
    site = tmp_path / "site"
    blocks = read_page(GUIDE, GUIDE.name).blocks
    packages = [
        install(site, blocks[number].text, code, ROOT / "examples")
        for number, code in declarations(blocks).items()
    ]
    assert len(packages) > 3  # the package of the first sections, and three complete examples
    monkeypatch.syspath_prepend(str(site))
    yield
    for name in list(sys.modules):
        if name.partition(".")[0] in packages:
            del sys.modules[name]


@pytest.mark.usefixtures("_installed")
def test_the_retriever_ranks_in_a_model_that_is_saved_and_loaded(tmp_path: Path) -> None:
    twins = make_twins(noise=0.1)
    seeds, gold = Lexicon(twins.lexicon.entries[:30]), Lexicon(twins.lexicon.entries[30:])
    tables = override(load_preset("procrustes"), "retrieval.name=inverted-softmax")
    tables = override(tables, "retrieval.sharpness=20")
    model = bilex.fit(twins.source, twins.target, seeds, preset=tables)
    model.save(tmp_path / "model")
    loaded = bilex.load(tmp_path / "model")
    words = list(twins.source.words)
    assert loaded.translate(words) == model.translate(words)
    assert loaded.translate(["t7"], reverse=True)[0].candidates[0].word == "s7"
    assert loaded.own_ranking == "inverted-softmax"
    assert model.evaluate(gold).scores["inverted-softmax"].p_at_1 > 0.9


@pytest.mark.usefixtures("_installed")
def test_the_feature_tells_right_candidates_from_wrong_ones(tmp_path: Path) -> None:
    twins = make_twins(200, noise=0.7)
    seeds, gold = Lexicon(twins.lexicon.entries[:100]), Lexicon(twins.lexicon.entries[100:])
    listed = tmp_path / "list.tsv"
    pairs = [f"{entry.source}\t{entry.target}\n" for entry in twins.lexicon.entries]
    listed.write_text("".join(pairs), encoding="utf-8")
    # The names of the words show which belong together: spelling and endings stay out.
    calibration = {"name": "held-out-seeds", "without": ["strings", "forms"]}
    before = load_preset("procrustes") | {"calibration": calibration}
    after = override(before, 'calibration.features=["pair-list"]')
    after = override(after, f"feature.pair-list.path={str(listed)!r}")
    plain, better = (
        bilex.fit(twins.source, twins.target, seeds, preset=tables)
        .evaluate(gold)
        .scores["calibrated"]
        .p_at_1
        for tables in (before, after)
    )
    assert better > plain + 0.2
    with pytest.raises(SettingError, match=r"pair-list\.path is not set"):
        build_parts(override(before, 'calibration.features=["pair-list"]'))


@pytest.mark.usefixtures("_installed")
def test_the_format_is_listed_and_written(tmp_path: Path) -> None:
    assert installed_formats()["markdown"].extensions == (".md",)
    entries = [DictionaryEntry("dog", "chien", 0.953), DictionaryEntry("a|b", "ab")]
    metadata = DictionaryMetadata(source_language="en", target_language="fr")
    assert write_dictionary(entries, tmp_path / "en-fr.md", metadata) == 2
    assert (tmp_path / "en-fr.md").read_text(encoding="utf-8") == (
        "| en | fr | probability |\n|---|---|---|\n| dog | chien | 0.95 |\n| a\\|b | ab |  |\n"
    )


@pytest.mark.usefixtures("_installed")
def test_the_queue_policy_starts_with_the_largest_group(tmp_path: Path) -> None:
    tasks = [Square(number, table) for table, number in ((0, 1), (1, 2), (2, 3), (1, 4), (1, 5))]
    done: list[int] = []
    run_tasks(
        tasks,
        Squaring(),
        ResultStore(tmp_path / "results"),
        InlineEngine(),
        queue="largest-group",
        on_event=lambda progress, event: done.append(event.task.number),
    )
    assert list(dict.fromkeys(done)) == [2, 4, 5, 1, 3]
