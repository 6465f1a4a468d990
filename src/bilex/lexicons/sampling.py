"""Seed lexicons of a given size: "100 unique", "5K all"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bilex.errors import EmptyLexiconError, SettingError
from bilex.values import Entry, Lexicon, SpacePair

if TYPE_CHECKING:
    import torch

_SPEC = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kK]?)\s+(unique|all)\s*", re.ASCII)


@dataclass(frozen=True)
class SampleSpec:
    """How many source words to take, and which of their translations.

    `unique` takes the first translation of each word, `all` takes every one.
    """

    size: int
    kind: Literal["unique", "all"]

    def __post_init__(self) -> None:
        if self.size < 1:
            raise SettingError(f"the sample size is {self.size}, expected 1 or more source words")
        if self.kind not in ("unique", "all"):
            raise SettingError(f"the sample kind is {self.kind!r}, expected 'unique' or 'all'")


def parse_sample_spec(text: str) -> SampleSpec:
    """Read a size and a kind, as papers write them.

    Raises:
        SettingError: If the text is not such a pair.

    Example:
        >>> parse_sample_spec("5K all")
        SampleSpec(size=5000, kind='all')
    """
    match = _SPEC.fullmatch(text)
    size = float(match[1]) * (1000 if match[2] else 1) if match else 0.5
    if match is None or size != int(size):
        raise SettingError(
            f"the sample is {text!r}, expected a number of source words and 'unique' or 'all', "
            "such as '100 unique', '1K unique' or '5K all'"
        )
    return SampleSpec(int(size), "unique" if match[3] == "unique" else "all")


def sample_lexicon(
    lexicon: Lexicon,
    spec: SampleSpec | str,
    *,
    rng: torch.Generator | None = None,
    order: Literal["given", "random"] = "given",
    pair: SpacePair | None = None,
) -> Lexicon:
    """Take a seed lexicon of a given size; entries stay in their order, repeated pairs are dropped.

    Published seeds are the most frequent words, which is the order of the published files:
    `given` takes the first source words. `random` draws them without replacement.

    Args:
        lexicon: The lexicon to sample from.
        spec: The size and kind, such as "1K unique".
        rng: Random generator; needed when the order is random, unused otherwise.
        order: Which source words to take.
        pair: If given, only pairs with both words known count, so that all seeds can be used.

    Raises:
        EmptyLexiconError: If there are fewer source words than requested.
    """
    spec = parse_sample_spec(spec) if isinstance(spec, str) else spec
    by_source = _by_source(lexicon, pair)
    if spec.size > len(by_source):
        where = "with both words in the vocabularies" if pair else "in the lexicon"
        raise EmptyLexiconError(
            f"{spec.size:,} source words requested, but only {len(by_source):,} are {where}: "
            "request fewer or give a larger lexicon"
        )
    sources = list(by_source)
    chosen = [by_source[sources[i]] for i in _positions(len(sources), spec.size, order, rng)]
    kept = {position for group in chosen for position in _wanted(group, spec)}
    return Lexicon(tuple(lexicon.entries[position] for position in sorted(kept)))


def _by_source(lexicon: Lexicon, pair: SpacePair | None) -> dict[str, list[int]]:
    """Map each source word to the positions of its distinct (and known) translations."""
    found: dict[str, list[int]] = {}
    seen: set[tuple[str, str]] = set()
    for position, entry in enumerate(lexicon.entries):
        words = (entry.source, entry.target)
        if words not in seen and (pair is None or _is_known(entry, pair)):
            seen.add(words)
            found.setdefault(entry.source, []).append(position)
    return found


def _is_known(entry: Entry, pair: SpacePair) -> bool:
    return entry.source in pair.source.index and entry.target in pair.target.index


def _positions(
    available: int, size: int, order: Literal["given", "random"], rng: torch.Generator | None
) -> list[int]:
    if order == "given":
        return list(range(size))
    if order != "random":
        raise SettingError(f"the order is {order!r}, expected 'given' or 'random'")
    if rng is None:
        raise SettingError("a random order needs rng, such as torch.Generator().manual_seed(0)")
    import torch

    drawn: list[int] = torch.randperm(available, generator=rng)[:size].tolist()
    return drawn


def _wanted(group: list[int], spec: SampleSpec) -> list[int]:
    return group[:1] if spec.kind == "unique" else group
