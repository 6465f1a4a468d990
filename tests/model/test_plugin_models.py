"""A model that was trained with plug-ins, in an environment that does not have them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bilex.config import load_preset, override
from bilex.errors import UnknownPluginError
from bilex.inducer import LexiconInducer
from bilex.model import TrainedModel
from third_party import install_package
from twins import make_twins

PLUGINS = '''
from dataclasses import dataclass

from bilex.alignment.strategies.single import Single
from bilex.retrieval.nearest import Nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherStrategy(Single):
    """Train as bilex does, under another name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherRetriever(Nearest):
    """Rank as bilex does, under another name."""
'''
ENTRY_POINTS = """[bilex.strategy]
other = other_plugins:OtherStrategy
[bilex.retrieval]
other = other_plugins:OtherRetriever
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a package of two plug-ins, as pip would have installed it."""
    folder = tmp_path_factory.mktemp("site")
    install_package(folder, {"other_plugins": PLUGINS}, ENTRY_POINTS, name="other-plugins")
    return folder


def save_trained(site: Path, folder: Path, setting: str, *, answers: bool) -> str:
    """Train with a plug-in and save the model; return the first translation of a word."""
    twins = make_twins()
    with pytest.MonkeyPatch.context() as there:
        there.syspath_prepend(str(site))
        inducer = LexiconInducer(override(load_preset("procrustes"), setting))
        model = inducer.fit(twins.source, twins.target, twins.lexicon).model_
        if answers:
            model = model.with_answers()
        model.save(folder)
        sys.modules.pop("other_plugins", None)
        return model.translate(["s7"])[0].candidates[0].word


def run(*arguments: str, site: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line in another process, with or without the plug-ins."""
    path = {} if site is None else {"PYTHONPATH": str(site)}
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "bilex", *arguments], env=os.environ | path, capture_output=True,
        text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("answers", [False, True])
def test_a_model_trained_with_a_plugin_is_used_without_it(
    site: Path, tmp_path: Path, answers: bool
) -> None:
    folder = tmp_path / "m"
    word = save_trained(site, folder, "strategy.name=other", answers=answers)
    done = run("translate", str(folder), "s7", "-k", "1")
    assert (done.returncode, done.stdout) == (0, f"s7\t{word}\n"), done.stderr
    assert run("induce", str(folder), "-o", str(tmp_path / "d.tsv")).returncode == 0
    assert "retrieval_package" not in json.loads((folder / "manifest.json").read_text())


def test_a_missing_retriever_is_named_with_its_package(site: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    word = save_trained(site, folder, "retrieval.name=other", answers=False)
    with pytest.raises(UnknownPluginError) as caught:
        TrainedModel.load(folder)
    message = str(caught.value)
    assert message.startswith(
        f"{folder}: the plug-in that ranks the words of this model is not installed: "
        "pip install other-plugins ("
    )
    assert "'other'" in message
    without = run("translate", str(folder), "s7", "-k", "1")
    assert (without.returncode, without.stdout) == (2, "")
    assert without.stderr == f"bilex: {message}\n"
    there = run("translate", str(folder), "s7", "-k", "1", site=site)
    assert (there.returncode, there.stdout) == (0, f"s7\t{word}\n"), there.stderr


def test_kept_answers_need_no_retriever(site: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    word = save_trained(site, folder, "retrieval.name=other", answers=True)
    done = run("translate", str(folder), "s7", "-k", "1")
    assert (done.returncode, done.stdout) == (0, f"s7\t{word}\n"), done.stderr


def test_an_old_model_does_not_name_the_package(site: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    save_trained(site, folder, "retrieval.name=other", answers=False)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest.pop("retrieval_package") == "other-plugins"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UnknownPluginError, match="not installed: install its package"):
        TrainedModel.load(folder)


def test_text_files_of_a_model_have_the_same_line_ends_on_every_system(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: dict[str, object] = {}
    write_text = Path.write_text

    def watched(self: Path, data: str, **options: str) -> int:
        written[self.name] = options.get("newline")
        return write_text(self, data, **options)

    monkeypatch.setattr(Path, "write_text", watched)
    save_trained(site, tmp_path / "m", "strategy.name=other", answers=False)
    assert {"config.toml", "manifest.json", "report.json"} <= written.keys()
    assert set(written.values()) == {"\n"}
