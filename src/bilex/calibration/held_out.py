"""Cross-fitting: train without some seeds, and learn from what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from bilex.bounds import require_at_least_one
from bilex.calibration.calibrator import Calibration
from bilex.calibration.candidate_lists import Direction
from bilex.calibration.candidate_model import CandidateModel
from bilex.calibration.doubts import far_apart, name_doubts
from bilex.calibration.features import GROUPS, features_without
from bilex.calibration.feedback import Feedback
from bilex.calibration.learning import SMALLEST, JudgedCandidates, learn
from bilex.calibration.spelling import scripts_compare
from bilex.calibration.unseen_maps import (
    CrossFitting,
    Maps,
    counting,
    on_course,
    retrained,
    second_map,
    unseen_shares,
    with_rounds,
)
from bilex.calibration.verdicts import join
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
        maps = Maps(mapping, second_map(pair, lexicon, mapping, update, rng))
        sources = torch.unique(lexicon.source_ids)
        if len(sources) < SMALLEST:
            too_few = _too_few("source", len(sources))
            return Calibration(maps.second, self.candidates, warnings=(too_few,))
        order = torch.randperm(len(sources), generator=rng, device=rng.device)
        parts = min(self.parts, len(sources))
        work = CrossFitting(
            pair,
            lexicon,
            [torch.isin(lexicon.source_ids, some) for some in sources[order].tensor_split(parts)],
            self._features(pair, lexicon),
            self.candidates,
            retrieval,
            update,
            rng,
            counting(on_part, parts * (1 if self.feedback is None else 2)),
        )
        short = with_rounds(strategy, self.rounds or max(2, _rounds(strategy) // self.parts))
        all_unseen = [retrained(work, short, away) for away in work.parts]
        work, unseen = on_course(work, maps, all_unseen)
        warnings = [] if len(unseen) == parts else [_astray(parts - len(unseen), parts)]
        if not unseen:
            return Calibration(maps.second, self.candidates, warnings=tuple(warnings))
        shares = unseen_shares(work, unseen)
        if self.feedback is not None and len(unseen) == parts:
            sound = ~far_apart(shares)
            maps, unseen = _fed_back(work, self.feedback, strategy, maps, unseen, sound)
        directions = (work.direction(each) for each in unseen)
        judged = [join(found) for found in work.judge(directions, (False, True))]
        models = [learn(found, work.features) for found in judged]
        warnings += [
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


def _fed_back(
    work: CrossFitting,
    feedback: Feedback,
    strategy: Strategy,
    maps: Maps,
    unseen: Sequence[Maps],
    sound: torch.Tensor,
) -> tuple[Maps, Sequence[Maps]]:
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
    last = with_rounds(strategy, 1)

    def again(
        maps: Maps, direction: Direction, seeds: IndexedLexicon, model: CandidateModel
    ) -> Maps:
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
        return Maps(first, Procrustes().fit_map(work.pair, pairs, rng=work.rng))

    better = again(maps, work.direction(maps), work.seeds.take(sound), model)
    if better is maps:
        return maps, unseen
    found = []
    for each, ahead, away, other in zip(unseen, directions, work.parts, others, strict=True):
        assert other is not None  # noqa: S101 - looked at above
        found.append(again(each, ahead, work.seeds.take(~away & sound), other))
        work.tick()
    return better, found


def _rounds(strategy: Strategy) -> int:
    return int(getattr(strategy, "rounds", 1))


def _comparable(pair: SpacePair, lexicon: IndexedLexicon) -> bool:
    rows = zip(lexicon.source_ids.tolist(), lexicon.target_ids.tolist(), strict=True)
    return scripts_compare([(pair.source.words[i], pair.target.words[j]) for i, j in rows])


def _astray(number: int, parts: int) -> str:
    if number == parts:
        return (
            "trained without some of the seeds, to learn probabilities from these, no map found "
            "its way: translations are ranked by their scores alone; give more seed pairs, or hold "
            f"out fewer at a time (--set calibration.parts={2 * parts + 1})"
        )
    return (
        f"trained without some of the seeds, {number} of {parts} maps did not find their way: "
        "probabilities are learned from what the others proposed, and the map is not learned "
        "again from what is probable; more seed pairs would help"
    )


def _nothing_learned(language: str, judged: JudgedCandidates) -> str:
    if len(judged.right) < SMALLEST:
        return _too_few(language, len(judged.right))
    return (
        f"right among the {judged.right.numel():,} candidates of {len(judged.right):,} held-out "
        f"{language} words: {int(judged.right.sum()):,}; no probabilities can be learned from "
        "that, so translations are ranked by their scores alone: look at some before you use them, "
        "or give more seed pairs"
    )


def _too_few(language: str, words: int) -> str:
    return (
        f"{words} {language} words among the seeds are too few to learn probabilities from, which "
        f"takes {SMALLEST} that are held out: translations are ranked by their scores alone"
    )
