"""Rejected words that are asked again because a new model has other candidates for them."""

from __future__ import annotations

from dataclasses import replace

from bilex.review.project import Candidate, ReviewItem, ReviewWord
from bilex.review.projection import ReviewedEntry


def fresh_candidates(word: ReviewWord, entry: ReviewedEntry) -> tuple[Candidate, ...]:
    """Return the candidates of a word that nobody has rejected."""
    decisions = (*entry.earlier, *entry.decisions)
    rejected = {target for event in decisions for target in event.rejected}
    return tuple(each for each in word.candidates if each.target not in rejected)


def returns(word: ReviewWord, entry: ReviewedEntry, model: str) -> bool:
    """Return whether a word is asked again.

    It is if all candidates of other models were rejected, and the present one has a candidate that
    nobody has rejected. After a decision or a skip, the word waits for the next model. A decision
    that names neither a model nor candidates is about the word itself, whatever the model.

    Args:
        word: The word with the candidates of the present model; it must be in the project's list.
        entry: What was decided.
        model: The present model.
    """
    return (
        entry.state == "rejected"
        and model not in entry.passed
        and all(event.model != model and (event.model or event.shown) for event in entry.decisions)
        and bool(fresh_candidates(word, entry))
    )


def as_asked(item: ReviewItem) -> ReviewWord:
    """Return a word as a queue asks it: if it is asked again, with fresh candidates only."""
    if not item.again:
        return item.word
    return replace(item.word, candidates=fresh_candidates(item.word, item.entry))
