"""Rotations that find their own pairs, and one supervised step at the end."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
import torch

from bilex.alignment.messages import MutualPairs
from bilex.alignment.quality import mean_csls
from bilex.alignment.strategies import Bootstrap
from bilex.alignment.supervised import Procrustes
from bilex.errors import EmptyLexiconError, SettingError
from bilex.values import IndexedLexicon, Lexicon, LinearMap, Round, SpacePair
from twins import Twins, make_twins


@dataclass(frozen=True)
class Recording:
    """Learns a rotation, and remembers from what."""

    seen: list[tuple[IndexedLexicon, LinearMap | None]] = field(default_factory=list)

    def fit_map(
        self,
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
    ) -> LinearMap:
        self.seen.append((lexicon, start))
        noise = torch.rand(1, generator=rng)
        return LinearMap(Procrustes().fit_map(spaces, lexicon, rng=rng).weight + 0 * noise)


@dataclass(frozen=True)
class Scripted:
    """Finds given numbers of new pairs, always the first ones of the twins."""

    sizes: list[int]

    def extend(
        self, spaces: SpacePair, mapping: LinearMap, lexicon: IndexedLexicon
    ) -> IndexedLexicon:
        size = self.sizes.pop(0)
        pairs = [(f"s{i}", f"t{i}") for i in range(size)]
        return IndexedLexicon.locate(Lexicon.of(pairs), spaces)


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def seeds(twins: Twins, count: int) -> IndexedLexicon:
    return IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:count]), twins.spaces)


def strategy(last: Recording, rounds: int = 10, settled: float = 0.9) -> Bootstrap:
    return Bootstrap(supervised=last, lexicon_update=MutualPairs(), rounds=rounds, settled=settled)


def test_a_few_seeds_are_enough_to_find_all_pairs() -> None:
    twins = make_twins(300, dim=20, noise=0.02)
    last, reported = Recording(), list[Round]()
    found = strategy(last).run(twins.spaces, seeds(twins, 8), rng=rng(), on_round=reported.append)
    best = (found.apply(twins.source.vectors) @ twins.target.vectors.T).argmax(1).tolist()
    right = sum(
        twins.target.words[j][1:] == word[1:]
        for word, j in zip(twins.source.words, best, strict=True)
    )
    assert right > 290
    assert reported[0].maps["current"].report["step"] == "seed-span"
    assert {done.maps["current"].report["step"] for done in reported[1:]} == {"procrustes"}
    assert len(last.seen) == 1
    pairs, start = last.seen[0]
    assert len(pairs) == reported[-1].pairs > 290
    assert start is reported[-1].maps["current"]


def test_the_first_map_may_be_a_rotation() -> None:
    twins, reported = make_twins(40), list[Round]()
    Bootstrap(supervised=Recording(), lexicon_update=MutualPairs(), first="procrustes").run(
        twins.spaces, seeds(twins, 12), rng=rng(), on_round=reported.append
    )
    assert reported[0].maps["current"].report["step"] == "procrustes"


def test_it_goes_on_to_the_last_round_once_pairs_have_settled() -> None:
    twins = make_twins(40)
    reported, last = list[Round](), Recording()
    settling = Bootstrap(
        supervised=last, lexicon_update=Scripted([10, 19, 20, 40]), rounds=9, settled=0.9
    )
    settling.run(twins.spaces, seeds(twins, 4), rng=rng(), on_round=reported.append)
    # 4 of 10, 10 of 19, then 19 of 20 pairs were there before
    assert [(done.number, done.total, done.pairs) for done in reported] == [
        (1, 9, 10),
        (2, 9, 19),
        (3, 4, 20),
    ]
    assert len(last.seen[0][0]) == 20


def test_rounds_are_the_most_there_can_be() -> None:
    twins = make_twins(40)
    reported = list[Round]()
    growing = Bootstrap(
        supervised=Recording(), lexicon_update=Scripted([10, 20, 40]), rounds=3, settled=1.0
    )
    growing.run(twins.spaces, seeds(twins, 4), rng=rng(), on_round=reported.append)
    assert [(done.number, done.total) for done in reported] == [(1, 3), (2, 3)]


def test_one_round_learns_from_the_pairs_as_they_are() -> None:
    twins, last = make_twins(40), Recording()
    given = seeds(twins, 12)
    strategy(last, rounds=1).run(twins.spaces, given, rng=rng())
    assert last.seen == [(given, None)]


def test_without_seeds_it_begins_with_what_a_start_finds() -> None:
    twins, last = make_twins(60, dim=10), Recording()
    start = LinearMap(twins.rotation)
    reported = list[Round]()
    strategy(last).run(
        twins.spaces, seeds(twins, 0), rng=rng(), start=start, on_round=reported.append
    )
    assert reported[0].maps["current"].report["step"] == "procrustes"
    assert len(last.seen[0][0]) > 50
    with pytest.raises(EmptyLexiconError, match="no seed pairs and no start"):
        strategy(last).run(twins.spaces, seeds(twins, 0), rng=rng())


@dataclass(frozen=True)
class Known:
    """A start that knows a map, or nothing."""

    weight: torch.Tensor | None

    def begin(self, spaces: SpacePair, *, rng: torch.Generator) -> LinearMap:
        if self.weight is None:
            raise EmptyLexiconError("nothing to begin with")
        return LinearMap(self.weight + 0 * torch.rand(1, generator=rng), {"start": "known"})


def lost_twins() -> Twins:
    """Make twins between which two seeds do not lead anywhere."""
    return make_twins(600, dim=60, noise=0.02)


def begin_again(start: Known, last: Recording) -> Bootstrap:
    return Bootstrap(supervised=last, lexicon_update=MutualPairs(), start=start, rounds=5)


def test_a_second_attempt_begins_where_no_seeds_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bilex.alignment.strategies.bootstrap.LOST", 0.3)
    twins, last, reported = lost_twins(), Recording(), list[Round]()
    given = seeds(twins, 2)
    alone = strategy(Recording(), rounds=5).run(twins.spaces, given, rng=rng())
    found = begin_again(Known(twins.rotation), last).run(
        twins.spaces, given, rng=rng(), on_round=reported.append
    )
    assert mean_csls(twins.spaces, alone, hub_limit=None) < 0.3
    assert mean_csls(twins.spaces, found, hub_limit=None) > 0.5
    assert found.report["second_attempt"] == {"start": "known"}
    (warning,) = found.warnings
    assert "repeated from a first map found without seeds (start 'known')" in warning
    assert len(last.seen[0][0]) > 590
    for done in reported:  # an interrupted run takes the second attempt, too
        resumed = begin_again(Known(twins.rotation), Recording()).run(
            twins.spaces, given, rng=rng(), resume=done
        )
        assert torch.equal(resumed.weight, found.weight)


@pytest.mark.parametrize(
    ("lost", "count", "start"),
    [
        (0.3, 2, None),  # nothing to begin with
        (-1.0, 2, torch.eye(60)),  # not called for
        (2.0, 60, torch.eye(60)),  # leads to nothing better
    ],
)
def test_the_first_attempt_stays_unless_the_second_is_better(
    monkeypatch: pytest.MonkeyPatch, lost: float, count: int, start: torch.Tensor | None
) -> None:
    twins = lost_twins()
    given = seeds(twins, count)
    alone = strategy(Recording(), rounds=5).run(twins.spaces, given, rng=rng())
    monkeypatch.setattr("bilex.alignment.strategies.bootstrap.LOST", lost)
    found = begin_again(Known(start), Recording()).run(twins.spaces, given, rng=rng())
    assert "second_attempt" not in found.report
    assert found.warnings == ()
    assert torch.equal(found.weight, alone.weight)


@pytest.mark.parametrize("settled", [0.5, 1.0])
def test_an_interrupted_run_goes_on_as_if_it_had_not_been(settled: float) -> None:
    twins = make_twins(200, dim=20, noise=0.3)
    given = seeds(twins, 12)
    reported, whole = list[Round](), Recording()
    run = strategy(whole, rounds=6, settled=settled)
    expected = run.run(twins.spaces, given, rng=rng(), on_round=reported.append)
    assert (reported[-1].number == 5) == (settled == 1.0)  # else it settled before
    for done in reported:
        later, again = list[Round](), Recording()
        resumed = strategy(again, rounds=6, settled=settled).run(
            twins.spaces, given, rng=rng(), on_round=later.append, resume=done
        )
        assert torch.equal(resumed.weight, expected.weight)
        assert [each.number for each in later] == [each.number for each in reported[done.number :]]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rounds": 0}, "strategy.rounds is 0"),
        ({"settled": 0.0}, "strategy.settled is 0.0: give a share above 0 and at most 1"),
        ({"settled": 1.5}, "strategy.settled is 1.5"),
        ({"power": 2.0}, "strategy.power is 2.0: give a number from 0 to 1"),
    ],
)
def test_settings_out_of_bounds_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Bootstrap(supervised=Recording(), lexicon_update=MutualPairs(), **settings)  # type: ignore[arg-type]
