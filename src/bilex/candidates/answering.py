"""Translate words: look up their vectors, find and rank candidates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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

Answer = Callable[[Sequence[str], Matrix, bool], list[tuple[Candidate, ...]]]
"""Returns candidates of words, given their normalized vectors and whether the vocabulary has
them."""


Look = Callable[[Sequence[str]], list[tuple[Candidate, ...]]]
"""Returns candidates of words that the vocabulary has."""


def translate(
    words: Sequence[str], vocabulary: Vocabulary, answer: Answer, look: Look | None = None
) -> list[Translation]:
    """Return one `Translation` for each word, in order; an unknown word has no candidates.

    Args:
        words: The words.
        vocabulary: Finds their vectors.
        answer: Finds candidates by a vector.
        look: Finds candidates of words of the vocabulary without a vector; None if not possible.
    """
    if look is not None:
        index = vocabulary.space.index
        known_words = list(dict.fromkeys(word for word in words if word in index))
        looked_up = dict(zip(known_words, look(known_words), strict=True))
        others = translate([word for word in words if word not in index], vocabulary, answer)
        rest = iter(others)
        return [
            Translation(word, looked_up[word]) if word in looked_up else next(rest)
            for word in words
        ]
    found = {word: vocabulary.resolve(word) for word in words}
    candidates: dict[str, tuple[Candidate, ...]] = {}
    # Known and unknown words are separate batches: a matrix product may round a row differently in
    # another batch, and unknown words in the request must not change the result of a known word.
    for known in (True, False):
        vectors = {
            word: resolved.vector
            for word, resolved in found.items()
            if resolved.vector is not None and (resolved.how == "known") == known
        }
        if vectors:
            rows = torch.stack(list(vectors.values()))
            answers = answer(list(vectors), rows, known)
            candidates.update(zip(vectors, answers, strict=True))
    return [_translation(word, candidates.get(word, ()), found[word]) for word in words]


def answer_by_score(index: SearchIndex, source: Side, target: Side, k: int) -> Answer:
    """Return a function that finds the k best candidates by score."""

    def answer(words: Sequence[str], vectors: Matrix, known: bool) -> list[tuple[Candidate, ...]]:
        return index.search(source.carry(vectors), k=k).named(target.space.words)

    return answer


def ranker_by_score(
    index: SearchIndex, source: Side, target: Side, vocabulary: Vocabulary | None = None
) -> Ranker:
    """Return a function that translates by score; without `vocabulary`, known words only."""
    words_of = vocabulary or Vocabulary(source.space, source.normalization)
    return lambda words, k: translate(words, words_of, answer_by_score(index, source, target, k))


def answer_by_ranking(ranking: Ranking, k: int) -> Answer:
    """Return a function that finds the k best candidates, in the order of the candidate model.

    Candidates beyond `ranking.depth` follow in the order of their scores, without a probability.

    Raises:
        SettingError: If k < 1.
    """
    check_k(k)
    direction = ranking.direction
    if ranking.model is None:
        return answer_by_score(direction.forward, direction.source, direction.target, k)
    block = ranking.words_at_once(k)

    def answer(words: Sequence[str], vectors: Matrix, known: bool) -> list[tuple[Candidate, ...]]:
        found: list[tuple[Candidate, ...]] = []
        for start in range(0, len(words), block):
            part = slice(start, start + block)
            queries = _queries(ranking, words[part], vectors[part], known)
            ranked = ranking.rank(queries, k=k)
            found += [candidates[:k] for candidates in _named(ranked, direction.target)]
        return found

    return answer


def lookup_in(table: AnswerTable, ranking: Ranking, k: int) -> Look | None:
    """Return a function that looks up known words in a table; None if it has too few candidates."""
    source, target = ranking.direction.source.space, ranking.direction.target.space
    check_k(k)
    if k > table.depth and table.depth < len(target):
        return None

    def look(words: Sequence[str]) -> list[tuple[Candidate, ...]]:
        return table.candidates([source.index[word] for word in words], k, target.words)

    return look


def _queries(ranking: Ranking, words: Sequence[str], vectors: Matrix, known: bool) -> Queries:
    space = ranking.direction.source.space
    if known:
        return ranking.direction.queries(space.rows(words).to(vectors.device))
    rarest = torch.full((len(words),), float(len(space)), device=vectors.device)
    return Queries(words, vectors, rarest)


def _named(ranked: RankedCandidates, target: Side) -> list[tuple[Candidate, ...]]:
    names = target.space.words
    return [
        tuple(Candidate(names[i], score, chance) for i, score, chance in zip(*row, strict=True))
        for row in zip(ranked.ids.tolist(), ranked.scores.tolist(), ranked.chances(), strict=True)
    ]


def _translation(
    word: str, candidates: tuple[Candidate, ...], resolved: ResolvedWord
) -> Translation:
    if resolved.how == "known":
        return Translation(word, candidates)
    return Translation(word, candidates, resolved.how, resolved.parts, resolved.missing)
