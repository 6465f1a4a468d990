"""Rank the candidates of every word of a vocabulary."""

from __future__ import annotations

import torch

from bilex.answers import AnswerTable
from bilex.candidates.lists import BACK_DEPTH, BackwardLists, Direction
from bilex.candidates.ranking import RankedCandidates, Ranking
from bilex.similarity import is_approximate
from bilex.values import Compute, Neighbors, Progress

_WORDS_AT_ONCE = 16_384  # between two reports of progress
_WORDS_OF_CELLS = 131_072  # the same for approximate searches: few words of a cell take long each


def rank_all(ranking: Ranking, k: int, on_block: Progress | None = None) -> RankedCandidates:
    """Return the best candidates of every word: k, or the depth of the ranking if that is more.

    Args:
        ranking: Ranks the candidates.
        k: Candidates per word.
        on_block: Called with the progress.
    """
    direction = ranking.direction
    steps = _Steps(2 * len(direction.source.space) + len(direction.target.space), on_block)
    theirs = _search_all(direction.reversed(), BACK_DEPTH + 1, ranking.compute, steps)
    mine = _search_all(direction, max(k, ranking.depth), ranking.compute, steps)
    return _rank(ranking, k, mine, theirs, steps)


def answer_all(
    forward: Ranking, backward: Ranking, k: int, on_block: Progress | None = None
) -> dict[bool, AnswerTable]:
    """Return the answers for every word of both languages; the key is whether it is the reverse.

    Each of the two searches is used in both directions.
    """
    sizes = len(forward.direction.source.space), len(forward.direction.target.space)
    steps = _Steps(2 * sum(sizes), on_block)
    depth = max(k, forward.depth, BACK_DEPTH + 1)
    ahead, back = (
        _search_all(each.direction, depth, each.compute, steps) for each in (forward, backward)
    )
    return {
        False: as_table(_rank(forward, k, ahead, back, steps)),
        True: as_table(_rank(backward, k, back, ahead, steps)),
    }


def from_table(table: AnswerTable) -> RankedCandidates:
    """Return the candidates of every word of a table."""
    chances = table.probabilities
    return RankedCandidates(
        ids=torch.from_numpy(table.ids),
        scores=torch.from_numpy(table.scores),
        back_ranks=torch.from_numpy(table.back_ranks),
        probabilities=None if chances is None else torch.from_numpy(chances),
    )


def as_table(found: RankedCandidates) -> AnswerTable:
    """Return the candidates of every word as a table."""
    chances = found.probabilities
    return AnswerTable(
        ids=found.ids.numpy(),
        scores=found.scores.numpy(),
        back_ranks=found.back_ranks.numpy(),
        probabilities=None if chances is None else chances.numpy(),
    )


class _Steps:
    """Counts words, each once for a search and once for a ranking."""

    def __init__(self, total: int, on_block: Progress | None) -> None:
        self._done, self._total, self._on_block = 0, total, on_block

    def add(self, words: int) -> None:
        self._done += words
        if self._on_block is not None:
            self._on_block(self._done, self._total)


def _search_all(direction: Direction, k: int, compute: Compute, steps: _Steps) -> Neighbors:
    ids, scores = [], []
    vectors, candidates = direction.source.space.vectors, len(direction.target.space)
    at_once = _WORDS_OF_CELLS if is_approximate(compute, candidates) else _WORDS_AT_ONCE
    for rows in torch.split(torch.arange(len(vectors), device=vectors.device), at_once):
        mapped = direction.source.carry(vectors[rows])
        found = direction.forward.search(mapped, k=k, rows=rows)
        ids.append(found.ids)
        scores.append(found.scores)
        steps.add(len(rows))
    return Neighbors(torch.cat(ids), torch.cat(scores))


def _rank(
    ranking: Ranking, k: int, mine: Neighbors, theirs: Neighbors, steps: _Steps
) -> RankedCandidates:
    """Rank the results of a forward search (`mine`) and a backward search (`theirs`)."""
    backward = BackwardLists.of(ranking.direction, theirs)
    parts: list[RankedCandidates] = []
    words = torch.arange(len(mine.ids), device=mine.ids.device)
    for rows in torch.split(words, ranking.words_at_once(k)):
        found = Neighbors(mine.ids[rows], mine.scores[rows])
        queries = ranking.direction.queries(rows)
        parts.append(_small(ranking.rank(queries, k=k, backward=backward, found=found)))
        steps.add(len(rows))
    chances = [part.probabilities for part in parts if part.probabilities is not None]
    return RankedCandidates(
        ids=torch.cat([part.ids for part in parts]),
        scores=torch.cat([part.scores for part in parts]),
        back_ranks=torch.cat([part.back_ranks for part in parts]),
        probabilities=torch.cat(chances) if chances else None,
    )


def _small(found: RankedCandidates) -> RankedCandidates:
    """Return the same numbers as compact types in CPU memory."""
    return RankedCandidates(
        ids=found.ids.to("cpu", torch.int32),
        scores=found.scores.cpu(),
        back_ranks=found.back_ranks.to("cpu", torch.int16),
        probabilities=None if found.probabilities is None else found.probabilities.cpu(),
    )
