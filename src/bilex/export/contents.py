"""What reading a dictionary gives."""

from __future__ import annotations

from dataclasses import dataclass

from bilex.dictionary import DictionaryEntry, DictionaryFacts


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The entries of a dictionary file, and what is known of it as a whole.

    Attributes:
        entries: In the order of the file.
        facts: Languages, title, license, manifest.
        notes: What in the file was left out, in plain words, such as columns that are not ours.
    """

    entries: list[DictionaryEntry]
    facts: DictionaryFacts
    notes: tuple[str, ...] = ()
