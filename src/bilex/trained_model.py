"""A trained model as it is used: asked for translations, or for the whole dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, cast

from bilex import aligned
from bilex.aligned import Ranker, Side
from bilex.calibration import Calibration, CandidateModel, Direction
from bilex.calibration.answering import answer_judged
from bilex.errors import DimensionError, NotFittedError
from bilex.induction import InducedDictionary, induce, no_probabilities
from bilex.protocols import Retriever, SearchIndex
from bilex.registry import plugin_name
from bilex.retrieval import Csls, Nearest
from bilex.unknown_words import Speller, Vocabulary
from bilex.values import (
    Compute,
    EmbeddingSpace,
    IndexedLexicon,
    Lexicon,
    LinearMap,
    Matrix,
    Normalization,
    Progress,
    SpacePair,
    Translation,
    Vector,
)

CALIBRATED = "calibrated"
"""The order by probability, among other ways of ranking."""


class TrainedModel:
    """What is known after training, and everything that can be asked of it.

    Attributes:
        source_: The normalized source space.
        target_: The normalized target space.
        source_normalization_: How source vectors are normalized.
        target_normalization_: How target vectors are normalized.
        map_: What carries source rows into the target space.
        seeds_: The pairs it was trained on.
        forward_: Finds target words.
        backward_: Finds source words.
        calibration_: How far candidates can be trusted; None if that was not learned.
        parts_: The plugins it was made with.
    """

    device: str
    memory: int
    source_: EmbeddingSpace
    target_: EmbeddingSpace
    source_normalization_: Normalization
    target_normalization_: Normalization
    map_: LinearMap
    seeds_: Lexicon
    forward_: SearchIndex
    backward_: SearchIndex
    calibration_: Calibration | None
    parts_: dict[str, Any]

    @cached_property
    def _directions(self) -> dict[bool, Direction]:
        return {}

    def transform(self, vectors: Matrix) -> Matrix:
        """Carry raw source vectors into the normalized target space."""
        self._check_fitted()
        if vectors.ndim != 2 or vectors.shape[1] != self.source_.dim:
            raise DimensionError(
                f"vectors of shape {tuple(vectors.shape)}: expected rows of "
                f"{self.source_.dim} numbers, from the space the model was trained on"
            )
        return self.map_.apply(self.source_normalization_.apply(vectors.to(self.device)))

    def translate(
        self,
        words: Sequence[str],
        *,
        k: int = 5,
        reverse: bool = False,
        spellers: Sequence[Speller] = (),
    ) -> list[Translation]:
        """Return one `Translation` for each word, in order; an unknown word has no candidates.

        A calibrated model gives each candidate its probability, and orders them by it. About
        words outside the vocabulary, `spellers` are asked in turn (`bilex.unknown_words`), and
        then the subwords that the vectors came with, if any.
        """
        direction = self._direction(reverse)
        answer = answer_judged(
            direction,
            self._candidate_model(reverse),
            k,
            judged=self._judged_candidates,
            compute=Compute(memory=self.memory),
        )
        return aligned.translate(words, direction.asked.vocabulary(spellers), answer)

    def vocabulary(self, *, reverse: bool = False) -> Vocabulary:
        """Return the language that is asked in, as spellers see it."""
        return self._sides(reverse)[0].vocabulary()

    def translator(self, retrieval: Retriever, *, reverse: bool = False) -> Ranker:
        """Return a function that translates with another way of ranking."""
        asked, answering = self._sides(reverse)
        index = self._build_index(retrieval, reverse=reverse)
        return aligned.ranker(index, asked, answering)

    def rankers(self, *, reverse: bool = False) -> dict[str, Ranker]:
        """Return the ways of ranking to compare: by score, and by probability if that is known.

        By score means CSLS, nearest neighbor and the model's own retrieval.
        """
        own = plugin_name("retrieval", self.parts_["retrieval"])
        others: dict[str, Retriever] = {"csls": Csls(), "nearest": Nearest()}
        found = {
            name: self.translator(each, reverse=reverse)
            for name, each in others.items()
            if name != own
        }
        direction = self._direction(reverse)
        by_own = aligned.ranker(direction.there, direction.asked, direction.answering)
        found = {name: found.get(name, by_own) for name in dict.fromkeys((*others, own))}
        if self._candidate_model(reverse) is not None:
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
            k: At most so many translations a word. None: as many as each deserves, for the best
                balance of precision and recall, if the model is calibrated; else one.
            min_precision: The share of the entries, seeds among them, that shall be right; for
                calibrated models.
            reverse: Whether to translate the target language.
            on_block: Told of progress.

        Raises:
            SettingError: If a precision is asked of a model that is not calibrated.
        """
        direction = self._direction(reverse)
        return induce(
            direction,
            self._candidate_model(reverse),
            judged=self._judged_candidates,
            k=k,
            min_precision=min_precision,
            seeds=self._seed_rows(direction, reverse),
            name=self.identity,
            compute=Compute(memory=self.memory),
            on_block=on_block,
        )

    def require_probabilities(self, *, reverse: bool = False) -> None:
        """Raise what asking for probabilities would, before anything long begins.

        Raises:
            SettingError: If the model tells none.
        """
        self._check_fitted()
        if self._candidate_model(reverse) is None:
            raise no_probabilities()

    @property
    def identity(self) -> str:
        """Return what tells this model from any other."""
        raise NotImplementedError

    def _candidate_model(self, reverse: bool) -> CandidateModel | None:
        found = self.calibration_ and self.calibration_.model(reverse=reverse)
        return found.to(self.device) if found else None

    @property
    def _judged_candidates(self) -> int:
        return self.calibration_.candidates if self.calibration_ else 1

    def _direction(self, reverse: bool) -> Direction:
        sides, indexes = self._sides(reverse), (self.forward_, self.backward_)
        there, back = indexes[::-1] if reverse else indexes
        second = self.calibration_.second if self.calibration_ else None
        kept = self._directions.get(reverse)
        if kept is None or (kept.there, kept.back, kept.second) != (there, back, second):
            # Kept, since what it works out on the way takes longer than the answer to a word.
            kept = self._directions[reverse] = Direction(*sides, there, back, second)
        return kept

    def _seed_rows(self, direction: Direction, reverse: bool) -> dict[int, frozenset[int]]:
        seeds = self.seeds_.reversed() if reverse else self.seeds_
        pairs = IndexedLexicon.locate(
            seeds, SpacePair(direction.asked.space, direction.answering.space)
        )
        return pairs.answers

    def _check_fitted(self) -> None:
        if not hasattr(self, "map_"):
            raise NotFittedError("call fit() or load() before using the model")

    def _sides(self, reverse: bool) -> tuple[Side, Side]:
        """Return the side that is asked and the side that answers."""
        self._check_fitted()
        source = Side(self.source_, self.source_normalization_, self.map_)
        target = Side(self.target_, self.target_normalization_)
        return (target, source) if reverse else (source, target)

    def _build_index(
        self,
        retrieval: Retriever | None = None,
        *,
        reverse: bool = False,
        penalties: Vector | None = None,
    ) -> SearchIndex:
        """Index the side that answers, with the model's own retrieval unless given another."""
        return aligned.build_index(
            retrieval or cast(Retriever, self.parts_["retrieval"]),
            *self._sides(reverse),
            compute=Compute(memory=self.memory),
            penalties=penalties,
        )
