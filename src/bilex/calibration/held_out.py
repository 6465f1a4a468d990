"""Cross-fitting: train without some seeds, and learn from what becomes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from bilex.aligned import Side, build_index
from bilex.bounds import require_at_least_one
from bilex.calibration.calibrator import Calibration
from bilex.calibration.candidate_lists import Direction, list_candidates
from bilex.calibration.evidence import evidence
from bilex.calibration.features import GROUPS, features_without
from bilex.calibration.judging import words_at_once
from bilex.calibration.learning import SMALLEST, JudgedCandidates, learn
from bilex.calibration.spelling import scripts_compare
from bilex.calibration.unseen_maps import Maps, lexicon_update, part, relearned, retrained
from bilex.errors import SettingError
from bilex.messages import MutualPairs
from bilex.protocols import Retriever, Strategy
from bilex.supervised import Procrustes
from bilex.values import (
    Compute,
    IndexedLexicon,
    LinearMap,
    Normalization,
    Progress,
    SpacePair,
)

Gold = Mapping[int, frozenset[int]]
"""The right answers of each word, as rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutSeeds:
    """Learn how far candidates can be trusted from seeds that a map has not seen.

    The seeds are divided by their source words. For each part there is a map that has not seen
    it; what it proposes for these seeds is right or wrong, and a candidate model learns to tell
    which.

    Attributes:
        parts: Into how many parts the seeds are divided.
        candidates: How many candidates of a word are judged.
        maps: How a map is made that has not seen a part. "retrained" trains on the others, with
            fewer rounds, so that all parts take as long as one more training run; "relearned"
            takes the words of the part out of what the trained map has learned from, and takes
            the last step again: quicker, and good for 100 seeds.
        without: Features or groups of features that are not used.
    """

    parts: int = 2
    candidates: int = 20
    maps: Maps = "retrained"
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_at_least_one("calibration", self, "candidates")
        if self.parts < 2:
            raise SettingError(f"calibration.parts is {self.parts}, expected 2 or more")
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
        learned_from: IndexedLexicon | None = None,
        on_part: Progress | None = None,
    ) -> Calibration:
        """Return candidate models for both directions of a trained map."""
        known = self._known(pair, lexicon, mapping, strategy, learned_from)
        second = Procrustes().fit_map(pair, known, rng=rng)
        sources = torch.unique(lexicon.source_ids)
        if len(sources) < SMALLEST:
            too_few = _too_few("source", len(sources))
            return Calibration(second, self.candidates, warnings=(too_few,))
        features = features_without(self.without)
        if not _comparable(pair, lexicon):
            features = tuple(name for name in features if name not in GROUPS["strings"])
        judged: dict[bool, list[JudgedCandidates]] = {False: [], True: []}
        order = torch.randperm(len(sources), generator=rng, device=rng.device)
        parts = min(self.parts, len(sources))
        for held_out in sources[order].tensor_split(parts):
            away = torch.isin(lexicon.source_ids, held_out)
            if self.maps == "relearned":
                maps = relearned(pair, known, lexicon, away, strategy=strategy, rng=rng)
            else:
                kept = part(lexicon, ~away)
                maps = retrained(pair, kept, strategy=strategy, parts=self.parts, rng=rng)
            ahead = make_direction(pair, maps.first, maps.second, retrieval)
            for reverse in (False, True):
                direction = ahead.reversed() if reverse else ahead
                gold = _gold(lexicon, away, reverse=reverse)
                verdicts = _judge(direction, gold, features, self.candidates, pair.compute)
                judged[reverse].append(verdicts)
            if on_part is not None:
                on_part(len(judged[False]), parts)
        forward, backward = _join(judged[False]), _join(judged[True])
        models = learn(forward, features), learn(backward, features)
        languages = ("source", forward), ("target", backward)
        warnings = [
            _nothing_learned(*language)
            for model, language in zip(models, languages, strict=True)
            if model is None
        ]
        return Calibration(second, self.candidates, *models, tuple(warnings))

    def _known(
        self,
        pair: SpacePair,
        lexicon: IndexedLexicon,
        mapping: LinearMap,
        strategy: Strategy,
        learned_from: IndexedLexicon | None,
    ) -> IndexedLexicon:
        """Return the seeds and the pairs that the map is sure of, or has learned from."""
        if learned_from is not None:
            return learned_from
        if self.maps == "retrained":
            return MutualPairs().extend(pair, mapping, lexicon)
        update = lexicon_update(strategy)
        return lexicon if update is None else update.extend(pair, mapping, lexicon)


def make_direction(
    pair: SpacePair, mapping: LinearMap, second: LinearMap, retrieval: Retriever
) -> Direction:
    """Return a map ready to be asked for translations of the source language."""
    source = Side(pair.source, Normalization(), mapping)
    target = Side(pair.target, Normalization())
    there, back = (
        build_index(retrieval, *sides, compute=pair.compute)
        for sides in ((source, target), (target, source))
    )
    return Direction(source, target, there, back, second)


def _judge(
    direction: Direction, gold: Gold, features: Sequence[str], candidates: int, compute: Compute
) -> JudgedCandidates:
    """List the candidates of held-out words, and tell which are right."""
    device = direction.asked.space.vectors.device
    everyone = torch.tensor(sorted(gold), dtype=torch.long, device=device)
    blocks = torch.split(everyone, words_at_once(direction, candidates, compute))
    return _join([_judge_rows(direction, rows, gold, features, candidates) for rows in blocks])


def _judge_rows(
    direction: Direction,
    rows: torch.Tensor,
    gold: Gold,
    features: Sequence[str],
    candidates: int,
) -> JudgedCandidates:
    asked = direction.words(rows)
    lists = list_candidates(direction, asked, k=candidates)
    right = [
        [float(i in gold[row]) for i in ids]
        for row, ids in zip(rows.tolist(), lists.ids.tolist(), strict=True)
    ]
    return JudgedCandidates(
        features=evidence(direction, asked, lists, features).cpu(),
        right=torch.tensor(right).reshape(lists.ids.shape),
        frequency_ranks=asked.frequency_ranks.cpu(),
        vocabulary=len(direction.asked.space),
    )


def _join(parts: Sequence[JudgedCandidates]) -> JudgedCandidates:
    return JudgedCandidates(
        features=torch.cat([part.features for part in parts]),
        right=torch.cat([part.right for part in parts]),
        frequency_ranks=torch.cat([part.frequency_ranks for part in parts]),
        vocabulary=parts[0].vocabulary,
    )


def _gold(lexicon: IndexedLexicon, away: torch.Tensor, *, reverse: bool) -> Gold:
    """Return the right answers of the words all of whose pairs were held out."""
    asked, answers = lexicon.source_ids, lexicon.target_ids
    if reverse:
        asked, answers = answers, asked
    seen = torch.isin(asked, asked[~away])
    return IndexedLexicon(asked[~seen], answers[~seen], lexicon.weights[~seen]).answers


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
