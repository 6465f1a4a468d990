"""An importer: one object that recognizes a resource and reads its pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bilex.errors import PluginError
from bilex.lexicons.imports.languages import PairRequest
from bilex.lexicons.imports.start import ResourceStart
from bilex.lexicons.imports.tally import Tally
from bilex.values import Entry

Read = Callable[[Path, PairRequest, Tally], Iterator[Entry]]
"""Yields the requested pairs as they are in the resource; words are cleaned later.

It counts the entries it reads, what it leaves out and the languages it finds. A damaged file is a
`LexiconFileError` or a `DictionaryFileError`.
"""

Sniff = Callable[[ResourceStart], float]
"""Returns how certain it is that a file is of this resource: from 0 (it is not) to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """A resource with translations, declared by an entry point of the group `bilex.import`.

    Attributes:
        name: The name, as in `--from wiktionary`; the same as that of the entry point.
        files: The files of the resource, such as ".jsonl, .jsonl.gz".
        summary: One sentence for the documentation.
        license: The license of the whole resource; empty if each file has its own.
        sniff: Recognizes a file by its content.
        read: Yields the pairs of two languages.
        joins: Whether a second data set can be given (`--with`).
    """

    name: str
    files: str
    summary: str
    license: str = ""
    sniff: Sniff
    read: Read
    joins: bool = False

    def __post_init__(self) -> None:
        if not self.name or not self.files or not self.summary:
            raise PluginError(
                f"the importer {self.name!r} must have a name, files and a summary: ask its author"
            )

    def to_dict(self) -> dict[str, str]:
        """Return what describes the importer."""
        return {
            "name": self.name,
            "files": self.files,
            "license": self.license,
            "summary": self.summary,
        }
