"""The default calibrator: train maps without some of the seeds and learn from the results."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch

from bilex.alignment.feedback import with_second_map
from bilex.alignment.messages import MutualPairs
from bilex.calibration.cross_fitting import (
    CrossFit,
    HeldOutPart,
    distances_of_held_out,
    too_few_words,
    working_parts,
)
from bilex.calibration.learning import SMALLEST
from bilex.candidates.features import Feature, Need, choose_features
from bilex.candidates.spelling import seeds_compare
from bilex.config import require_at_least_one
from bilex.errors import SettingError
from bilex.protocols import Retriever, Strategy
from bilex.retrieval import for_drafts
from bilex.values import IndexedLexicon, LinearMap, Progress, SpacePair

_ALL_NEEDS: frozenset[Need] = frozenset({"second map", "comparable spelling"})
_NO_FEATURES = (
    "the spellings of the two languages are not comparable, and calibration.without leaves out all "
    "other features, so translations are ranked by their scores alone: leave out fewer features"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutSeeds:
    """Learn probabilities from held-out seeds (cross-fitting).

    The seeds are divided into parts by the words of one language. For each part, a map is trained
    on the other parts and finds candidates for the seeds of this part. Each candidate is right or
    wrong according to the seeds. A candidate model learns to predict that.

    Attributes:
        parts: Number of parts that the seeds are divided into.
        candidates: How many candidates of a word get a probability.
        rounds: The largest number of training rounds for each part. If not set, the rounds of the
            strategy are divided among the parts, at least two each, so that all parts together
            take no longer than one more training run.
        without: Features or groups of features that are not used.
        divide: How the seeds are divided: "source-words" at random, or "target-words" by a hash of
            the word. With the latter, all models with the same target language hold out the same
            target words, which fleets need.
        features: More features, by the names of their plugins.
    """

    parts: int = 2
    candidates: int = 20
    rounds: int | None = None
    without: tuple[str, ...] = ()
    divide: Literal["source-words", "target-words"] = "source-words"
    features: tuple[Feature, ...] = ()

    def __post_init__(self) -> None:
        require_at_least_one("calibration", self, "candidates")
        if self.parts < 2:
            raise SettingError(f"calibration.parts is {self.parts}, expected 2 or more")
        if self.rounds is not None and self.rounds < 1:
            raise SettingError(f"calibration.rounds is {self.rounds}, expected 1 or more")
        choose_features(self.without, available=_ALL_NEEDS, plugins=self.features)

    def cross_fit(
        self,
        spaces: SpacePair,
        lexicon: IndexedLexicon,
        mapping: LinearMap,
        *,
        strategy: Strategy,
        retrieval: Retriever,
        rng: torch.Generator,
        on_part: Progress | None = None,
    ) -> CrossFit:
        """Return the trained map together with maps trained without some of the seeds."""
        update = strategy.lexicon_update or MutualPairs()
        maps = with_second_map(spaces, lexicon, mapping, update, rng)
        sources = torch.unique(lexicon.source_ids)
        found: list[HeldOutPart] = []
        warnings: tuple[str, ...] = ()
        wanted = min(self.parts, len(sources))
        features = self._features(spaces, lexicon)
        if len(sources) < SMALLEST:
            warnings = (too_few_words("source", len(sources)),)
        elif not features:
            warnings = (_NO_FEATURES,)
        else:
            short = strategy.shortened(self.rounds or max(2, strategy.rounds // self.parts))
            for number, held_out in enumerate(self._parts(spaces, lexicon, wanted, rng), start=1):
                kept = lexicon.take(~held_out)
                first = short.run(spaces, kept, rng=rng)
                trained = with_second_map(spaces, kept, first, update, rng)
                found.append(HeldOutPart(held_out, trained))
                if on_part is not None:
                    on_part(number, wanted)
        working = working_parts(spaces, maps, found) if found else ()
        if len(working) < len(found):
            warnings = (*warnings, _maps_failed(len(found) - len(working), wanted))
        distances, random_distances = distances_of_held_out(spaces, lexicon, working)
        return CrossFit(
            spaces=spaces,
            seeds=lexicon,
            maps=maps,
            parts=working,
            complete=bool(found) and len(working) == len(found),
            features=features,
            depth=self.candidates,
            retrieval=for_drafts(retrieval),
            warnings=warnings,
            distances=distances,
            random_distances=random_distances,
            plugins=self.features,
        )

    def _parts(
        self, spaces: SpacePair, lexicon: IndexedLexicon, wanted: int, rng: torch.Generator
    ) -> Iterator[torch.Tensor]:
        """Return the seeds of each part as a mask, which is never that of no or of all seeds."""
        if self.divide == "target-words":
            words = [spaces.target.words[row] for row in lexicon.target_ids.tolist()]
            numbers = torch.tensor([part_of(word, self.parts) for word in words])
            found = torch.unique(numbers).tolist()
            if len(found) > 1:  # with very few words, all may belong to one part
                yield from ((numbers == part).to(lexicon.target_ids.device) for part in found)
                return
        sources = torch.unique(lexicon.source_ids)
        order = torch.randperm(len(sources), generator=rng, device=rng.device)
        for some in sources[order].tensor_split(wanted):
            yield torch.isin(lexicon.source_ids, some)

    def _features(self, spaces: SpacePair, lexicon: IndexedLexicon) -> tuple[str, ...]:
        comparable = seeds_compare(lexicon, spaces)
        available = _ALL_NEEDS if comparable else _ALL_NEEDS - {"comparable spelling"}
        return choose_features(self.without, available=available, plugins=self.features)


def part_of(word: str, parts: int) -> int:
    """Return the part that a target word belongs to, with `divide = "target-words"`."""
    return zlib.crc32(word.encode()) % parts


def _maps_failed(number: int, parts: int) -> str:
    if number == parts:
        return (
            "no map trained without some of the seeds works, so no probabilities can be learned "
            "and translations are ranked by their scores alone: give more seed pairs, or hold "
            f"out fewer at a time (--set calibration.parts={2 * parts + 1})"
        )
    return (
        f"{number} of {parts} maps trained without some of the seeds do not work, so probabilities "
        "are learned from the other maps only, and there is no training on probable pairs: give "
        "more seed pairs"
    )
