"""Translate words: look up their vectors, find and rank candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch

from bilex.answers import AnswerTable, Candidate, Translation
from bilex.candidates.lists import Queries
from bilex.candidates.ranking import RankedCandidates, Ranking, check_k
from bilex.oov import ResolvedWord, Vocabulary
from bilex.protocols import SearchIndex
from bilex.retrieval import Side
from bilex.values import Matrix

Ranker = Callable[[Sequence[str], int], Sequence[Translation]]
"""Returns one `Translation` per word, in order, with at most k candidates each."""

Found = list[tuple[Candidate, ...]]
"""The candidates of some words, best first."""


class Answers(NamedTuple):
    """How candidates are found.

    Attributes:
        known: For words of the vocabulary.
        other: For other words, given their normalized vectors.
    """

    known: Callable[[Sequence[str]], Found]
    other: Callable[[Sequence[str], Matrix], Found]


def translate(words: Sequence[str], vocabulary: Vocabulary, answers: Answers) -> list[Translation]:
    """Return one `Translation` for each word, in order; an unknown word has no candidates.

    A word that stands for one word of the vocabulary, such as its lemma, has the candidates of
    that word.
    """
    index = vocabulary.space.index
    others = {word: vocabulary.resolve(word) for word in words if word not in index}
    names = {word: word for word in words if word in index}
    for word, resolved in others.items():
        if len(resolved.parts) == 1 and resolved.parts[0] in index:
            names[word] = resolved.parts[0]
    vectors = {
        word: resolved.vector
        for word, resolved in others.items()
        if resolved.vector is not None and word not in names
    }
    # Known and other words are separate batches: a matrix product may round a row differently in
    # another batch, and other words in the request must not change the result of a known word.
    known = list(dict.fromkeys(names.values()))
    of_known = dict(zip(known, answers.known(known), strict=True)) if known else {}
    found = {word: of_known[name] for word, name in names.items()}
    if vectors:
        rows = torch.stack(list(vectors.values()))
        found |= zip(vectors, answers.other(list(vectors), rows), strict=True)
    return [
        _translation(word, found.get(word, ()), others[word])
        if word in others
        else Translation(word, found[word])
        for word in words
    ]


def answers_by_score(index: SearchIndex, source: Side, target: Side, k: int) -> Answers:
    """Return the k best candidates by score."""

    def search(vectors: Matrix) -> Found:
        return index.search(source.carry(vectors), k=k).named(target.space.words)

    return Answers(
        known=lambda words: search(source.space.vectors[source.space.rows(words)]),
        other=lambda words, vectors: search(vectors),
    )


def ranker_by_score(
    index: SearchIndex, source: Side, target: Side, vocabulary: Vocabulary | None = None
) -> Ranker:
    """Return a function that translates by score; without `vocabulary`, known words only."""
    words_of = vocabulary or Vocabulary(source.space, source.normalization)
    return lambda words, k: translate(words, words_of, answers_by_score(index, source, target, k))


def answers_by_ranking(ranking: Ranking, k: int) -> Answers:
    """Return the k best candidates, in the order of the candidate model.

    Candidates beyond `ranking.depth` follow in the order of their scores, without a probability.

    Raises:
        SettingError: If k < 1.
    """
    check_k(k)
    direction = ranking.direction
    if ranking.model is None:
        return answers_by_score(direction.forward, direction.source, direction.target, k)
    space, block = direction.source.space, ranking.words_at_once(k)

    def rank(queries: Queries) -> Found:
        ranked = ranking.rank(queries, k=k)
        return [candidates[:k] for candidates in _named(ranked, direction.target)]

    def known(words: Sequence[str]) -> Found:
        rows = space.rows(words).to(space.vectors.device)
        return [one for part in torch.split(rows, block) for one in rank(direction.queries(part))]

    def other(words: Sequence[str], vectors: Matrix) -> Found:
        found: Found = []
        for start in range(0, len(words), block):
            part = slice(start, start + block)
            size = len(words[part])
            rarest = torch.full((size,), float(len(space)), device=vectors.device)
            found += rank(Queries(words[part], vectors[part], rarest))
        return found

    return Answers(known, other)


def answers_from_table(table: AnswerTable, ranking: Ranking, k: int) -> Answers:
    """Return the k best candidates, by looking up words of the vocabulary in a table."""
    answers = answers_by_ranking(ranking, k)
    source, target = ranking.direction.source.space, ranking.direction.target.space
    if k > table.depth and table.depth < len(target):
        return answers

    def known(words: Sequence[str]) -> Found:
        return table.candidates([source.index[word] for word in words], k, target.words)

    return answers._replace(known=known)


def _named(ranked: RankedCandidates, target: Side) -> list[tuple[Candidate, ...]]:
    names = target.space.words
    return [
        tuple(Candidate(names[i], score, chance) for i, score, chance in zip(*row, strict=True))
        for row in zip(ranked.ids.tolist(), ranked.scores.tolist(), ranked.chances(), strict=True)
    ]


def _translation(
    word: str, candidates: tuple[Candidate, ...], resolved: ResolvedWord
) -> Translation:
    return Translation(word, candidates, resolved.how, resolved.parts, resolved.missing)
