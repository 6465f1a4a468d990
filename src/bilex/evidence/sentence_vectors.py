"""A feature: the similarity of word and candidate in the vectors of a multilingual model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch

from bilex.candidates.features import Candidates, Columns, over_best_rival
from bilex.config import require_at_least_one
from bilex.errors import SettingError
from bilex.registry import import_extra

_KEPT_WORDS = 400_000  # vectors in memory


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceVectors:
    """Compare word and candidate with a model of the sentence-transformers package.

    Attributes:
        model: The folder of a model on this machine, or the name of a published one, which that
            package downloads.
        device: A torch device, such as "cpu" or "cuda".
        batch: How many words are encoded at once.
    """

    model: str = ""
    device: str = "cpu"
    batch: int = 256

    def __post_init__(self) -> None:
        if not self.model:
            raise SettingError(
                "feature.sentence-vectors.model is not set: give the folder or the name of a "
                "sentence-transformers model"
            )
        require_at_least_one("feature.sentence-vectors", self, "batch")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return ("sentence_cosine", "sentence_cosine_lead")

    def columns(self, candidates: Candidates) -> Columns:
        """Return the cosine of each word and candidate, and its lead over the best other one."""
        encoder = _encoder(self)
        lists = candidates.lists
        ids, places = torch.unique(lists.ids, return_inverse=True)
        names = candidates.direction.target.space.words
        words = encoder.encode(candidates.queries.words)
        theirs = encoder.encode([names[i] for i in ids.tolist()])
        cosines = torch.einsum("nd,nkd->nk", words, theirs[places.cpu()]).to(lists.scores)
        return {"sentence_cosine": cosines, "sentence_cosine_lead": over_best_rival(cosines)}


class _Encoder:
    """Unit vectors of words, each computed once."""

    def __init__(self, settings: SentenceVectors) -> None:
        package = import_extra("sentence_transformers", "the feature sentence-vectors needs")
        self._model: Any = package.SentenceTransformer(settings.model, device=settings.device)
        self._batch = settings.batch
        self._known: dict[str, torch.Tensor] = {}

    def encode(self, words: Sequence[str]) -> torch.Tensor:
        """Return the vectors of words: (n_words, dim), in float32, on the processor."""
        new = [word for word in dict.fromkeys(words) if word not in self._known]
        if new:
            if len(self._known) + len(new) > _KEPT_WORDS:
                self._known.clear()
                new = list(dict.fromkeys(words))
            found = self._model.encode(
                [word.replace("_", " ") for word in new],
                batch_size=self._batch,
                convert_to_tensor=True,
                normalize_embeddings=True,
                show_progress_bar=False,
            )
            self._known.update(zip(new, found.float().cpu(), strict=True))
        return torch.stack([self._known[word] for word in words])


@lru_cache(maxsize=2)
def _encoder(settings: SentenceVectors) -> _Encoder:
    return _Encoder(settings)
