"""What a model is asked about, and the columns that its ratings make."""

from __future__ import annotations

from collections.abc import Mapping

from bilex.candidates.features import Candidates, Columns, over_best_rival
from bilex.evidence.kept_ratings import Pair


def best_candidates(candidates: Candidates, most: int) -> dict[str, tuple[str, ...]]:
    """Return the best candidates of each word by score."""
    names = candidates.direction.target.space.words
    best = candidates.lists.ids[:, :most].tolist()
    return {
        word: tuple(dict.fromkeys(names[i] for i in row))
        for word, row in zip(candidates.queries.words, best, strict=True)
    }


def rating_columns(
    candidates: Candidates, ratings: Mapping[Pair, float | None], names: tuple[str, str, str]
) -> Columns:
    """Return the ratings, their lead over the best other one, and whether there is one.

    Args:
        candidates: Words and their candidates.
        ratings: The ratings of pairs of them; a pair without one counts as 0.
        names: Of the columns.
    """
    lists, words = candidates.lists, candidates.direction.target.space.words
    found = [
        [ratings.get((word, words[i])) for i in row]
        for word, row in zip(candidates.queries.words, lists.ids.tolist(), strict=True)
    ]
    rated = lists.scores.new_tensor([[one or 0.0 for one in row] for row in found])
    known = lists.scores.new_tensor([[float(one is not None) for one in row] for row in found])
    return dict(zip(names, (rated, over_best_rival(rated), known), strict=True))
