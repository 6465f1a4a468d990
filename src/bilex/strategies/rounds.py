"""What strategies of several rounds share: their moves, any of which may be left out."""

from __future__ import annotations

import torch

from bilex.errors import EmptyLexiconError
from bilex.protocols import LexiconMessage, Prior, PriorMessage, SupervisedStep, UnsupervisedStep
from bilex.supervised.procrustes import Procrustes
from bilex.values import IndexedLexicon, LinearMap, OnRound, Round, SpacePair


def learn(
    step: SupervisedStep | None,
    pair: SpacePair,
    pairs: IndexedLexicon,
    start: LinearMap | None,
    rng: torch.Generator,
) -> LinearMap:
    """Learn a map from pairs; without a step it is the start, or else Procrustes' map."""
    if step is not None:
        return step.fit_map(pair, pairs, rng=rng, start=start)
    return start if start is not None else Procrustes().fit_map(pair, pairs, rng=rng)


def believe(message: PriorMessage | None, pair: SpacePair, mapping: LinearMap) -> Prior | None:
    """Turn a map into a belief about pairs; without a message there is none."""
    return None if message is None else message.make_prior(pair, mapping)


def align(
    step: UnsupervisedStep | None,
    pair: SpacePair,
    start: LinearMap,
    belief: Prior | None,
    rng: torch.Generator,
) -> LinearMap:
    """Improve a map by the shape of the spaces; without a step it stays as it is."""
    return start if step is None else step.fit_map(pair, rng=rng, start=start, prior=belief)


def extend(
    message: LexiconMessage | None,
    pair: SpacePair,
    mapping: LinearMap,
    lexicon: IndexedLexicon,
) -> IndexedLexicon:
    """Add the pairs a map is sure of to the given ones; without a message there are none."""
    return lexicon if message is None else message.extend(pair, mapping, lexicon)


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
    if known is None:
        if not len(lexicon):
            raise EmptyLexiconError("no seed pair and no start: give either")
        return lexicon
    return extend(message, pair, known, lexicon)


def restored(resume: Round | None, role: str, rng: torch.Generator) -> tuple[int, LinearMap | None]:
    """Return how many rounds are done and the map in this role, and set the chance back."""
    if resume is None:
        return 0, None
    rng.set_state(resume.rng_state)
    return resume.number, resume.maps[role]


def told(on_round: OnRound | None, done: Round) -> None:
    """Tell of a finished round, if somebody listens."""
    if on_round is not None:
        on_round(done)
