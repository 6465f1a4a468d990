"""One training run: check the seeds, run the strategy, report its rounds."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import torch

from bilex.alignment.quality import mean_csls
from bilex.alignment.seed_check import are_few, check_seeds
from bilex.protocols import Start, Strategy
from bilex.values import (
    IndexedLexicon,
    LinearMap,
    Round,
    RoundReport,
    SpacePair,
    TrainingReport,
)

QUALITY_WORDS = 10_000
"""Number of the most frequent words that the quality of a map is measured on."""

WRONG_QUALITY, SOUND_QUALITY = 0.05, 0.1
"""Mean CSLS of best matches: wrong maps stay below the first value, good maps reach the second.
Between the two were English–Russian without seeds (14 % of the words correct) and with 25 seeds
(1.4 %)."""

OnTrainingRound = Callable[[Round, RoundReport], None]
"""Called after each finished round with the state to resume from and the measurements."""

_log = logging.getLogger(__name__)


class TrainingInterrupted(KeyboardInterrupt):
    """The user stopped training after at least one round; the map so far can be used."""

    def __init__(self, mapping: LinearMap, report: TrainingReport) -> None:
        super().__init__()
        self.mapping = mapping
        self.report = report


def train(
    spaces: SpacePair,
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
        spaces: The normalized spaces.
        lexicon: The seed pairs; without any, `start` finds a first map.
        strategy: The strategy to run.
        start: Finds a first map; used only without seed pairs.
        rng: Random generator.
        on_round: Called after each finished round.
        resume: Continue after this round, which an earlier `on_round` received.

    Raises:
        TrainingInterrupted: On an interrupt after the first round, with the map so far.
    """
    begin = time.monotonic()
    first, report = _first_map(spaces, lexicon, start, rng, resume)
    watch = _Watch(spaces, begin, on_round, resume)
    try:
        mapping = strategy.run(
            spaces, lexicon, rng=rng, start=first, on_round=watch.on_round, resume=resume
        )
    except KeyboardInterrupt:
        if watch.latest is None:
            raise
        mapping = watch.latest.maps[watch.latest.best]
        report = replace(report, rounds=tuple(watch.rounds))
        raise TrainingInterrupted(mapping, _concluded(spaces, mapping, report, begin)) from None
    report = replace(report, rounds=tuple(watch.rounds), finished=True)
    return mapping, _concluded(spaces, mapping, report, begin)


def with_final_map(spaces: SpacePair, mapping: LinearMap, report: TrainingReport) -> TrainingReport:
    """Return the report with the measurements of the final map."""
    return replace(report, map=dict(mapping.report), mean_csls=_quality(spaces, mapping))


@dataclass(slots=True)
class _Watch:
    """Stores the last round, for an interrupt, and reports each round."""

    spaces: SpacePair
    begin: float
    report_to: OnTrainingRound | None
    latest: Round | None
    rounds: list[RoundReport] = field(default_factory=list)

    def on_round(self, done: Round) -> None:
        self.latest = done
        found = _measure(self.spaces, done, time.monotonic() - self.begin)
        self.rounds.append(found)
        _log.info(
            "round %d of at most %d: %s pairs, mean CSLS %.4f",
            found.number,
            found.total,
            f"{found.pairs:,}",
            found.mean_csls,
        )
        if self.report_to is not None:
            self.report_to(done, found)


def _first_map(
    spaces: SpacePair,
    lexicon: IndexedLexicon,
    start: Start | None,
    rng: torch.Generator,
    resume: Round | None,
) -> tuple[LinearMap | None, TrainingReport]:
    """Check the seeds, or find a first map if there are none."""
    if len(lexicon):
        # A separate generator, so that the check does not change the random numbers of training.
        own = torch.Generator(rng.device).manual_seed(0)
        seeds = check_seeds(spaces, lexicon, rng=own)
        warnings = () if seeds.warning is None else (seeds.warning,)
        return None, TrainingReport(seeds=seeds, warnings=warnings)
    if start is None or resume is not None:
        return None, TrainingReport()
    first = start.begin(spaces, rng=rng)
    return first, TrainingReport(start=dict(first.report))


def _measure(spaces: SpacePair, done: Round, seconds: float) -> RoundReport:
    reports = [mapping.report for mapping in done.maps.values()]
    return RoundReport(
        number=done.number,
        total=done.total,
        pairs=done.pairs,
        seconds=round(seconds, 3),
        loss=_reported(reports, "loss"),
        transport_cost=_reported(reports, "transport_cost"),
        mean_csls=_quality(spaces, done.maps[done.best]),
    )


def _quality(spaces: SpacePair, mapping: LinearMap) -> float:
    return mean_csls(spaces, mapping, words=QUALITY_WORDS, hub_limit=None)


def _reported(reports: list[Mapping[str, object]], name: str) -> float | None:
    values = [value for report in reports if isinstance(value := report.get(name), float)]
    return values[0] if values else None


def _concluded(
    spaces: SpacePair, mapping: LinearMap, report: TrainingReport, begin: float
) -> TrainingReport:
    report = with_final_map(spaces, mapping, report)
    warnings = [*report.warnings, *mapping.warnings]
    quality = report.mean_csls
    if quality is not None:
        if report.start is not None:
            warnings.append(_quality_warning("without any seed pair", quality))
        elif (
            report.seeds is not None
            and quality < SOUND_QUALITY
            and are_few(report.seeds.pairs, spaces)
        ):
            pairs = report.seeds.pairs
            trained = f"from {pairs:,} usable seed pair{'' if pairs == 1 else 's'}"
            warnings.append(_quality_warning(trained, quality))
    seconds = round(time.monotonic() - begin, 3)
    return replace(report, warnings=tuple(warnings), seconds=seconds)


def _quality_warning(trained: str, quality: float) -> str:
    found = f"trained {trained}; the mean CSLS of best matches is {quality:.3f}"
    if quality < WRONG_QUALITY:
        return f"{found}, as low as for a wrong map: check translations before you use it"
    if quality < SOUND_QUALITY:
        return f"{found}, lower than for a good map: expect most translations to be wrong"
    return f"{found}, as for a good map: still check a sample before you use it"
