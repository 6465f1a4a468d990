"""The lexicons of an MCP server: models of this computer, or those of a service."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from pydantic import BaseModel, Field

from bilex.client.client import read_pairs
from bilex.client.connection import Connection
from bilex.client.values import PairInfo
from bilex.errors import BilexError
from bilex.lexicons.language_names import language_of_code, language_of_name


class Target(BaseModel):
    """A translation."""

    word: str = Field(description="The translation, as a dictionary form.")
    probability: float | None = Field(
        description="Probability that it is right, from 0 to 1; null if it is not known."
    )
    origin: Literal["induced", "seed", "reviewed"] = Field(
        description="reviewed: a person has checked it; seed: from a dictionary that people made; "
        "induced: found by a model, not checked."
    )


class WordTranslations(BaseModel):
    """A word and its translations, the best first."""

    word: str = Field(description="The word as it was given.")
    how: str = Field(
        description="known: the lexicon has the word; own: only people gave a translation; "
        "unknown: no translation; otherwise how a similar word was used instead."
    )
    parts: list[str] = Field(description="Words that were used instead of an unknown one.")
    translations: list[Target] = Field(description="The best first; empty if there is none.")


class Term(BaseModel):
    """A term of the lexicon that occurs in a text."""

    term: str = Field(description="The term as it is in the lexicon.")
    found: list[str] = Field(description="How it is written in the text.")
    how: Literal["exact", "case", "lemma", "similar"] = Field(
        description="How it was found; similar: by another form, which is not certain."
    )
    translations: list[Target] = Field(description="The best first.")


class UnknownLexiconError(BilexError, LookupError):
    """There is no lexicon for two languages."""


class Wanted(NamedTuple):
    """A lexicon, and whether it is used from its target to its source language."""

    name: str
    reverse: bool


class Lexicons(Protocol):
    """What the tools of an MCP server need."""

    def pairs(self) -> Sequence[PairInfo]:
        """Return all lexicons."""
        ...

    def translate(
        self, wanted: Wanted, words: list[str], *, k: int, min_probability: float
    ) -> list[WordTranslations]:
        """Return the translations of each word."""
        ...

    def terms(
        self, wanted: Wanted, text: str, *, max_terms: int, k: int, min_probability: float
    ) -> list[Term]:
        """Return the terms of a text."""
        ...


def choose(pairs: Sequence[PairInfo], source: str, target: str, name: str | None) -> Wanted:
    """Return the lexicon for two languages, given as tags or as names.

    Args:
        pairs: All lexicons.
        source: The language of the words.
        target: The language to translate to.
        name: A lexicon; None for the first one of these languages.

    Raises:
        UnknownLexiconError: If there is none; the message lists what there is.
    """
    some = [one for one in pairs if name is None or one.name == name]
    for same in (_same_tag, _same_language):
        for reverse in (False, True):
            for one in some:
                languages = (one.target, one.source) if reverse else (one.source, one.target)
                if same(source, languages[0]) and same(target, languages[1]):
                    return Wanted(one.name, reverse)
    there = "; ".join(f"{one.name} ({one.source} to {one.target} and back)" for one in pairs)
    called = "" if name is None else f" called {name!r}"
    raise UnknownLexiconError(
        f"no lexicon{called} from {source!r} to {target!r}. There are: {there or 'none'}"
    )


def _same_tag(given: str, tag: str) -> bool:
    return given.replace("_", "-").casefold() == tag.replace("_", "-").casefold()


def _same_language(given: str, tag: str) -> bool:
    """Return whether a tag with a region, a code of three letters or a name is the same."""
    return _language(given) == _language(tag)


def _language(text: str) -> str:
    first = re.split("[-_]", text.strip())[0]
    return language_of_name(text) or language_of_code(first) or first.casefold()


class ServiceLexicons:
    """The lexicons of a service.

    Args:
        connection: To the service.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def pairs(self) -> Sequence[PairInfo]:
        """Return all lexicons."""
        return read_pairs(self._connection)

    def translate(
        self, wanted: Wanted, words: list[str], *, k: int, min_probability: float
    ) -> list[WordTranslations]:
        """Return the translations of each word."""
        request = {
            "pair": wanted.name,
            "reverse": wanted.reverse,
            "words": words,
            "k": k,
            "min_probability": min_probability,
            "any_case": True,
            "compose": True,
        }
        answer = self._connection.post("/v1/translate", request)
        with self._connection.reading():
            return list(map(_translations, answer["translations"]))

    def terms(
        self, wanted: Wanted, text: str, *, max_terms: int, k: int, min_probability: float
    ) -> list[Term]:
        """Return the terms of a text."""
        request = {
            "pair": wanted.name,
            "reverse": wanted.reverse,
            "text": text,
            "max_terms": max_terms,
            "k": k,
            "min_probability": min_probability,
        }
        answer = self._connection.post("/v1/glossary", request)
        with self._connection.reading():
            return list(map(_term, answer["terms"]))


class LocalLexicons:
    """Models and dictionaries of this computer; replaced files are read again.

    Decisions of a review beside them come first.

    Args:
        arguments: Paths, or NAME=PATH, as those of `bilex serve`.

    Raises:
        BilexError: If one cannot be read, or its languages are not known.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        from bilex.service.api.catalog import Models
        from bilex.service.api.sources import Sources, pairs_of_arguments

        self._models = Models(Sources(pairs_of_arguments(arguments)))
        self._models.load()
        self._models.start()

    def pairs(self) -> Sequence[PairInfo]:
        """Return all lexicons."""
        return [
            PairInfo(
                name=pair.name,
                source=pair.source,
                target=pair.target,
                model=pair.identity,
                source_words=len(pair.forward),
                target_words=len(pair.backward),
                calibrated=pair.forward.is_calibrated,
                own_entries=len(pair.own),
            )
            for pair in self._models.current.pairs.values()
        ]

    def translate(
        self, wanted: Wanted, words: list[str], *, k: int, min_probability: float
    ) -> list[WordTranslations]:
        """Return the translations of each word."""
        pair = self._models.current.by_name(wanted.name)
        answers = pair.direction(reverse=wanted.reverse).translate(
            words, k=k, min_probability=min_probability, any_case=True, compose=True
        )
        return list(map(_translations, answers))

    def terms(
        self, wanted: Wanted, text: str, *, max_terms: int, k: int, min_probability: float
    ) -> list[Term]:
        """Return the terms of a text."""
        pair = self._models.current.by_name(wanted.name)
        found = pair.direction(reverse=wanted.reverse).glossary(
            text, max_terms=max_terms, k=k, min_probability=min_probability, similar=True
        )
        return [_term(one.to_dict()) for one in found.terms]


def _translations(one: Mapping[str, Any]) -> WordTranslations:
    return WordTranslations(
        word=one["word"],
        how=one["how"],
        parts=list(one["parts"]),
        translations=list(map(_target, one["candidates"])),
    )


def _term(one: Mapping[str, Any]) -> Term:
    return Term(
        term=one["term"],
        found=one["found"],
        how=one["how"],
        translations=list(map(_target, one["targets"])),
    )


def _target(one: Mapping[str, Any]) -> Target:
    return Target(word=one["word"], probability=one["probability"], origin=one["origin"])
