"""Functions shared by strategies with several rounds; any step of a round may be left out."""

from __future__ import annotations

import torch

from bilex.alignment.supervised.procrustes import Procrustes
from bilex.errors import EmptyLexiconError, SettingError
from bilex.protocols import LexiconMessage, Prior, PriorMessage, SupervisedStep, UnsupervisedStep
from bilex.values import IndexedLexicon, LinearMap, OnRound, Round, SpacePair


def learn(
    step: SupervisedStep | None,
    spaces: SpacePair,
    pairs: IndexedLexicon,
    start: LinearMap | None,
    rng: torch.Generator,
) -> LinearMap:
    """Learn a map from pairs; without a step, return the start or the map of Procrustes."""
    if step is not None:
        return step.fit_map(spaces, pairs, rng=rng, start=start)
    return start if start is not None else Procrustes().fit_map(spaces, pairs, rng=rng)


def make_prior(message: PriorMessage | None, spaces: SpacePair, mapping: LinearMap) -> Prior | None:
    """Turn a map into a prior over word pairs; without a message, return None."""
    return None if message is None else message.make_prior(spaces, mapping)


def align(
    step: UnsupervisedStep | None,
    spaces: SpacePair,
    start: LinearMap,
    prior: Prior | None,
    rng: torch.Generator,
) -> LinearMap:
    """Improve a map by the geometry of the spaces; without a step, return the start."""
    return start if step is None else step.fit_map(spaces, rng=rng, start=start, prior=prior)


def extend(
    message: LexiconMessage | None,
    spaces: SpacePair,
    mapping: LinearMap,
    lexicon: IndexedLexicon,
) -> IndexedLexicon:
    """Append the pairs that a map finds to the given ones; without a message, append none."""
    return lexicon if message is None else message.extend(spaces, mapping, lexicon)


def first_pairs(
    spaces: SpacePair,
    lexicon: IndexedLexicon,
    known: LinearMap | None,
    message: LexiconMessage | None,
) -> IndexedLexicon:
    """Return the pairs of the first round.

    These are the given pairs. If there is a map already, from an interrupted run or from the start
    of a run without seeds, the pairs that it finds are appended.
    """
    if known is None:
        if not len(lexicon):
            raise EmptyLexiconError("there are no seed pairs and no start: give one of the two")
        return lexicon
    return extend(message, spaces, known, lexicon)


def restored(resume: Round | None, role: str, rng: torch.Generator) -> tuple[int, LinearMap | None]:
    """Return the number of finished rounds and the map of this name; restore the generator."""
    if resume is None:
        return 0, None
    if role not in resume.maps:
        raise SettingError(
            f"the round to resume has the maps {', '.join(resume.maps)}, expected {role!r}: it is "
            "from another strategy; train from the beginning"
        )
    rng.set_state(resume.rng_state)
    return resume.number, resume.maps[role]


def notify(on_round: OnRound | None, done: Round) -> None:
    """Report a finished round, if a callback was given."""
    if on_round is not None:
        on_round(done)
