"""Whether the candidates of words with known translations are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from bilex.aligned import Side, build_index
from bilex.calibration.candidate_lists import Direction, list_candidates
from bilex.calibration.evidence import evidence
from bilex.calibration.judging import words_at_once
from bilex.calibration.learning import JudgedCandidates
from bilex.protocols import Retriever
from bilex.values import Compute, IndexedLexicon, LinearMap, Normalization, SpacePair

Gold = Mapping[int, frozenset[int]]
"""The right answers of each word, as rows."""


def make_direction(
    pair: SpacePair, mapping: LinearMap, second: LinearMap, retrieval: Retriever
) -> Direction:
    """Return a map ready to be asked for translations of the source language."""
    source = Side(pair.source, Normalization(), mapping)
    target = Side(pair.target, Normalization())
    there, back = (
        build_index(retrieval, *sides, compute=pair.compute)
        for sides in ((source, target), (target, source))
    )
    return Direction(source, target, there, back, second)


def judge(
    direction: Direction, gold: Gold, features: Sequence[str], candidates: int, compute: Compute
) -> JudgedCandidates:
    """List the candidates of held-out words, and tell which are right."""
    device = direction.asked.space.vectors.device
    everyone = torch.tensor(sorted(gold), dtype=torch.long, device=device)
    blocks = torch.split(everyone, words_at_once(direction, candidates, compute))
    return join([_judge_rows(direction, rows, gold, features, candidates) for rows in blocks])


def _judge_rows(
    direction: Direction,
    rows: torch.Tensor,
    gold: Gold,
    features: Sequence[str],
    candidates: int,
) -> JudgedCandidates:
    asked = direction.words(rows)
    lists = list_candidates(direction, asked, k=candidates)
    right = [
        [float(i in gold[row]) for i in ids]
        for row, ids in zip(rows.tolist(), lists.ids.tolist(), strict=True)
    ]
    return JudgedCandidates(
        features=evidence(direction, asked, lists, features).cpu(),
        right=torch.tensor(right).reshape(lists.ids.shape),
        frequency_ranks=asked.frequency_ranks.cpu(),
        vocabulary=len(direction.asked.space),
    )


def join(parts: Sequence[JudgedCandidates]) -> JudgedCandidates:
    """Return all words of all parts, in order."""
    return JudgedCandidates(
        features=torch.cat([part.features for part in parts]),
        right=torch.cat([part.right for part in parts]),
        frequency_ranks=torch.cat([part.frequency_ranks for part in parts]),
        vocabulary=parts[0].vocabulary,
    )


def gold_of(lexicon: IndexedLexicon, away: torch.Tensor, *, reverse: bool) -> Gold:
    """Return the right answers of the words all of whose pairs were held out."""
    asked, answers = lexicon.source_ids, lexicon.target_ids
    if reverse:
        asked, answers = answers, asked
    seen = torch.isin(asked, asked[~away])
    return IndexedLexicon(asked, answers, lexicon.weights).take(~seen).answers
