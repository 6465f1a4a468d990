"""Cross-fitting: train without some seeds, and learn from what becomes of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple, cast

import torch

from bilex.bounds import require_at_least_one
from bilex.calibration.calibrator import Calibration
from bilex.calibration.candidate_lists import Direction
from bilex.calibration.candidate_model import CandidateModel
from bilex.calibration.doubts import distance_shares, far_apart, name_doubts
from bilex.calibration.features import GROUPS, features_without
from bilex.calibration.feedback import Feedback
from bilex.calibration.learning import SMALLEST, JudgedCandidates, learn
from bilex.calibration.spelling import scripts_compare
from bilex.calibration.verdicts import gold_of, join, judge, make_direction
from bilex.errors import SettingError
from bilex.messages import MutualPairs
from bilex.protocols import LexiconMessage, Retriever, Strategy
from bilex.supervised import Procrustes
from bilex.values import IndexedLexicon, LinearMap, Progress, SpacePair, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutSeeds:
    """Learn how far candidates can be trusted from seeds that a map has not seen.

    The seeds are divided by their source words. For each part a map is trained on the others;
    what these maps propose for the seeds they have not seen is right or wrong, and a candidate
    model learns to tell which.

    With `feedback`, pairs that are probable by such a model are what the map is learned from
    again. So are the maps that have not seen some seeds: in the end, probabilities are those of
    the better map.

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
        update = getattr(strategy, "lexicon_update", None) or MutualPairs()
        maps = _Maps(mapping, _second_map(pair, lexicon, mapping, update, rng))
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
            update,
            rng,
            _counting(on_part, parts * (1 if self.feedback is None else 2)),
        )
        short = _with_rounds(strategy, self.rounds or max(2, _rounds(strategy) // self.parts))
        unseen: Sequence[_Maps] = [_retrained(work, short, away) for away in work.parts]
        shares = _unseen_shares(work, unseen)
        if self.feedback is not None:
            sound = ~far_apart(shares)
            maps, unseen = _fed_back(work, self.feedback, strategy, maps, unseen, sound)
        directions = (work.direction(each) for each in unseen)
        judged = [join(found) for found in work.judge(directions, (False, True))]
        models = [learn(found, work.features) for found in judged]
        warnings = [
            _nothing_learned(language, found)
            for model, language, found in zip(models, ("source", "target"), judged, strict=True)
            if model is None
        ]
        forward, backward = models
        improved = None if maps.first is mapping else maps.first
        return Calibration(
            maps.second,
            self.candidates,
            forward,
            backward,
            warnings=tuple(warnings),
            mapping=improved,
            doubtful=name_doubts(pair, lexicon, shares),
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
    update: LexiconMessage  # what finds the pairs of second maps
    rng: torch.Generator
    tick: Callable[[], None]  # told of each part that is done

    def judge(
        self, unseen: Iterable[Direction], reverse: tuple[bool, ...]
    ) -> list[list[JudgedCandidates]]:
        """Judge what each map proposes for the part it has not seen, for each way to ask."""
        found: list[list[JudgedCandidates]] = [[] for _ in reverse]
        for ahead, away in zip(unseen, self.parts, strict=True):
            for verdicts, back in zip(found, reverse, strict=True):
                direction = ahead.reversed() if back else ahead
                gold = gold_of(self.seeds, away, reverse=back)
                verdicts.append(
                    judge(direction, gold, self.features, self.candidates, self.pair.compute)
                )
        return found

    def direction(self, maps: _Maps) -> Direction:
        """Return maps ready to be asked for translations of the source language."""
        return make_direction(self.pair, maps.first, maps.second, self.retrieval)


def _retrained(work: _Work, strategy: Strategy, away: torch.Tensor) -> _Maps:
    """Train on the seeds that are not held out."""
    kept = work.seeds.take(~away)
    first = strategy.run(work.pair, kept, rng=work.rng)
    found = _Maps(first, _second_map(work.pair, kept, first, work.update, work.rng))
    work.tick()
    return found


def _fed_back(
    work: _Work,
    feedback: Feedback,
    strategy: Strategy,
    maps: _Maps,
    unseen: Sequence[_Maps],
    sound: torch.Tensor,
) -> tuple[_Maps, Sequence[_Maps]]:
    """Learn all maps again from pairs that are probable; nothing changes if there are too few.

    What tells a map which pairs are probable has not learned from the part that the map has not
    seen either. Of the seeds only those are learned from that look `sound`.
    """
    directions = [work.direction(each) for each in unseen]
    (judged,) = work.judge(directions, (False,))
    model = learn(join(judged), work.features)
    others = [
        learn(join([*judged[:number], *judged[number + 1 :]]), work.features)
        for number in range(len(judged))
    ]
    if model is None or None in others:
        return maps, unseen
    last = _with_rounds(strategy, 1)

    def again(
        maps: _Maps, direction: Direction, seeds: IndexedLexicon, model: CandidateModel
    ) -> _Maps:
        pairs = feedback.extend(
            direction,
            model,
            seeds,
            candidates=work.candidates,
            compute=work.pair.compute,
        )
        if len(pairs) == len(seeds):
            return maps
        first = last.run(work.pair, pairs, rng=work.rng)
        return _Maps(first, Procrustes().fit_map(work.pair, pairs, rng=work.rng))

    better = again(maps, work.direction(maps), work.seeds.take(sound), model)
    if better is maps:
        return maps, unseen
    found = []
    for each, ahead, away, other in zip(unseen, directions, work.parts, others, strict=True):
        assert other is not None  # noqa: S101 - looked at above
        found.append(again(each, ahead, work.seeds.take(~away & sound), other))
        work.tick()
    return better, found


def _unseen_shares(work: _Work, unseen: Sequence[_Maps]) -> Vector:
    """Return how far apart the words of each seed are for the map that has not seen it."""
    found = torch.zeros(len(work.seeds), device=work.seeds.source_ids.device)
    for maps, away in zip(unseen, work.parts, strict=True):
        found[away] = distance_shares(work.pair, maps.first, work.seeds.take(away))
    return found


def _with_rounds(strategy: Strategy, most: int) -> Strategy:
    """Return the strategy with at most so many rounds, or as it is if it has none."""
    rounds = getattr(strategy, "rounds", None)
    if not isinstance(rounds, int):
        return strategy
    return cast(Strategy, dataclasses.replace(cast(Any, strategy), rounds=min(rounds, most)))


def _rounds(strategy: Strategy) -> int:
    return int(getattr(strategy, "rounds", 1))


def _second_map(
    pair: SpacePair,
    lexicon: IndexedLexicon,
    mapping: LinearMap,
    update: LexiconMessage,
    rng: torch.Generator,
) -> LinearMap:
    """Return the rotation that fits the seeds and the pairs that the map is sure of."""
    return Procrustes().fit_map(pair, update.extend(pair, mapping, lexicon), rng=rng)


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
