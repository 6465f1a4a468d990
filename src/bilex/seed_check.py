"""An early look at whether seed pairs and vectors fit together at all."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.lexicons import coverage
from bilex.similarity import topk
from bilex.supervised.procrustes import Procrustes
from bilex.values import EmbeddingSpace, IndexedLexicon, Lexicon, SpacePair, unit_rows

HELD_OUT_SHARE = 0.2
MOST_HELD_OUT = 500
FEWEST_HELD_OUT = 10
"""With fewer, an accuracy of zero may be bad luck."""

NEAR_ZERO = 0.05
"""Share of held-out words with their translation among the ten nearest; good seeds reach half."""


@dataclass(frozen=True)
class SeedCheck:
    """How well a rotation learned from most pairs translates the others.

    `warning` is None when nothing looks wrong, or when there are too few pairs to tell.
    """

    pairs: int
    held_out: int
    p_at_1: float | None
    p_at_10: float | None
    warning: str | None


def check_seeds(pair: SpacePair, lexicon: IndexedLexicon, *, rng: torch.Generator) -> SeedCheck:
    """Hold some pairs out, learn a rotation from the rest, and see how it does on them."""
    held_out = min(int(HELD_OUT_SHARE * len(lexicon)), MOST_HELD_OUT)
    if held_out < FEWEST_HELD_OUT:
        return SeedCheck(len(lexicon), 0, None, None, None)
    order = torch.randperm(len(lexicon), generator=rng, device=rng.device)
    asked, learned = lexicon.take(order[:held_out]), lexicon.take(order[held_out:])
    mapping = Procrustes().fit_map(pair, learned, rng=rng)
    queries = unit_rows(mapping.apply(pair.source.vectors[asked.source_ids]))
    found = topk(queries, unit_rows(pair.target.vectors), 10, compute=pair.compute)
    hits = found.ids == asked.target_ids[:, None]
    p_at_1, p_at_10 = float(hits[:, 0].float().mean()), float(hits.any(1).float().mean())
    warning = _warning(pair, lexicon, held_out, p_at_10) if p_at_10 < NEAR_ZERO else None
    return SeedCheck(len(lexicon), held_out, p_at_1, p_at_10, warning)


def are_few(pairs: int, pair: SpacePair) -> bool:
    """Tell whether so many pairs leave open where some directions of the space go."""
    return pairs < min(pair.source.dim, pair.target.dim)


def nothing_covered(lexicon: Lexicon, source: EmbeddingSpace, target: EmbeddingSpace) -> str:
    """Say, for a lexicon of which no pair is usable, what may be wrong with it."""
    found = coverage(lexicon, source, target)
    hints = " ".join(found.hints) or "Are these the right two vector files, in the right order?"
    return (
        f"none of the {found.pairs} seed pairs has both words in the vocabularies "
        f"({len(source)} source words, {len(target)} target words). {hints}"
    )


def _warning(pair: SpacePair, lexicon: IndexedLexicon, held_out: int, p_at_10: float) -> str:
    found = (
        f"of {held_out:,} seed pairs held out, only {p_at_10:.0%} are found among the ten nearest "
        "words by a rotation learned from the others"
    )
    if are_few(len(lexicon), pair):
        dim = min(pair.source.dim, pair.target.dim)
        return (
            f"{found}: {len(lexicon):,} usable pairs are few for {dim} dimensions; methods that "
            "find more by themselves (bilex, css, pss) may do well with them, others need more"
        )
    return (
        f"{found}: the pairs contradict the vectors; check that the columns of the lexicon are in "
        "step and that each vector file is of the language of its column (bilex inspect tells more)"
    )
