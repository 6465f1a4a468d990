"""Words that occur together more often than by chance, joined to one term by `_`."""

from __future__ import annotations

from pathlib import Path

from bilex.registry import import_extra
from bilex.text.tokens import Tokens

FEWEST_OCCURRENCES = 5
"""How often two words must occur together."""

_THRESHOLD = 10.0
_MOST_PAIRS = 5_000_000  # in memory; if there are more, the rarest are dropped


def join_phrases(tokens: Tokens, path: Path) -> Tokens:
    """Write a file of sentences in which phrases of two words are joined (Mikolov et al., 2013).

    Raises:
        MissingExtraError: If gensim is not installed.
    """
    module = import_extra("gensim.models.phrases", "finding phrases needs", extra="text")
    found = module.Phrases(
        tokens,
        min_count=FEWEST_OCCURRENCES,
        threshold=_THRESHOLD,
        max_vocab_size=_MOST_PAIRS,
        delimiter="_",
    ).freeze()
    return tokens.rewritten(path, lambda sentence: found[sentence])
