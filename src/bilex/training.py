"""One training run: an early check of the seeds, the strategy, and a record of its rounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self, cast

import torch

from bilex.protocols import Start, Strategy
from bilex.seed_check import SeedCheck, are_few, check_seeds
from bilex.strategies.bootstrap import SECOND_ATTEMPT
from bilex.transport import mean_csls
from bilex.values import IndexedLexicon, LinearMap, Round, SpacePair

QUALITY_WORDS = 10_000
"""The most frequent words, over which a map is judged without labels."""

WRONG_QUALITY, SOUND_QUALITY = 0.05, 0.1
"""Mean CSLS of best matches: maps that went wrong stay below the first, those that work reach
the second; between them ended English–Russian without seeds, with one word in seven right, and
with 25, with one in seventy."""


@dataclass(frozen=True)
class RoundReport:
    """What is known of a map after a round; None where a step does not tell."""

    number: int
    total: int
    pairs: int
    seconds: float
    loss: float | None
    transport_cost: float | None
    mean_csls: float


OnTrainingRound = Callable[[Round, RoundReport], None]
"""Told of each finished round: where the run stands, and how it looks."""


@dataclass
class TrainingReport:
    """All that is known of a run; it grows with each round."""

    seeds: SeedCheck | None = None
    rounds: list[RoundReport] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    map: dict[str, object] = field(default_factory=dict)
    start: dict[str, object] | None = None
    mean_csls: float | None = None
    seconds: float = 0.0
    calibration_seconds: float | None = None  # after training; None if nothing was calibrated
    doubtful_seeds: list[tuple[str, str]] = field(default_factory=list)  # the worst first
    finished: bool = False

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain values, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Self:
        """Return the report that `to_dict` described."""
        seeds = facts["seeds"]
        return cls(
            **{
                **facts,
                "seeds": None if seeds is None else SeedCheck(**seeds),
                "rounds": [RoundReport(**found) for found in facts["rounds"]],
                "doubtful_seeds": [(s, t) for s, t in facts.get("doubtful_seeds", ())],
            }
        )


class TrainingInterrupted(KeyboardInterrupt):
    """Training was stopped by the user after at least one round; its map can be used."""

    def __init__(self, mapping: LinearMap, report: TrainingReport) -> None:
        super().__init__()
        self.mapping = mapping
        self.report = report


def train(
    pair: SpacePair,
    lexicon: IndexedLexicon,
    *,
    strategy: Strategy,
    start: Start | None,
    rng: torch.Generator,
    on_round: OnTrainingRound | None = None,
    resume: Round | None = None,
) -> tuple[LinearMap, TrainingReport]:
    """Run a strategy and return its map with a report.

    Args:
        pair: The normalized spaces.
        lexicon: The seed pairs; if there is none, `start` finds a first map.
        strategy: What to run.
        start: Used only without seed pairs.
        rng: Where all chance comes from.
        on_round: Told of each finished round.
        resume: A round told before, to go on from.

    Raises:
        TrainingInterrupted: On an interrupt after the first round, with the map so far.
    """
    begin = time.monotonic()
    report = TrainingReport()
    first = _first_map(pair, lexicon, start, rng, report, resume)
    latest: list[Round] = [] if resume is None else [resume]

    def watch(done: Round) -> None:
        latest[:] = [done]
        found = _look(pair, done, time.monotonic() - begin)
        report.rounds.append(found)
        if on_round is not None:
            on_round(done, found)

    try:
        mapping = strategy.run(pair, lexicon, rng=rng, start=first, on_round=watch, resume=resume)
        report.finished = True
    except KeyboardInterrupt:
        if not latest:
            raise
        mapping = latest[0].maps[latest[0].best]
        _finish(pair, mapping, report, begin)
        raise TrainingInterrupted(mapping, report) from None
    _finish(pair, mapping, report, begin)
    return mapping, report


def conclude(pair: SpacePair, mapping: LinearMap, report: TrainingReport) -> None:
    """Tell of the map that a run ends with, or that took its place."""
    report.map = dict(mapping.report)
    report.mean_csls = _quality(pair, mapping)


def _first_map(
    pair: SpacePair,
    lexicon: IndexedLexicon,
    start: Start | None,
    rng: torch.Generator,
    report: TrainingReport,
    resume: Round | None,
) -> LinearMap | None:
    """Check the seeds, or find a map without any."""
    if len(lexicon):
        # A generator of its own: looking must not change what training draws.
        own = torch.Generator(rng.device).manual_seed(0)
        report.seeds = check_seeds(pair, lexicon, rng=own)
        if report.seeds.warning is not None:
            report.warnings.append(report.seeds.warning)
        return None
    if start is None or resume is not None:
        return None
    first = start.begin(pair, rng=rng)
    report.start = dict(first.report)
    return first


def _look(pair: SpacePair, done: Round, seconds: float) -> RoundReport:
    reports = [mapping.report for mapping in done.maps.values()]
    return RoundReport(
        number=done.number,
        total=done.total,
        pairs=done.pairs,
        seconds=round(seconds, 3),
        loss=_told(reports, "loss"),
        transport_cost=_told(reports, "transport_cost"),
        mean_csls=_quality(pair, done.maps[done.best]),
    )


def _quality(pair: SpacePair, mapping: LinearMap) -> float:
    return mean_csls(pair, mapping, words=QUALITY_WORDS, hub_limit=None)


def _told(reports: list[Mapping[str, object]], name: str) -> float | None:
    values = [value for report in reports if isinstance(value := report.get(name), float)]
    return values[0] if values else None


def _finish(pair: SpacePair, mapping: LinearMap, report: TrainingReport, begin: float) -> None:
    conclude(pair, mapping, report)
    report.seconds = round(time.monotonic() - begin, 3)
    if (begun := mapping.report.get(SECOND_ATTEMPT)) is not None:
        report.warnings.append(_began_again(cast(Mapping[str, object], begun)))
    quality = report.mean_csls
    if quality is None:
        return
    if report.start is not None:
        report.warnings.append(_trust("without any seed pair", quality))
    elif report.seeds is not None and quality < SOUND_QUALITY and are_few(report.seeds.pairs, pair):
        report.warnings.append(_trust(f"from {report.seeds.pairs:,} usable seed pairs", quality))


def _began_again(begun: Mapping[str, object]) -> str:
    return (
        "the seed pairs alone led to no map that works, so training began again at one that needs "
        f"none (start {begun.get('start')!r}): check a sample before you rely on it"
    )


def _trust(trained: str, quality: float) -> str:
    found = f"trained {trained}; mean CSLS of best matches is {quality:.3f}"
    if quality < WRONG_QUALITY:
        return f"{found}, as low as for a map that went wrong: do not use it without checking"
    if quality < SOUND_QUALITY:
        return f"{found}, less than maps that work have: expect most translations to be wrong"
    return f"{found}, as for maps that work: still check a sample before you rely on it"
