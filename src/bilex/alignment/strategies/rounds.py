"""What strategies with several rounds share: their steps, any of which may be left out."""

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
    """Learn a map from pairs; without a step it is the start, or else Procrustes' map."""
    if step is not None:
        return step.fit_map(spaces, pairs, rng=rng, start=start)
    return start if start is not None else Procrustes().fit_map(spaces, pairs, rng=rng)


def make_prior(message: PriorMessage | None, spaces: SpacePair, mapping: LinearMap) -> Prior | None:
    """Turn a map into a prior over word pairs; without a message there is none."""
    return None if message is None else message.make_prior(spaces, mapping)


def align(
    step: UnsupervisedStep | None,
    spaces: SpacePair,
    start: LinearMap,
    prior: Prior | None,
    rng: torch.Generator,
) -> LinearMap:
    """Improve a map by the shape of the spaces; without a step it stays as it is."""
    return start if step is None else step.fit_map(spaces, rng=rng, start=start, prior=prior)


def extend(
    message: LexiconMessage | None,
    spaces: SpacePair,
    mapping: LinearMap,
    lexicon: IndexedLexicon,
) -> IndexedLexicon:
    """Append the pairs that a map finds to the given ones; without a message there are none."""
    return lexicon if message is None else message.extend(spaces, mapping, lexicon)


def first_pairs(
    spaces: SpacePair,
    lexicon: IndexedLexicon,
    known: LinearMap | None,
    message: LexiconMessage | None,
) -> IndexedLexicon:
    """Return the pairs of the first round.

    These are the given ones, unless a map is known already: the last one of an interrupted run,
    or the start of a run without seeds. The pairs that it finds are then appended.
    """
    if known is None:
        if not len(lexicon):
            raise EmptyLexiconError("no seed pair and no start: give either")
        return lexicon
    return extend(message, spaces, known, lexicon)


def restored(resume: Round | None, role: str, rng: torch.Generator) -> tuple[int, LinearMap | None]:
    """Return how many rounds are done and the map in this role, and restore the generator."""
    if resume is None:
        return 0, None
    if role not in resume.maps:
        raise SettingError(
            f"the round to resume has the maps {', '.join(resume.maps)}, not {role!r}: it is of "
            "another strategy; train from the beginning"
        )
    rng.set_state(resume.rng_state)
    return resume.number, resume.maps[role]


def notify(on_round: OnRound | None, done: Round) -> None:
    """Report a finished round, if a callback was given."""
    if on_round is not None:
        on_round(done)
