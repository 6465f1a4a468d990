"""A dictionary as people receive it: its entries, and what is known of it as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Origin = Literal["seed", "induced", "reviewed"]
"""Who says so: the pairs that training began with, a model, or a person who looked at it."""


class DictionaryEntry(NamedTuple):
    """One translation of one word, and every reason there is to trust it; None is not known.

    Attributes:
        source: The word.
        target: Its translation.
        probability: That the translation is right.
        score: How the model ranks it, by CSLS as a rule; higher is better.
        rank: Among the translations of `source`, from 1.
        back_rank: Of `source` among the translations of `target`, from 1.
        origin: Who says so.
        model: Which model ranked it.
    """

    source: str
    target: str
    probability: float | None = None
    score: float | None = None
    rank: int | None = None
    back_rank: int | None = None
    origin: Origin = "induced"
    model: str = ""

    @property
    def mutual(self) -> bool:
        """Tell whether each word is the other's best translation: the simplest sign of trust."""
        return self.rank == self.back_rank == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryFacts:
    """What is known of a whole dictionary.

    Attributes:
        source_language: A language tag such as "en" (BCP 47); "und" if it is not known.
        target_language: The same of the other language.
        title: What people call it.
        license: Its terms, as an SPDX name where there is one; empty if nobody said.
        manifest: How it was made: versions, settings, hashes, sizes.
    """

    source_language: str = "und"
    target_language: str = "und"
    title: str = ""
    license: str = ""
    manifest: Mapping[str, object] = field(default_factory=dict)
