"""Words of a vocabulary that differ from a given word only in upper and lower case."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from bilex.values import EmbeddingSpace

DOTLESS_SHARE = 0.01
"""If more than this share of frequent words has ı or İ, the capital of i is İ and the small letter
of I is ı, as in Turkish and Azerbaijani."""

_FREQUENT = 20_000


def fold_case(word: str, *, dotless: bool = False) -> str:
    """Return a form that is the same for all words that differ only in case.

    It is the case folding of Unicode, with two differences: ß stays, because *Maße* and *Masse* are
    two words, and İ becomes i without a separate dot.

    Args:
        word: The word.
        dotless: Whether the small letter of I is ı.

    Example:
        >>> fold_case("ΟΔΟΣ") == fold_case("οδος"), fold_case("IRMAK", dotless=True)
        (True, 'ırmak')
    """
    if dotless and "I" in word:
        word = word.replace("I\u0307", "i").replace("I", "ı")
    if word.isascii():
        return word.lower()
    if "ß" in word or "ẞ" in word:
        folded = "ß".join(part.casefold() for part in word.replace("ẞ", "ß").split("ß"))
    else:
        folded = word.casefold()
    return folded.replace("i\u0307", "i")


class CaseIndex:
    """Finds the words of a vocabulary in any case.

    A word in capitals may have SS for ß: *STRASSE* is *Straße* or *Strasse*.

    Example:
        >>> import torch
        >>> space = EmbeddingSpace(("berlin", "Weg", "weg"), torch.ones(3, 2))
        >>> found = CaseIndex(space)
        >>> found.find("Berlin"), found.find("weg"), found.find("WEG"), found.find("Rom")
        ('berlin', 'weg', 'Weg', None)
    """

    def __init__(self, space: EmbeddingSpace) -> None:
        self._space = space

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.find(word) is not None

    def find(self, word: str) -> str | None:
        """Return the word itself if it is known, else its most frequent spelling in other case."""
        space = self._space
        if word in space.index:
            return word
        key = fold_case(word, dotless=self._dotless)
        rows = [self._rows.get(key)]
        if "SS" in word and word.isupper():
            rows.append(self._rows_with_ss.get(key.replace("ß", "ss")))
        elif "ß" in word:
            rows.append(space.index.get(word.upper()))
        known = [row for row in rows if row is not None]
        return space.words[min(known)] if known else None

    @cached_property
    def _dotless(self) -> bool:
        frequent = self._space.words[:_FREQUENT]
        return sum("ı" in word or "İ" in word for word in frequent) > DOTLESS_SHARE * len(frequent)

    @cached_property
    def _rows(self) -> dict[str, int]:
        """Map each form to the first row that has it: the most frequent word."""
        dotless = self._dotless
        return _first_rows(
            (fold_case(word, dotless=dotless), row) for row, word in enumerate(self._space.words)
        )

    @cached_property
    def _rows_with_ss(self) -> dict[str, int]:
        return _first_rows(
            (form.replace("ß", "ss"), row) for form, row in self._rows.items() if "ß" in form
        )


def _first_rows(forms: Iterable[tuple[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for form, row in forms:
        found.setdefault(form, row)
    return found
