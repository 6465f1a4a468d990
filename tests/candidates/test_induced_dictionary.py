from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch

from bilex import LexiconInducer, TrainedModel
from bilex.candidates.induced_dictionary import InducedDictionary
from bilex.candidates.lists import BACK_DEPTH
from bilex.candidates.threshold import threshold_for_f1, threshold_for_precision
from bilex.errors import SettingError
from bilex.lexicons.dictionary import DictionaryEntry
from bilex.values import Compute, Lexicon
from candidates import calibrated_model, fit, noisy_twins, scored_model
from twins import make_twins

Make = Callable[[], TrainedModel]
models = pytest.mark.parametrize("make", [calibrated_model, scored_model])


@pytest.fixture(scope="module")
def plain() -> TrainedModel:
    """Return a model that was not calibrated."""
    twins = noisy_twins()
    seeds = Lexicon(twins.lexicon.entries[:90])
    return LexiconInducer("procrustes").fit(twins.source, twins.target, seeds).model_


def probabilities(found: InducedDictionary) -> torch.Tensor:
    assert found.ranked.probabilities is not None
    return found.ranked.probabilities


def above(found: InducedDictionary, threshold: float, k: int | None = None) -> set[tuple[str, str]]:
    """Return the pairs that are probable enough, among the first k of a word."""
    rows = zip(found.ranked.ids.tolist(), probabilities(found).tolist(), strict=True)
    return {
        (word, found.targets[i])
        for word, row in zip(found.words, rows, strict=True)
        for i, chance in list(zip(*row, strict=True))[:k]
        if chance >= threshold
    }


def pairs(entries: Iterable[DictionaryEntry]) -> set[tuple[str, str]]:
    return {(entry.source, entry.target) for entry in entries}


def seed_pairs(model: TrainedModel) -> set[tuple[str, str]]:
    return {(entry.source, entry.target) for entry in model.seeds.entries}


def induced(entries: Iterable[DictionaryEntry]) -> list[DictionaryEntry]:
    return [entry for entry in entries if entry.origin == "induced"]


@models
def test_by_default_a_word_has_as_many_translations_as_it_deserves(make: Make) -> None:
    found = make().induce()
    threshold = threshold_for_f1(probabilities(found))
    assert found.threshold == threshold
    assert pairs(induced(found)) == above(found, threshold) - seed_pairs(make())
    assert seed_pairs(make()) <= pairs(found)


def test_a_limit_keeps_the_best_by_rank_and_no_more() -> None:
    model = calibrated_model()
    entries = list(model.induce(k=2))
    assert [entry.source for entry in entries] == [w for w in model.source.words for _ in "ab"]
    assert [entry.rank for entry in entries] == [1, 2] * 150
    answers = model.translate(model.source.words, k=2)
    assert [entry.target for entry in entries] == [c.word for a in answers for c in a.candidates]


@models
@pytest.mark.parametrize("k", [None, 1, 3])
@pytest.mark.parametrize("precision", [0.7, 0.5])
def test_a_precision_cuts_where_it_is_reached(make: Make, k: int | None, precision: float) -> None:
    found = make().induce(k=k, min_precision=precision)
    shown = probabilities(found)[:, :k]
    threshold = threshold_for_precision(shown, precision)
    assert float(shown[shown >= threshold].mean()) >= precision
    always = seed_pairs(make()) if k is None else set()
    assert pairs(found) == above(found, threshold, k) | always
    assert pairs(induced(found)) == above(found, threshold, k) - seed_pairs(make())


def test_a_precision_that_no_entry_reaches_leaves_the_seeds() -> None:
    model = scored_model()
    found = model.induce(min_precision=1.0)
    assert found.threshold == float("inf")
    assert all(entry.origin == "seed" for entry in found)
    assert sum(1 for _ in found) == len(model.seeds)
    assert list(model.induce(k=1, min_precision=1.0)) == []


@pytest.mark.parametrize("min_precision", [None, 0.99])
def test_seeds_are_all_there_once_and_marked(min_precision: float | None) -> None:
    model = scored_model()
    entries = list(model.induce(min_precision=min_precision))
    seeds = [entry for entry in entries if entry.origin == "seed"]
    assert pairs(seeds) == seed_pairs(model)
    assert len(seeds) == len(model.seeds)
    assert not pairs(induced(entries)) & seed_pairs(model)


def test_a_seed_that_no_list_holds_is_there_without_numbers() -> None:
    twins = make_twins(150, dim=8, noise=0.3)
    far = ("s0", "t149")  # among 149 others, not within the first twenty
    seeds = Lexicon.of([far, *((e.source, e.target) for e in twins.lexicon.entries[1:60])])
    model = fit(twins._replace(lexicon=seeds), 60)
    entry = next(e for e in model.induce() if (e.source, e.target) == far)
    assert entry == DictionaryEntry(*far, origin="seed", model=model.identity)
    assert not entry.mutual
    assert far not in pairs(model.induce(k=3))


@models
@pytest.mark.parametrize("reverse", [False, True])
def test_ranks_and_back_ranks_are_those_of_all_pairs(make: Make, reverse: bool) -> None:
    model = make()
    spaces = (model.target, model.source) if reverse else (model.source, model.target)
    everything = model.translate(spaces[0].words, k=150, reverse=reverse)
    scores = {
        (one.word, candidate.word): candidate.score
        for one in everything
        for candidate in one.candidates
    }
    assert len(scores) == 150**2
    found = model.induce(k=5, reverse=reverse)
    assert {entry.source for entry in found} == set(spaces[0].words)
    for entry in found:
        own = scores[entry.source, entry.target]
        assert entry.score == pytest.approx(own, abs=1e-6)
        rivals = sum(scores[word, entry.target] > own + 1e-6 for word in spaces[0].words)
        assert entry.back_rank == (rivals + 1 if rivals < BACK_DEPTH else None)


@models
@pytest.mark.parametrize("k", [1, 5, 20, 33, 200])
def test_the_dictionary_has_the_answers_of_translate(make: Make, k: int) -> None:
    model = make()
    by_word: dict[str, list[tuple[str, float | None]]] = {}
    for entry in model.induce(k=k):
        by_word.setdefault(entry.source, []).append((entry.target, entry.probability))
    for answer in model.translate(model.source.words, k=k):
        words, chances = zip(*by_word[answer.word], strict=True)
        assert words == tuple(candidate.word for candidate in answer.candidates)
        assert len(words) == min(k, 150)
        expected = [candidate.probability for candidate in answer.candidates]
        assert chances[20:] == tuple(expected[20:]) == (None,) * max(0, min(k, 150) - 20)
        assert chances[:20] == pytest.approx(expected[:20], abs=1e-4)


def test_a_smaller_depth_gives_the_same_probabilities_either_way() -> None:
    model = fit(noisy_twins(), 60, candidates=4)
    entries = list(model.induce(k=4))
    answers = [c for one in model.translate(model.source.words, k=4) for c in one.candidates]
    assert [e.probability for e in entries] == pytest.approx(
        [c.probability for c in answers], abs=1e-4
    )


def test_memory_never_changes_an_entry() -> None:
    twins = make_twins(600, dim=8, noise=0.3)
    seeds = Lexicon(twins.lexicon.entries[:90])
    contents = fit(twins._replace(lexicon=seeds), 90).contents
    few, many = (  # the first is too little for all words at once
        list(TrainedModel.assemble(contents, memory=memory).induce(min_precision=0.8))
        for memory in (2**20, Compute().memory)
    )
    assert [e[:2] + e[4:] for e in few] == [e[:2] + e[4:] for e in many]
    for one, two in zip(few, many, strict=True):
        assert one.probability == pytest.approx(two.probability, abs=2e-4)
        assert one.score == pytest.approx(two.score, abs=2e-6)


def test_another_cut_is_the_dictionary_that_would_have_been_made() -> None:
    model = scored_model()
    found = model.induce()
    for k, precision in ((1, None), (3, 0.8), (None, 0.9), (None, None)):
        made = model.induce(k=k, min_precision=precision)
        assert list(found.cut(k=k, min_precision=precision)) == list(made)


def test_the_curve_counts_what_each_cut_would_keep() -> None:
    model = scored_model()
    points = model.induce().curve()
    assert [point.entries for point in points] == sorted(point.entries for point in points)
    for precision, point in zip((0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5), points, strict=True):
        cut = model.induce(min_precision=precision)
        assert point.precision >= precision
        assert point.entries == int((probabilities(cut) >= cut.threshold).sum())
    first = model.induce(k=1).curve()
    assert all(point.entries == point.words for point in first)


def test_without_calibration_there_is_one_translation_a_word(plain: TrainedModel) -> None:
    entries = list(plain.induce())
    assert [entry.source for entry in entries] == list(plain.source.words)
    assert all((entry.rank, entry.probability) == (1, None) for entry in entries)
    assert pairs(induced(entries)) == pairs(entries) - seed_pairs(plain)
    assert len(list(plain.induce(k=30))) == 150 * 30


def test_without_calibration_probabilities_are_an_error_with_the_remedy(
    plain: TrainedModel,
) -> None:
    for use in (
        lambda: plain.induce(min_precision=0.9),
        lambda: plain.induce().curve(),
        lambda: plain.induce().expected_precision(),
        lambda: plain.induce().cut(min_precision=0.9),
        lambda: plain.require_probabilities(),
    ):
        with pytest.raises(SettingError, match=r"train it again with `bilex fit … --calibrate`"):
            use()
    calibrated_model().require_probabilities(reverse=True)


def default_model() -> TrainedModel:
    return LexiconInducer().fit(*make_twins(20)[:3]).model_


@pytest.mark.parametrize("make", [calibrated_model, default_model])
def test_numbers_out_of_range_are_refused_before_any_work(make: Make) -> None:
    model = make()

    def never(done: int, total: int) -> None:
        pytest.fail("work had begun")

    with pytest.raises(SettingError, match="k is 0: give 1 or more candidates"):
        model.induce(k=0, on_block=never)
    with pytest.raises(SettingError, match="k is -1: give 1 or more candidates"):
        model.translate(["s1"], k=-1)
    for precision in (0.0, 1.5):
        with pytest.raises(SettingError, match="expected above 0 and at most 1"):
            model.induce(min_precision=precision, on_block=never)


def test_progress_counts_searches_and_rankings() -> None:
    seen: list[tuple[int, int]] = []
    calibrated_model().induce(on_block=lambda done, total: seen.append((done, total)))
    assert seen == [(150, 450), (300, 450), (450, 450)]


def test_entries_can_be_read_again_and_again() -> None:
    found = calibrated_model().induce()
    assert list(found) == list(found)


@pytest.mark.parametrize("reverse", [False, True])
def test_metadata_say_how_a_dictionary_was_made(reverse: bool) -> None:
    model = calibrated_model()
    found = model.induce(k=2, min_precision=0.9, reverse=reverse)
    metadata = found.metadata(source_language="en", target_language="fr", title="A", license="B")
    languages = (metadata.source_language, metadata.target_language)
    assert (*languages, metadata.title, metadata.license) == ("en", "fr", "A", "B")
    manifest: dict[str, Any] = dict(metadata.manifest)
    sizes = [manifest.pop(side)["words"] for side in ("source", "target")]
    assert sizes == [150, 150]
    assert "bilex" in manifest.pop("versions")
    assert manifest == {
        "model": model.identity,
        "seeds": 90,
        "limit": 2,
        "threshold": found.threshold,
    }


def test_metadata_of_a_dictionary_that_keeps_nothing_have_no_threshold() -> None:
    found = scored_model().induce(min_precision=1.0)
    assert found.threshold == float("inf")
    assert found.metadata().manifest["threshold"] is None
