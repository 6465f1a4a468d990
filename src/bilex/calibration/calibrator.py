"""What calibration gives, and what can do it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch

from bilex.calibration.candidate_model import CandidateModel
from bilex.protocols import Retriever, Strategy
from bilex.values import IndexedLexicon, LinearMap, Progress, SpacePair


@dataclass(frozen=True, eq=False)
class Calibration:
    """What is known of how far candidates can be trusted; None where seeds were too few.

    Attributes:
        second: Another map between the spaces, whose opinion is one of the features.
        candidates: How many candidates of a word are judged.
        forward: The model for words of the source language.
        backward: The model for words of the target language.
        warnings: What the user should know.
        mapping: A better map than the one that was calibrated, to take its place; None if there
            is none.
        doubtful: Seeds that look wrong, the worst first.
    """

    second: LinearMap
    candidates: int
    forward: CandidateModel | None = None
    backward: CandidateModel | None = None
    warnings: tuple[str, ...] = ()
    mapping: LinearMap | None = None
    doubtful: tuple[tuple[str, str], ...] = ()

    def model(self, *, reverse: bool) -> CandidateModel | None:
        """Return the model of one direction."""
        return self.backward if reverse else self.forward


class Calibrator(Protocol):
    """Learns how far the candidates of a trained map can be trusted."""

    def calibrate(
        self,
        pair: SpacePair,
        lexicon: IndexedLexicon,
        mapping: LinearMap,
        *,
        strategy: Strategy,
        retrieval: Retriever,
        rng: torch.Generator,
        on_part: Progress | None = None,
    ) -> Calibration:
        """Return candidate models for both directions of a trained map.

        Args:
            pair: The normalized spaces.
            lexicon: The seeds.
            mapping: The map that was trained on all of them.
            strategy: How it was trained.
            retrieval: How candidates are found.
            rng: Where all chance comes from.
            on_part: Told of each part of the work that is done.
        """
        ...
