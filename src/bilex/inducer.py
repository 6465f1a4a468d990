"""Train a model from two embedding spaces and a seed lexicon."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Self, cast

import torch

from bilex.alignment.feedback import train_again
from bilex.alignment.seed_check import nothing_covered
from bilex.alignment.training import (
    OnTrainingRound,
    TrainingInterrupted,
    train,
    with_final_map,
)
from bilex.calibration import Calibrator
from bilex.calibration.cross_fitting import CrossFit
from bilex.candidates.features import CostlyFeature
from bilex.candidates.model import CandidateModels
from bilex.config import OPTIONAL_ROOTS, Tables, build_parts, check_device, describe_parts
from bilex.config import load_preset as load_tables
from bilex.errors import EmptyLexiconError, NotFittedError, SettingError, warn_user
from bilex.lexicons import coverage, match_decisions, match_words
from bilex.lexicons.mixed_languages import mixture_hints
from bilex.model.checkpoint import Checkpoint, fingerprint
from bilex.model.folder import ModelContents
from bilex.model.trained import TrainedModel
from bilex.progress import OnProgress, Stages, work_bar
from bilex.protocols import Feedback, Preprocessor, Retriever, Start, Strategy
from bilex.registry import plugin_name, resolve
from bilex.similarity import is_approximate
from bilex.values import (
    Compute,
    Decisions,
    EmbeddingSpace,
    IndexedLexicon,
    Lexicon,
    LinearMap,
    Normalization,
    Reviewed,
    Round,
    RoundReport,
    Search,
    SpacePair,
    TrainingReport,
)

DEFAULT_PRESET = "bilex"
DEFAULT_START = "auto"

_SHOWN = 5  # doubtful seeds listed in a warning

_TRAINING, _HELD_OUT, _FEEDBACK = "training", "held-out seeds", "training again on probable pairs"
_PROBABILITIES, _INDEX = "probabilities", "index"

_log = logging.getLogger(__name__)


def fit(
    source: EmbeddingSpace,
    target: EmbeddingSpace,
    seeds: Lexicon | None = None,
    *,
    decisions: Decisions | None = None,
    preset: str | Tables = DEFAULT_PRESET,
    device: str = "cpu",
    random_state: int = 0,
    any_case: bool = True,
    progress: bool = False,
) -> TrainedModel:
    """Train a translation model from two spaces and seed pairs.

    Args:
        source: Word vectors of the source language.
        target: Word vectors of the target language.
        seeds: Known word pairs. Without seeds, training starts from words spelled the same in
            both languages, or from the geometry of the two spaces.
        decisions: What reviewers decided: accepted pairs become seeds, rejected pairs are not
            learned from.
        preset: The name of a preset, the path of a TOML file, or tables of settings.
        device: A torch device, such as "cpu" or "cuda".
        random_state: State of the random generator; the same number gives the same model.
        any_case: Whether a seed word that is not in the vocabulary is used in other upper or lower
            case: *Monday* as *monday*.
        progress: Show a progress bar, in a terminal or a notebook.

    Raises:
        EmptyLexiconError: If seeds are given but no pair has both words in the vocabularies.

    Example:
        >>> import torch
        >>> import bilex
        >>> vectors = torch.eye(3)
        >>> numbers = bilex.EmbeddingSpace(("one", "two", "three"), vectors)
        >>> numeros = bilex.EmbeddingSpace(("un", "deux", "trois"), vectors.roll(1, dims=1))
        >>> seeds = bilex.Lexicon.of([("one", "un"), ("two", "deux")])
        >>> model = bilex.fit(numbers, numeros, seeds, preset="procrustes")
        >>> model.translate(["three"], k=1)[0].candidates[0].word
        'trois'
    """
    inducer = LexiconInducer(preset, device=device, random_state=random_state, any_case=any_case)
    if not progress:
        return inducer.fit(source, target, seeds, decisions=decisions).model_
    with work_bar("fitting") as bar:
        return inducer.fit(source, target, seeds, decisions=decisions, on_progress=bar).model_


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The plugins of a training run."""

    preprocessing: Preprocessor
    strategy: Strategy
    retrieval: Retriever
    calibration: Calibrator | None = None
    feedback: Feedback | None = None

    def __post_init__(self) -> None:
        if self.feedback is not None and self.calibration is None:
            raise SettingError(
                "[feedback] needs the probabilities of [calibration]: add a [calibration] table, "
                "or remove [feedback]"
            )

    @classmethod
    def build(cls, tables: Tables) -> Self:
        """Make the plugins from tables of settings."""
        return cls(**cast(dict[str, Any], build_parts(tables)))

    def describe(self, *, without: tuple[str, ...] = ()) -> dict[str, dict[str, object]]:
        """Return the tables of settings from which `build` makes these plugins."""
        chosen = {field.name: getattr(self, field.name) for field in fields(self)}
        return describe_parts(
            {
                name: part
                for name, part in chosen.items()
                if part is not None and name not in without
            }
        )


class LexiconInducer:
    """Learn to translate words by aligning two monolingual embedding spaces.

    Args:
        method: The name of a preset, the path of a TOML file, or tables of settings.
        preprocessing: Replaces the preprocessing of the method.
        strategy: Replaces the strategy of the method.
        retrieval: Replaces the retrieval of the method.
        start: How to find a first map without seed pairs: the name of a plugin or an instance.
        device: A torch device, such as "cpu" or "cuda".
        random_state: State of the random generator; the same number gives the same model.
        memory: Bytes that a search may use; it does not change the results.
        search: "exact", "approximate", or "auto": approximate for very large vocabularies.
        any_case: Whether a seed word that is not in the vocabulary is used in other upper or lower
            case: *Monday* as *monday*.

    Attributes:
        model_: The trained model, after `fit`.
        cross_fit_: The maps trained without some of the seeds, after `fit` with [calibration].

    Example:
        >>> import torch
        >>> from bilex import EmbeddingSpace, Lexicon, LexiconInducer
        >>> vectors = torch.eye(3)
        >>> numbers = EmbeddingSpace(("one", "two", "three"), vectors)
        >>> numeros = EmbeddingSpace(("un", "deux", "trois"), vectors.roll(1, dims=1))
        >>> seeds = Lexicon.of([("one", "un"), ("two", "deux")])
        >>> model = LexiconInducer("procrustes").fit(numbers, numeros, seeds).model_
        >>> model.translate(["three"], k=1)[0].candidates[0].word
        'trois'
    """

    def __init__(
        self,
        method: str | Tables = DEFAULT_PRESET,
        *,
        preprocessing: Preprocessor | None = None,
        strategy: Strategy | None = None,
        retrieval: Retriever | None = None,
        start: Start | str = DEFAULT_START,
        device: str = "cpu",
        random_state: int = 0,
        memory: int = Compute().memory,
        search: Search = "auto",
        any_case: bool = True,
    ) -> None:
        self.method = method
        self.preprocessing = preprocessing
        self.strategy = strategy
        self.retrieval = retrieval
        self.start = start
        self.device = device
        self.random_state = random_state
        self.memory = memory
        self.search = search
        self.any_case = any_case
        self._model: TrainedModel | None = None
        self._cross_fit: CrossFit | None = None

    @property
    def model_(self) -> TrainedModel:
        """Return the trained model.

        Raises:
            NotFittedError: Before `fit`.
        """
        if self._model is None:
            raise NotFittedError("the model is not trained yet: call fit() first")
        return self._model

    @property
    def cross_fit_(self) -> CrossFit | None:
        """Return the maps trained without some of the seeds; None without [calibration]."""
        return self._cross_fit

    def fit(
        self,
        source: EmbeddingSpace,
        target: EmbeddingSpace,
        lexicon: Lexicon | None = None,
        *,
        decisions: Decisions | None = None,
        on_round: OnTrainingRound | None = None,
        resume: Round | None = None,
        on_progress: OnProgress | None = None,
    ) -> Self:
        """Train a model in four stages: strategy, cross-fitting, feedback, probabilities.

        The strategy learns a map. Cross-fitting trains maps without some of the seeds. Feedback
        trains all maps again on probable pairs. Then probabilities are learned from the held-out
        seeds. Without [calibration] only the first stage runs; without [feedback] the third stage
        is skipped.

        Args:
            source: The space to map from.
            target: The space to map to.
            lexicon: Known word pairs; without any, `start` finds a first map.
            decisions: What reviewers decided. Accepted pairs are added to the known pairs. Rejected
                pairs are removed from them and never added by a stage, and are wrong candidates
                for the probabilities.
            on_round: Called after each finished round.
            resume: Continue after this round, which an earlier `on_round` received.
            on_progress: Called with the progress over all stages.

        Raises:
            EmptyLexiconError: If pairs are given but none has both words in the vocabularies.
            TrainingInterrupted: On an interrupt after the first round; `model_` is then usable.
        """
        self._cross_fit = None
        run = _Run.prepare(self, source, target, lexicon or Lexicon(()), decisions)
        _warn((*run.coverage_hints(), *mixture_hints(source.words, target.words)))
        stages = Stages(_weights(run), on_progress)
        stages.begin(_TRAINING, run.parts.strategy.rounds + 1)
        try:
            mapping, report = train(
                run.spaces,
                run.pairs,
                strategy=run.parts.strategy,
                start=None if len(run.pairs) else cast(Start, resolve("start", self.start)),
                rng=self._rng(),
                on_round=_counting_rounds(on_round, stages),
                resume=resume,
            )
        except TrainingInterrupted as stop:
            self._model = run.model(self, stop.mapping, stop.report)
            raise
        models = None
        if len(run.pairs) and run.parts.calibration is not None:
            try:
                mapping, report, models = self._calibrate(run, mapping, report, stages)
            except KeyboardInterrupt:
                self._model = run.model(self, mapping, report)
                raise TrainingInterrupted(mapping, report) from None
        stages.begin(_INDEX)
        self._model = run.model(self, mapping, report, models)
        stages.done(_INDEX, 1, 1)
        _warn(_training_warnings(self._model))
        return self

    def check(self) -> None:
        """Raise the error that `fit` would raise for these settings, without any data."""
        self._parts().describe()
        resolve("start", self.start)

    def checkpoint(
        self,
        path: Path | str,
        source: EmbeddingSpace,
        target: EmbeddingSpace,
        lexicon: Lexicon | None = None,
        decisions: Decisions | None = None,
    ) -> Checkpoint:
        """Return the checkpoint of a run on this data: it stores rounds and reads the last one."""
        # Calibration and feedback come after training, so they do not change its rounds.
        tables = self._parts().describe(without=OPTIONAL_ROOTS)
        seeds, chance = lexicon or Lexicon(()), f"{self.start} {self.random_state}"
        chance += "" if self.any_case else " exact case"
        if decisions is not None:
            seeds = decisions.added_to(seeds)
            chance += f" {sorted(decisions.rejected)}"
        return Checkpoint(Path(path), fingerprint(tables, source, target, seeds, chance))

    def _parts(self) -> Parts:
        """Make the plugins and check their settings."""
        check_device(self.device)
        tables = load_tables(self.method) if isinstance(self.method, str) else self.method
        parts = Parts.build(tables)
        return replace(
            parts,
            preprocessing=self.preprocessing or parts.preprocessing,
            strategy=self.strategy or parts.strategy,
            retrieval=self.retrieval or parts.retrieval,
        )

    def _calibrate(
        self,
        run: _Run,
        mapping: LinearMap,
        report: TrainingReport,
        stages: Stages,
    ) -> tuple[LinearMap, TrainingReport, CandidateModels]:
        """Run the stages after the strategy; return the final map, its report and the models."""
        assert run.parts.calibration is not None  # noqa: S101 - checked by the caller
        begin, rng = time.monotonic(), self._rng()
        _log_costs(run)
        stages.begin(_HELD_OUT, _parts(run))
        found = run.parts.calibration.cross_fit(
            run.spaces,
            run.pairs,
            mapping,
            strategy=run.parts.strategy,
            retrieval=run.parts.retrieval,
            rng=rng,
            on_part=stages.within(_HELD_OUT),
        )
        if run.parts.feedback is not None:
            stages.begin(_FEEDBACK, _parts(run) + 1)
            again = partial(
                train_again,
                run.spaces,
                feedback=run.parts.feedback,
                strategy=run.parts.strategy,
                rng=rng,
            )
            found, added = found.improved(again, stages.within(_FEEDBACK))
            report = replace(report, feedback_pairs=added)
            if added:
                mapping = found.maps.first
                report = with_final_map(run.spaces, mapping, report)
                _log.info("feedback: trained again on %s probable pairs", f"{added:,}")
        stages.begin(_PROBABILITIES)
        models = found.learn()
        self._cross_fit = found
        report = replace(
            report,
            doubtful_seeds=found.doubtful_seeds(),
            warnings=(*report.warnings, *models.warnings),
            calibration_seconds=round(time.monotonic() - begin, 3),
        )
        return mapping, report, models

    def _rng(self) -> torch.Generator:
        return torch.Generator(self.device).manual_seed(self.random_state)


@dataclass(frozen=True, eq=False)
class _Run:
    """The inputs and plugins of one call of `fit`."""

    parts: Parts
    seeds: Lexicon
    spaces: SpacePair  # normalized
    pairs: IndexedLexicon
    normalizations: tuple[Normalization, Normalization]
    config: dict[str, dict[str, object]]

    @classmethod
    def prepare(
        cls,
        inducer: LexiconInducer,
        source: EmbeddingSpace,
        target: EmbeddingSpace,
        seeds: Lexicon,
        decisions: Decisions | None,
    ) -> _Run:
        parts = inducer._parts()
        config = parts.describe()  # before training: raises if a plugin has no entry point
        x, y = source.vectors.to(inducer.device), target.vectors.to(inducer.device)
        first, second = parts.preprocessing.learn(x), parts.preprocessing.learn(y)
        spaces = SpacePair(
            source.with_vectors(first.apply(x)),
            target.with_vectors(second.apply(y)),
            Compute(memory=inducer.memory, search=inducer.search),
        )
        matched = match_words(seeds, source, target, any_case=inducer.any_case)
        seeds = matched.lexicon
        for note in matched.notes:
            _log.info("%s", note)
        if decisions is not None:
            decisions = match_decisions(decisions, source, target, any_case=inducer.any_case)
            spaces = replace(spaces, reviewed=Reviewed.locate(decisions, spaces))
            seeds = decisions.added_to(seeds)
        pairs = IndexedLexicon.locate(seeds, spaces)
        if not len(pairs) and len(seeds):
            raise EmptyLexiconError(nothing_covered(seeds, source, target))
        return cls(parts, seeds, spaces, pairs, (first, second), config)

    def coverage_hints(self) -> tuple[str, ...]:
        """Return hints on how to make more of the seeds usable."""
        if not len(self.seeds):
            return ()
        found = coverage(self.seeds, self.spaces.source, self.spaces.target)
        _log.info("%s of %s seed pairs are usable", f"{found.kept:,}", f"{found.pairs:,}")
        return found.hints

    def model(
        self,
        inducer: LexiconInducer,
        mapping: LinearMap,
        report: TrainingReport,
        models: CandidateModels | None = None,
    ) -> TrainedModel:
        contents = ModelContents(
            config=self.config,
            source=self.spaces.source,
            target=self.spaces.target,
            source_normalization=self.normalizations[0],
            target_normalization=self.normalizations[1],
            mapping=mapping,
            seeds=self.seeds,
            random_state=inducer.random_state,
            report=report,
            candidate_models=models,
        )
        return TrainedModel.assemble(
            contents,
            retriever=self.parts.retrieval,
            device=inducer.device,
            memory=inducer.memory,
            search=inducer.search,
        )


def _log_costs(run: _Run) -> None:
    """Say what costly features will cost for the words of the seeds."""
    words = sum(len(torch.unique(ids)) for ids in (run.pairs.source_ids, run.pairs.target_ids))
    for plugin in getattr(run.parts.calibration, "features", ()):
        if isinstance(plugin, CostlyFeature):
            _log.info("%s: %s", plugin_name("feature", plugin), plugin.cost(words))


def _weights(run: _Run) -> list[tuple[str, float]]:
    """Return the time of each stage relative to one training run.

    As measured on several pairs, and on a million words that are searched approximately: there,
    training still searches exactly, among far fewer words, and the searches after it take longer.
    """
    exact = {_HELD_OUT: 1.0, _FEEDBACK: 1.2, _PROBABILITIES: 0.5, _INDEX: 0.3}
    approximate = {_HELD_OUT: 0.4, _FEEDBACK: 4.5, _PROBABILITIES: 1.6, _INDEX: 7.0}
    compute, most = run.spaces.compute, max(len(run.spaces.source), len(run.spaces.target))
    very_many = compute.search == "auto" and is_approximate(compute, most)
    each = approximate if very_many else exact
    found = [(_TRAINING, 1.0)]
    calibration = run.parts.calibration
    if calibration is not None and len(run.pairs):
        parts = _parts(run)
        found.append((_HELD_OUT, each[_HELD_OUT] * parts))
        if run.parts.feedback is not None:
            found.append((_FEEDBACK, each[_FEEDBACK] * (parts + 1)))
        found.append((_PROBABILITIES, each[_PROBABILITIES] * parts))
    return [*found, (_INDEX, each[_INDEX])]


def _parts(run: _Run) -> int:
    """Return the number of parts the seeds are divided into; 2 if the plugin does not define it."""
    return int(getattr(run.parts.calibration, "parts", 2))


def _counting_rounds(on_round: OnTrainingRound | None, stages: Stages) -> OnTrainingRound:
    """Report each round as progress; the step after the last round counts as one round more."""

    def counted(done: Round, found: RoundReport) -> None:
        stages.done(_TRAINING, done.number, done.total + 1)
        if on_round is not None:
            on_round(done, found)

    return counted


def _training_warnings(model: TrainedModel) -> Iterator[str]:
    report = model.report
    yield from report.warnings
    found = report.doubtful_seeds
    if found and report.seeds is not None:
        shown = ", ".join(f"{source} → {target}" for source, target in found[:_SHOWN])
        more = ", …" if len(found) > _SHOWN else ""
        count = f"{len(found):,} of {report.seeds.pairs:,} seed pairs"
        yield f"{count} look wrong; check them: {shown}{more}"


def _warn(messages: Iterator[str] | tuple[str, ...]) -> None:
    for message in messages:
        warn_user(message)
