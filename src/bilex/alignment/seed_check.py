"""An early check that the seed pairs match the vectors."""

from __future__ import annotations

import torch

from bilex.alignment.supervised.procrustes import Procrustes
from bilex.lexicons import coverage
from bilex.similarity import topk
from bilex.values import EmbeddingSpace, IndexedLexicon, Lexicon, SeedCheck, SpacePair, unit_rows

HELD_OUT_SHARE = 0.2
MOST_HELD_OUT = 500
FEWEST_HELD_OUT = 10
"""With fewer held-out pairs, an accuracy of zero can be chance."""

NEAR_ZERO = 0.05
"""Warn below this share of held-out words with their translation among the ten nearest words; good
seeds reach 0.5."""


def check_seeds(spaces: SpacePair, lexicon: IndexedLexicon, *, rng: torch.Generator) -> SeedCheck:
    """Learn a rotation from some of the pairs and test it on the held-out rest."""
    held_out = min(int(HELD_OUT_SHARE * len(lexicon)), MOST_HELD_OUT)
    if held_out < FEWEST_HELD_OUT:
        return SeedCheck(len(lexicon), 0, None, None, None)
    order = torch.randperm(len(lexicon), generator=rng, device=rng.device)
    tested, learned = lexicon.take(order[:held_out]), lexicon.take(order[held_out:])
    mapping = Procrustes().fit_map(spaces, learned, rng=rng)
    queries = unit_rows(mapping.apply(spaces.source.vectors[tested.source_ids]))
    found = topk(queries, unit_rows(spaces.target.vectors), 10, compute=spaces.compute)
    hits = found.ids == tested.target_ids[:, None]
    p_at_1, p_at_10 = float(hits[:, 0].float().mean()), float(hits.any(1).float().mean())
    warning = _warning(spaces, lexicon, held_out, p_at_10) if p_at_10 < NEAR_ZERO else None
    return SeedCheck(len(lexicon), held_out, p_at_1, p_at_10, warning)


def are_few(pairs: int, spaces: SpacePair) -> bool:
    """Return whether there are fewer pairs than dimensions."""
    return pairs < min(spaces.source.dim, spaces.target.dim)


def nothing_covered(lexicon: Lexicon, source: EmbeddingSpace, target: EmbeddingSpace) -> str:
    """Return the error message for a lexicon without a usable pair."""
    found = coverage(lexicon, source, target)
    hints = (
        " ".join(found.hints)
        or "Check that these are the right two vector files, in the right order."
    )
    return (
        f"none of the {found.pairs} seed pairs has both words in the vocabularies "
        f"({len(source)} source words, {len(target)} target words). {hints}"
    )


def _warning(spaces: SpacePair, lexicon: IndexedLexicon, held_out: int, p_at_10: float) -> str:
    found = (
        f"of {held_out:,} seed pairs held out, only {p_at_10:.0%} are found among the ten nearest "
        "words by a rotation learned from the others"
    )
    if are_few(len(lexicon), spaces):
        dim = min(spaces.source.dim, spaces.target.dim)
        return (
            f"{found}: {len(lexicon):,} usable pairs are few for {dim} dimensions; use a preset "
            "that finds more pairs itself (bilex, css, pss), or give more seed pairs"
        )
    return (
        f"{found}: the pairs do not fit the vectors; check that the columns of the lexicon are in "
        "the right order, that the words of a row are translations, and that each vector file is "
        "in the language of its column (`bilex inspect` shows more)"
    )
