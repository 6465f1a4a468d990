"""The candidates of a word, and the backward translations of each candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import torch

from bilex.candidates.forms import Forms
from bilex.candidates.paths import Paths
from bilex.candidates.word_parts import WordPairs, WordParts, find_pairs
from bilex.protocols import Retriever, SearchIndex
from bilex.retrieval import Side, build_index, scores_at
from bilex.values import (
    Compute,
    IndexedLexicon,
    LinearMap,
    Matrix,
    Neighbors,
    Normalization,
    SpacePair,
    Vector,
    unit_rows,
)

SHARPNESS = 10.0
"""Inverse temperature of the softmax over scores: a CSLS difference of 0.1 is a factor of e."""

BACK_DEPTH = 20
"""How many backward translations of a candidate are searched for the word."""

_SAME = 1e-6  # rounding difference between the scores of one pair, searched from either side


@dataclass(frozen=True, eq=False)
class Queries:
    """Words to translate: their vectors are normalized, but not yet mapped."""

    words: Sequence[str]
    vectors: Matrix
    frequency_ranks: Vector  # from 1
    rows: torch.Tensor | None = None  # in the vocabulary; None for words outside it


@dataclass(frozen=True, eq=False)
class Direction:
    """A trained map used in one direction: from the words of `source` to candidates of `target`.

    Attributes:
        source: The side of the words.
        target: The side of the candidates.
        forward: Finds candidates for words.
        backward: Finds words for candidates.
        second: A second map between the same spaces, for features; None if there is none.
        paths: Paths between the languages through a third one, for more candidates and for
            features; None if there are none.
        reverse: Whether words are of the target language of the pair, and candidates of the source
            language.
        known_pairs: Words that are each other's nearest under the map, for features; None if they
            have to be searched.
        seeds: Pairs that are known to be translations, for features; None if there are none.
    """

    source: Side
    target: Side
    forward: SearchIndex
    backward: SearchIndex
    second: LinearMap | None = None
    paths: Paths | None = None
    reverse: bool = False
    known_pairs: WordPairs | None = None
    seeds: WordPairs | None = None

    @cached_property
    def pairs(self) -> WordPairs:
        """Return words that are each other's nearest under the map."""
        return (
            find_pairs(self.source, self.target) if self.known_pairs is None else self.known_pairs
        )

    @cached_property
    def word_parts(self) -> WordParts:
        """Return which beginnings and endings of words go together."""
        return WordParts(self.pairs, self.source.space, self.target.space)

    @cached_property
    def forms(self) -> Forms:
        """Return which forms of words the seeds use."""
        return Forms(self.seeds, self.source.space, self.target.space)

    @cached_property
    def targets(self) -> Matrix:
        """Return all candidates as unit rows in the target space."""
        return _mapped(self.target)

    @cached_property
    def second_source(self) -> Side:
        """Return the side of the words under the second map."""
        return _under(self.second, self.source)

    @cached_property
    def second_targets(self) -> Matrix:
        """Return all candidates as unit rows under the second map."""
        side = _under(self.second, self.target)
        return self.targets if side is self.target else _mapped(side)

    def reversed(self) -> Self:
        """Return the same map used in the other direction."""
        return replace(
            self,
            source=self.target,
            target=self.source,
            forward=self.backward,
            backward=self.forward,
            paths=None if self.paths is None else self.paths.reversed(),
            reverse=not self.reverse,
            known_pairs=None if self.known_pairs is None else self.known_pairs.reversed(),
            seeds=None if self.seeds is None else self.seeds.reversed(),
        )

    def with_pairs(self, compute: Compute) -> Self:
        """Search pairs of words now, unless they are known; return a direction that knows them."""
        if self.known_pairs is not None:
            return self
        return replace(self, known_pairs=find_pairs(self.source, self.target, compute))

    def queries(self, rows: torch.Tensor) -> Queries:
        """Return words of the vocabulary as queries."""
        space = self.source.space
        return Queries(
            words=[space.words[row] for row in rows.tolist()],
            vectors=space.vectors[rows],
            frequency_ranks=rows + 1.0,
            rows=rows,
        )


def make_direction(
    spaces: SpacePair,
    mapping: LinearMap,
    second: LinearMap,
    retrieval: Retriever,
    seeds: IndexedLexicon | None = None,
) -> Direction:
    """Return the forward direction of a map between normalized spaces.

    Args:
        spaces: The normalized spaces.
        mapping: The map.
        second: A second map, for features.
        retrieval: Finds candidates.
        seeds: What the maps were trained on, for features.
    """
    source = Side(spaces.source, Normalization(), mapping)
    target = Side(spaces.target, Normalization())
    index = build_index(retrieval, source, target, compute=spaces.compute)
    known = None if seeds is None else WordPairs.of(seeds)
    return Direction(source, target, index.forward, index.backward, second, seeds=known)


class BackwardLists:
    """The best backward scores of candidates; searched when first needed, then cached."""

    def __init__(self, direction: Direction) -> None:
        self._direction = direction
        targets = direction.targets
        depth = min(BACK_DEPTH + 1, len(direction.source.space))
        self._scores = targets.new_empty(0, depth)
        self._place = torch.full((len(targets),), -1, dtype=torch.long, device=targets.device)

    @classmethod
    def of(cls, direction: Direction, found: Neighbors) -> Self:
        """Return the lists of all candidates, from a finished search."""
        lists = cls(direction)
        lists._scores = found.scores[:, : lists._scores.shape[1]]
        lists._place = torch.arange(len(found.scores), device=found.scores.device)
        return lists

    def add(self, ids: torch.Tensor) -> None:
        """Search backward from the candidates that are not cached yet."""
        new = torch.unique(ids[self._place[ids] < 0])
        if not len(new):
            return
        target = self._direction.target
        mapped = target.carry(target.space.vectors[new])
        found = self._direction.backward.search(mapped, k=self._scores.shape[1], rows=new)
        first = len(self._scores)
        self._place[new] = torch.arange(first, first + len(new), device=ids.device)
        self._scores = torch.cat([self._scores, found.scores])

    def __getitem__(self, ids: torch.Tensor) -> Matrix:
        """Return the scores of each candidate, best first: (*ids.shape, depth)."""
        self.add(ids)
        return self._scores[self._place[ids]]


@dataclass(frozen=True, eq=False)
class CandidateLists:
    """The best candidates of some words, with measurements of each pair: (n_words, k)."""

    ids: torch.Tensor
    scores: Matrix  # of the retriever, CSLS by default
    back_ranks: torch.Tensor  # rank of the word among the backward translations, from 1
    rivals: Matrix  # best score of the candidate with any other word
    back_mass: Matrix  # log-sum-exp of the candidate's backward scores

    def first(self, k: int) -> Self:
        """Return the k best of each word."""
        return type(self)(
            self.ids[:, :k],
            self.scores[:, :k],
            self.back_ranks[:, :k],
            self.rivals[:, :k],
            self.back_mass[:, :k],
        )


def list_candidates(
    direction: Direction,
    queries: Queries,
    *,
    k: int,
    backward: BackwardLists | None = None,
    found: Neighbors | None = None,
) -> CandidateLists:
    """Find the k best candidates of each word, and measure each pair in both directions.

    If there are paths through a third language, up to half of the candidates are those that the
    most probable paths lead to. All are in the order of their scores.

    Args:
        direction: The trained map.
        queries: The words.
        k: Candidates per word; all of the vocabulary if it has fewer words.
        backward: Cached backward scores, shared by several calls.
        found: The best candidates of the words, if already searched.
    """
    if found is None:
        mapped = direction.source.carry(queries.vectors)
        found = direction.forward.search(mapped, k=k, rows=queries.rows)
    ids, scores = _with_proposals(direction, queries, found.ids[:, :k], found.scores[:, :k])
    theirs = (BackwardLists(direction) if backward is None else backward)[ids]  # (n, k, depth)
    best = theirs[..., 0]
    ahead = theirs > scores[..., None] + _SAME
    own = (theirs[..., :1] <= scores[..., None] + _SAME).squeeze(-1)  # no other word is better
    runner_up = theirs[..., 1] if theirs.shape[-1] > 1 else scores
    return CandidateLists(
        ids=ids,
        scores=scores,
        back_ranks=1 + ahead.sum(-1),
        rivals=torch.where(own, runner_up, best) if queries.rows is not None else best,
        back_mass=(SHARPNESS * theirs[..., :BACK_DEPTH]).logsumexp(-1),
    )


def _with_proposals(
    direction: Direction, queries: Queries, ids: torch.Tensor, scores: Matrix
) -> tuple[torch.Tensor, Matrix]:
    """Replace candidates of the second half by those that paths lead to, if there are any."""
    k, rows = ids.shape[1], queries.rows
    kept = k - k // 2
    if direction.paths is None or rows is None or kept == k:
        return ids, scores
    proposed, chances = direction.paths.proposals(rows, k)
    chances = chances.masked_fill((proposed[..., None] == ids[:, None, :kept]).any(-1), 0)
    best = chances.topk(min(k - kept, chances.shape[1]), dim=1)
    proposed = proposed.gather(1, best.indices)
    mapped = direction.source.carry(queries.vectors)
    their_scores = scores_at(direction.forward, mapped, proposed, rows=rows)
    if their_scores is None:
        return ids, scores
    # First the kept half, then what paths lead to, then the rest; a candidate counts once.
    used = best.values > 0
    repeated = ((ids[:, kept:, None] == proposed[:, None]) & used[:, None]).any(-1)
    order = torch.cat(
        [
            torch.zeros_like(scores[:, :kept]),
            torch.where(used, 1.0, torch.inf),
            torch.where(repeated, torch.inf, 2.0),
        ],
        dim=1,
    )
    chosen = order.argsort(dim=1, stable=True)[:, :k]
    ids = torch.cat([ids[:, :kept], proposed, ids[:, kept:]], dim=1).gather(1, chosen)
    scores = torch.cat([scores[:, :kept], their_scores, scores[:, kept:]], dim=1).gather(1, chosen)
    sorted_scores, places = scores.sort(dim=1, descending=True, stable=True)
    return ids.gather(1, places), sorted_scores


def _mapped(side: Side) -> Matrix:
    return unit_rows(side.carry(side.space.vectors))


def _under(second: LinearMap | None, side: Side) -> Side:
    return side if side.mapping is None or second is None else replace(side, mapping=second)
