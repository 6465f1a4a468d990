"""A trained model in use: it translates words, induces dictionaries, is scored and exported.

A model is loaded and used without the code and the plug-ins that trained it; only the plug-in that
ranks its words must be installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Self, cast

from bilex.answers import Translation
from bilex.candidates.answering import (
    Ranker,
    answers_by_ranking,
    answers_from_table,
    ranker_by_score,
    translate,
)
from bilex.candidates.induced_dictionary import InducedDictionary, induce
from bilex.candidates.lists import Direction
from bilex.candidates.ranking import Ranking, no_probabilities
from bilex.candidates.whole_vocabulary import answer_all, from_table
from bilex.candidates.word_parts import WordPairs
from bilex.config import build_part, check_device
from bilex.errors import DimensionError, ModelFolderError, SettingError, UnknownPluginError
from bilex.evaluation import Evaluation, ScoringRules, evaluate
from bilex.model.aligned_vectors import AlignedVectors
from bilex.model.feature_plugins import feature_plugins
from bilex.model.folder import ModelContents, read_model, retrieval_package, write_model
from bilex.oov import Lemmas, Subwords, Vocabulary, WordResolver
from bilex.protocols import Retriever, TwoWayIndex
from bilex.registry import plugin_name
from bilex.retrieval import Csls, LazyIndex, Nearest, Side, build_index, check_state
from bilex.storage.manifest import versions, vocabulary
from bilex.values import (
    Compute,
    EmbeddingSpace,
    IndexedLexicon,
    Lexicon,
    LinearMap,
    Matrix,
    Progress,
    Search,
    SpacePair,
    TrainingReport,
)

CALIBRATED = "calibrated"
"""The name of the order by probability, among other ways of ranking."""

_UNCALIBRATED_DEPTH = 1
_ANSWERS = 10  # kept for each word, if the model is not calibrated


@dataclass(frozen=True, eq=False, repr=False)
class TrainedModel:
    """A trained model: `load` one, or get it from `bilex.fit`.

    Attributes:
        contents: The data of the model.
        retriever: How it ranks candidates by score.
        index: Both vocabularies, ready to be searched.
        compute: Memory that searches may use; does not change answers.
    """

    contents: ModelContents
    retriever: Retriever
    index: TwoWayIndex
    compute: Compute

    @classmethod
    def assemble(
        cls,
        contents: ModelContents,
        *,
        retriever: Retriever | None = None,
        device: str = "cpu",
        memory: int = Compute().memory,
        search: Search = "auto",
    ) -> Self:
        """Return a model of these contents, ready for use.

        `retriever` is made from the settings of the model if it is not given.
        """
        check_device(device)
        contents, compute = contents.to(device), Compute(memory=memory, search=search)
        chosen = retriever or cast(Retriever, build_part("retrieval", contents.config))
        state = contents.retrieval_state or None
        build = partial(build_index, chosen, *_sides(contents), compute=compute, state=state)
        sizes = len(contents.source), len(contents.target)
        if contents.answers and state is not None and check_state(chosen, state, *sizes):
            return cls(contents, chosen, LazyIndex(build), compute)
        index = build()
        return cls(replace(contents, retrieval_state=index.state()), chosen, index, compute)

    @classmethod
    def load(
        cls,
        folder: Path | str,
        *,
        device: str = "cpu",
        memory: int = Compute().memory,
        search: Search = "auto",
    ) -> Self:
        """Read a model folder; runs no code from the folder.

        Args:
            folder: Written by `save` or `bilex fit`.
            device: Where to compute: a device name of torch.
            memory: Bytes that a search may use; does not change answers.
            search: "exact", "approximate", or "auto": approximate for very large vocabularies.

        Raises:
            ModelFolderError: If a file is missing, damaged or inconsistent with the others.
            UnknownPluginError: If the plug-in that ranks the words is not installed; the message
                names its package.
        """
        contents = read_model(Path(folder))
        try:
            return cls.assemble(contents, device=device, memory=memory, search=search)
        except (KeyError, DimensionError) as problem:
            raise ModelFolderError(
                folder, f"is damaged ({type(problem).__name__}: {problem}); train the model again"
            ) from problem
        except UnknownPluginError as problem:
            package = retrieval_package(Path(folder))
            remedy = "install its package" if package is None else f"pip install {package}"
            raise UnknownPluginError(
                f"{folder}: the plug-in that ranks the words of this model is not installed: "
                f"{remedy} ({problem})"
            ) from problem

    def save(self, folder: Path | str) -> None:
        """Write the model as plain data; `bilex.model.folder` describes the files."""
        write_model(self.contents, Path(folder))

    def __repr__(self) -> str:
        source, target = len(self.source), len(self.target)
        known = "calibrated" if self.is_calibrated() else "without probabilities"
        return f"TrainedModel({source:,} source words, {target:,} target words, {known})"

    def to_dict(self) -> dict[str, object]:
        """Return a summary as plain values, ready for JSON."""
        report = self.report
        return {
            "id": self.identity,
            "source_words": len(self.source),
            "target_words": len(self.target),
            "pairs": len(self.seeds),
            "pairs_used": 0 if report.seeds is None else report.seeds.pairs,
            "mean_csls": report.mean_csls,
            "warnings": list(report.warnings),
            "seconds": report.seconds,
        }

    @property
    def source(self) -> EmbeddingSpace:
        """Return the normalized source space."""
        return self.contents.source

    @property
    def target(self) -> EmbeddingSpace:
        """Return the normalized target space."""
        return self.contents.target

    @property
    def mapping(self) -> LinearMap:
        """Return the map from source rows into the target space."""
        return self.contents.mapping

    @property
    def seeds(self) -> Lexicon:
        """Return the pairs the model was trained on."""
        return self.contents.seeds

    @property
    def report(self) -> TrainingReport:
        """Return the report of training."""
        return self.contents.report

    @property
    def identity(self) -> str:
        """Return a hash of everything that translations depend on."""
        return self.contents.identity

    @cached_property
    def own_ranking(self) -> str:
        """Return the name of the ranking that `translate` uses, one of `rankers`."""
        return CALIBRATED if self.is_calibrated() else self._retrieval_name

    def is_calibrated(self, *, reverse: bool = False) -> bool:
        """Return whether translations have probabilities."""
        return self._ranking(reverse).model is not None

    def require_probabilities(self, *, reverse: bool = False) -> None:
        """Raise `SettingError` if translations have no probabilities."""
        if not self.is_calibrated(reverse=reverse):
            raise no_probabilities()

    def transform(self, vectors: Matrix) -> Matrix:
        """Map raw source vectors into the normalized target space."""
        if vectors.ndim != 2 or vectors.shape[1] != self.source.dim:
            raise DimensionError(
                f"vectors of shape {tuple(vectors.shape)}: expected rows of "
                f"{self.source.dim} numbers, from the space the model was trained on"
            )
        raw = vectors.to(self.source.vectors.device)
        return self.mapping.apply(self.contents.source_normalization.apply(raw))

    def vocabulary(
        self, *, reverse: bool = False, resolvers: Sequence[WordResolver] = ()
    ) -> Vocabulary:
        """Return the vocabulary to translate from; the subwords of its vectors are tried last."""
        side = self._ranking(reverse).direction.source
        subwords = side.space.subwords
        chain = (*resolvers, *(() if subwords is None else (Subwords(subwords),)))
        return Vocabulary(side.space, side.normalization, chain)

    def translate(
        self,
        words: Sequence[str],
        *,
        k: int = 5,
        reverse: bool = False,
        resolvers: Sequence[WordResolver] = (),
    ) -> list[Translation]:
        """Return one `Translation` for each word, in order; an unknown word has no candidates.

        A calibrated model gives each candidate a probability, and orders candidates by it.

        Args:
            words: The words.
            k: Candidates for each word.
            reverse: From the target language to the source language.
            resolvers: For words outside the vocabulary, tried in order (`bilex.oov`); after
                them, the subwords of the vectors, if there are any.

        Raises:
            SettingError: If k < 1, or `words` is a single text.
        """
        if isinstance(words, str):
            raise SettingError(f"words is the text {words!r}: give a list of words, [{words!r}]")
        ranking, table = self._ranking(reverse), self.contents.answers.get(reverse)
        if table is None:
            answers = answers_by_ranking(ranking, k)
        else:
            answers = answers_from_table(table, ranking, k)
        return translate(words, self.vocabulary(reverse=reverse, resolvers=resolvers), answers)

    def ranker(self, retrieval: Retriever, *, reverse: bool = False) -> Ranker:
        """Return a function that translates with another retriever."""
        index = build_index(retrieval, *_sides(self.contents), compute=self.compute)
        return self._by_score(index, reverse)

    def rankers(self, *, reverse: bool = False) -> dict[str, Ranker]:
        """Return the ways of ranking to compare, by name.

        These are CSLS, nearest neighbor and the model's own retriever by score, and
        "calibrated", by probability, if the model is calibrated.
        """
        own = self._retrieval_name
        others: dict[str, Retriever] = {"csls": Csls(), "nearest": Nearest()}
        found = {
            name: self._by_score(self.index, reverse)
            if name == own
            else self.ranker(others[name], reverse=reverse)
            for name in dict.fromkeys((*others, own))
        }
        if self.is_calibrated(reverse=reverse):
            found[CALIBRATED] = lambda words, k: self.translate(words, k=k, reverse=reverse)
        return found

    def induce(
        self,
        *,
        k: int | None = None,
        min_precision: float | None = None,
        reverse: bool = False,
        on_block: Progress | None = None,
    ) -> InducedDictionary:
        """Return the dictionary of the whole vocabulary, most frequent word first.

        Args:
            k: The largest number of translations of a word. None: as many as give the best
                expected F1 if the model is calibrated, otherwise one.
            min_precision: The expected share of right entries, including seeds; for calibrated
                models.
            reverse: From the target language to the source language.
            on_block: Called with the progress.

        Raises:
            SettingError: If `min_precision` is given and the model is not calibrated.
        """
        table = self.contents.answers.get(reverse)
        listed = table is not None and (k or 1) <= table.depth
        found = induce(
            self._ranking(reverse),
            k=k,
            min_precision=min_precision,
            seeds=self._seed_rows(reverse),
            model=self.identity,
            ranked=from_table(table) if table is not None and listed else None,
            on_block=on_block,
        )
        return replace(found, provenance=self._provenance(reverse))

    def with_answers(self, on_block: Progress | None = None) -> Self:
        """Return the same model with the translations of all words of both vocabularies.

        `save` writes them too. With them, a word is translated in a millisecond, and `induce`
        computes nothing. Making them takes about as long as one `induce`, and they take 280 bytes
        per word.

        Args:
            on_block: Called with the progress.
        """
        forward, backward = self._ranking(False), self._ranking(True)
        depth = _ANSWERS if self.contents.candidate_models is None else forward.depth
        answers = answer_all(forward, backward, depth, on_block)
        return replace(self, contents=replace(self.contents, answers=answers))

    def in_half(self) -> Self:
        """Return the same model with vectors of 16 bits per number: half the disk space.

        Only candidates whose scores differ by less than 0.1 % may change places.
        """
        rounded = [
            space.with_vectors(space.vectors.half().float()) for space in (self.source, self.target)
        ]
        contents = replace(
            self.contents,
            source=rounded[0],
            target=rounded[1],
            half=True,
            retrieval_state={},
            answers={},
        )
        return self.assemble(
            contents,
            retriever=self.retriever,
            device=str(self.source.vectors.device),
            memory=self.compute.memory,
            search=self.compute.search,
        )

    def evaluate(
        self,
        gold: Lexicon,
        *,
        reverse: bool = False,
        rules: ScoringRules | str = "vecmap",
        lemmas: Lemmas | Path | str | None = None,
    ) -> Evaluation:
        """Score the model on test pairs; see `bilex.evaluate`."""
        return evaluate(self, gold, reverse=reverse, rules=rules, lemmas=lemmas)

    def align(
        self,
        folder: Path | str,
        *,
        vectors: AlignedVectors | None = None,
        on_block: Progress | None = None,
    ) -> None:
        """Write the vectors of both languages in one space.

        Args:
            folder: Where to write.
            vectors: Format, names of the languages, and other settings; text files if absent.
            on_block: Called with the progress.
        """
        (vectors or AlignedVectors()).write(self.contents, folder, on_block=on_block)

    @cached_property
    def _retrieval_name(self) -> str:
        return plugin_name("retrieval", self.retriever)

    @cached_property
    def _rankings(self) -> dict[bool, Ranking]:
        """Return both directions, cached: their first use takes longer than a translation."""
        models = self.contents.candidate_models
        source, target = _sides(self.contents)
        forward = Direction(
            source,
            target,
            self.index.forward,
            self.index.backward,
            second=None if models is None else models.second,
            known_pairs=None if models is None else models.pairs,
            seeds=None if models is None else WordPairs.of(self._seeds_in_use),
        )
        plugins = feature_plugins(self.contents.config) if models is not None else ()
        return {
            reverse: Ranking(
                forward.reversed() if reverse else forward,
                None if models is None else models.model(reverse=reverse),
                _UNCALIBRATED_DEPTH if models is None else models.depth,
                self.compute,
                plugins,
            )
            for reverse in (False, True)
        }

    def _ranking(self, reverse: bool) -> Ranking:
        return self._rankings[reverse]

    def _by_score(self, index: TwoWayIndex, reverse: bool) -> Ranker:
        direction = self._ranking(reverse).direction
        search = index.backward if reverse else index.forward
        vocabulary = self.vocabulary(reverse=reverse)
        return ranker_by_score(search, direction.source, direction.target, vocabulary)

    @cached_property
    def _seeds_in_use(self) -> IndexedLexicon:
        """Return the seeds with both words in the vocabularies."""
        return IndexedLexicon.locate(self.seeds, SpacePair(self.source, self.target))

    def _seed_rows(self, reverse: bool) -> dict[int, frozenset[int]]:
        seeds = self._seeds_in_use
        return (seeds.reversed() if reverse else seeds).answers

    def _provenance(self, reverse: bool) -> Mapping[str, object]:
        direction = self._ranking(reverse).direction
        return {
            "model": self.identity,
            "versions": versions(),
            "source": vocabulary(direction.source.space),
            "target": vocabulary(direction.target.space),
            "seeds": len(self.seeds),
        }


def _sides(contents: ModelContents) -> tuple[Side, Side]:
    return (
        Side(contents.source, contents.source_normalization, contents.mapping),
        Side(contents.target, contents.target_normalization),
    )
