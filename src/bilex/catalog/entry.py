"""Entries of the catalog: published data sets, and their files."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple
from urllib.parse import quote, urlsplit

from bilex.errors import SettingError

Kind = Literal["vectors", "seeds", "tests", "text"]

_CODE = re.compile(r"[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*")
_NEAREST = 3
_CUTOFF = 0.5  # codes have two or three letters, so near ones share half of them


class Pair(NamedTuple):
    """The codes of two languages."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFile:
    """One file that can be downloaded.

    Attributes:
        entry: Name of its entry in the catalog.
        title: What it is.
        address: Where it is.
        name: What it is called on disk.
        license: An SPDX name, or words.
        terms: A warning about the license; may be empty.
        page: The page of its publisher.
        pair: Its languages, if it has two.
        bytes: Its size, as published.
        sha256: As published.
        md5: As published.
        next: What to do with it.
    """

    entry: str
    title: str
    address: str
    name: str
    license: str
    terms: str = ""
    page: str = ""
    pair: Pair | None = None
    bytes: int | None = None
    sha256: str | None = None
    md5: str | None = None
    next: str = ""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A published data set: one file, or one for each language or pair.

    Attributes:
        name: What it is called in the catalog.
        title: What it is, by whom.
        kind: Vectors, seeds, tests or text.
        about: What it is good for.
        page: The page of its publisher.
        address: Where its files are, with placeholders for languages; None if a file has to be
            chosen on the page.
        file: What a file is called on disk; None for the last part of the address.
        license: An SPDX name, or words.
        terms: A warning about the license; may be empty.
        languages: Those it has files for; None if any may be requested.
        pairs: Those it has files for; None if any may be requested.
        by: Whether there is one file, or one for each language or pair.
        covers: Its languages in words; may be empty.
        size: In words; may be empty.
        bytes: Sizes as published, by language or pair; "" for a single file.
        sha256: Hashes as published, likewise.
        md5: Hashes as published, likewise.
        next: What to do with a file.
        names: English names of languages by code.
    """

    name: str
    title: str
    kind: Kind
    about: str
    page: str
    license: str
    address: str | None = None
    file: str | None = None
    terms: str = ""
    languages: tuple[str, ...] | None = None
    pairs: tuple[Pair, ...] | None = None
    by: Literal["language", "pair"] | None = None
    covers: str = ""
    size: str = ""
    bytes: Mapping[str, int] = field(default_factory=dict)
    sha256: Mapping[str, str] = field(default_factory=dict)
    md5: Mapping[str, str] = field(default_factory=dict)
    next: str = ""
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def coverage(self) -> str:
        """Return how many languages or pairs there are, in words."""
        if self.covers:
            return self.covers
        if self.by == "pair" and self.pairs is not None:
            return f"{len(self.pairs):,} pairs"
        if self.languages is not None:
            return f"{len(self.languages):,} languages"
        return ""

    @cached_property
    def _all_languages(self) -> frozenset[str]:
        of_pairs = {code for pair in self.pairs or () for code in pair}
        return frozenset(of_pairs | set(self.languages or ()))

    def offers(self, language: str) -> bool:
        """Return whether it has, or may have, something for a language."""
        return not self._all_languages or language in self._all_languages

    def offers_pair(self, pair: str) -> bool:
        """Return whether it has, or may have, something for both languages of a pair.

        The files of pairs may be in the other direction.
        """
        if self.by == "pair" and self.pairs is not None:
            reverse = [_reversed(known) for known in self.pairs]
            return bool(_named(pair, self.pairs) or _named(pair, reverse))
        return any(self.offers(s) and self.offers(t) for s, t in _splits(pair))

    def at(self, *, language: str | None = None, pair: str | None = None) -> RemoteFile:
        """Return the file for a language or a pair.

        Raises:
            SettingError: If there is none, or the entry needs the other one of the two options.
        """
        if self.address is None:
            raise SettingError(
                f"{self.name} has no single address: choose a file at {self.page} and download it "
                "with a browser"
            )
        self._check_options(language, pair)
        both = None if pair is None else self._pair(pair)
        if language is not None:
            self._check_language(language)
        key = str(both) if both else language or ""
        places = {"language": language, "name": self.names.get(language or "", language)}
        if both is not None:
            places = {"pair": str(both), "source": both.source, "target": both.target}
        found = {place: value or "" for place, value in places.items()}
        address = self.address.format(**{k: quote(v) for k, v in found.items()})
        name = (self.file or urlsplit(self.address).path.rsplit("/", 1)[-1]).format(**found)
        return RemoteFile(
            entry=self.name,
            title=self.title,
            address=address,
            name=name,
            license=self.license,
            terms=self.terms,
            page=self.page,
            pair=both,
            bytes=self.bytes.get(key),
            sha256=self.sha256.get(key),
            md5=self.md5.get(key),
            next=self.next.replace("{file}", name),
        )

    def _check_options(self, language: str | None, pair: str | None) -> None:
        for option, given in (("language", language), ("pair", pair)):
            if given is None and self.by == option:
                example = "fi" if option == "language" else "en-fi"
                raise SettingError(
                    f"{self.name} has one file for each {option}: add --{option} {example}, "
                    "or another one"
                )
            if given is not None and self.by != option:
                has = "a single file" if self.by is None else f"one file for each {self.by}"
                raise SettingError(f"{self.name} has {has}: leave out --{option} {given}")

    def _check_language(self, language: str) -> None:
        if self.languages is None:
            _check_code(language)
        elif language not in self.languages:
            raise SettingError(
                f"{self.name} is published for {len(self.languages):,} languages, not for "
                f"{language!r}{nearest(language, self.languages, self.names)}; "
                f"all codes: bilex data list --json"
            )

    def _pair(self, text: str) -> Pair:
        if self.pairs is None:
            found = _splits(text)
            if not found:
                raise SettingError(f"the pair is {text!r}: expected two codes, such as en-fi")
            return found[0]
        known = _named(text, self.pairs)
        if known:
            return known
        reverse = _named(text, [_reversed(pair) for pair in self.pairs])
        codes = [str(pair) for pair in self.pairs]
        hint = f" (did you mean {_reversed(reverse)}?)" if reverse else nearest(text, codes, {})
        raise SettingError(
            f"{self.name} is published for {len(codes):,} pairs, not for {text!r}{hint}; "
            "all pairs: bilex data list --json"
        )


def nearest(code: str, codes: Sequence[str], names: Mapping[str, str]) -> str:
    """Return ' (near: …)' with the codes closest to a code or to the name of a language."""
    by_name = {name.lower(): known for known, name in names.items() if known in codes}
    words = difflib.get_close_matches(code.lower(), list(by_name), n=1, cutoff=0.8)
    close = [by_name[word] for word in words]
    for known in difflib.get_close_matches(code, codes, n=_NEAREST, cutoff=_CUTOFF):
        if known not in close:
            close.append(known)
    shown = [f"{known} {names[known]}" if known in names else known for known in close[:_NEAREST]]
    return f" (near: {', '.join(shown)})" if shown else ""


def _check_code(language: str) -> None:
    if not _CODE.fullmatch(language):
        raise SettingError(f"the language is {language!r}: expected a code, such as fi")


def _splits(text: str) -> list[Pair]:
    """Return the ways to read a text as a pair: codes may have hyphens themselves."""
    parts = text.split("-")
    if not _CODE.fullmatch(text):
        return []
    return [Pair("-".join(parts[:i]), "-".join(parts[i:])) for i in range(1, len(parts))]


def _reversed(pair: Pair) -> Pair:
    return Pair(pair.target, pair.source)


def _named(text: str, pairs: Sequence[Pair]) -> Pair | None:
    return next((pair for pair in pairs if str(pair) == text), None)
