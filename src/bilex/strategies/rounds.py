"""What all strategies of several rounds share: beginning, telling, resuming."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from bilex.errors import EmptyLexiconError
from bilex.protocols import LexiconMessage
from bilex.supervised.procrustes import Procrustes
from bilex.values import IndexedLexicon, LinearMap, OnRound, Round, SpacePair


def first_pairs(
    pair: SpacePair,
    lexicon: IndexedLexicon,
    known: LinearMap | None,
    message: LexiconMessage | None,
) -> IndexedLexicon:
    """Return the pairs of the first round.

    These are the given ones, unless a map is known already: the last one of an interrupted run,
    or a start that must do without seeds. What it is sure of is then added.
    """
    if known is not None and message is not None:
        return message.extend(pair, known, lexicon)
    if not len(lexicon) and known is None:
        raise EmptyLexiconError("no seed pair and no start: give either")
    return lexicon


def first_map(
    pair: SpacePair, pairs: IndexedLexicon, start: LinearMap | None, rng: torch.Generator
) -> LinearMap:
    """Return the start if there is one, else Procrustes on the pairs."""
    return start if start is not None else Procrustes().fit_map(pair, pairs, rng=rng)


def restored(resume: Round | None, role: str, rng: torch.Generator) -> tuple[int, LinearMap | None]:
    """Return how many rounds are done and the map in this role, and set the chance back."""
    if resume is None:
        return 0, None
    rng.set_state(resume.rng_state)
    return resume.number, resume.maps[role]


def told(
    on_round: OnRound | None,
    number: int,
    total: int,
    maps: Mapping[str, LinearMap],
    best: str,
    pairs: IndexedLexicon,
    rng: torch.Generator,
) -> None:
    """Tell of a finished round, if somebody listens."""
    if on_round is not None:
        on_round(Round(number, total, maps, best, len(pairs), rng.get_state()))
