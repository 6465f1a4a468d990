"""Two spaces and the map between them: what a trained model asks for translations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from bilex.protocols import Retriever, SearchIndex
from bilex.unknown_words import Speller, Spelling, Subwords, Vocabulary
from bilex.values import (
    Candidate,
    Compute,
    EmbeddingSpace,
    InducedEntry,
    LinearMap,
    Matrix,
    Normalization,
    Progress,
    Translation,
    Vector,
)

_QUERIES_AT_ONCE = 16_384  # between two reports of progress


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


def translate(
    words: Sequence[str],
    k: int,
    *,
    asked: Side,
    answering: Side,
    index: SearchIndex,
    spellers: Sequence[Speller] = (),
) -> list[Translation]:
    """Return one `Translation` for each word, in order; an unknown word has no candidates."""
    vocabulary = asked.vocabulary(spellers)
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
            hits = index.search(asked.carry(rows), k=k)
            candidates.update(zip(vectors, hits.named(answering.space.words), strict=True))
    return [_answer(word, candidates.get(word, ()), found[word]) for word in words]


def _answer(word: str, candidates: tuple[Candidate, ...], spelling: Spelling) -> Translation:
    if spelling.how == "known":
        return Translation(word, candidates)
    return Translation(word, candidates, spelling.how, spelling.parts, spelling.missing)


def induce(
    k: int,
    *,
    asked: Side,
    answering: Side,
    there: SearchIndex,
    back: SearchIndex,
    on_block: Progress | None = None,
) -> Iterator[InducedEntry]:
    """Yield the k best translations of every word of one side, most frequent word first."""
    n, total = len(asked.space), len(asked.space) + len(answering.space)
    favorites: list[int] = []  # of each answer among the words asked
    for block in _blocks(len(answering.space)):
        rows = answering.carry(answering.space.vectors[block])
        favorites.extend(back.search(rows, k=1).ids[:, 0].tolist())
        _report(on_block, len(favorites), total)
    for block in _blocks(n):
        found = there.search(asked.carry(asked.space.vectors[block]), k=k)
        pairs = zip(found.ids.tolist(), found.scores.tolist(), strict=True)
        for row, (ids, scores) in enumerate(pairs, start=block.start):
            word = asked.space.words[row]
            for rank, (i, score) in enumerate(zip(ids, scores, strict=True), start=1):
                mutual = rank == 1 and favorites[i] == row
                yield InducedEntry(word, answering.space.words[i], score, rank, mutual)
        _report(on_block, len(favorites) + min(block.stop, n), total)


def _blocks(rows: int) -> Iterator[slice]:
    return (slice(i, i + _QUERIES_AT_ONCE) for i in range(0, rows, _QUERIES_AT_ONCE))


def _report(on_block: Progress | None, done: int, total: int) -> None:
    if on_block is not None:
        on_block(done, total)
