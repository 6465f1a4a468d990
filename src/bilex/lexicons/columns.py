"""Find the columns of a table that hold the source words and the translations.

A header is recognized by its names: source and target, languages (in English or by their own
names), codes of languages. Without a header the first column is the source and the others are
translations, except columns of numbers, parts of speech or long notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from bilex.errors import SettingError
from bilex.lexicons.entries import RowProblem, has_decimal_comma, is_number
from bilex.lexicons.language_names import (
    is_clearly_a_code,
    language_of_code,
    language_of_name,
    normalized,
)

Role = Literal["source", "target", "weight", "provenance", "review", ""]
"""What a column holds; empty if it is not used."""

Cells = Sequence[str]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NAMED: dict[str, Role] = {
    **dict.fromkeys(
        (
            *("source", "src", "source word", "source term", "word", "words", "term", "headword"),
            *("lemma", "entry", "mot", "wort", "stichwort", "palabra", "parola", "palavra"),
            "слово",
        ),
        "source",
    ),
    **dict.fromkeys(
        (
            *("target", "tgt", "trg", "target word", "target term", "translation", "translations"),
            *("equivalent", "equivalents", "traduction", "traductions", "übersetzung"),
            *("übersetzungen", "traducción", "traducciones", "traduzione", "traduzioni"),
            *("tradução", "traduções", "перевод", "vertaling"),
        ),
        "target",
    ),
    **dict.fromkeys(("weight", "weights", "gewicht", "poids", "peso"), "weight"),
    **dict.fromkeys(("provenance", "origin"), "provenance"),
    **dict.fromkeys(("review",), "review"),
}
"""Names in a header, in lower case."""

_OTHER = {
    **dict.fromkeys(
        (
            *("pos", "part of speech", "parts of speech", "speech", "word class", "wordclass"),
            *("pos tag", "tag", "class", "category", "grammar", "gram", "wortart", "nature"),
            *("catégorie", "catégorie grammaticale", "categoría", "categoria", "часть речи"),
        ),
        "parts of speech",
    ),
    **dict.fromkeys(
        (
            *("id", "ids", "nr", "no", "num", "number", "#", "№", "n°", "key", "index", "row"),
            *("line", "entry id", "concept id", "lfd nr", "record"),
        ),
        "numbers",
    ),
    **dict.fromkeys(
        (
            *("note", "notes", "comment", "comments", "remark", "remarks", "remarque"),
            *("remarques", "bemerkung", "bemerkungen", "anmerkung", "nota", "notas", "note 1"),
            *("domain", "field", "subject", "register", "example", "examples", "definition"),
            *("gender", "genre", "genus", "context", "usage", "ipa", "pronunciation", "frequency"),
            *("rank", "date", "author", "status", "reference", "checked"),
        ),
        "notes",
    ),
}
_ADDED_WORDS = _words(
    "word words term terms headword lemma entry translation translations equivalent equivalents "
    "language lang column mot traduction wort übersetzung palabra traducción"
)
"""What people add to the name of a language in a header."""

_TAGS = _words(
    "n nn noun nm nf nmf npl nfpl nmpl sb subst substantiv s sm sf sost v vb verb vt vi vtr vintr "
    "vtrans vr vpr verbe verbo a adj adjective adjectif adjektiv adv adverb adverbe prep "
    "preposition präp präposition conj conjunction konj pron pronoun pronom num numeral numb det "
    "determiner art article interj int intj interjection excl part particle abbr abk abrév prop "
    "propn pn name x sym punct aux cconj sconj adp m f nt neut masc fem pl mpl fpl phr phrase "
    "idiom prefix suffix"
)
_TAG_PART = re.compile(r"[\s.,/;&+()]+")
_CODE = re.compile(r"[A-Za-z]{0,4}[-_ .]?\d+")

SHORT = 15
"""Characters of the longest label, such as a part of speech."""

ENOUGH_ROWS = 20
"""With fewer rows, repeated words do not show that a column holds labels."""

MOST_LABELS, LABEL_SHARE = 40, 0.2
"""A column of labels has at most this many different values, and this many per row."""

WORDS_OF_A_NOTE = 4
"""On average, in a column of notes."""

_CHOICE_EXAMPLE = "such as source=English,target=French or source=2,target=3"
_CHOOSABLE: tuple[Role, ...] = ("source", "target", "weight", "provenance")


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The columns that a user chose: names of a header, or numbers from 1, by role."""

    columns: tuple[tuple[Role, str], ...]

    @classmethod
    def parse(cls, text: str) -> ColumnChoice:
        """Return the choice in a text such as `source=English,target=French`.

        Raises:
            SettingError: If it is not such a text.

        Example:
            >>> ColumnChoice.parse("source=2,target=3").columns
            (('source', '2'), ('target', '3'))
        """
        found: list[tuple[Role, str]] = []
        for part in text.split(","):
            given, equals, name = (piece.strip() for piece in part.partition("="))
            role = next((known for known in _CHOOSABLE if known == given), None)
            if role is None or not equals or not name:
                raise SettingError(
                    f"--columns has {part.strip()!r}: expected a role ({', '.join(_CHOOSABLE)}), "
                    f"an equals sign, and the name or number of a column, {_CHOICE_EXAMPLE}"
                )
            found.append((role, name))
        roles = [role for role, _ in found]
        for once in ("source", "weight", "provenance"):
            count = sum(role == once for role in roles)
            if count > 1:
                raise SettingError(f"--columns names {count} {once} columns, expected 1")
        if "source" not in roles or "target" not in roles:
            raise SettingError(
                f"--columns is {text!r}: name a source and a target column, {_CHOICE_EXAMPLE}"
            )
        return cls(tuple(found))


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are.

    Attributes:
        roles: The role of each column.
        names: The name of each column in lower case, as in `source` or `rank`; `column 3` without
            a header.
        shown: The same as the header writes them.
        has_header: Whether the first row names the columns.
        ragged: Whether a row may have more cells, each a further translation.
        ignored: The columns that are not used, each with what it seems to hold.
        chosen: Whether the user chose them.
    """

    roles: tuple[Role, ...]
    names: tuple[str, ...]
    shown: tuple[str, ...]
    has_header: bool = False
    ragged: bool = False
    ignored: tuple[tuple[str, str], ...] = field(default=())
    chosen: bool = False

    @cached_property
    def source(self) -> int:
        """Return the position of the source words."""
        return self.roles.index("source")

    @cached_property
    def targets(self) -> tuple[int, ...]:
        """Return the positions of the translations."""
        return tuple(place for place, role in enumerate(self.roles) if role == "target")


def find_columns(rows: Sequence[Cells], *, choice: ColumnChoice | None, ragged: bool) -> Columns:
    """Return the columns of a table, from its first rows that are neither blank nor comments.

    Args:
        rows: The cells of the first rows.
        choice: The columns that the user chose.
        ragged: Whether rows without a header may differ in their number of translations.

    Raises:
        RowProblem: If the header is not clear, or the chosen columns do not exist.
    """
    if choice is not None:
        return _chosen_columns(rows, choice)
    roles = header_roles(rows[0], rows[1:])
    if roles is not None:
        return _with_header(rows, roles)
    return _without_header(rows, ragged=ragged)


def header_roles(cells: Cells, below: Sequence[Cells] = ()) -> tuple[Role, ...] | None:
    """Return the role of each column if a row is a header, else None.

    Args:
        cells: The row.
        below: Rows after it, by which a header with unknown names is recognized.

    Raises:
        RowProblem: If it names more than two languages, or a role twice.
    """
    given = [normalized(cell) for cell in cells]
    named: list[Role | None] = [_NAMED.get(name.rstrip(" 0123456789")) for name in given]
    if "provenance" in given:
        named = [None if n == "origin" else role for n, role in zip(given, named, strict=True)]
    languages = [_language(cell) for cell in cells]
    if len(set(filter(None, languages))) > 2:  # ID and No. are also codes of languages
        languages = [
            None if n in _OTHER else lang for n, lang in zip(given, languages, strict=True)
        ]
    different = list(dict.fromkeys(filter(None, languages)))
    if len(different) >= 2 and _are_names(cells, languages):
        return _roles_of_languages(cells, named, languages, different)
    if "source" in named and "target" in named:
        return _checked([role or "" for role in named])
    if len(different) == 1 and ("source" in named) != ("target" in named):
        missing: Role = "target" if "source" in named else "source"
        place = languages.index(different[0])
        return _checked([missing if i == place else role or "" for i, role in enumerate(named)])
    return _roles_beside_known_columns(cells, named, below)


def is_header(cells: Cells) -> bool:
    """Return whether a row names columns, by its names alone."""
    try:
        return header_roles(cells) is not None
    except RowProblem:
        return True


def _language(cell: str) -> str | None:
    """Return the language that a header cell names, such as `French`, `FR` or `French word 2`."""
    whole = language_of_name(cell) or language_of_code(cell)
    if whole is not None:
        return whole
    words = [word for word in normalized(cell).split() if not word.isdigit()]
    left = [word for word in words if word not in _ADDED_WORDS]
    found = {language_of_name(word) or language_of_code(word) for word in left}
    return found.pop() if len(found) == 1 else language_of_name(" ".join(left))


def _are_names(cells: Cells, languages: Sequence[str | None]) -> bool:
    """Return whether cells name languages, instead of being short words such as `is` and `et`."""
    given = [cell for cell, language in zip(cells, languages, strict=True) if language]
    by_name = [cell for cell in given if language_of_code(cell) is None]
    return len(by_name) >= 2 or any(map(is_clearly_a_code, given)) or _has_known_others(cells)


def _has_known_others(cells: Cells) -> bool:
    return len(cells) > 2 and any(normalized(cell) in _OTHER for cell in cells)


def _roles_of_languages(
    cells: Cells,
    named: Sequence[Role | None],
    languages: Sequence[str | None],
    different: Sequence[str],
) -> tuple[Role, ...]:
    if len(different) > 2:
        shown = [cells[languages.index(language)].strip() for language in different]
        raise RowProblem(
            f"the header names the languages {', '.join(shown)}: choose two, for example "
            f"--columns source={shown[0]},target={shown[1]}"
        )
    roles: list[Role] = []
    for role, language in zip(named, languages, strict=True):
        if language is not None:
            roles.append("source" if language == different[0] else "target")
        elif role == "source" and "provenance" not in named:
            roles.append("provenance")  # beside two languages, it is where a pair comes from
        else:
            roles.append(role if role in ("weight", "provenance", "review") else "")
    return _checked(roles)


def _roles_beside_known_columns(
    cells: Cells, named: Sequence[Role | None], below: Sequence[Cells]
) -> tuple[Role, ...] | None:
    """Return the roles if all columns but two are known, and the content of one confirms it."""
    kinds = [_OTHER.get(normalized(cell)) for cell in cells]
    confirmed = any(
        kind in ("numbers", "parts of speech") and kind == _kind_of(_column(below, place))
        for place, kind in enumerate(kinds)
    )
    rest = [
        place
        for place, (kind, role) in enumerate(zip(kinds, named, strict=True))
        if kind is None and role not in ("weight", "provenance", "review")
    ]
    if not confirmed or len(rest) != 2:
        return None
    roles: list[Role] = [role or "" for role in named]
    roles[rest[0]], roles[rest[1]] = "source", "target"
    return _checked(roles)


def _checked(roles: Sequence[Role]) -> tuple[Role, ...]:
    for role in ("source", "weight", "provenance", "review"):
        count = roles.count(role)
        if count > 1:
            raise RowProblem(f"the header names {count} {role} columns, expected 1")
    return tuple(roles)


def _with_header(rows: Sequence[Cells], roles: Sequence[Role], *, chosen: bool = False) -> Columns:
    shown = tuple(
        cell.strip() or (f"column {place + 1}" if _column(rows[1:], place) else "")
        for place, cell in enumerate(rows[0])
    )
    names = tuple(
        role if role in ("source", "target") else name.lower()
        for role, name in zip(roles, shown, strict=True)
    )
    ignored = tuple(
        (name, _OTHER.get(normalized(name), ""))
        for name, role in zip(shown, roles, strict=True)
        if not role and name
    )
    return Columns(tuple(roles), names, shown, has_header=True, ignored=ignored, chosen=chosen)


def _without_header(rows: Sequence[Cells], *, ragged: bool) -> Columns:
    width = max(map(len, rows)) if ragged else len(rows[0])
    width = max(width, 2)
    kinds = [_kind_of(_column(rows, place)) if width > 2 else "" for place in range(width)]
    first = int(width > 2 and kinds[0] == "numbers" and kinds[1] == "" and _are_ids(rows))
    roles: list[Role] = ["" if place < first else "target" for place in range(width)]
    roles[first] = "source"
    if kinds[first + 1] == "numbers":  # numerals and their translations
        kinds = ["" if kind == "numbers" else kind for kind in kinds]
    for place in range(first + 2, width):
        if kinds[place]:
            roles[place] = ""
    numbered = tuple(f"column {place + 1}" for place in range(width))
    names = tuple(role or name for role, name in zip(roles, numbered, strict=True))
    ignored = tuple(
        (name, kind) for name, kind, role in zip(numbered, kinds, roles, strict=True) if not role
    )
    return Columns(tuple(roles), names, numbered, ragged=ragged and not ignored, ignored=ignored)


def _are_ids(rows: Sequence[Cells]) -> bool:
    """Return whether the first cells number the rows: all are different."""
    first = _column(rows, 0)
    return len(first) >= 2 and len(set(first)) == len(first)


def _column(rows: Sequence[Cells], place: int) -> list[str]:
    return [row[place].strip() for row in rows if place < len(row) and row[place].strip()]


def _kind_of(cells: Sequence[str]) -> str:
    """Return what a column holds if these are not words, empty otherwise."""
    if not cells:
        return ""
    if all(is_number(cell) or has_decimal_comma(cell) or _CODE.fullmatch(cell) for cell in cells):
        return "numbers"
    tags = sum(_is_tag(cell) for cell in cells)
    if len(cells) >= 2 and tags >= 0.9 * len(cells):
        return "parts of speech"
    different = set(cells)
    is_short = max(map(len, different)) <= SHORT
    is_repeated = len(different) <= min(MOST_LABELS, LABEL_SHARE * len(cells))
    if len(cells) >= ENOUGH_ROWS and is_short and is_repeated:
        return "few different values"
    if sum(cell.count(" ") + 1 for cell in cells) >= WORDS_OF_A_NOTE * len(cells):
        return "notes"
    return ""


def _is_tag(cell: str) -> bool:
    """Return whether a cell is a part of speech or gender, such as `n.`, `v. tr.` or `ADJ`."""
    parts = [part for part in _TAG_PART.split(cell.lower()) if part]
    return bool(parts) and (
        all(part in _TAGS or part in ("tr", "intr", "refl", "inv") for part in parts)
    )


def _chosen_columns(rows: Sequence[Cells], choice: ColumnChoice) -> Columns:
    if all(name.isdigit() for _, name in choice.columns):
        return _by_number(rows, choice)
    header = [cell.strip() for cell in rows[0]]
    roles: list[Role] = [""] * len(header)
    for role, name in choice.columns:
        places = list(_places(name, header))
        if not places:
            raise RowProblem(
                f"--columns names {name!r}, but the header has {', '.join(map(repr, header))}: "
                "give one of these, or the number of a column"
            )
        for place in places if role == "target" else places[:1]:
            roles[place] = role
    return _with_header(rows, _checked(roles), chosen=True)


def _places(name: str, header: Sequence[str]) -> Iterator[int]:
    """Yield where a header has a name: as it is written, without case, or by its number."""
    tests: tuple[Callable[[str], bool], ...] = (
        lambda cell: cell == name,
        lambda cell: normalized(cell) == normalized(name),
    )
    for test in tests:
        found = [place for place, cell in enumerate(header) if test(cell)]
        if found:
            yield from found
            return
    if name.isdigit() and 1 <= int(name) <= len(header):
        yield int(name) - 1


def _by_number(rows: Sequence[Cells], choice: ColumnChoice) -> Columns:
    width = max(map(len, rows))
    roles: list[Role] = [""] * width
    for role, name in choice.columns:
        if not 1 <= int(name) <= width:
            raise RowProblem(f"--columns names column {name}, but there are {width}")
        roles[int(name) - 1] = role
    _checked(roles)
    header = rows[0]
    if is_header(header) or header_roles(header, rows[1:]) or _has_known_others(header):
        filled_up = [*header, *[""] * (width - len(header))]
        return _with_header([filled_up, *rows[1:]], roles, chosen=True)
    names = tuple(f"column {place + 1}" for place in range(width))
    ignored = tuple((name, "") for name, role in zip(names, roles, strict=True) if not role)
    return Columns(
        tuple(roles),
        tuple(role or name for role, name in zip(roles, names, strict=True)),
        names,
        ignored=ignored,
        chosen=True,
    )
