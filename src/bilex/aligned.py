"""Two spaces and the map between them: what a trained model asks for translations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from bilex.protocols import Retriever, SearchIndex
from bilex.unknown_words import Speller, Spelling, Subwords, Vocabulary
from bilex.values import (
    Candidate,
    Compute,
    EmbeddingSpace,
    LinearMap,
    Matrix,
    Normalization,
    Translation,
    Vector,
)


@dataclass(frozen=True, eq=False)
class Side:
    """One language: its normalized space, how it was normalized, and its map into the target."""

    space: EmbeddingSpace
    normalization: Normalization
    mapping: LinearMap | None = None  # None: already there

    def carry(self, rows: Matrix) -> Matrix:
        """Bring normalized rows into the target space."""
        return rows if self.mapping is None else self.mapping.apply(rows)

    def vocabulary(self, spellers: Sequence[Speller] = ()) -> Vocabulary:
        """Return what can be asked for any word; the space's own subwords are asked last."""
        subwords = self.space.subwords
        chain = (*spellers, *(() if subwords is None else (Subwords(subwords),)))
        return Vocabulary(self.space, self.normalization, chain)


def build_index(
    retrieval: Retriever,
    asked: Side,
    answering: Side,
    *,
    compute: Compute,
    penalties: Vector | None = None,
) -> SearchIndex:
    """Index the answering side for questions from the other."""
    candidates = answering.carry(answering.space.vectors)
    if penalties is not None:
        penalties = penalties.to(candidates)
    queries = asked.carry(asked.space.vectors)
    return retrieval.build(candidates, queries, compute=compute, penalties=penalties)


Ranker = Callable[[Sequence[str], int], Sequence[Translation]]
"""From words and k to one `Translation` a word, in order, with at most k candidates each."""

Answer = Callable[[Sequence[str], Matrix, bool], list[tuple[Candidate, ...]]]
"""Answers words, given their normalized vectors and whether they are of the vocabulary."""


def answer_by(index: SearchIndex, asked: Side, answering: Side, k: int) -> Answer:
    """Return a function that answers with the k best by score."""

    def answer(words: Sequence[str], vectors: Matrix, known: bool) -> list[tuple[Candidate, ...]]:
        return index.search(asked.carry(vectors), k=k).named(answering.space.words)

    return answer


def ranker(index: SearchIndex, asked: Side, answering: Side) -> Ranker:
    """Return a function that translates words with so many candidates each, by score."""
    return lambda words, k: translate(
        words, asked.vocabulary(), answer_by(index, asked, answering, k)
    )


def translate(words: Sequence[str], vocabulary: Vocabulary, answer: Answer) -> list[Translation]:
    """Return one `Translation` for each word, in order; an unknown word has no candidates."""
    found = {word: vocabulary.spell(word) for word in words}
    candidates: dict[str, tuple[Candidate, ...]] = {}
    # Apart: a product may round a row otherwise in other company, and the answer for a known word
    # shall be the same, to the last bit, whatever is spelled beside it.
    for known in (True, False):
        vectors = {
            word: spelling.vector
            for word, spelling in found.items()
            if spelling.vector is not None and (spelling.how == "known") == known
        }
        if vectors:
            rows = torch.stack(list(vectors.values()))
            answers = answer(list(vectors), rows, known)
            candidates.update(zip(vectors, answers, strict=True))
    return [_answer(word, candidates.get(word, ()), found[word]) for word in words]


def _answer(word: str, candidates: tuple[Candidate, ...], spelling: Spelling) -> Translation:
    if spelling.how == "known":
        return Translation(word, candidates)
    return Translation(word, candidates, spelling.how, spelling.parts, spelling.missing)
