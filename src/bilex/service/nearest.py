"""Words with similar vectors."""

from __future__ import annotations

from bilex.values import EmbeddingSpace


def nearest_words(space: EmbeddingSpace, word: str, number: int) -> tuple[str, ...]:
    """Return the words nearest to a word of the same language; none if it has no vector."""
    from bilex.similarity import topk

    row = space.index.get(word)
    if row is None:
        return ()
    found = topk(space.vectors[row : row + 1], space.vectors, number + 1).named(space.words)[0]
    return tuple(each.word for each in found if each.word != word)[:number]
