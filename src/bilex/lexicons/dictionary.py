"""Dictionaries: their entries, and the metadata of a whole dictionary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from bilex.registry import import_extra

Origin = Literal["seed", "induced", "reviewed", "rejected"]
"""Where an entry comes from: the seed pairs, a model, or a person who checked it.

A rejected entry is a pair that a person said is wrong. It is kept as a record, not as a
translation.
"""


class DictionaryEntry(NamedTuple):
    """One translation of one word, and how far to trust it; None or empty means unknown.

    Attributes:
        source: The word.
        target: Its translation.
        probability: The probability that the translation is correct.
        score: The score of the model, usually CSLS; higher is better.
        rank: The rank among the translations of `source`, from 1.
        back_rank: The rank of `source` among the translations of `target`, from 1.
        origin: Where the entry comes from.
        model: The model that ranked it.
        part_of_speech: The part of speech that a reviewer gave, such as "noun".
        sense: A short label of the meaning, given by a reviewer.
        note: A reviewer's note, on one line.
        reviewer: Who decided; several names are separated by semicolons.
        reviewed_at: When, such as 2026-01-31 or 2026-01-31T12:00:00Z.
    """

    source: str
    target: str
    probability: float | None = None
    score: float | None = None
    rank: int | None = None
    back_rank: int | None = None
    origin: Origin = "induced"
    model: str = ""
    part_of_speech: str = ""
    sense: str = ""
    note: str = ""
    reviewer: str = ""
    reviewed_at: str = ""

    @property
    def mutual(self) -> bool:
        """Return whether each word is the best translation of the other."""
        return self.rank == self.back_rank == 1

    def to_dict(self) -> dict[str, object]:
        """Return the fields by name."""
        return self._asdict()


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryMetadata:
    """What is known about a whole dictionary.

    Attributes:
        source_language: A language tag such as "en" (BCP 47); "und" if unknown.
        target_language: The same for the target language.
        title: The title.
        license: The license, as an SPDX identifier where there is one; empty if unknown.
        manifest: How the dictionary was made: versions, settings, hashes, sizes.
    """

    source_language: str = "und"
    target_language: str = "und"
    title: str = ""
    license: str = ""
    manifest: Mapping[str, object] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """Return the fields by name."""
        return {
            "source_language": self.source_language,
            "target_language": self.target_language,
            "title": self.title,
            "license": self.license,
            "manifest": dict(self.manifest),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Dictionary:
    """The entries of a dictionary and its metadata.

    Attributes:
        entries: The entries, in the order of the file.
        metadata: Languages, title, license, manifest.
        notes: What in the file was not read, such as columns with other names.
        changed: Whether the file is not the one that its manifest describes: it was edited, or the
            writing of the two was interrupted.

    Example:
        >>> Dictionary((DictionaryEntry("dog", "chien"),))
        Dictionary(1 entries, und-und: dog → chien)
    """

    entries: tuple[DictionaryEntry, ...]
    metadata: DictionaryMetadata = DictionaryMetadata()
    notes: tuple[str, ...] = ()
    changed: bool = False

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[DictionaryEntry]:
        return iter(self.entries)

    def __repr__(self) -> str:
        languages = f"{self.metadata.source_language}-{self.metadata.target_language}"
        first = ", ".join(f"{entry.source} → {entry.target}" for entry in self.entries[:3])
        return f"Dictionary({len(self):,} entries, {languages}{': ' + first if first else ''})"

    def to_dict(self) -> dict[str, object]:
        """Return entries, metadata and notes as plain values that JSON can hold."""
        return {
            "entries": [entry.to_dict() for entry in self.entries],
            "metadata": self.metadata.to_dict(),
            "notes": list(self.notes),
            "changed": self.changed,
        }

    def to_pandas(self) -> Any:  # noqa: ANN401 - pandas is optional
        """Return a `pandas.DataFrame` with one row for each entry and one column for each field.

        Raises:
            MissingExtraError: If pandas is not installed.
        """
        pandas = import_extra("pandas", "Dictionary.to_pandas needs")
        frame = pandas.DataFrame(list(self.entries), columns=list(DictionaryEntry._fields))
        types = {"probability": "float64", "score": "float64", "rank": "Int64"}
        return frame.astype({**types, "back_rank": "Int64"})
