from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from bilex.alignment.strategies import Cyclic, Parallel, Single
from bilex.alignment.strategies.rounds import restored
from bilex.errors import EmptyLexiconError, SettingError
from bilex.values import IndexedLexicon, Lexicon, LinearMap, Round, SpacePair
from twins import Twins

Log = list[tuple[str, object]]


@dataclass(frozen=True)
class FakeSupervised:
    log: Log

    def fit_map(
        self,
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        *,
        rng: torch.Generator,
        start: LinearMap | None = None,
    ) -> LinearMap:
        torch.rand(1, generator=rng)
        self.log.append(("supervised", (len(lexicon), start and float(start.weight.sum()))))
        base = 0.0 if start is None else float(start.weight.sum())
        return LinearMap(torch.tensor([[base + len(lexicon)]]), {"loss": 0.5})


@dataclass(frozen=True)
class FakeUnsupervised:
    log: Log

    def fit_map(
        self,
        spaces: SpacePair,
        *,
        rng: torch.Generator,
        start: LinearMap,
        prior: object | None = None,
    ) -> LinearMap:
        noise = float(torch.rand(1, generator=rng))
        self.log.append(("unsupervised", (float(start.weight.sum()), prior)))
        return LinearMap(start.weight * 2 + noise, {"transport_cost": -1.0})


@dataclass(frozen=True)
class FakePrior:
    log: Log

    def make_prior(self, spaces: SpacePair, mapping: LinearMap) -> str:
        self.log.append(("prior", float(mapping.weight.sum())))
        return "the prior"


@dataclass(frozen=True)
class FakeUpdate:
    log: Log

    def extend(
        self, spaces: SpacePair, mapping: LinearMap, lexicon: IndexedLexicon
    ) -> IndexedLexicon:
        self.log.append(("update", len(lexicon)))
        ids = torch.cat([lexicon.source_ids, torch.tensor([0])])
        return IndexedLexicon(ids, ids, torch.ones(len(ids)))


def parts(log: Log, *names: str) -> dict[str, object]:
    made = {
        "supervised": FakeSupervised(log),
        "prior": FakePrior(log),
        "unsupervised": FakeUnsupervised(log),
        "lexicon_update": FakeUpdate(log),
    }
    return {name: made[name] for name in names or made}


@pytest.fixture
def located(twins: Twins) -> IndexedLexicon:
    return IndexedLexicon.locate(Lexicon(twins.lexicon.entries[:3]), twins.spaces)


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def test_cyclic_reads_like_figure_1a(twins: Twins, located: IndexedLexicon) -> None:
    log: Log = []
    Cyclic(**parts(log), rounds=3).run(twins.spaces, located, rng=rng())  # type: ignore[arg-type]
    cycle = ["supervised", "prior", "unsupervised", "update"]
    assert [name for name, _ in log] == [*cycle, *cycle, "supervised"]
    # the given pairs are extended anew each round, never the extended ones
    assert [fact for name, fact in log if name == "update"] == [3, 3]
    assert [fact[0] for name, fact in log if name == "supervised"] == [3, 4, 4]  # type: ignore[index]


def test_one_map_is_handed_round(twins: Twins, located: IndexedLexicon) -> None:
    log: Log = []
    Cyclic(**parts(log), rounds=2).run(twins.spaces, located, rng=rng())  # type: ignore[arg-type]
    facts = [fact for _, fact in log]
    assert facts[0] == (3, None)  # supervised, from nothing
    assert facts[1] == 3.0  # the prior is of the supervised map
    assert facts[2] == (3.0, "the prior")  # the unsupervised step starts from it
    assert facts[4][1] == pytest.approx(6.0, abs=1.0)  # type: ignore[index]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (
            ("supervised", "unsupervised", "lexicon_update"),
            ["supervised", "unsupervised", "update"],
        ),
        (("supervised", "prior", "unsupervised"), ["supervised", "prior", "unsupervised"]),
        (("supervised", "unsupervised"), ["supervised", "unsupervised"]),
        (("supervised", "lexicon_update"), ["supervised", "update"]),
    ],
    ids=["-POT", "-BLU", "-POT-BLU", "-UnSup-POT"],
)
def test_every_ablation_of_the_paper_is_a_setting(
    twins: Twins, located: IndexedLexicon, names: tuple[str, ...], expected: list[str]
) -> None:
    log: Log = []
    strategy = Cyclic(**parts(log, *names), rounds=2)  # type: ignore[arg-type]
    strategy.run(twins.spaces, located, rng=rng())
    assert [name for name, _ in log] == [*expected, "supervised"]


def test_without_the_supervised_step_the_map_follows_itself(
    twins: Twins, located: IndexedLexicon
) -> None:
    log: Log = []
    strategy = Cyclic(**parts(log, "prior", "unsupervised"), rounds=2)  # type: ignore[arg-type]
    strategy.run(twins.spaces, located, rng=rng())
    assert [name for name, _ in log] == ["prior", "unsupervised", "prior", "unsupervised"]


def test_parallel_reads_like_figure_1b(
    twins: Twins, located: IndexedLexicon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "bilex.alignment.strategies.parallel.better_map", lambda spaces, first, second, by: second
    )
    log: Log = []
    strategy = Parallel(**parts(log), rounds=2)  # type: ignore[arg-type]
    strategy.run(twins.spaces, located, rng=rng())
    cycle = ["supervised", "prior", "unsupervised", "update"]
    assert [name for name, _ in log] == [*cycle, *cycle]
    supervised = [fact for name, fact in log if name == "supervised"]
    assert supervised == [(3, None), (4, 3.0)]  # its own map, never the other's
    first, second = [fact[0] for name, fact in log if name == "unsupervised"]  # type: ignore[index]
    assert first == pytest.approx(float(_rotation(twins, located).sum()))  # Procrustes
    assert second == pytest.approx(2 * first, abs=64)


def _rotation(twins: Twins, located: IndexedLexicon) -> torch.Tensor:
    from bilex.alignment.supervised import Procrustes

    return Procrustes().fit_map(twins.spaces, located, rng=rng()).weight


def test_parallel_can_restart_the_supervised_map(
    twins: Twins, located: IndexedLexicon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "bilex.alignment.strategies.parallel.better_map", lambda spaces, first, second, by: first
    )
    log: Log = []
    strategy = Parallel(**parts(log), rounds=3, restart_round=2)  # type: ignore[arg-type]
    strategy.run(twins.spaces, located, rng=rng())
    starts = [fact[1] for name, fact in log if name == "supervised"]  # type: ignore[index]
    assert starts == [None, None, 4.0]


@pytest.mark.parametrize("name", ["cyclic", "parallel"])
@pytest.mark.parametrize("stop", [1, 2, 3])
def test_a_resumed_run_ends_as_an_uninterrupted_one(
    twins: Twins,
    located: IndexedLexicon,
    name: str,
    stop: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "bilex.alignment.strategies.parallel.better_map", lambda spaces, first, second, by: second
    )
    made = {"cyclic": Cyclic, "parallel": Parallel}[name]
    strategy = made(**parts([]), rounds=4)
    rounds: list[Round] = []
    whole = strategy.run(twins.spaces, located, rng=rng(), on_round=rounds.append)
    assert [(r.number, r.total) for r in rounds] == [(1, 4), (2, 4), (3, 4)]
    other = torch.Generator().manual_seed(99)
    resumed = strategy.run(twins.spaces, located, rng=other, resume=rounds[stop - 1])
    assert torch.equal(whole.weight, resumed.weight)


@pytest.mark.parametrize("name", ["cyclic", "parallel"])
def test_without_seeds_a_start_takes_their_place(
    twins: Twins, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "bilex.alignment.strategies.parallel.better_map", lambda spaces, first, second, by: second
    )
    empty = IndexedLexicon.locate(Lexicon(()), twins.spaces)
    log: Log = []
    made = {"cyclic": Cyclic, "parallel": Parallel}[name]
    strategy = made(**parts(log), rounds=2)
    strategy.run(twins.spaces, empty, rng=rng(), start=LinearMap(torch.ones(1, 1)))
    assert [name for name, _ in log][:2] == ["update", "supervised"]
    assert log[1][1] == (1, 1.0 if made is Cyclic else None)  # one map handed round, or two
    with pytest.raises(EmptyLexiconError, match="no seed pairs and no start"):
        strategy.run(twins.spaces, empty, rng=rng())


def test_single_runs_what_it_has(twins: Twins, located: IndexedLexicon) -> None:
    log: Log = []
    both = Single(**parts(log, "supervised", "unsupervised"))  # type: ignore[arg-type]
    both.run(twins.spaces, located, rng=rng())
    assert [name for name, _ in log] == ["supervised", "unsupervised"]
    empty = IndexedLexicon.locate(Lexicon(()), twins.spaces)
    both.run(twins.spaces, empty, rng=rng(), start=LinearMap(torch.ones(1, 1)))
    assert [name for name, _ in log][2:] == ["unsupervised"]
    with pytest.raises(EmptyLexiconError):
        both.run(twins.spaces, empty, rng=rng())


def test_useless_parts_are_refused() -> None:
    log: Log = []
    with pytest.raises(SettingError, match=r"\[prior\] has no effect without \[unsupervised\]"):
        Cyclic(**parts(log, "supervised", "prior"))  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=r"\[lexicon_update\] has no effect without"):
        Cyclic(**parts(log, "unsupervised", "lexicon_update"))  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="'cyclic' has no step"):
        Cyclic()
    with pytest.raises(SettingError, match="'single' has no step"):
        Single()
    with pytest.raises(SettingError, match=r"strategy\.rounds is 0"):
        Cyclic(**parts(log), rounds=0)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match=r"strategy\.rounds is 0"):
        Parallel(**parts(log), rounds=0)  # type: ignore[arg-type]


def test_a_round_of_another_strategy_cannot_be_resumed(twins: Twins) -> None:
    maps = {"supervised": LinearMap(twins.rotation)}
    done = Round(1, 5, maps, "supervised", 10, torch.Generator().get_state())
    with pytest.raises(SettingError, match="has the maps supervised, expected 'current'"):
        restored(done, "current", torch.Generator())
