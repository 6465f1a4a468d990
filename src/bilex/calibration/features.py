"""What speaks for a candidate: the names of its features, in groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bilex.errors import SettingError
from bilex.registry import did_you_mean

GROUPS: Mapping[str, tuple[str, ...]] = {
    "scores": (
        "csls",  # as the model ranks
        "cosine",
        "margin",  # over the best rival; the best candidate's is over the second
        "gap",  # between the two best: the same for all candidates of a word
        "rank",
        "share",  # of a softmax over the candidates
        "back_rank",  # of the word among those that the candidate could translate to
        "back_margin",
        "back_margin_to_best",  # against the candidate of this word that has the largest
        "back_share",
    ),
    "second_map": (  # a rotation learned from the same pairs: do both maps agree?
        "second",
        "second_margin",
        "second_to_best",
    ),
    "frequency": (  # of the candidate against the word and against the other candidates
        "frequency_difference",
        "frequency_distance",
        "frequency_among_candidates",
    ),
    "strings": (  # without accents, in Latin letters
        "similarity",
        "similarity_to_best",
        "prefix",
        "identical",
    ),
}
"""The frequency of the word itself is left out on purpose: seeds are frequent words, and what is
learned of them from it would be wrong for the rest."""

FEATURES = tuple(name for names in GROUPS.values() for name in names)


def features_without(dropped: Sequence[str]) -> tuple[str, ...]:
    """Return all features but the given ones, which may be names of groups.

    Raises:
        SettingError: If a name is unknown, or nothing is left.
    """
    gone: set[str] = set()
    for name in dropped:
        if name not in FEATURES and name not in GROUPS:
            known = [*GROUPS, *FEATURES]
            raise SettingError(
                f"there is no feature or group called {name!r}{did_you_mean(name, known)}; there "
                f"are: {', '.join(known)}"
            )
        gone.update(GROUPS.get(name, (name,)))
    left = tuple(name for name in FEATURES if name not in gone)
    if not left:
        raise SettingError("calibration.without leaves no feature to judge candidates by")
    return left
