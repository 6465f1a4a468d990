"""The features of a candidate: their names, their requirements, and how they are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, runtime_checkable

import torch

from bilex.candidates.lists import SHARPNESS, CandidateLists, Direction, Queries
from bilex.candidates.spelling import plain, shared_prefixes, similarities, spellings
from bilex.errors import PluginError, SettingError
from bilex.registry import did_you_mean
from bilex.similarity import products_at
from bilex.values import Matrix, unit_rows

Need = Literal["second map", "comparable spelling", "paths"]
"""What a feature requires besides a map: a second map, two languages whose translations are
spelled more similarly than other words, or paths through a third language."""

_SMALLEST_SUM = 1e-3  # of paths; added before the logarithm

Columns = Mapping[str, Matrix]
"""Features by name: (n_words, k) each."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """The input of features: a trained map, words, and their candidates."""

    direction: Direction
    queries: Queries
    lists: CandidateLists

    @cached_property
    def cosines(self) -> Matrix:
        """Return the cosine of each word and candidate: (n_words, k)."""
        mapped = unit_rows(self.direction.source.carry(self.queries.vectors))
        return products_at(mapped, self.direction.targets, self.lists.ids)


class Feature(Protocol):
    """More evidence for candidates: a plugin of the kind "feature", listed in [calibration].

    What it is worth is learned from held-out seeds, like that of all other features.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of its columns, which no other feature has."""
        ...

    def columns(self, candidates: Candidates) -> Columns:
        """Return a finite number for each word and candidate, (n_words, k), for each name.

        Must not depend on which other words are asked at the same time.
        """
        ...


@runtime_checkable
class CostlyFeature(Feature, Protocol):
    """A feature that takes much time or money."""

    def cost(self, words: int) -> str:
        """Return what so many words cost at most, for people to read before it begins."""
        ...


@dataclass(frozen=True)
class FeatureGroup:
    """Features that are computed together.

    Attributes:
        names: The names of the features.
        compute: Returns all of them for the candidates of some words.
        needs: What they require; without it they are not used.
    """

    names: tuple[str, ...]
    compute: Callable[[Candidates], Columns]
    needs: frozenset[Need] = frozenset()


def compute_features(
    direction: Direction,
    queries: Queries,
    lists: CandidateLists,
    features: Sequence[str],
    plugins: Sequence[Feature] = (),
) -> Matrix:
    """Return the named features of each candidate: (n_words, k, n_features).

    Args:
        direction: A trained map.
        queries: The words.
        lists: Their candidates.
        features: The names of the features.
        plugins: Compute the features that are not built in.

    Raises:
        PluginError: If a plugin does not return what it promises.
    """
    candidates = Candidates(direction, queries, lists)
    found: dict[str, Matrix] = {}
    for group in GROUPS.values():
        if not set(group.names).isdisjoint(features):
            found |= group.compute(candidates)
    for plugin in plugins:
        if not set(plugin.names).isdisjoint(features):
            found |= _checked(plugin, plugin.columns(candidates), lists.scores)
    return torch.stack([found[name] for name in features], dim=-1)


def _checked(plugin: Feature, columns: Columns, scores: Matrix) -> Columns:
    owner = f"the feature plugin {type(plugin).__module__}:{type(plugin).__qualname__}"
    if set(columns) != set(plugin.names):
        raise PluginError(
            f"{owner} returned the columns {', '.join(sorted(columns)) or 'none'}, but promised "
            f"{', '.join(sorted(plugin.names))}: ask its author"
        )
    for name, column in columns.items():
        if column.shape != scores.shape or not bool(column.isfinite().all()):
            raise PluginError(
                f"{owner} returned a column {name!r} of shape {tuple(column.shape)}, expected "
                f"finite numbers of shape {tuple(scores.shape)}: ask its author"
            )
    return {name: column.to(scores) for name, column in columns.items()}


def over_best_rival(scores: Matrix) -> Matrix:
    """Return each score minus the best other score of its row; 0 if there is no other."""
    if scores.shape[1] < 2:
        return torch.zeros_like(scores)
    two = scores.topk(2, dim=1)
    columns = torch.arange(scores.shape[1], device=scores.device)
    first = columns[None] == two.indices[:, :1]
    return scores - torch.where(first, two.values[:, 1:], two.values[:, :1])


def _to_best(column: Matrix) -> Matrix:
    """Return each number minus the largest of its row."""
    return column - column.amax(1, keepdim=True)


def _scores(found: Candidates) -> Columns:
    lists, scores = found.lists, found.lists.scores
    n, k = scores.shape
    margins = over_best_rival(scores)
    back_margins = scores - lists.rivals
    ranks = torch.arange(1, k + 1, device=scores.device).log()
    return {
        "csls": scores,
        "cosine": found.cosines,
        "margin": margins,
        "gap": margins[:, :1].expand(n, k),
        "rank": ranks.expand(n, k),
        "share": (SHARPNESS * scores).log_softmax(1),
        "back_rank": lists.back_ranks.float().log(),
        "back_margin": back_margins,
        "back_margin_to_best": _to_best(back_margins),
        "back_share": SHARPNESS * scores - lists.back_mass,
    }


def _second_map(found: Candidates) -> Columns:
    direction, lists = found.direction, found.lists
    mapped = unit_rows(direction.second_source.carry(found.queries.vectors))
    # The hub penalty of CSLS is taken from the first map.
    penalty = 2 * found.cosines - lists.scores
    second = 2 * products_at(mapped, direction.second_targets, lists.ids) - penalty
    return {
        "second": second,
        "second_margin": over_best_rival(second),
        "second_to_best": _to_best(second),
    }


def _frequency(found: Candidates) -> Columns:
    theirs = (found.lists.ids + 1.0).log()
    difference = found.queries.frequency_ranks.log()[:, None] - theirs
    return {
        "frequency_difference": difference,
        "frequency_distance": difference.abs(),
        "frequency_among_candidates": theirs - theirs.mean(1, keepdim=True),
    }


def _strings(found: Candidates) -> Columns:
    lists, queries, target = found.lists, found.queries, found.direction.target.space
    shape, device = lists.ids.shape, lists.scores.device
    ids: list[int] = lists.ids.flatten().tolist()
    names = target.words
    left = [spelling for word in queries.words for spelling in [plain(word)] * shape[1]]
    spelled = spellings(target)
    right = [spelled[i] for i in ids]
    words = (word for word in queries.words for _ in range(shape[1]))
    same = [word == names[i] for word, i in zip(words, ids, strict=True)]
    similarity = similarities(left, right).to(device).reshape(shape)
    return {
        "similarity": similarity,
        "similarity_to_best": _to_best(similarity),
        "prefix": shared_prefixes(left, right).to(device).reshape(shape),
        "identical": torch.tensor(same, device=device).float().reshape(shape),
    }


def _word_parts(found: Candidates) -> Columns:
    parts, words, ids = found.direction.word_parts, found.queries.words, found.lists.ids.cpu()
    return _with_best(
        found, beginning=parts.beginnings(words, ids), ending=parts.endings(words, ids)
    )


def _forms(found: Candidates) -> Columns:
    forms, words, ids = found.direction.forms, found.queries.words, found.lists.ids.cpu()
    return _with_best(found, form=forms.usual(ids), form_pair=forms.together(words, ids))


def _with_best(found: Candidates, **columns: Matrix) -> Columns:
    """Return columns, and each of them minus the largest of its row."""
    moved = {name: column.to(found.lists.scores.device) for name, column in columns.items()}
    return moved | {f"{name}_to_best": _to_best(column) for name, column in moved.items()}


def _paths(found: Candidates) -> Columns:
    paths, rows, ids = found.direction.paths, found.queries.rows, found.lists.ids
    if paths is None or rows is None:  # a word outside the vocabulary has no paths
        sums: Sequence[Matrix] = [torch.zeros_like(found.lists.scores)] * 3
    else:
        sums = paths.sums(rows, ids)
    columns: dict[str, Matrix] = {}
    for name, each in zip(("path", "back_path", "meeting"), sums, strict=True):
        columns[name] = (each + _SMALLEST_SUM).log()
        columns[f"{name}_to_best"] = _to_best(columns[name])
    return columns


GROUPS: Mapping[str, FeatureGroup] = {
    "scores": FeatureGroup(
        (
            "csls",  # the score of the retriever
            "cosine",
            "margin",  # score minus the best other score
            "gap",  # between the two best candidates; the same for all candidates of a word
            "rank",
            "share",  # log-softmax over the candidates
            "back_rank",  # rank of the word among the backward translations of the candidate
            "back_margin",  # score minus the candidate's best score with another word
            "back_margin_to_best",  # minus the largest back margin of this word's candidates
            "back_share",  # log-softmax over the backward translations
        ),
        _scores,
    ),
    "second_map": FeatureGroup(  # CSLS under a rotation learned from the same pairs
        ("second", "second_margin", "second_to_best"),
        _second_map,
        frozenset({"second map"}),
    ),
    "frequency": FeatureGroup(  # log rank of the candidate, relative to the word and to the others
        ("frequency_difference", "frequency_distance", "frequency_among_candidates"),
        _frequency,
    ),
    "strings": FeatureGroup(  # without accents, in Latin letters
        ("similarity", "similarity_to_best", "prefix", "identical"),
        _strings,
        frozenset({"comparable spelling"}),
    ),
    "word_parts": FeatureGroup(  # see `bilex.candidates.word_parts`
        (
            "beginning",  # how well the beginnings of word and candidate go together
            "beginning_to_best",  # minus the largest of this word's candidates
            "ending",
            "ending_to_best",
        ),
        _word_parts,
    ),
    "forms": FeatureGroup(  # see `bilex.candidates.forms`
        (
            "form",  # how much more often words of the seeds end like the candidate
            "form_to_best",  # minus the largest of this word's candidates
            "form_pair",  # how well the endings of word and candidate go together in seed pairs
            "form_pair_to_best",
        ),
        _forms,
    ),
    "paths": FeatureGroup(  # log of sums over translations through a third language
        (
            "path",  # from the word to the candidate
            "path_to_best",  # minus the largest of this word's candidates
            "back_path",  # from the candidate to the word
            "back_path_to_best",
            "meeting",  # over words of the third language that are translations of both
            "meeting_to_best",
        ),
        _paths,
        frozenset({"paths"}),
    ),
}
"""The frequency of the source word is not a feature: seeds are frequent words, so a model that
learned from their frequency would be wrong for rare words."""

FEATURES = tuple(name for group in GROUPS.values() for name in group.names)

NOT_LEARNED = frozenset({"frequency_among_candidates"})
"""Features that are computed only for models that have them: new models do not learn from them.
Frequent seeds have frequent translations, so the most frequent candidate is right more often among
seeds than among other words."""

LEARNED = tuple(name for name in FEATURES if name not in NOT_LEARNED)


def choose_features(
    without: Sequence[str] = (), *, available: frozenset[Need], plugins: Sequence[Feature] = ()
) -> tuple[str, ...]:
    """Return all available features to learn from except the given ones; it may be empty.

    Args:
        without: Features or groups to leave out.
        available: The requirements that are met.
        plugins: Features that are not built in.

    Raises:
        SettingError: If a name is unknown, two features have one name, or all are left out.
    """
    more = [name for plugin in plugins for name in plugin.names]
    for name in more:
        if more.count(name) > 1 or name in FEATURES or name in GROUPS:
            raise SettingError(
                f"two features are called {name!r}: list only one of them in calibration.features"
            )
    dropped: set[str] = set()
    for name in without:
        if name not in FEATURES and name not in GROUPS and name not in more:
            known = [*GROUPS, *FEATURES, *more]
            raise SettingError(
                f"there is no feature or group called {name!r}{did_you_mean(name, known)}; there "
                f"are: {', '.join(known)}"
            )
        dropped.update(GROUPS[name].names if name in GROUPS else (name,))
    usual = set(LEARNED) - set(GROUPS["paths"].names)  # most pairs have no paths
    if dropped >= usual.union(more):
        raise SettingError(
            "calibration.without leaves out all features: keep at least one, or remove "
            "[calibration]"
        )
    built_in = (
        name
        for group in GROUPS.values()
        if group.needs <= available
        for name in group.names
        if name in LEARNED
    )
    return tuple(name for name in (*built_in, *more) if name not in dropped)
