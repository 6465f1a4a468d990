"""Cross-fitting: train without some seeds, and learn from what becomes of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple, cast

import torch

from bilex.bounds import require_at_least_one
from bilex.calibration.calibrator import Calibration
from bilex.calibration.candidate_model import CandidateModel
from bilex.calibration.features import GROUPS, features_without
from bilex.calibration.feedback import Feedback
from bilex.calibration.learning import SMALLEST, JudgedCandidates, learn
from bilex.calibration.spelling import scripts_compare
from bilex.calibration.verdicts import gold_of, join, judge, make_direction
from bilex.errors import SettingError
from bilex.messages import MutualPairs
from bilex.protocols import Retriever, Strategy
from bilex.supervised import Procrustes
from bilex.values import IndexedLexicon, LinearMap, Progress, SpacePair


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutSeeds:
    """Learn how far candidates can be trusted from seeds that a map has not seen.

    The seeds are divided by their source words. For each part a map is trained on the others;
    what these maps propose for the seeds they have not seen is right or wrong, and a candidate
    model learns to tell which.

    With `feedback`, pairs that are probable by this model are what the map is learned from
    again. The maps that have not seen some seeds are treated alike, without any pair of these
    words, so that in the end probabilities are those of the better map.

    Attributes:
        parts: Into how many parts the seeds are divided.
        candidates: How many candidates of a word are judged.
        rounds: How many rounds of training each part takes at most. None: the rounds of the
            strategy are shared out among the parts, two at least, so that all parts together
            take no longer than one more training run.
        without: Features or groups of features that are not used.
        feedback: What chooses pairs to learn from again, if anything.
    """

    parts: int = 2
    candidates: int = 20
    rounds: int | None = None
    without: tuple[str, ...] = ()
    feedback: Feedback | None = None

    def __post_init__(self) -> None:
        require_at_least_one("calibration", self, "candidates")
        if self.parts < 2:
            raise SettingError(f"calibration.parts is {self.parts}, expected 2 or more")
        if self.rounds is not None and self.rounds < 1:
            raise SettingError(f"calibration.rounds is {self.rounds}, expected 1 or more")
        features_without(self.without)

    def calibrate(
        self,
        pair: SpacePair,
        lexicon: IndexedLexicon,
        mapping: LinearMap,
        *,
        strategy: Strategy,
        retrieval: Retriever,
        rng: torch.Generator,
        on_part: Progress | None = None,
    ) -> Calibration:
        """Return candidate models for both directions of a trained map."""
        maps = _Maps(mapping, _second_map(pair, lexicon, mapping, rng))
        sources = torch.unique(lexicon.source_ids)
        if len(sources) < SMALLEST:
            too_few = _too_few("source", len(sources))
            return Calibration(maps.second, self.candidates, warnings=(too_few,))
        order = torch.randperm(len(sources), generator=rng, device=rng.device)
        parts = min(self.parts, len(sources))
        work = _Work(
            pair,
            lexicon,
            [torch.isin(lexicon.source_ids, some) for some in sources[order].tensor_split(parts)],
            self._features(pair, lexicon),
            self.candidates,
            retrieval,
            rng,
            _counting(on_part, parts * (1 if self.feedback is None else 2)),
        )
        short = with_rounds(strategy, self.rounds or max(2, _rounds(strategy) // self.parts))
        unseen = [_retrained(work, short, away) for away in work.parts]
        judged = work.judge(unseen)
        models = [learn(found, work.features) for found in judged]
        improved = None
        if self.feedback is not None and models[0] is not None:
            maps, unseen = _fed_back(work, self.feedback, models[0], strategy, maps, unseen)
            improved = maps.first
            judged = work.judge(unseen)
            models = [learn(found, work.features) for found in judged]
        warnings = [
            _nothing_learned(language, found)
            for model, language, found in zip(models, ("source", "target"), judged, strict=True)
            if model is None
        ]
        forward, backward = models
        return Calibration(
            maps.second, self.candidates, forward, backward, tuple(warnings), improved
        )

    def _features(self, pair: SpacePair, lexicon: IndexedLexicon) -> tuple[str, ...]:
        features = features_without(self.without)
        if _comparable(pair, lexicon):
            return features
        return tuple(name for name in features if name not in GROUPS["strings"])


class _Maps(NamedTuple):
    """A map, and another between the same spaces for a second opinion."""

    first: LinearMap
    second: LinearMap


@dataclass(frozen=True, eq=False)
class _Work:
    """What stays the same for all parts."""

    pair: SpacePair
    seeds: IndexedLexicon
    parts: Sequence[torch.Tensor]  # which of the seeds are held out
    features: tuple[str, ...]
    candidates: int
    retrieval: Retriever
    rng: torch.Generator
    tick: Callable[[], None]  # told of each part that is done

    def judge(self, unseen: Sequence[_Maps]) -> tuple[JudgedCandidates, JudgedCandidates]:
        """Judge what each map proposes for the part that it has not seen, in both directions."""
        found: tuple[list[JudgedCandidates], list[JudgedCandidates]] = ([], [])
        for maps, away in zip(unseen, self.parts, strict=True):
            ahead = make_direction(self.pair, maps.first, maps.second, self.retrieval)
            for reverse in (False, True):
                direction = ahead.reversed() if reverse else ahead
                gold = gold_of(self.seeds, away, reverse=reverse)
                verdicts = judge(direction, gold, self.features, self.candidates, self.pair.compute)
                found[reverse].append(verdicts)
        return join(found[0]), join(found[1])


def _retrained(work: _Work, strategy: Strategy, away: torch.Tensor) -> _Maps:
    """Train on the seeds that are not held out."""
    kept = _part(work.seeds, ~away)
    first = strategy.run(work.pair, kept, rng=work.rng)
    found = _Maps(first, _second_map(work.pair, kept, first, work.rng))
    work.tick()
    return found


def _fed_back(
    work: _Work,
    feedback: Feedback,
    model: CandidateModel,
    strategy: Strategy,
    maps: _Maps,
    unseen: Sequence[_Maps],
) -> tuple[_Maps, list[_Maps]]:
    """Learn all maps again from probable pairs: those that have not seen a part, without it."""
    last = with_rounds(strategy, 1)

    def again(maps: _Maps, seeds: IndexedLexicon, gone: IndexedLexicon | None) -> _Maps:
        pairs = feedback.extend(
            make_direction(work.pair, maps.first, maps.second, work.retrieval),
            model,
            seeds,
            candidates=work.candidates,
            compute=work.pair.compute,
        )
        if gone is not None:
            pairs = _part(pairs, ~_touches(pairs, gone))
        first = last.run(work.pair, pairs, rng=work.rng)
        return _Maps(first, Procrustes().fit_map(work.pair, pairs, rng=work.rng))

    found = []
    for each, away in zip(unseen, work.parts, strict=True):
        found.append(again(each, _part(work.seeds, ~away), _part(work.seeds, away)))
        work.tick()
    return again(maps, work.seeds, None), found


def with_rounds(strategy: Strategy, most: int) -> Strategy:
    """Return the strategy with at most so many rounds, or as it is if it has none."""
    rounds = getattr(strategy, "rounds", None)
    if not isinstance(rounds, int):
        return strategy
    return cast(Strategy, dataclasses.replace(cast(Any, strategy), rounds=min(rounds, most)))


def _rounds(strategy: Strategy) -> int:
    return int(getattr(strategy, "rounds", 1))


def _second_map(
    pair: SpacePair, lexicon: IndexedLexicon, mapping: LinearMap, rng: torch.Generator
) -> LinearMap:
    """Return the rotation that fits the seeds and the pairs that the map is sure of."""
    return Procrustes().fit_map(pair, MutualPairs().extend(pair, mapping, lexicon), rng=rng)


def _part(lexicon: IndexedLexicon, chosen: torch.Tensor) -> IndexedLexicon:
    return IndexedLexicon(
        lexicon.source_ids[chosen], lexicon.target_ids[chosen], lexicon.weights[chosen]
    )


def _touches(lexicon: IndexedLexicon, gone: IndexedLexicon) -> torch.Tensor:
    """Tell which pairs have a word in common with those that are gone."""
    return torch.isin(lexicon.source_ids, gone.source_ids) | torch.isin(
        lexicon.target_ids, gone.target_ids
    )


def _counting(on_part: Progress | None, total: int) -> Callable[[], None]:
    """Return what is told of each part that is done, and passes on how many of how many are."""
    done = count(1)

    def tick() -> None:
        if on_part is not None:
            on_part(next(done), total)

    return tick


def _comparable(pair: SpacePair, lexicon: IndexedLexicon) -> bool:
    rows = zip(lexicon.source_ids.tolist(), lexicon.target_ids.tolist(), strict=True)
    return scripts_compare([(pair.source.words[i], pair.target.words[j]) for i, j in rows])


def _nothing_learned(language: str, judged: JudgedCandidates) -> str:
    if len(judged.right) < SMALLEST:
        return _too_few(language, len(judged.right))
    return (
        f"right among the {judged.right.numel():,} candidates of {len(judged.right):,} held-out "
        f"{language} words: {int(judged.right.sum()):,}; no probabilities can be learned from "
        "that, so translations are ranked by their scores alone"
    )


def _too_few(language: str, words: int) -> str:
    return (
        f"{words} {language} words among the seeds are too few to learn probabilities from, which "
        f"takes {SMALLEST} that are held out: translations are ranked by their scores alone"
    )
