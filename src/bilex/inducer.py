"""The front door: learn from two spaces and a lexicon, then translate."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, cast

import torch

from bilex.calibration import Calibration, Calibrator
from bilex.checkpoint import Checkpoint, fingerprint
from bilex.config import (
    OPTIONAL_ROOTS,
    Tables,
    build_parts,
    check_device,
    describe_parts,
    load_preset,
)
from bilex.errors import EmptyLexiconError
from bilex.model_folder import ModelContents, read_model, write_model
from bilex.protocols import Preprocessor, Retriever, Start, Strategy
from bilex.registry import resolve
from bilex.seed_check import nothing_covered
from bilex.trained_model import TrainedModel
from bilex.training import OnTrainingRound, TrainingInterrupted, TrainingReport, conclude, train
from bilex.values import (
    Compute,
    EmbeddingSpace,
    IndexedLexicon,
    Lexicon,
    LinearMap,
    Progress,
    Round,
    SpacePair,
)

DEFAULT_PRESET = "bilex"
DEFAULT_START = "auto"


class LexiconInducer(TrainedModel):
    """Translate words by aligning two monolingual embedding spaces.

    Args:
        method: The name of a preset, the path of a TOML file, or tables of settings.
        preprocessing: Used instead of the method's own.
        strategy: Used instead of the method's own.
        retrieval: Used instead of the method's own.
        start: How to begin without seed pairs: the name of a plugin or an instance.
        device: Where to compute, as torch names it.
        random_state: Makes a run repeatable.
        memory: Bytes that a search may use for its work; never changes an answer.

    Example:
        >>> import torch
        >>> from bilex import EmbeddingSpace, Lexicon, LexiconInducer
        >>> vectors = torch.eye(3)
        >>> numbers = EmbeddingSpace(("one", "two", "three"), vectors)
        >>> numeros = EmbeddingSpace(("un", "deux", "trois"), vectors.roll(1, dims=1))
        >>> seeds = Lexicon.of([("one", "un"), ("two", "deux")])
        >>> inducer = LexiconInducer().fit(numbers, numeros, seeds)
        >>> inducer.translate(["three"], k=1)[0].candidates[0].word
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
    ) -> None:
        self.method = method
        self.preprocessing = preprocessing
        self.strategy = strategy
        self.retrieval = retrieval
        self.start = start
        self.device = device
        self.random_state = random_state
        self.memory = memory

    def fit(
        self,
        source: EmbeddingSpace,
        target: EmbeddingSpace,
        lexicon: Lexicon | None = None,
        *,
        on_round: OnTrainingRound | None = None,
        resume: Round | None = None,
        on_part: Progress | None = None,
    ) -> Self:
        """Learn the map; whatever is learned ends in an underscore.

        Args:
            source: The space to map from.
            target: The space to map to.
            lexicon: Known pairs; without any, `start` finds a first map by itself.
            on_round: Told of each finished round.
            resume: A round told before: go on after it, as if never interrupted.
            on_part: Told how many of the held-out parts that calibration learns from are done.

        Raises:
            EmptyLexiconError: If pairs are given but none is in both vocabularies.
            TrainingInterrupted: On an interrupt after the first round; the model is then usable.
        """
        self._prepare()
        self.seeds_ = lexicon or Lexicon(())
        pair = self._normalize(source, target)
        pairs = IndexedLexicon.locate(self.seeds_, pair)
        if not len(pairs) and len(self.seeds_):
            raise EmptyLexiconError(nothing_covered(self.seeds_, source, target))
        try:
            mapping, report = train(
                pair,
                pairs,
                strategy=cast(Strategy, self.parts_["strategy"]),
                start=None if len(pairs) else cast(Start, resolve("start", self.start)),
                rng=self._rng(),
                on_round=on_round,
                resume=resume,
            )
        except TrainingInterrupted as stop:
            self._settle(stop.mapping, stop.report)
            raise
        calibration = None
        if len(pairs) and "calibration" in self.parts_:
            try:
                mapping, calibration = self._calibrate(pair, pairs, mapping, report, on_part)
            except KeyboardInterrupt:
                self._settle(mapping, report)
                raise TrainingInterrupted(mapping, report) from None
        self._settle(mapping, report, calibration)
        return self

    def check(self) -> None:
        """Raise the error that `fit` would raise for these settings, before anything is read."""
        self._prepare()
        resolve("start", self.start)

    def checkpoint(
        self,
        path: Path | str,
        source: EmbeddingSpace,
        target: EmbeddingSpace,
        lexicon: Lexicon | None = None,
    ) -> Checkpoint:
        """Return where a run on this data is kept: write each round, read one to resume."""
        self._prepare()
        # What is learned after training does not change a round of it.
        parts = {kind: part for kind, part in self.parts_.items() if kind not in OPTIONAL_ROOTS}
        tables = describe_parts(parts)
        seeds, chance = lexicon or Lexicon(()), f"{self.start} {self.random_state}"
        return Checkpoint(Path(path), fingerprint(tables, source, target, seeds, chance))

    @property
    def identity(self) -> str:
        """Return what tells this model from any other: a hash of all its answers depend on."""
        return self._contents().identity

    def save(self, folder: Path | str) -> None:
        """Write the model as plain data; see `bilex.model_folder` for what is in it."""
        write_model(self._contents(), Path(folder))

    def _contents(self) -> ModelContents:
        self._check_fitted()
        return ModelContents(
            config=describe_parts(self.parts_),
            source=self.source_,
            target=self.target_,
            source_normalization=self.source_normalization_,
            target_normalization=self.target_normalization_,
            mapping=self.map_,
            seeds=self.seeds_,
            forward_penalties=self.forward_.penalties,
            backward_penalties=self.backward_.penalties,
            random_state=self.random_state,
            report=self.training_report_.to_dict(),
            calibration=self.calibration_,
        )

    @classmethod
    def load(
        cls, folder: Path | str, *, device: str = "cpu", memory: int = Compute().memory
    ) -> Self:
        """Read a model written by `save`; runs no code from the folder."""
        contents = read_model(Path(folder))
        inducer = cls(
            contents.config, device=device, random_state=contents.random_state, memory=memory
        )
        inducer._prepare()
        inducer.source_normalization_ = contents.source_normalization
        inducer.target_normalization_ = contents.target_normalization
        inducer.source_ = contents.source.with_vectors(contents.source.vectors.to(device))
        inducer.target_ = contents.target.with_vectors(contents.target.vectors.to(device))
        inducer.seeds_ = contents.seeds
        inducer.training_report_ = TrainingReport.from_dict(contents.report)
        inducer.map_ = LinearMap(contents.mapping.weight.to(device), contents.mapping.report)
        inducer.forward_ = inducer._build_index(penalties=contents.forward_penalties)
        inducer.backward_ = inducer._build_index(
            penalties=contents.backward_penalties, reverse=True
        )
        inducer.calibration_ = contents.calibration
        return inducer

    def _prepare(self) -> None:
        """Make the parts, and check the settings before anything long begins."""
        check_device(self.device)
        tables = load_preset(self.method) if isinstance(self.method, str) else self.method
        self.parts_: dict[str, Any] = build_parts(tables)
        for kind in ("preprocessing", "strategy", "retrieval"):
            if getattr(self, kind) is not None:
                self.parts_[kind] = getattr(self, kind)

    def _normalize(self, source: EmbeddingSpace, target: EmbeddingSpace) -> SpacePair:
        learner = cast(Preprocessor, self.parts_["preprocessing"])
        x, y = source.vectors.to(self.device), target.vectors.to(self.device)
        self.source_normalization_ = learner.learn(x)
        self.target_normalization_ = learner.learn(y)
        self.source_ = source.with_vectors(self.source_normalization_.apply(x))
        self.target_ = target.with_vectors(self.target_normalization_.apply(y))
        return SpacePair(self.source_, self.target_, Compute(memory=self.memory))

    def _settle(
        self, mapping: LinearMap, report: TrainingReport, calibration: Calibration | None = None
    ) -> None:
        # Otherwise stored, it would multiply to other last digits once saved and loaded.
        self.map_ = LinearMap(mapping.weight.contiguous(), mapping.report)
        self.training_report_ = report
        self.calibration_ = calibration
        self.forward_ = self._build_index()
        self.backward_ = self._build_index(reverse=True)

    def _calibrate(
        self,
        pair: SpacePair,
        pairs: IndexedLexicon,
        mapping: LinearMap,
        report: TrainingReport,
        on_part: Progress | None,
    ) -> tuple[LinearMap, Calibration]:
        """Learn how far candidates can be trusted; return the map to use with it, too."""
        begin = time.monotonic()
        found = cast(Calibrator, self.parts_["calibration"]).calibrate(
            pair,
            pairs,
            mapping,
            strategy=cast(Strategy, self.parts_["strategy"]),
            retrieval=cast(Retriever, self.parts_["retrieval"]),
            rng=self._rng(),
            on_part=on_part,
        )
        if found.mapping is not None:
            mapping = found.mapping
            conclude(pair, mapping, report)
        report.doubtful_seeds = list(found.doubtful)
        report.warnings.extend(found.warnings)
        report.calibration_seconds = round(time.monotonic() - begin, 3)
        return mapping, replace(found, mapping=None, doubtful=())  # the model has both

    def _rng(self) -> torch.Generator:
        return torch.Generator(self.device).manual_seed(self.random_state)
