"""Labels: which candidates of held-out words are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from bilex.candidates.lists import CandidateLists, Queries, list_candidates
from bilex.candidates.ranking import Ranking
from bilex.values import EmbeddingSpace, IndexedLexicon, Matrix, Vector

ORDINARY_WORDS, ORDINARY_RANKS = 1_000, 20_000
"""How many words are ordinary words, and among how many of the most frequent ones."""

Gold = Mapping[int, frozenset[int]]
"""The row numbers of the right translations of each word."""


@dataclass(frozen=True, eq=False)
class LabeledCandidates:
    """Candidates of held-out words, and whether each candidate is right."""

    features: Matrix  # (n_words, k, n_features)
    right: Matrix  # (n_words, k), 1 or 0
    frequency_ranks: Vector  # (n_words,), from 1
    sampled: torch.Tensor | None = None  # (n_words,), bool: words of a random sample


def label_candidates(
    ranking: Ranking, gold: Gold, features: Sequence[str], sample: torch.Tensor | None = None
) -> LabeledCandidates:
    """List the candidates of held-out words and label each as right or wrong.

    Args:
        ranking: Lists candidates.
        gold: The right translations of each word; a word may have none.
        features: Names of the features.
        sample: Words that are a random sample of all words; None if there is no sample.
    """
    device = ranking.direction.source.space.vectors.device
    words = torch.tensor(sorted(gold), dtype=torch.long, device=device)
    blocks = torch.split(words, ranking.words_at_once(ranking.depth))
    found = join([_label(ranking, rows, gold, features) for rows in blocks])
    return found if sample is None else replace(found, sampled=torch.isin(words, sample).cpu())


def ordinary_words(space: EmbeddingSpace) -> torch.Tensor:
    """Return rows at equal distances among the most frequent words."""
    last = min(len(space), ORDINARY_RANKS) - 1
    return torch.linspace(0, last, min(last + 1, ORDINARY_WORDS)).round().long()


def ordinary_features(ranking: Ranking, features: Sequence[str]) -> Matrix | None:
    """Return the features of the candidates of ordinary words: (n_words, k, n_features).

    None with features of plugins, which may be slow, or cost money.
    """
    if any(name in features for plugin in ranking.plugins for name in plugin.names):
        return None
    space = ranking.direction.source.space
    words = ordinary_words(space).to(space.vectors.device)
    blocks = torch.split(words, ranking.words_at_once(ranking.depth))
    return torch.cat([_listed(ranking, rows, features)[2] for rows in blocks])


def join(parts: Sequence[LabeledCandidates]) -> LabeledCandidates:
    """Return all words of all parts, in order."""
    sampled = [part.sampled for part in parts]
    return LabeledCandidates(
        features=torch.cat([part.features for part in parts]),
        right=torch.cat([part.right for part in parts]),
        frequency_ranks=torch.cat([part.frequency_ranks for part in parts]),
        sampled=None if None in sampled else torch.cat(sampled),  # type: ignore[arg-type]
    )


def gold_of(lexicon: IndexedLexicon, held_out: torch.Tensor, *, reverse: bool) -> Gold:
    """Return the right translations of the words whose pairs were all held out."""
    pairs = lexicon.reversed() if reverse else lexicon
    seen = torch.isin(pairs.source_ids, pairs.source_ids[~held_out])
    return pairs.take(~seen).answers


def _label(
    ranking: Ranking, rows: torch.Tensor, gold: Gold, features: Sequence[str]
) -> LabeledCandidates:
    queries, lists, found = _listed(ranking, rows, features)
    right = [
        [float(i in gold[row]) for i in ids]
        for row, ids in zip(rows.tolist(), lists.ids.tolist(), strict=True)
    ]
    return LabeledCandidates(
        features=found,
        right=torch.tensor(right).reshape(lists.ids.shape),
        frequency_ranks=queries.frequency_ranks.cpu(),
    )


def _listed(
    ranking: Ranking, rows: torch.Tensor, features: Sequence[str]
) -> tuple[Queries, CandidateLists, Matrix]:
    queries = ranking.direction.queries(rows)
    lists = list_candidates(ranking.direction, queries, k=ranking.depth)
    return queries, lists, ranking.features(queries, lists, features).cpu()
