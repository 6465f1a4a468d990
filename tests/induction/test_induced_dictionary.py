from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
import torch

from bilex import LexiconInducer
from bilex.calibration.candidate_lists import BACK_DEPTH
from bilex.calibration.selection import threshold_for_f1, threshold_for_precision
from bilex.dictionary import DictionaryEntry
from bilex.errors import SettingError
from bilex.induction import InducedDictionary
from bilex.values import Compute, Lexicon
from candidates import calibrated_model, fit, noisy_twins, scored_model
from twins import make_twins

Make = Callable[[], LexiconInducer]
models = pytest.mark.parametrize("make", [calibrated_model, scored_model])


@pytest.fixture(scope="module")
def plain() -> LexiconInducer:
    """Return a model that was not calibrated."""
    twins = noisy_twins()
    seeds = Lexicon(twins.lexicon.entries[:90])
    return LexiconInducer("procrustes").fit(twins.source, twins.target, seeds)


def probabilities(found: InducedDictionary) -> torch.Tensor:
    assert found.ranked.probabilities is not None
    return found.ranked.probabilities


def above(found: InducedDictionary, threshold: float, k: int | None = None) -> set[tuple[str, str]]:
    """Return the pairs that are probable enough, among the first k of a word."""
    rows = zip(found.ranked.ids.tolist(), probabilities(found).tolist(), strict=True)
    return {
        (word, found.answers[i])
        for word, row in zip(found.words, rows, strict=True)
        for i, chance in list(zip(*row, strict=True))[:k]
        if chance >= threshold
    }


def pairs(entries: Iterable[DictionaryEntry]) -> set[tuple[str, str]]:
    return {(entry.source, entry.target) for entry in entries}


def seed_pairs(inducer: LexiconInducer) -> set[tuple[str, str]]:
    return {(entry.source, entry.target) for entry in inducer.seeds_.entries}


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
    inducer = calibrated_model()
    entries = list(inducer.induce(k=2))
    assert [entry.source for entry in entries] == [w for w in inducer.source_.words for _ in "ab"]
    assert [entry.rank for entry in entries] == [1, 2] * 150
    answers = inducer.translate(inducer.source_.words, k=2)
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
    inducer = scored_model()
    found = inducer.induce(min_precision=1.0)
    assert found.threshold == float("inf")
    assert all(entry.origin == "seed" for entry in found)
    assert sum(1 for _ in found) == len(inducer.seeds_)
    assert list(inducer.induce(k=1, min_precision=1.0)) == []


@pytest.mark.parametrize("min_precision", [None, 0.99])
def test_seeds_are_all_there_once_and_marked(min_precision: float | None) -> None:
    inducer = scored_model()
    entries = list(inducer.induce(min_precision=min_precision))
    seeds = [entry for entry in entries if entry.origin == "seed"]
    assert pairs(seeds) == seed_pairs(inducer)
    assert len(seeds) == len(inducer.seeds_)
    assert not pairs(induced(entries)) & seed_pairs(inducer)


def test_a_seed_that_no_list_holds_is_there_without_numbers() -> None:
    twins = make_twins(150, dim=8, noise=0.3)
    far = ("s0", "t149")  # among 149 others, not within the first twenty
    seeds = Lexicon.of([far, *((e.source, e.target) for e in twins.lexicon.entries[1:60])])
    inducer = fit(twins._replace(lexicon=seeds), 60)
    entry = next(e for e in inducer.induce() if (e.source, e.target) == far)
    assert entry == DictionaryEntry(*far, origin="seed", model=inducer.identity)
    assert not entry.mutual
    assert far not in pairs(inducer.induce(k=3))


@models
@pytest.mark.parametrize("reverse", [False, True])
def test_ranks_and_back_ranks_are_those_of_all_pairs(make: Make, reverse: bool) -> None:
    inducer = make()
    spaces = (inducer.target_, inducer.source_) if reverse else (inducer.source_, inducer.target_)
    everything = inducer.translate(spaces[0].words, k=150, reverse=reverse)
    scores = {
        (one.word, candidate.word): candidate.score
        for one in everything
        for candidate in one.candidates
    }
    assert len(scores) == 150**2
    found = inducer.induce(k=5, reverse=reverse)
    assert {entry.source for entry in found} == set(spaces[0].words)
    for entry in found:
        own = scores[entry.source, entry.target]
        assert entry.score == pytest.approx(own, abs=1e-6)
        rivals = sum(scores[word, entry.target] > own + 1e-6 for word in spaces[0].words)
        assert entry.back_rank == (rivals + 1 if rivals < BACK_DEPTH else None)


@models
@pytest.mark.parametrize("k", [1, 5, 20, 33, 200])
def test_the_dictionary_says_what_translate_says(make: Make, k: int) -> None:
    inducer = make()
    by_word: dict[str, list[tuple[str, float | None]]] = {}
    for entry in inducer.induce(k=k):
        by_word.setdefault(entry.source, []).append((entry.target, entry.probability))
    for answer in inducer.translate(inducer.source_.words, k=k):
        words, chances = zip(*by_word[answer.word], strict=True)
        assert words == tuple(candidate.word for candidate in answer.candidates)
        assert len(words) == min(k, 150)
        told = [candidate.probability for candidate in answer.candidates]
        assert chances[20:] == tuple(told[20:]) == (None,) * max(0, min(k, 150) - 20)
        assert chances[:20] == pytest.approx(told[:20], abs=1e-4)


def test_fewer_candidates_judged_are_judged_alike_either_way() -> None:
    inducer = fit(noisy_twins(), 60, candidates=4)
    entries = list(inducer.induce(k=4))
    answers = [c for one in inducer.translate(inducer.source_.words, k=4) for c in one.candidates]
    assert [e.probability for e in entries] == pytest.approx(
        [c.probability for c in answers], abs=1e-4
    )


def test_memory_never_changes_an_entry() -> None:
    twins = make_twins(600, dim=8, noise=0.3)
    seeds = Lexicon(twins.lexicon.entries[:90])
    kept = {}
    for memory in (2**20, Compute().memory):  # the first is too little for all words at once
        inducer = fit(twins._replace(lexicon=seeds), 90)
        inducer.memory = memory
        kept[memory] = list(inducer.induce(min_precision=0.8))
    few, many = kept.values()
    assert [e[:2] + e[4:] for e in few] == [e[:2] + e[4:] for e in many]
    for one, two in zip(few, many, strict=True):
        assert one.probability == pytest.approx(two.probability, abs=2e-4)
        assert one.score == pytest.approx(two.score, abs=2e-6)


def test_another_cut_is_the_dictionary_that_would_have_been_made() -> None:
    inducer = scored_model()
    found = inducer.induce()
    for k, precision in ((1, None), (3, 0.8), (None, 0.9), (None, None)):
        made = inducer.induce(k=k, min_precision=precision)
        assert list(found.cut(k=k, min_precision=precision)) == list(made)


def test_the_curve_counts_what_each_cut_would_keep() -> None:
    inducer = scored_model()
    points = inducer.induce().curve()
    assert [point.entries for point in points] == sorted(point.entries for point in points)
    for precision, point in zip((0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5), points, strict=True):
        cut = inducer.induce(min_precision=precision)
        assert point.precision >= precision
        assert point.entries == int((probabilities(cut) >= cut.threshold).sum())
    first = inducer.induce(k=1).curve()
    assert all(point.entries == point.words for point in first)


def test_without_calibration_there_is_one_translation_a_word(plain: LexiconInducer) -> None:
    entries = list(plain.induce())
    assert [entry.source for entry in entries] == list(plain.source_.words)
    assert all((entry.rank, entry.probability) == (1, None) for entry in entries)
    assert pairs(induced(entries)) == pairs(entries) - seed_pairs(plain)
    assert len(list(plain.induce(k=30))) == 150 * 30


def test_without_calibration_probabilities_are_refused_with_the_cure(plain: LexiconInducer) -> None:
    for ask in (
        lambda: plain.induce(min_precision=0.9),
        lambda: plain.induce().curve(),
        lambda: plain.induce().expected_precision(),
        lambda: plain.induce().cut(min_precision=0.9),
        lambda: plain.require_probabilities(),
    ):
        with pytest.raises(SettingError, match=r"train it again with `bilex fit … --calibrate`"):
            ask()
    calibrated_model().require_probabilities(reverse=True)


@pytest.mark.parametrize("make", [calibrated_model, LexiconInducer])
def test_numbers_out_of_range_are_refused_before_any_work(make: Make) -> None:
    inducer = make()
    if make is LexiconInducer:
        inducer.fit(*make_twins(20)[:3])

    def never(done: int, total: int) -> None:
        pytest.fail("work had begun")

    with pytest.raises(SettingError, match="k is 0: ask for at least one"):
        inducer.induce(k=0, on_block=never)
    with pytest.raises(SettingError, match=r"k is -1: ask for at least one"):
        inducer.translate(["s1"], k=-1)
    for precision in (0.0, 1.5):
        with pytest.raises(SettingError, match="expected above 0 and at most 1"):
            inducer.induce(min_precision=precision, on_block=never)


def test_progress_is_told_over_both_languages() -> None:
    told: list[tuple[int, int]] = []
    calibrated_model().induce(on_block=lambda done, total: told.append((done, total)))
    assert told == [(150, 300), (300, 300)]


def test_entries_can_be_read_again_and_again() -> None:
    found = calibrated_model().induce()
    assert list(found) == list(found)
