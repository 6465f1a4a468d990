"""Cross-fitting: candidates are labeled for words that the map has not seen."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, Self

import pytest
import torch

from bilex.alignment.feedback import Maps
from bilex.alignment.supervised import Procrustes
from bilex.calibration import CrossFit, HeldOutSeeds
from bilex.calibration.held_out import part_of
from bilex.calibration.labels import Gold, LabeledCandidates, label_candidates
from bilex.calibration.learning import learn
from bilex.candidates.features import GROUPS
from bilex.candidates.model import CandidateModel, CandidateModels, plain_contents
from bilex.candidates.ranking import Ranking
from bilex.candidates.word_parts import WordPairs
from bilex.errors import SettingError
from bilex.inducer import LexiconInducer
from bilex.protocols import LexiconMessage, Strategy
from bilex.retrieval import Csls
from bilex.values import (
    IndexedLexicon,
    Lexicon,
    LinearMap,
    Matrix,
    OnRound,
    Progress,
    Round,
    SpacePair,
)
from candidates import calibrated_method, nameless
from twins import Twins, make_twins


@dataclass(frozen=True)
class Recording:
    """Learns a rotation, and remembers from which pairs and in how many rounds."""

    rounds: int = 5
    lexicons: list[IndexedLexicon] = field(default_factory=list)
    rounds_run: list[int] = field(default_factory=list)
    lexicon_update: LexiconMessage | None = None

    def shortened(self, rounds: int) -> Self:
        return replace(self, rounds=min(self.rounds, rounds))

    def run(
        self,
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
        on_round: OnRound | None = None,
        resume: Round | None = None,
    ) -> LinearMap:
        self.lexicons.append(lexicon)
        self.rounds_run.append(self.rounds)
        return Procrustes().fit_map(spaces, lexicon, rng=rng)


@dataclass(frozen=True)
class Straying(Recording):
    """Learns a rotation where it does not go astray: `astray` counts the runs that do."""

    astray: tuple[int, ...] = ()

    def run(self, spaces: SpacePair, lexicon: IndexedLexicon, **others: Any) -> LinearMap:  # noqa: ANN401
        found = Recording.run(self, spaces, lexicon, **others)
        if len(self.lexicons) - 1 not in self.astray:
            return found
        rng = torch.Generator().manual_seed(9)
        return LinearMap(torch.linalg.qr(torch.randn(found.weight.shape, generator=rng)).Q, {})


def never_called(*_: object) -> tuple[Maps, int]:
    """Train again: what must not happen where a map went astray."""
    raise AssertionError


@pytest.fixture
def labeled(monkeypatch: pytest.MonkeyPatch) -> list[LabeledCandidates]:
    """Return what is learned from, forward and then backward."""
    seen: list[LabeledCandidates] = []

    def watched(
        found: LabeledCandidates, names: tuple[str, ...], ordinary: Matrix | None
    ) -> CandidateModel | None:
        seen.append(found)
        return learn(found, names, ordinary)

    monkeypatch.setattr("bilex.calibration.cross_fitting.learn", watched)
    return seen


def noisy(size: int = 80) -> Twins:
    return make_twins(size, dim=6, noise=0.25)


def cross_fit(
    twins: Twins,
    pairs: list[tuple[str, str]] | None = None,
    *,
    seeds: HeldOutSeeds | None = None,
    strategy: Strategy | None = None,
    on_part: Progress | None = None,
    draw: int = 0,
) -> CrossFit:
    lexicon = twins.lexicon if pairs is None else Lexicon.of(pairs)
    located = IndexedLexicon.locate(lexicon, twins.spaces)
    mapping = Procrustes().fit_map(twins.spaces, located, rng=torch.Generator())
    return (seeds or HeldOutSeeds()).cross_fit(
        twins.spaces,
        located,
        mapping,
        strategy=strategy or Recording(),
        retrieval=Csls(),
        rng=torch.Generator().manual_seed(draw),
        on_part=on_part,
    )


def calibrate(
    twins: Twins,
    pairs: list[tuple[str, str]] | None = None,
    *,
    seeds: HeldOutSeeds | None = None,
    strategy: Strategy | None = None,
    draw: int = 0,
) -> CandidateModels:
    return cross_fit(twins, pairs, seeds=seeds, strategy=strategy, draw=draw).learn()


def pairs_of(size: int) -> list[tuple[str, str]]:
    return [(f"s{i}", f"t{i}") for i in range(size)]


@pytest.mark.parametrize("parts", [2, 3])
def test_a_word_is_labeled_for_a_map_that_has_not_seen_it(
    labeled: list[LabeledCandidates], parts: int
) -> None:
    # Some words have two translations, some translations two words.
    pairs = pairs_of(60) + [(f"s{i}", f"t{i + 1}") for i in range(0, 60, 3)]
    twins = noisy()
    strategy = Recording()
    calibrate(twins, pairs, seeds=HeldOutSeeds(parts=parts), strategy=strategy)
    everything = {(twins.source.index[s], twins.target.index[t]) for s, t in pairs}
    forward, backward = labeled
    ranks = [found.frequency_ranks.tolist() for found in labeled]
    for seen in strategy.lexicons:
        used = set(zip(seen.source_ids.tolist(), seen.target_ids.tolist(), strict=True))
        held_out = everything - used
        assert used < everything
        assert abs(len({s for s, _ in held_out}) - 60 / parts) <= 1
        for side, column in enumerate(ranks):
            # A word is labeled if all its pairs are held out.
            expected = {pair[side] for pair in held_out} - {pair[side] for pair in used}
            taken = [column.pop(0) for _ in range(len(expected))]
            assert {int(rank) - 1 for rank in taken} == expected
    assert ranks == [[], []]
    assert len(forward.right) == 60
    assert len(backward.right) < 61


def test_forms_of_held_out_words_are_not_seen_either(monkeypatch: pytest.MonkeyPatch) -> None:
    known: list[tuple[set[int], set[int]]] = []  # words labeled under a map, and words of its seeds

    def remember(ranking: Ranking, gold: Gold, *rest: object) -> LabeledCandidates:
        seeds = ranking.direction.seeds
        assert seeds is not None
        known.append((set(gold), set(seeds.source_ids.tolist())))
        return label_candidates(ranking, gold, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("bilex.calibration.cross_fitting.label_candidates", remember)
    calibrate(noisy(), pairs_of(60))
    assert len(known) == 4
    for labeled, seen in known:
        assert len(labeled) == len(seen) == 30
        assert not labeled & seen


def test_a_model_knows_the_same_forms_as_its_cross_fit() -> None:
    twins = noisy(200)
    inducer = LexiconInducer(calibrated_method())
    lexicon = Lexicon((*twins.lexicon.entries[:80], twins.lexicon.entries[0]))  # one is repeated
    model = inducer.fit(twins.source, twins.target, lexicon).model_
    assert inducer.cross_fit_ is not None
    learned, used = inducer.cross_fit_.seeds, model._ranking(reverse=False).direction.seeds
    assert used is not None
    assert len(used.source_ids) == 80
    assert [ids.tolist() for ids in used] == [ids.tolist() for ids in WordPairs.of(learned)]


@pytest.mark.parametrize("parts", [2, 3])
def test_seeds_can_be_divided_by_the_same_target_words_for_all_languages(parts: int) -> None:
    seeds = HeldOutSeeds(parts=parts, divide="target-words")
    pairs = pairs_of(60) + [(f"s{i}", f"t{i + 1}") for i in range(0, 60, 3)]
    for draw, some in enumerate((pairs, pairs[10:])):
        found = cross_fit(noisy(), some, seeds=seeds, draw=draw)
        names = found.spaces.target.words
        for number, part in enumerate(found.parts):
            words = {names[row] for row in found.seeds.target_ids[part.seeds].tolist()}
            others = {names[row] for row in found.seeds.target_ids[~part.seeds].tolist()}
            assert not words & others
            assert {part_of(word, parts) for word in words} == {number}
        assert len(found.parts) == parts
        assert sum(int(part.seeds.sum()) for part in found.parts) == len(some)


def test_target_words_that_all_belong_to_one_part_are_divided_by_source_words() -> None:
    same = [number for number in range(60) if part_of(f"t{number}", 2) == 0][:12]
    pairs = [(f"s{number}", f"t{number}") for number in same]
    found = cross_fit(noisy(), pairs, seeds=HeldOutSeeds(divide="target-words"))
    assert [int(part.seeds.sum()) for part in found.parts] == [6, 6]


def test_right_means_in_the_lexicon(labeled: list[LabeledCandidates]) -> None:
    twins = make_twins(80, dim=6)  # no noise: the first candidate is the translation
    calibrate(twins, [*pairs_of(39), ("s39", "t7"), ("s40", "t5")])
    forward = labeled[0]
    first = {
        int(rank) - 1: bool(right)
        for rank, right in zip(forward.frequency_ranks, forward.right[:, 0], strict=True)
    }
    assert first == {row: row < 39 for row in range(41)}
    assert float(forward.right[:39].sum(1).max()) == 1


def test_cross_fitting_alone_leaves_the_trained_map_as_it_is() -> None:
    twins, strategy = noisy(), Recording()
    found = cross_fit(twins, pairs_of(30), strategy=strategy)
    expected = Procrustes().fit_map(twins.spaces, found.seeds, rng=torch.Generator())
    assert torch.equal(found.maps.first.weight, expected.weight)
    assert len(strategy.lexicons) == len(found.parts) == 2


@pytest.mark.parametrize(
    ("rounds", "parts", "expected"), [(5, 2, 2), (8, 2, 4), (9, 3, 3), (4, 3, 2), (1, 2, 1)]
)
def test_the_rounds_are_divided_among_the_parts_with_at_least_two_each(
    rounds: int, parts: int, expected: int
) -> None:
    strategy = Recording(rounds)
    calibrate(noisy(), pairs_of(30), seeds=HeldOutSeeds(parts=parts), strategy=strategy)
    assert strategy.rounds_run == [expected] * parts


def test_a_strategy_without_rounds_runs_as_it_is() -> None:
    class Once:
        runs = 0
        rounds = 1
        lexicon_update = None

        def shortened(self, rounds: int) -> Once:
            return self

        def run(
            self,
            spaces: SpacePair,
            lexicon: IndexedLexicon,
            *,
            rng: torch.Generator,
            start: LinearMap | None = None,
            on_round: OnRound | None = None,
            resume: Round | None = None,
        ) -> LinearMap:
            self.runs += 1
            return Procrustes().fit_map(spaces, lexicon, rng=rng)

    strategy = Once()
    calibrate(noisy(), pairs_of(30), strategy=strategy)
    assert strategy.runs == 2


def test_every_part_is_reported_and_there_are_no_more_parts_than_words() -> None:
    seen: list[tuple[int, int]] = []

    def on_part(done: int, total: int) -> None:
        seen.append((done, total))

    cross_fit(noisy(), pairs_of(30), seeds=HeldOutSeeds(parts=3), on_part=on_part)
    assert seen == [(1, 3), (2, 3), (3, 3)]
    seen.clear()
    found = cross_fit(noisy(), pairs_of(12), seeds=HeldOutSeeds(parts=50), on_part=on_part)
    assert seen[-1] == (12, 12)
    assert found.learn().forward is not None


def test_too_few_seeds_give_a_warning_and_no_model() -> None:
    strategy = Recording()
    found = calibrate(noisy(), pairs_of(9), strategy=strategy)
    assert (found.forward, found.backward, strategy.lexicons) == (None, None, [])
    assert found.warnings == (
        "the seeds have 9 source words, too few to learn probabilities from (at least 10 are "
        "needed): translations are ranked by their scores alone",
    )


def test_what_a_map_that_went_astray_proposes_is_not_learned_from(
    labeled: list[LabeledCandidates],
) -> None:
    twins, strategy = make_twins(80, dim=12), Straying(astray=(1,))
    found = cross_fit(twins, strategy=strategy)
    assert not found.complete
    assert found.improved(never_called) == (found, 0)
    models = found.learn()
    assert models.forward is not None
    assert [len(each.right) for each in labeled] == [40, 40]  # all of the other map's part
    assert all(bool(each.right[:, 0].all()) for each in labeled)
    assert found.doubtful_seeds() == ()
    (warning,) = models.warnings
    assert warning.startswith("1 of 2 maps trained without some of the seeds do not work")


def test_if_all_maps_went_astray_the_warning_has_a_remedy() -> None:
    found = cross_fit(make_twins(80, dim=12), strategy=Straying(astray=(0, 1)))
    assert found.improved(never_called) == (found, 0)
    models = found.learn()
    assert (models.forward, models.backward, found.doubtful_seeds()) == (None, None, ())
    (warning,) = models.warnings
    assert warning.startswith("no map trained without some of the seeds works, so no probabilities")
    assert "translations are ranked by their scores alone" in warning
    assert warning.endswith("(--set calibration.parts=5)")


def test_many_pairs_of_few_words_are_still_few() -> None:
    pairs = [(f"s{i}", f"t{j}") for i in range(5) for j in range(20)]
    assert calibrate(noisy(), pairs).warnings[0].startswith("the seeds have 5 source words")


def test_a_direction_without_words_to_hold_out_gives_a_warning() -> None:
    one_target = [(f"s{i}", f"t{i // 20}") for i in range(40)]  # each t is in every part
    found = calibrate(noisy(), one_target)
    assert found.backward is None
    assert "the seeds have 0 target words, too few to learn" in found.warnings[-1]


def test_candidates_that_are_all_wrong_give_a_warning() -> None:
    twins = make_twins(300, dim=30)
    found = calibrate(
        twins, [(f"s{i}", f"t{i + 100}") for i in range(40)], seeds=HeldOutSeeds(candidates=1)
    )
    assert (found.forward, found.backward) == (None, None)
    for language, warning in zip(("source", "target"), found.warnings, strict=True):
        expected = f"of the 40 candidates of 40 held-out {language} words, [01] are right, so no pr"
        assert re.match(expected, warning)


def test_strings_are_used_only_where_translations_look_alike() -> None:
    telling = calibrate(noisy(), pairs_of(40)).forward
    silent = nameless(noisy())
    names = [(entry.source, entry.target) for entry in silent.lexicon.entries[:40]]
    mute = calibrate(silent, names).forward
    assert telling is not None
    assert mute is not None
    assert set(GROUPS["strings"].names) < set(telling.features)
    assert not set(GROUPS["strings"].names) & set(mute.features)
    assert set(telling.features) - set(mute.features) == set(GROUPS["strings"].names)


def test_features_can_be_left_out() -> None:
    found = calibrate(
        noisy(), pairs_of(40), seeds=HeldOutSeeds(without=("strings", "second_map", "rank"))
    ).forward
    assert found is not None
    assert not {"similarity", "second", "rank"} & set(found.features)
    assert {"csls", "frequency_difference"} <= set(found.features)


def test_same_random_state_same_bytes_and_another_gives_others() -> None:
    one, two, other = (calibrate(noisy(), pairs_of(40), draw=draw) for draw in (0, 0, 1))
    (text, tensors), (again, same), (_, others) = map(plain_contents, (one, two, other))
    assert text == again
    assert all(torch.equal(tensors[name], same[name]) for name in tensors)
    assert any(not torch.equal(tensors[name], others[name]) for name in tensors if name in others)


def test_memory_changes_nothing(
    labeled: list[LabeledCandidates], monkeypatch: pytest.MonkeyPatch
) -> None:
    calibrate(noisy(), pairs_of(40))
    monkeypatch.setattr("bilex.candidates.ranking.Ranking.words_at_once", lambda *_: 7)
    calibrate(noisy(), pairs_of(40))
    for whole, pieces in zip(labeled[:2], labeled[2:], strict=True):
        assert torch.equal(whole.right, pieces.right)
        torch.testing.assert_close(whole.features, pieces.features, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"parts": 1}, r"calibration\.parts is 1, expected 2 or more"),
        ({"candidates": 0}, r"calibration\.candidates is 0: give 1 or more"),
        ({"without": ("margins",)}, r"called 'margins' \(did you mean 'margin'\?\)"),
    ],
)
def test_settings_are_checked(settings: dict[str, int], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        HeldOutSeeds(**settings)  # type: ignore[arg-type]


def test_without_any_feature_there_is_a_warning_and_no_model() -> None:
    twins = nameless(noisy())
    names = [(entry.source, entry.target) for entry in twins.lexicon.entries[:40]]
    strategy = Recording()
    seeds = HeldOutSeeds(without=("scores", "second_map", "frequency", "word_parts", "forms"))
    found = calibrate(twins, names, seeds=seeds, strategy=strategy)
    assert (found.forward, found.backward, strategy.lexicons) == (None, None, [])
    assert "leaves out all other features" in found.warnings[0]
