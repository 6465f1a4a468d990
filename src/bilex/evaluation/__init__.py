"""Scoring translations against a gold lexicon, by the protocols the field publishes with."""

from __future__ import annotations

from bilex.aligned import Ranker
from bilex.evaluation.named_protocols import PROTOCOLS, Protocol, resolve_protocol
from bilex.evaluation.outcomes import Outcome
from bilex.evaluation.results import Evaluation, Scores, Share
from bilex.evaluation.scoring import evaluate

__all__ = [
    "PROTOCOLS",
    "Evaluation",
    "Outcome",
    "Protocol",
    "Ranker",
    "Scores",
    "Share",
    "evaluate",
    "resolve_protocol",
]
