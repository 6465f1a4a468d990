"""Read catalog entries from TOML files; errors name the file and the entry."""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

from bilex.catalog.entry import Entry, Kind, Pair
from bilex.errors import InputFileError
from bilex.registry import did_you_mean

ANY = "any"
"""Instead of a list: any language or pair may be requested, though not all are published."""

_TOP = ("lists", "names", "data")
_TEXTS = (
    "title",
    "kind",
    "about",
    "page",
    "address",
    "file",
    "license",
    "terms",
    "covers",
    "size",
    "next",
)
_NEEDED = ("title", "kind", "about", "page", "license")
_KEYS = (*_TEXTS, "languages", "pairs", "bytes", "sha256", "md5")
_DIGITS = {"sha256": 64, "md5": 32}
_BY_LANGUAGE, _BY_PAIR = {"language", "name"}, {"pair", "source", "target"}
_NAME = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
_CODES = re.compile(r"[A-Za-z0-9_*-]+")
_MOST_BYTES = 16 * 2**20

Table = dict[str, Any]


class _Place:
    """A file and a table in it, for messages."""

    def __init__(self, path: Path, table: str) -> None:
        self.path, self.table = path, table

    def error(self, problem: str) -> InputFileError:
        return InputFileError(self.path, f"{self.table} {problem}")

    def check_keys(self, found: Mapping[str, object], known: Sequence[str]) -> None:
        for key in found:
            if key not in known:
                raise self.error(
                    f"has no setting {key!r}{did_you_mean(key, known)}; it has: {', '.join(known)}"
                )

    def table_of(self, value: object) -> Table:
        if not isinstance(value, dict):
            raise self.error(f"is {value!r}: expected a table")
        return value

    def text(self, key: str, value: object) -> str:
        if not isinstance(value, str) or not value.strip():
            raise self.error(f"has {key} = {value!r}: expected a text in quotes")
        return value


def catalog(*files: Path | str) -> tuple[Entry, ...]:
    """Return all entries: those of bilex in the order of its catalog, then new ones of `files`.

    Args:
        files: Further catalogs. An entry with the name of an earlier one replaces the settings
            that it has and keeps the others.

    Raises:
        InputFileError: If a file cannot be read, or an entry in it is wrong.
    """
    built_in = resources.files("bilex") / "catalog" / "catalog.toml"
    texts = [(Path("catalog.toml"), built_in.read_text(encoding="utf-8"))]
    texts += [(Path(path), _text(Path(path))) for path in files]
    lists: dict[str, tuple[str, ...]] = {}
    names: dict[str, str] = {}
    tables: dict[str, tuple[_Place, Table]] = {}
    for path, text in texts:
        top = _parsed(path, text)
        lists |= _lists(path, top)
        names |= _names(path, top)
        for name, (place, table) in _tables(path, top).items():
            old = tables[name][1] if name in tables else {}
            tables[name] = (place, old | table)
    return tuple(_entry(name, *found, lists, names) for name, found in tables.items())


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputFileError(path, "is too large for a catalog: expected less than 16 MiB")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputFileError(path, "no such file; check the path of the catalog") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise InputFileError(path, f"cannot be read as UTF-8 text: {problem}") from None


def _parsed(path: Path, text: str) -> Table:
    try:
        top = tomllib.loads(text)
        repr(top)  # raises if a number is too long or a list too deep for messages
    except (ValueError, RecursionError) as problem:
        raise InputFileError(path, f"is not valid TOML: {problem}") from None
    _Place(path, "the catalog").check_keys(top, _TOP)
    return top


def _lists(path: Path, top: Table) -> dict[str, tuple[str, ...]]:
    place = _Place(path, "[lists]")
    found = place.table_of(top.get("lists", {}))
    return {name: _codes(place, name, value) for name, value in found.items()}


def _names(path: Path, top: Table) -> dict[str, str]:
    place = _Place(path, "[names]")
    found = place.table_of(top.get("names", {}))
    return {code: place.text(code, name) for code, name in found.items()}


def _tables(path: Path, top: Table) -> dict[str, tuple[_Place, Table]]:
    whole = _Place(path, "[data]")
    tables = {}
    for name, value in whole.table_of(top.get("data", {})).items():
        place = _Place(path, f"[data.{name}]")
        if not _NAME.fullmatch(name):
            raise place.error("has a name that is not of a-z, 0-9, dots and hyphens")
        table = place.table_of(value)
        place.check_keys(table, _KEYS)
        tables[name] = (place, table)
    return tables


def _entry(
    name: str,
    place: _Place,
    table: Table,
    lists: Mapping[str, tuple[str, ...]],
    names: Mapping[str, str],
) -> Entry:
    texts = {key: place.text(key, table[key]) for key in _TEXTS if key in table}
    for key in _NEEDED:
        if key not in texts:
            raise place.error(f'has no {key!r}: add {key} = "…"')
    if texts["kind"] not in get_args(Kind):
        raise place.error(
            f"has kind = {texts['kind']!r}: expected one of {', '.join(get_args(Kind))}"
        )
    for key in ("page", "address"):
        if key in texts:
            _check_address(place, key, texts[key])
    languages = _languages(place, table, lists)
    pairs = _pairs(place, table, languages or ())
    by = _by(place, table)
    return Entry(
        name=name,
        languages=languages,
        pairs=pairs,
        by=by,
        bytes=_sizes(place, table, single=by is None),
        sha256=_hashes(place, table, "sha256", single=by is None),
        md5=_hashes(place, table, "md5", single=by is None),
        names=names,
        **texts,  # type: ignore[arg-type]  # the kind has been checked
    )


def _check_address(place: _Place, key: str, address: str) -> None:
    try:
        parts = urlsplit(address)
        (parts.hostname or "").encode("idna")  # raises if a part of the name is too long
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or not address.isascii() or not address.isprintable() or " " in address:
        raise place.error(f"has {key} = {address!r}: expected an address such as https://…")


def _by(place: _Place, table: Table) -> Any:  # noqa: ANN401 - a literal
    """Check placeholders; return whether those of the address are for a language or a pair."""
    address = table.get("address")
    if address is None:
        return None
    used = _placeholders(place, "address", address)
    if used & _BY_LANGUAGE and used & _BY_PAIR:
        raise place.error("has an address with both a language and a pair: expected one of them")
    by = "language" if used & _BY_LANGUAGE else "pair" if used & _BY_PAIR else None
    if by is not None and f"{by}s" not in table:
        raise place.error(
            f'has an address for each {by}, but no {by}s: add {by}s = […], or {by}s = "{ANY}"'
        )
    allowed = {"language": _BY_LANGUAGE, "pair": _BY_PAIR, None: set[str]()}[by]
    file = table.get("file", "")
    if not _placeholders(place, "file", file) <= allowed:
        raise place.error(f"has file = {file!r}, with placeholders that its address does not have")
    if "file" in table and (re.search(r'[\\/:*?"<>|\x00-\x1f]', file) or file.startswith(".")):
        raise place.error(f"has file = {file!r}: expected the name of a file, without a folder")
    if "file" not in table and not urlsplit(address).path.rsplit("/", 1)[-1]:
        raise place.error('has an address without the name of a file: add file = "…"')
    return by


def _placeholders(place: _Place, key: str, template: str) -> set[str]:
    known = _BY_LANGUAGE | _BY_PAIR
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as problem:
        raise place.error(f"has {key} = {template!r}: {problem}") from None
    found = set()
    for _, name, form, conversion in parts:
        if name is None:
            continue
        if name not in known or form or conversion:
            listed = ", ".join(f"{{{field}}}" for field in sorted(known))
            raise place.error(f"has {key} = {template!r}: {{{name}}} is not one of {listed}")
        found.add(name)
    return found


def _languages(
    place: _Place, table: Table, lists: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...] | None:
    given = table.get("languages")
    if given is None or given == ANY:
        return None
    if isinstance(given, str):
        if given not in lists:
            raise place.error(
                f"has languages = {given!r}{did_you_mean(given, list(lists))}: expected a list of "
                f"codes, {ANY!r}, or the name of a list in [lists]"
            )
        return lists[given]
    return _codes(place, "languages", given)


def _pairs(place: _Place, table: Table, languages: Sequence[str]) -> tuple[Pair, ...] | None:
    given = table.get("pairs")
    if given is None or given == ANY:
        return None
    found: dict[Pair, None] = {}
    for text in _codes(place, "pairs", given):
        parts = text.split("-")
        if len(parts) != 2 or not all(parts) or parts == ["*", "*"]:
            raise place.error(f"has a pair {text!r}: expected two codes, such as en-fi or en-*")
        if "*" in parts and not languages:
            raise place.error(f"has a pair {text!r}, but no languages: add languages = […]")
        sources = languages if parts[0] == "*" else (parts[0],)
        targets = languages if parts[1] == "*" else (parts[1],)
        found |= {Pair(s, t): None for s in sources for t in targets if s != t}
    return tuple(found)


def _codes(place: _Place, key: str, value: object) -> tuple[str, ...]:
    codes = value.split() if isinstance(value, str) else value
    if not isinstance(codes, list) or not codes:
        raise place.error(f"has {key} = {value!r}: expected a list of codes in quotes")
    for code in codes:
        if not isinstance(code, str) or not _CODES.fullmatch(code):
            raise place.error(f"has {code!r} in {key}: expected a code, such as fi")
    return tuple(codes)


def _by_file(place: _Place, table: Table, key: str, *, single: bool) -> Table:
    """Return what is published about files, by language or pair; by "" for a single file."""
    if key not in table:
        return {}
    value = table[key]
    if isinstance(value, dict) == single:
        expected = "one value" if single else "a table by language or pair"
        raise place.error(f"has {key} = {value!r}: expected {expected}")
    return {"": value} if single else value


def _sizes(place: _Place, table: Table, *, single: bool) -> dict[str, int]:
    found = _by_file(place, table, "bytes", single=single)
    for size in found.values():
        if not isinstance(size, int) or isinstance(size, bool) or size < 0:
            raise place.error(f"has bytes = {size!r}: expected a whole number, 0 or more")
    return found


def _hashes(place: _Place, table: Table, key: str, *, single: bool) -> dict[str, str]:
    found = _by_file(place, table, key, single=single)
    for digest in found.values():
        if not isinstance(digest, str) or not re.fullmatch(f"[0-9a-f]{{{_DIGITS[key]}}}", digest):
            raise place.error(
                f"has {key} = {digest!r}: expected {_DIGITS[key]} digits of 0-9 and a-f"
            )
    return found
