"""A feature: how a cross-encoder, which reads word and candidate together, rates each pair."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from bilex.candidates.features import Candidates, Columns
from bilex.config import require_at_least_one
from bilex.errors import SettingError
from bilex.evidence.kept_ratings import KeptRatings, Pair
from bilex.evidence.rated_pairs import best_candidates, rating_columns
from bilex.registry import import_extra
from bilex.storage.cache_folder import default_cache_folder

_PAIRS_KEPT_AT_ONCE = 10_000  # an interrupt loses at most these


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossEncoder:
    """Rate each pair with a cross-encoder of the sentence-transformers package.

    The model reads a word of the source language and one of the target language together, in this
    order also for translations from the target language, and gives one number. Each pair is rated
    once: ratings are kept in a file. Three columns tell the candidate model the rating, how far it
    is from that of the best other candidate, and whether there is one.

    Attributes:
        model: The folder of a model on this machine, or the name of a published one, which that
            package downloads.
        candidates: How many candidates of a word are rated, the best by score.
        device: A torch device, such as "cpu" or "cuda".
        batch: How many pairs are rated at once.
        cache: The folder that keeps ratings; if not set, `ratings` in the cache folder of bilex.
    """

    model: str = ""
    candidates: int = 10
    device: str = "cpu"
    batch: int = 256
    cache: str | None = None

    def __post_init__(self) -> None:
        if not self.model:
            raise SettingError(
                "feature.cross-encoder.model is not set: give the folder or the name of a "
                "cross-encoder of sentence-transformers"
            )
        require_at_least_one("feature.cross-encoder", self, "candidates", "batch")

    @property
    def names(self) -> tuple[str, str, str]:
        """Return the names of the columns."""
        return ("pair_rating", "pair_rating_lead", "has_pair_rating")

    def cost(self, words: int) -> str:
        """Return how many pairs are rated for so many words, if none of them has ratings yet."""
        return f"up to {words * self.candidates:,} pairs are rated by {self.model} on {self.device}"

    def columns(self, candidates: Candidates) -> Columns:
        """Return the rating of each candidate; 0 for those that have none."""
        asked = best_candidates(candidates, self.candidates)
        pairs = [(word, each) for word, some in asked.items() for each in some]
        reverse = candidates.direction.reverse
        found = _ratings(self).rate([pair[::-1] for pair in pairs] if reverse else pairs)
        if reverse:
            found = {pair[::-1]: rating for pair, rating in found.items()}
        return rating_columns(candidates, found, self.names)


class _Ratings:
    """The ratings of one model, those of earlier runs included."""

    def __init__(self, settings: CrossEncoder) -> None:
        self._settings = settings
        folder = Path(settings.cache) if settings.cache else default_cache_folder() / "ratings"
        facts = json.dumps(["cross-encoder", settings.model, _changed(Path(settings.model))])
        name = hashlib.sha256(facts.encode()).hexdigest()[:16]
        self._kept = KeptRatings(folder / f"{name}.sqlite")

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401 - a class of an optional package
        package = import_extra("sentence_transformers", "the feature cross-encoder needs")
        return package.CrossEncoder(self._settings.model, device=self._settings.device)

    def rate(self, pairs: Sequence[Pair]) -> Mapping[Pair, float | None]:
        """Return the ratings of pairs of a source word and a target word."""
        found = self._kept.find(pairs)
        new = [pair for pair in dict.fromkeys(pairs) if pair not in found]
        for first in range(0, len(new), _PAIRS_KEPT_AT_ONCE):
            some = new[first : first + _PAIRS_KEPT_AT_ONCE]
            rated = dict(zip(some, self._predict(some), strict=True))
            self._kept.add(rated)
            found |= rated
        return found

    def _predict(self, pairs: Sequence[Pair]) -> list[float]:
        texts = [tuple(word.replace("_", " ") for word in pair) for pair in pairs]
        found = self._model.predict(
            texts,
            batch_size=self._settings.batch,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        if found.shape != (len(pairs),):
            raise SettingError(
                f"the cross-encoder {self._settings.model} gives an array of shape {found.shape} "
                f"for {len(pairs)} pairs, expected one number for each: use a model with one label"
            )
        return [float(one) for one in found]


@lru_cache(maxsize=4)
def _ratings(settings: CrossEncoder) -> _Ratings:
    return _Ratings(settings)


def _changed(folder: Path) -> int:
    """Return when the files of a model were changed last; 0 for a model that is not a folder."""
    if not folder.is_dir():
        return 0
    return max((file.stat().st_mtime_ns for file in folder.rglob("*")), default=0)
