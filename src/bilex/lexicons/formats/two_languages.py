"""Choose two languages of a file that may hold several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bilex.errors import DictionaryFileError


class TwoLanguages:
    """The source and target language: as requested, or the only two in the file.

    A requested language also matches its varieties: "en" matches "en-US".
    """

    def __init__(self, path: Path, source: str | None, target: str | None) -> None:
        self._path = path
        self._requested = (source, target)
        self.source = source
        self.target = target

    def choose(self, found: Sequence[str], line: int) -> tuple[int, int] | None:
        """Return the positions of both languages among those found, None if one is missing.

        Raises:
            DictionaryFileError: If there are more than two and not both were requested.
        """
        if len(found) < 2:
            return None
        if self.source is None or self.target is None:
            self._settle(found, line)
        source = self._position(self.source, found, without=None)
        target = self._position(self.target, found, without=source)
        if None in self._requested:
            self._refuse_others(found, line)
        return None if source is None or target is None else (source, target)

    def _settle(self, found: Sequence[str], line: int) -> None:
        if self.source is None:
            others = [i for i in found if self.target is None or not fits(self.target, i)]
            self.source = (others or found)[0]
        if self.target is None:
            place = self._position(self.source, found, without=None)
            others = [language for i, language in enumerate(found) if i != place]
            self.target = others[0]
        self._refuse_others(found, line)

    def _refuse_others(self, found: Sequence[str], line: int) -> None:
        wanted = [self.source or "", self.target or ""]
        if any(not any(fits(one, other) for one in wanted) for other in found):
            raise DictionaryFileError(
                self._path,
                f"found the languages {', '.join(dict.fromkeys([*wanted, *found]))}: say which "
                "two to read (source_language and target_language)",
                line=line,
            )

    @staticmethod
    def _position(wanted: str | None, found: Sequence[str], without: int | None) -> int | None:
        for position, language in enumerate(found):
            if position != without and wanted is not None and fits(wanted, language):
                return position
        return None


def fits(wanted: str, found: str) -> bool:
    """Return whether a language is the wanted one or a variety of it."""
    wanted, found = wanted.lower(), found.lower().replace("_", "-")
    return found == wanted or found.startswith(f"{wanted}-")
