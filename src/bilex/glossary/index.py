"""An index of terms that finds them in a text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from bilex.glossary.atoms import Atoms, fold, is_unspaced, split
from bilex.glossary.similar import SHORTEST, SHORTEST_TERM, SimilarTerms, has_endings
from bilex.text.words import LONGEST_WORD, UNSPACED

if TYPE_CHECKING:
    from bilex.oov import Lemmas

How = Literal["exact", "case", "lemma", "similar"]
"""How a term was found, the most reliable first."""

LONGEST_TERM = 100
"""In words, or characters of scripts without spaces; longer terms are not found."""

_LONGEST_PREFIX = 4  # atoms
_PREFIXES = range(1, _LONGEST_PREFIX + 1)
_LONGEST_TEXT = 20 * LONGEST_TERM  # of a term, in characters
_DOTLESS_SHARE = 0.01  # of the terms with ı: as many as in Turkish and its relatives


class Match(NamedTuple):
    """A term in a text.

    Attributes:
        start: Where it begins, in characters of the text as given.
        end: Where it ends.
        row: Which of the terms it is.
        how: "exact", "case" (other capital letters), "lemma" (an inflected form of it), or
            "similar" (a word with the same stem, probably an inflected form).
    """

    start: int
    end: int
    row: int
    how: How


_Found = tuple[int, int, How]
"""A match: its atoms, its row, how it was found."""

# What is known of a folded key is one number, because 200,000 small objects would be large: the row
# plus 1 if the key is that of a term, whether it has other letters than the term, and the most
# atoms of a term that begins with the key.
_ROW, _IS_VARIANT, _ATOMS = 8, 0x80, 0x7F


class TermIndex:
    """Finds terms in texts. It never changes, so that several threads can use it.

    Of terms that overlap, the one that begins first is found, and of those that begin together,
    the longest. A term is found in any Unicode form, with any apostrophe. Its words may be
    separated by white space of any kind, `_` or a hyphen, in the term and in the text. In scripts
    without spaces, such as Chinese and Thai, a term is found anywhere; in others, a part of a word
    is not found, except before or after an apostrophe (*eau* in *l'eau*, *dog* in *dog's*).

    Args:
        terms: The terms, the most frequent first. Of equal terms, the first is found. Terms
            without a letter, and those longer than `LONGEST_TERM`, are not found.
        lemmas: Finds terms by the lemma of a word of the text.

    Example:
        >>> index = TermIndex(["house", "hot_dog", "dog"])
        >>> for match in index.find("A hot dog in the House"):
        ...     print(index.terms[match.row], match.start, match.end, match.how)
        hot_dog 2 9 exact
        house 17 22 case
    """

    def __init__(self, terms: Sequence[str], *, lemmas: Lemmas | None = None) -> None:
        self.terms: tuple[str, ...] = tuple(terms)
        self.lemmas = lemmas
        with_dotless = sum("ı" in term for term in self.terms)
        self._dotless = with_dotless > _DOTLESS_SHARE * len(self.terms)
        self._has_dotless = with_dotless > 0
        self._nodes: dict[str, int] = {}  # by folded key
        self._exact: dict[str, int] = {}  # rows by exact key, of terms where it is not folded
        endings: list[str] = []  # folded keys that may have another ending in a text
        for row, term in enumerate(self.terms):
            if term.isalpha() and len(term) <= LONGEST_WORD and _is_one_word(term):
                folded = term if term == term.lower() else fold(term, dotless=self._dotless)
                self._add_key(row, term, folded)
                if len(term) >= SHORTEST_TERM and folded.islower():
                    endings.append(folded)
            else:
                self._add(row, term, endings)
        self._sharp: dict[str, str] = {}  # folded keys with ß by the same with ss
        for key in self._nodes:
            if "ß" in key:
                self._sharp.setdefault(key.replace("ß", "ss"), key)
        self._similar = SimilarTerms(endings)

    def __len__(self) -> int:
        return len(self.terms)

    def find(self, text: str, *, similar: bool = True) -> list[Match]:
        """Return the terms in a text, in order; they do not overlap.

        Takes time in proportion to the length of the text.

        Args:
            text: Any text.
            similar: Also find words that have the stem of a term and another usual ending.
        """
        return _Search(self, split(text, dotless=self._dotless), similar).matches()

    def _row(self, key: str) -> int | None:
        """Return the row of the term with a folded key; a term in small letters is preferred."""
        row = (self._nodes.get(key, 0) >> _ROW) - 1
        return None if row < 0 else row

    def _add(self, row: int, term: str, endings: list[str]) -> None:
        """Add a term that is not just letters of a script with spaces."""
        is_run = len(term) <= LONGEST_WORD and UNSPACED.fullmatch(term) is not None
        if is_run and unicodedata.is_normalized("NFC", term):
            self._add_key(row, term, term)
            self._add_prefixes(len(term), (term[:end] for end in _PREFIXES))
        elif len(term) <= _LONGEST_TEXT and any(map(str.isalpha, term)):
            atoms = split(term, dotless=self._dotless)
            if len(atoms.exact) > LONGEST_TERM or "" in atoms.exact:
                return  # too many words, or an overlong one
            self._add_atoms(row, atoms, atoms.gaps, endings)
            joined = _without_spaces(atoms)
            if joined != atoms.gaps:
                self._add_atoms(row, atoms, joined, endings)

    def _add_atoms(self, row: int, atoms: Atoms, gaps: list[str], endings: list[str]) -> None:
        exact = _joined(atoms.exact, gaps)
        folded = _joined(atoms.folded, gaps)
        self._add_key(row, self.terms[row] if exact == self.terms[row] else exact, folded)
        prefixes = (_joined(atoms.folded[:end], gaps) for end in _PREFIXES)
        self._add_prefixes(len(gaps), prefixes)
        last = atoms.folded[-1]
        if len(last) >= SHORTEST_TERM and has_endings(last):
            endings.append(folded)

    def _add_prefixes(self, count: int, prefixes: Iterable[str]) -> None:
        """Note how many atoms a term has, for each of its beginnings."""
        nodes = self._nodes
        for prefix in islice(prefixes, count - 1):
            node = nodes.get(prefix, 0)
            if node & _ATOMS < count:
                nodes[prefix] = (node & ~_ATOMS) | count

    def _add_key(self, row: int, exact: str, folded: str) -> None:
        node = self._nodes.get(folded, 0)
        if exact == folded:
            if not node >> _ROW or node & _IS_VARIANT:
                self._nodes[folded] = (row + 1) << _ROW | node & _ATOMS
        else:
            self._exact.setdefault(exact, row)
            if not node >> _ROW:
                self._nodes[folded] = (row + 1) << _ROW | _IS_VARIANT | node & _ATOMS


class _Search:
    """Finds the terms of one text."""

    def __init__(self, index: TermIndex, atoms: Atoms, similar: bool) -> None:
        self._index, self._atoms, self._similar = index, atoms, similar
        self._exact, self._folded, self._gaps = atoms.exact, atoms.folded, atoms.gaps
        self._no_end = atoms.no_end
        self._inflects = similar or index.lemmas is not None
        self._shortest = 1 if index.lemmas is not None else SHORTEST  # of inflected atoms
        self._known_lemmas: dict[str, str] = {}
        self._known_similar: dict[str, int | None] = {}

    def matches(self) -> list[Match]:
        """Return the longest term at each place, from left to right."""
        exact, starts, ends = self._exact, self._atoms.starts, self._atoms.ends
        no_start, no_end = self._atoms.no_start, self._no_end
        with_lemmas = self._index.lemmas is not None
        known: dict[str, tuple[_Found | None, int]] = {}
        found: list[Match] = []
        place, count = 0, len(starts)
        while place < count:
            if place in no_start:
                place += 1
                continue
            word = exact[place]
            if word not in known:
                known[word] = self._one(place)
            best, most = known[word]
            if place in no_end:
                best = None
            if most > 1:
                best = self._several(place, most) or best
            if with_lemmas:
                best = self._several_lemmas(place, best)
            if best is None:
                place += 1
            else:
                size, row, how = best
                found.append(Match(starts[place], ends[place + size - 1], row, how))
                place += size
        return found

    def _one(self, place: int) -> tuple[_Found | None, int]:
        """Return the term that is one atom, and the most atoms of a term that begins with it."""
        exact, folded = self._exact[place], self._folded[place]
        node = self._index._nodes.get(folded, 0)
        found: _Found | None
        if node >> _ROW or exact in self._index._exact:
            found = (1, *self._same(exact, folded, node))
        else:
            row = None if exact == folded else self._other_case(exact, folded)
            found = self._inflected("", place, 1) if row is None else (1, row, "case")
        return found, node & _ATOMS

    def _same(self, exact: str, folded: str, node: int) -> tuple[int, How]:
        """Return the term with one of these keys."""
        row = (node >> _ROW) - 1
        if exact == folded:
            return row, "case" if node & _IS_VARIANT else "exact"
        as_written = self._index._exact.get(exact)
        return (row, "case") if as_written is None else (as_written, "exact")

    def _several(self, place: int, most: int) -> _Found | None:
        """Return the longest term of several atoms, at most `most`."""
        nodes, words, gaps, no_end = self._index._nodes, self._folded, self._gaps, self._no_end
        key = words[place]
        size, found, folded = 0, 0, ""  # of the longest term with the same letters
        inflected: _Found | None = None
        for number in range(place + 1, min(place + most, len(words))):
            last = words[number]
            before = key + gaps[number]
            key = before + last
            node = nodes.get(key, 0)
            count = number - place + 1
            if node >> _ROW:
                if number not in no_end:
                    size, found, folded = count, node, key
            elif len(last) >= self._shortest and self._inflects and number not in no_end:
                inflected = self._inflected(before, number, count) or inflected
            if node & _ATOMS <= count and count <= _LONGEST_PREFIX:
                break
        if inflected is not None and inflected[0] > size:
            return inflected
        if not size:
            return None
        end = place + size
        if self._exact[place:end] == words[place:end]:
            return (size, *self._same(folded, folded, found))
        exact = _joined(self._exact[place:end], gaps[place:end])
        return (size, *self._same(exact, folded, found))

    def _inflected(self, before: str, number: int, count: int) -> _Found | None:
        """Return the term of which the last atom is inflected in the text."""
        row = self._by_lemma(before, number)
        if row is not None:
            return count, row, "lemma"
        row = self._by_similarity(before, self._folded[number])
        return None if row is None else (count, row, "similar")

    def _several_lemmas(self, place: int, best: _Found | None) -> _Found | None:
        """Return the term of several atoms that consists of lemmas, if longer than `best`."""
        key = self._lemma(place)
        most = self._index._nodes.get(key, 0) & _ATOMS
        limit = min(most, len(self._exact) - place)
        longest = 1 if best is None else best[0]
        for count in range(2, limit + 1):
            last = place + count - 1
            key += self._gaps[last] + self._lemma(last)
            node = self._index._nodes.get(key, 0)
            if node >> _ROW and last not in self._no_end and count > longest:
                best = count, (node >> _ROW) - 1, "lemma"
            if node & _ATOMS <= count and count <= _LONGEST_PREFIX:
                break
        return best

    def _other_case(self, exact: str, folded: str) -> int | None:
        """Return the term of a word whose capital letters stand for more than one small letter."""
        index = self._index
        row = None
        if index._has_dotless and "I" in exact:
            row = index._row(fold(exact, dotless=not index._dotless))
        if row is None and "ss" in folded and exact.isupper():
            row = index._row(index._sharp.get(folded, ""))
        return row

    def _by_lemma(self, before: str, place: int) -> int | None:
        """Return the term whose last atom is the lemma of an atom."""
        if self._index.lemmas is None:
            return None
        lemma = self._lemma(place)
        return None if lemma == self._atoms.folded[place] else self._index._row(before + lemma)

    def _lemma(self, place: int) -> str:
        """Return the folded lemma of an atom; the folded atom if it has none."""
        exact = self._atoms.exact[place]
        lemma = self._known_lemmas.get(exact)
        if lemma is None:
            lemma = self._known_lemmas[exact] = self._new_lemma(exact, self._atoms.folded[place])
        return lemma

    def _new_lemma(self, exact: str, folded: str) -> str:
        lemmas = self._index.lemmas
        if lemmas is None or not exact.isalpha() or is_unspaced(exact):
            return folded
        found = lemmas.lemma_of(exact)
        if found is None and folded != exact:
            found = lemmas.lemma_of(folded)
        if found is None:
            return folded
        return fold(unicodedata.normalize("NFC", found), dotless=self._index._dotless)

    def _by_similarity(self, before: str, folded: str) -> int | None:
        """Return the term that is the same but for the ending of the last atom."""
        if not self._similar or len(folded) < SHORTEST or not has_endings(folded):
            return None
        key = before + folded
        if key not in self._known_similar:
            self._known_similar[key] = self._new_similar(key, len(before))
        return self._known_similar[key]

    def _new_similar(self, key: str, head: int) -> int | None:
        index = self._index
        term = index._sharp.get(key) or index._similar.find(key, head)
        return None if term is None else index._row(term)


def _is_one_word(term: str) -> bool:
    if term.isascii():
        return True
    return UNSPACED.search(term) is None and unicodedata.is_normalized("NFC", term)


def _joined(atoms: list[str], gaps: list[str]) -> str:
    """Return atoms with the gaps between them; the gap before the first is left out."""
    return "".join(gap + atom for gap, atom in zip(["", *gaps[1:]], atoms, strict=False))


def _without_spaces(atoms: Atoms) -> list[str]:
    """Return the gaps without spaces between characters of scripts that do not need them."""
    gaps = list(atoms.gaps)
    for number in range(1, len(gaps)):
        pair = atoms.exact[number - 1 : number + 1]
        if gaps[number] == " " and all(map(is_unspaced, pair)):
            gaps[number] = ""
    return gaps
