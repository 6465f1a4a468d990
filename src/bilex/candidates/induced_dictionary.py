"""The dictionary of a whole vocabulary: the candidates of every word, and a selection of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import torch

from bilex.candidates.lists import BACK_DEPTH
from bilex.candidates.ranking import RankedCandidates, Ranking, check_k, no_probabilities
from bilex.candidates.threshold import (
    CurvePoint,
    check_precision,
    precision_curve,
    running_precision,
    threshold_for_f1,
    threshold_for_precision,
)
from bilex.candidates.whole_vocabulary import rank_all
from bilex.lexicons.dictionary import (
    Dictionary,
    DictionaryEntry,
    DictionaryMetadata,
    Origin,
)
from bilex.values import Matrix, Progress

PRECISIONS = (0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5)
"""The precisions for which the size of the dictionary is reported."""

_Listed = tuple[int, float, int, float | None]
"""A candidate: its row, its score, its back rank and its probability."""

_WORDS_AT_ONCE = 1_024  # converted from tensors to entries in one block


@dataclass(frozen=True, eq=False)
class InducedDictionary:
    """All candidates of all words of a language, most frequent word first, and a selection of them.

    Iterating gives the selected entries. A word may have several entries or none. Without a limit,
    seed pairs are always selected. With a limit, each word keeps its best candidates by rank.

    Attributes:
        words: The words.
        targets: The vocabulary of the candidates.
        ranked: The candidates of each word, best first.
        seeds: The target rows of the seed pairs, by source row.
        model: The identity of the model that ranked them.
        limit: The largest number of entries per word; None for any number.
        threshold: The smallest probability that is kept.
        provenance: Versions, hashes and sizes for `metadata`.
    """

    words: Sequence[str]
    targets: Sequence[str]
    ranked: RankedCandidates
    seeds: Mapping[int, frozenset[int]]
    model: str
    limit: int | None
    threshold: float
    provenance: Mapping[str, object] = field(default_factory=dict)

    def __repr__(self) -> str:
        kept = "all" if self.limit is None else f"at most {self.limit}"
        cut = f" with a probability of {self.threshold:.3f} or more" if self.threshold else ""
        return f"InducedDictionary({len(self.words):,} words, {kept} translations{cut})"

    def metadata(
        self,
        *,
        source_language: str = "und",
        target_language: str = "und",
        title: str = "",
        license: str = "",
    ) -> DictionaryMetadata:
        """Return the metadata that `write_dictionary` saves with the dictionary."""
        threshold = self.threshold if self.threshold <= 1 else None  # None: nothing is kept
        return DictionaryMetadata(
            source_language=source_language,
            target_language=target_language,
            title=title,
            license=license,
            manifest={**self.provenance, "limit": self.limit, "threshold": threshold},
        )

    def to_dictionary(self, metadata: DictionaryMetadata | None = None) -> Dictionary:
        """Return the selected entries as a `Dictionary`, as `read_dictionary` does."""
        return Dictionary(tuple(self), self.metadata() if metadata is None else metadata)

    def to_dict(self) -> dict[str, object]:
        """Return the selected entries and the metadata as plain values, ready for JSON."""
        return self.to_dictionary().to_dict()

    def to_pandas(self) -> Any:  # noqa: ANN401 - pandas is optional
        """Return a `pandas.DataFrame` with one row for each selected entry.

        Raises:
            MissingExtraError: If pandas is not installed.
        """
        return self.to_dictionary().to_pandas()

    def __iter__(self) -> Iterator[DictionaryEntry]:
        for block in range(0, len(self.words), _WORDS_AT_ONCE):
            found = self.ranked.rows(slice(block, block + _WORDS_AT_ONCE))
            columns = (found.ids, found.scores, found.back_ranks)
            listed = zip(*(column.tolist() for column in columns), found.chances(), strict=True)
            for row, lists in enumerate(listed, start=block):
                yield from self._entries(row, zip(*lists, strict=True))

    def _entries(self, row: int, candidates: Iterable[_Listed]) -> Iterator[DictionaryEntry]:
        word, unlisted = self.words[row], set(self.seeds.get(row, ()))
        for rank, (i, score, back, chance) in enumerate(candidates, start=1):
            seed = i in unlisted
            unlisted.discard(i)
            if self._keeps(rank, chance, seed=seed):
                origin: Origin = "seed" if seed else "induced"
                back_rank = back if back <= BACK_DEPTH else None
                yield DictionaryEntry(
                    source=word,
                    target=self.targets[i],
                    probability=None if chance is None else round(chance, 4),
                    score=round(score, 6),
                    rank=rank,
                    back_rank=back_rank,
                    origin=origin,
                    model=self.model,
                )
        for i in sorted(unlisted) if self.limit is None else ():
            yield DictionaryEntry(word, self.targets[i], origin="seed", model=self.model)

    def cut(self, *, k: int | None = None, min_precision: float | None = None) -> Self:
        """Return the same candidates with another selection.

        Args:
            k: The largest number of translations per word. None means no limit if the model has
                probabilities, and one translation if not.
            min_precision: The expected share of correct entries, seeds included. Without it and
                `k`, the threshold is the one with the best expected F1.

        Raises:
            SettingError: If `min_precision` is given but the model has no probabilities.
        """
        limit = 1 if k is None and self.ranked.probabilities is None else k
        whole = replace(self, limit=limit, threshold=0.0)
        if min_precision is not None:
            threshold = threshold_for_precision(whole._within_limit(), min_precision)
        elif limit is None:
            threshold = threshold_for_f1(whole._within_limit())
        else:
            threshold = 0.0
        return replace(whole, threshold=threshold)

    def curve(self) -> list[CurvePoint]:
        """Return the size of the dictionary at several levels of precision, the highest first.

        Raises:
            SettingError: If the model has no probabilities.
        """
        return precision_curve(self._within_limit(), torch.tensor(PRECISIONS))

    def expected_precision(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return numbers of entries, and the expected precision of that many best entries.

        Raises:
            SettingError: If the model has no probabilities.
        """
        return running_precision(self._within_limit())

    def _within_limit(self) -> Matrix:
        found = self.ranked.probabilities
        if found is None:
            raise no_probabilities()
        return found[:, : self.limit]

    def _keeps(self, rank: int, chance: float | None, *, seed: bool) -> bool:
        if self.limit is None and seed:
            return True
        within = self.limit is None or rank <= self.limit
        return within and (chance or 0.0) >= self.threshold


def induce(
    ranking: Ranking,
    *,
    k: int | None,
    min_precision: float | None,
    seeds: Mapping[int, frozenset[int]],
    model: str,
    ranked: RankedCandidates | None = None,
    on_block: Progress | None = None,
) -> InducedDictionary:
    """Find the candidates of every word and select entries from them.

    Args:
        ranking: Ranks the candidates.
        k: The largest number of translations per word. None means no limit if the model has
            probabilities, and one translation if not.
        min_precision: The expected share of correct entries, seeds included. Without it and `k`,
            the threshold is the one with the best expected F1.
        seeds: The target rows of the seed pairs, by source row.
        model: The identity of the model, stored in the entries.
        ranked: The candidates of every word, if already computed.
        on_block: Called with the progress.

    Raises:
        SettingError: If `min_precision` is given but the model has no probabilities, or a number
            is out of range.
    """
    if min_precision is not None:
        check_precision(min_precision)
        if ranking.model is None:
            raise no_probabilities()
    wanted = 1 if k is None else k
    check_k(wanted)
    whole = InducedDictionary(
        words=ranking.direction.source.space.words,
        targets=ranking.direction.target.space.words,
        ranked=rank_all(ranking, wanted, on_block) if ranked is None else ranked,
        seeds=seeds,
        model=model,
        limit=None,
        threshold=0.0,
    )
    return whole.cut(k=k, min_precision=min_precision)
