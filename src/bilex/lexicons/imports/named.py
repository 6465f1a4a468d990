"""Resources of one pair of languages, which the file name gives."""

from __future__ import annotations

from pathlib import Path

from bilex.lexicons.imports.languages import PairRequest, languages_in_name
from bilex.lexicons.imports.tally import Tally


class NamedLanguages:
    """The two languages of a file such as `eng-fra.tei`, and how they fit the request.

    If the name has none, the requested pair is assumed, and a note reports it.

    Attributes:
        codes: The two codes; None if the name has none.
        is_reversed: Whether the file goes from the target to the source language; None if it is
            of other languages.
    """

    def __init__(self, path: Path, request: PairRequest, tally: Tally) -> None:
        self.codes = languages_in_name(path)
        self._request = request
        self.is_reversed: bool | None = False
        if self.codes is not None:
            self.is_reversed = request.is_reversed(*self.codes)
        else:
            tally.note(
                f"The file does not say its languages: the first word of each pair is assumed to "
                f"be {request.source.requested}, the second {request.target.requested}."
            )

    @property
    def name(self) -> str:
        """Return the pair of the file, such as "eng-fra"."""
        return self._request.name if self.codes is None else "-".join(self.codes)

    def provenance(self, resource: str) -> str:
        """Return the provenance of its pairs, such as "freedict:eng-fra"."""
        return resource if self.codes is None else f"{resource}:{self.name}"
