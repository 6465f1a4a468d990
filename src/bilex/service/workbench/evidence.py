"""What helps to decide on a word: sentences with it, and words near it."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bilex.errors import BilexError
from bilex.review.project import ReviewItem
from bilex.service.nearest import nearest_words

if TYPE_CHECKING:
    from bilex.text.index import Example, TextIndex
    from bilex.values import EmbeddingSpace

_SOURCE_EXAMPLES, _TARGET_EXAMPLES = 3, 2
_CANDIDATES_WITH_EXAMPLES, _CANDIDATES_WITH_NEAR = 3, 1
_NEAR = 8

_log = logging.getLogger(__name__)


class CandidateEvidence(NamedTuple):
    """What is known about one candidate."""

    target: str
    examples: tuple[Example, ...]
    near: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordEvidence:
    """What is known about a word and its best candidates."""

    occurrences: int
    source_examples: tuple[Example, ...]
    source_near: tuple[str, ...]
    candidates: tuple[CandidateEvidence, ...]


class Evidence:
    """Finds sentences in texts of both languages, and nearest words in the vectors of a model.

    Args:
        source_text: An index of text in the source language.
        target_text: The same for the target language.
        model: A model folder. Its vectors are loaded in the background; until then, no nearest
            words are shown.
    """

    def __init__(
        self,
        source_text: TextIndex | None = None,
        target_text: TextIndex | None = None,
        model: Path | None = None,
    ) -> None:
        self._source_text, self._target_text = source_text, target_text
        self._spaces: tuple[EmbeddingSpace, EmbeddingSpace] | None = None
        self.is_wanted = bool(source_text or target_text or model)
        self._loading: threading.Thread | None = None
        if model is not None:
            self._loading = threading.Thread(target=self._load, args=(model,), daemon=True)
            self._loading.start()

    def wait(self) -> None:
        """Return when the vectors are loaded."""
        if self._loading is not None:
            self._loading.join()

    def about(self, item: ReviewItem) -> WordEvidence:
        """Return what is known about a word."""
        word, source, target = item.word.word, self._source_text, self._target_text
        source_space, target_space = self._spaces or (None, None)
        targets = [each.target for each in item.word.candidates[:_CANDIDATES_WITH_EXAMPLES]]
        return WordEvidence(
            occurrences=0 if source is None else source.count(word),
            source_examples=_examples(source, word, _SOURCE_EXAMPLES),
            source_near=_nearest(source_space, word),
            candidates=tuple(
                CandidateEvidence(
                    each,
                    _examples(target, each, _TARGET_EXAMPLES),
                    _nearest(target_space, each) if number < _CANDIDATES_WITH_NEAR else (),
                )
                for number, each in enumerate(targets)
            ),
        )

    def _load(self, folder: Path) -> None:
        from bilex.model.folder import read_model

        try:
            contents = read_model(folder)
        except (BilexError, OSError) as problem:  # the review works without nearest words
            _log.warning("no nearest words: %s", problem)
            return
        self._spaces = contents.source, contents.target


def _examples(text: TextIndex | None, word: str, number: int) -> tuple[Example, ...]:
    return () if text is None else tuple(text.examples(word, number))


def _nearest(space: EmbeddingSpace | None, word: str) -> tuple[str, ...]:
    return () if space is None else nearest_words(space, word, _NEAR)
