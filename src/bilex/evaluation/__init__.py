"""Score translations against a gold lexicon, by the rules of published benchmarks."""

from __future__ import annotations

from bilex.candidates.answering import Ranker
from bilex.evaluation.outcomes import Outcome
from bilex.evaluation.results import Evaluation, LemmaScores, Scores, Share
from bilex.evaluation.scoring import Evaluable, evaluate, score_rankers
from bilex.evaluation.scoring_rules import SCORING_RULES, ScoringRules, resolve_rules

__all__ = [
    "SCORING_RULES",
    "Evaluable",
    "Evaluation",
    "LemmaScores",
    "Outcome",
    "Ranker",
    "Scores",
    "ScoringRules",
    "Share",
    "evaluate",
    "resolve_rules",
    "score_rankers",
]
