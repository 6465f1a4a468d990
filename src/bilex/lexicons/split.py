"""Set word pairs aside without letting a source word be on both sides."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from bilex.errors import EmptyLexiconError, SettingError
from bilex.values import Lexicon


@dataclass(frozen=True)
class LexiconSplit:
    """Two lexicons that share no source word."""

    kept: Lexicon
    held_out: Lexicon


def split_lexicon(lexicon: Lexicon, *, held_out: float, rng: torch.Generator) -> LexiconSplit:
    """Hold out a share of the source words, drawn at random, with all their translations.

    Both sides get at least one source word, and their entries stay in order.

    Args:
        lexicon: What to split.
        held_out: The share of the source words to hold out, between 0 and 1.
        rng: What to draw with.

    Raises:
        SettingError: If the share is not between 0 and 1.
        EmptyLexiconError: If there are fewer than two source words.
    """
    if not 0 < held_out < 1:
        raise SettingError(f"held_out is {held_out}, expected a share between 0 and 1 such as 0.2")
    sources = list(dict.fromkeys(entry.source for entry in lexicon.entries))
    if len(sources) < 2:
        raise EmptyLexiconError(
            f"too few source words to split ({len(sources)}, expected 2 or more): give a larger "
            "lexicon"
        )
    size = min(max(round(held_out * len(sources)), 1), len(sources) - 1)
    drawn: list[int] = torch.randperm(len(sources), generator=rng)[:size].tolist()
    chosen = {sources[position] for position in drawn}
    return LexiconSplit(
        kept=Lexicon(tuple(entry for entry in lexicon.entries if entry.source not in chosen)),
        held_out=Lexicon(tuple(entry for entry in lexicon.entries if entry.source in chosen)),
    )
