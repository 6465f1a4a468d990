"""Triangulation: models of pairs without seeds, learned from seeds through the hub."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import torch

import bilex
from bilex.calibration.held_out import part_of
from bilex.calibration.labels import Gold, LabeledCandidates, label_candidates
from bilex.candidates.paths import LinkLexicon, Paths, Translations
from bilex.candidates.ranking import Ranking
from bilex.embeddings import load_embeddings, save_embeddings
from bilex.fleet import load_fleet, run_fleet
from bilex.fleet.align import open_alignment
from bilex.fleet.folder import FleetFolder
from bilex.fleet.link_file import best_to_hub, read_link
from bilex.fleet.links import find_links
from bilex.fleet.pair_seeds import seeds_through_hub, seeds_with_hub
from bilex.fleet.placed_pair import PlacedPair, ThroughHub, place_pair
from bilex.fleet.tasks import InduceTask, make_tasks
from bilex.fleet.through_hub import open_through_hub, own_sides
from bilex.jobs import InlineEngine
from bilex.lexicons.dictionary import DictionaryEntry
from bilex.storage.hashes import sha256_of
from bilex.values import Compute, EmbeddingSpace, Lexicon, SpacePair
from fleet_data import CALIBRATED, METHOD, fleet_text, write_fleet, write_languages
from third_party import install_package

pytest.importorskip("pyarrow")

CODES = ("en", "fr", "fi")
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight")


TEXT = fleet_text(CODES, more=CALIBRATED) + "[lexicons]\nk = 1\n"


def run(folder: Path, text: str, output: str = "out") -> dict[str, dict[str, Any]]:
    """Run a fleet and return the results of pairs without the hub."""
    run_fleet(load_fleet(write_fleet(folder, text)), folder / output, InlineEngine())
    files = (folder / output / "results" / "triangulate" / "jobs").glob("*.json")
    found = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    assert [result.get("error") for result in found] == [None] * len(found)
    return {result["name"].partition(" ")[2]: result for result in found}


def entries(output: Path, source: str, target: str) -> tuple[DictionaryEntry, ...]:
    path = output / "lexicons" / f"source_language={source}" / f"target_language={target}"
    found = bilex.read_dictionary(path / "part-0.parquet").entries
    return tuple(entry._replace(model="") for entry in found)


def p_at_1(output: Path, source: str, target: str) -> float:
    found = entries(output, source, target)
    return sum(entry.source[2:] == entry.target[2:] for entry in found) / len(found)


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished fleet."""
    folder = tmp_path_factory.mktemp("fleet")
    write_languages(folder, CODES, size=300, dim=20, noise=0.22, seeds=150)
    run(folder, TEXT)
    return folder


def test_a_pair_learns_from_seeds_through_the_hub(noisy: Path) -> None:
    found = run(noisy, TEXT)["fr-fi"]

    assert (found["calibrated_on"], found["carried_over"]) == ("fr-en-fi", False)
    assert found["third_language"] == "en"
    assert found["seeds"] == 0
    for direction in ("forward", "backward"):
        assert found["held_out"][direction]["words"] == 150
        assert found["held_out"][direction]["calibration_error"] < 0.15
    for each in found["directions"]:
        right = p_at_1(noisy / "out", each["source"], each["target"])
        assert right > 0.5
        assert each["expected_p_at_1"] == pytest.approx(right, abs=0.12)


def test_paths_do_no_harm(noisy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bilex.fleet.pair_ranking.open_through_hub", lambda *given: [])
    found = run(noisy, TEXT, "plain")
    assert found["fr-fi"]["carried_over"]
    directions = ("fr", "fi"), ("fi", "fr")
    without, triangulated = (
        sum(p_at_1(noisy / output, *direction) for direction in directions) / 2
        for output in ("plain", "out")
    )
    assert 0.5 < without < 0.95
    assert triangulated > without - 0.02


def test_a_map_of_the_pair_itself_is_better_than_that_through_the_hub(
    noisy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = 'set = ["calibration.name=held-out-seeds", "calibration.without=[\'paths\']"]\n'
    text = TEXT.replace('set = ["calibration.name=held-out-seeds"]\n', method)
    run(noisy, text, "own")
    monkeypatch.setattr("bilex.fleet.through_hub.own_sides", lambda *given: None)
    assert run(noisy, text, "product")["fr-fi"]["third_language"] == "en"
    own, product = (
        sum(p_at_1(noisy / output, *pair) for pair in (("fr", "fi"), ("fi", "fr")))
        for output in ("own", "product")
    )
    assert own > product


def placed(folder: Path, text: str) -> tuple[PlacedPair, InduceTask, Paths]:
    """Return the pair without the hub of a finished fleet, and its paths under final maps."""
    fleet = load_fleet(write_fleet(folder, text))
    (task,) = make_tasks(fleet, find_links(fleet), sha256_of).triangulate
    output = FleetFolder(folder / "out")
    pair = place_pair(task, (task.first, task.second), output, memory=Compute().memory)
    return pair, task, open_through_hub(pair, task, output)[0].paths


def test_the_language_that_is_translated_from_is_mapped(noisy: Path) -> None:
    pair, task, paths = placed(noisy, TEXT)
    first, second = own_sides(pair, task, paths, None) or (None, None)
    assert first is not None
    assert second is not None
    assert first.mapping is not None
    assert second.mapping is None
    assert torch.equal(first.space.vectors, pair.first.space.vectors)

    backward = replace(task, directions=(("fi", "fr"),))
    first, second = own_sides(pair, backward, paths, None) or (None, None)
    assert first is not None
    assert second is not None
    assert first.mapping is None
    assert second.mapping is not None


def test_without_probable_paths_languages_stay_in_the_space_of_the_hub(noisy: Path) -> None:
    pair, task, paths = placed(noisy, TEXT)
    nothing = Translations(paths.source.to_third.ids, torch.zeros(300, 10))
    improbable = replace(paths, source=LinkLexicon(nothing, nothing))
    assert own_sides(pair, task, improbable, None) is None
    direction = pair.direction(through=ThroughHub(improbable))
    assert direction.source.mapping is not None
    assert direction.target.mapping is not None


def test_a_language_with_fewer_dimensions_is_mapped_to_the_other(tmp_path: Path) -> None:
    write_languages(tmp_path, CODES, size=300, dim=20, noise=0.1, seeds=150)
    space = load_embeddings(tmp_path / "fi.vec")
    few = EmbeddingSpace(space.words, space.vectors[:, :18].contiguous())
    save_embeddings(few, tmp_path / "fi.vec")
    assert run(tmp_path, TEXT)["fr-fi"]["third_language"] == "en"
    pair, task, paths = placed(tmp_path, TEXT)
    first, second = own_sides(pair, task, paths, None) or (None, None)
    assert first is not None
    assert second is not None
    assert first.mapping is None
    assert second.mapping is not None
    assert second.mapping.weight.shape == (18, 20)
    for direction in (("fr", "fi"), ("fi", "fr")):
        assert p_at_1(tmp_path / "out", *direction) > 0.5


def test_links_have_translations_of_the_final_maps_and_of_each_part(noisy: Path) -> None:
    (path,) = (noisy / "out" / "links").glob("fi-*")
    link = read_link(path)
    assert len(link) == 3
    for lexicon in link:
        for table in lexicon:
            assert table.ids.shape == table.probabilities.shape == (300, 10)
    assert torch.equal(best_to_hub(path), link[0].to_third.ids[:, 0])
    right = [(each.to_third.ids[:, 0] == torch.arange(300)).float().mean() for each in link]
    assert min(right) > 0.5


def test_there_are_maps_of_each_part(noisy: Path) -> None:
    for code in ("fr", "fi"):
        (folder,) = (noisy / "out" / "alignments").glob(f"{code}-en-*")
        parts = open_alignment(folder).parts
        assert len(parts) == 2
        assert not torch.equal(parts[0].first.weight, parts[1].first.weight)


def test_without_shared_words_of_the_hub_probabilities_are_carried_over(tmp_path: Path) -> None:
    write_languages(tmp_path, CODES)
    rows = [f"en{n}\tfi{n}\n" for n in range(60, 120)]  # the seeds of fr are 0 to 59
    (tmp_path / "en-fi.tsv").write_text("".join(rows))
    found = run(tmp_path, fleet_text(CODES, more=CALIBRATED))["fr-fi"]

    assert found["carried_over"]
    assert found["calibrated_on"] in ("fr-en", "fi-en")
    assert found["third_language"] is None
    assert found["held_out"] is None


def test_seeds_in_other_case_give_the_same_lexicons(tmp_path: Path) -> None:
    found = []
    for name in ("as they are", "capitals"):
        folder = tmp_path / name
        folder.mkdir()
        write_languages(folder, CODES)
        if name == "capitals":
            seeds = folder / "en-fi.tsv"
            seeds.write_text(seeds.read_text().replace("en", "EN").replace("fi", "Fi"))
        assert run(folder, fleet_text(CODES, more=CALIBRATED))["fr-fi"]["third_language"] == "en"
        found.append([entries(folder / "out", "fi", target) for target in ("en", "fr")])
    assert found[0] == found[1]
    assert {entry.origin for entry in found[0][0]} == {"induced", "seed"}


def test_pairs_with_the_hub_are_made_if_others_need_them(tmp_path: Path) -> None:
    write_languages(tmp_path, CODES)
    text = 'pairs = ["fi-fr"]\n' + fleet_text(CODES, more=CALIBRATED)
    found = run(tmp_path, text)

    assert found["fr-fi"]["third_language"] == "en"
    assert found["fr-fi"]["directions"][0]["cycle_error"] is not None
    folders = sorted(path.name for path in (tmp_path / "out" / "lexicons").iterdir())
    assert folders == ["source_language=fi", "source_language=fr"]


def test_a_method_without_probabilities_has_no_paths(tmp_path: Path) -> None:
    write_languages(tmp_path, CODES)
    found = run(tmp_path, fleet_text(CODES, more=METHOD))["fr-fi"]
    assert found["calibrated_on"] is None
    assert found["third_language"] is None


PLUGIN = """
from dataclasses import dataclass

import torch


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    sign: float = 1.0

    @property
    def names(self):
        return ("same_number",)

    def columns(self, candidates):
        words, ids = candidates.direction.target.space.words, candidates.lists.ids.tolist()
        return {
            "same_number": torch.tensor(
                [
                    [self.sign * (words[i][2:] == word[2:]) for i in row]
                    for word, row in zip(candidates.queries.words, ids)
                ]
            )
        }
"""


def test_features_of_plugins_are_learned_from_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = "[bilex.feature]\nnumbers = numbers_of_fleets:Numbers\n"
    install_package(tmp_path / "site", {"numbers_of_fleets": PLUGIN}, listed)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setattr("bilex.registry.entry_points", entry_points)
    write_languages(tmp_path, CODES, noise=0.25)
    plain = CALIBRATED.replace(
        '"]', "\", \"calibration.without=['strings', 'word_parts', 'forms']\"]"
    )
    more = plain.replace(
        '"]\n', '", "calibration.features=[\'numbers\']", "feature.numbers.sign=2.0"]\n'
    )
    for output, method in (("plain", plain), ("out", more)):
        text = fleet_text(CODES, more=method) + "[lexicons]\nk = 1\n"
        assert run(tmp_path, text, output)["fr-fi"]["third_language"] == "en"
    for direction in (("fr", "fi"), ("fr", "en")):
        without, found = (p_at_1(tmp_path / output, *direction) for output in ("plain", "out"))
        assert found > without + 0.2


def test_seeds_through_the_hub_share_its_word() -> None:
    spaces = SpacePair(
        EmbeddingSpace(("a", "b", "c"), torch.eye(3)), EmbeddingSpace(("x", "y"), torch.eye(3)[:2])
    )
    words_of = {part: [w for w in NUMBERS if part_of(w, 2) == part] for part in (0, 1)}
    (one, two), (six, seven) = words_of[0][:2], words_of[1][:2]
    first = Lexicon.of([("a", one), ("b", one), ("c", two), ("unknown", two), ("a", six)])
    second = Lexicon.of([("x", one), ("y", two), ("z", two), ("y", six), ("x", seven)])
    found = seeds_through_hub(first, second, spaces, 2)

    words = {
        (spaces.source.words[i], spaces.target.words[j]): int(part)
        for i, j, part in zip(
            found.pairs.source_ids, found.pairs.target_ids, found.parts, strict=True
        )
    }
    assert words == {("a", "x"): 0, ("b", "x"): 0, ("c", "y"): 0, ("a", "y"): 1}
    # The seeds of "a", "x" and "y" belong to both parts.
    assert found.gold(0, reverse=False) == {1: frozenset({0}), 2: frozenset({1})}
    assert found.gold(1, reverse=False) == {}
    assert found.gold(0, reverse=True) == {}
    # The maps of the first part were trained on the seeds of the other.
    rows = [found.without(part).answers for part in (0, 1)]
    assert rows == [{0: {1}}, {0: {0}, 1: {0}, 2: {1}}]
    assert found.without(None).answers == {0: {0, 1}, 1: {0}, 2: {1}}


def test_seeds_with_the_hub_are_divided_by_its_words() -> None:
    words = {part: next(w for w in NUMBERS if part_of(w, 2) == part) for part in (0, 1)}
    spaces = SpacePair(
        EmbeddingSpace(("a", "b"), torch.eye(3)[:2]),
        EmbeddingSpace((words[0], words[1]), torch.eye(3)[:2]),
    )
    seeds = Lexicon.of([("a", words[0]), ("b", words[1]), ("unknown", words[1])])
    found = seeds_with_hub(seeds, spaces, 2)
    assert [found.without(part).answers for part in (0, 1)] == [{1: {1}}, {0: {0}}]
    assert found.reversed().without(0).answers == {1: {1}}


def test_forms_of_pairs_without_seeds_are_those_of_seeds_through_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: list[tuple[set[int], set[int]]] = []  # words labeled under a map, and words of its seeds

    def remember(ranking: Ranking, gold: Gold, features: Sequence[str]) -> LabeledCandidates:
        assert ranking.direction.seeds is not None
        known.append((set(gold), set(ranking.direction.seeds.source_ids.tolist())))
        found = label_candidates(ranking, gold, features)
        assert bool(found.features[..., features.index("form")].any())
        return found

    monkeypatch.setattr("bilex.fleet.triangulation.label_candidates", remember)
    write_languages(tmp_path, CODES, seeds=60)
    assert run(tmp_path, TEXT)["fr-fi"]["third_language"] == "en"
    assert len(known) == 4
    for labeled, seen in known:
        assert len(labeled | seen) == 60
        assert not labeled & seen
