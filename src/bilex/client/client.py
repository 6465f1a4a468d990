"""`bilex.Client`: translations, glossaries and entries of a lexicon service."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

from bilex.answers.translation import Candidate, Translation
from bilex.client.connection import Connection
from bilex.client.values import PairInfo, WordEntry
from bilex.errors import ServiceError, SettingError

if TYPE_CHECKING:
    from bilex.glossary import Glossary
    from bilex.lexicons.dictionary import DictionaryEntry, Origin

MOST_WORDS = 1_000
LONGEST_WORD = 200
LONGEST_TEXT = 200_000
LARGEST_PAGE = 1_000
"""Limits of a request, as in the description of the API."""


class Client:
    """A lexicon service (`bilex serve`), used like a model. Thread-safe.

    Give the name of a pair, or two languages. Without them, the service must have one pair only.

    Args:
        url: The address of the service, such as http://127.0.0.1:8000.
        key: The key, if the service wants one. It is sent to this address only.
        pair: The name of a pair, such as "en-es".
        source: Instead of a name, the language of the words, such as "en".
        target: The language to translate to.
        timeout: Seconds for one attempt of a request.
        retries: Further attempts, if the service cannot be reached or is too busy.

    Raises:
        SettingError: If settings clash, or one cannot be used.
        MissingExtraError: If httpx is not installed.

    Example:
        >>> with Client("http://127.0.0.1:8000", pair="en-es") as client:  # doctest: +SKIP
        ...     print(client.translate(["house"], k=1)[0])
        house → casa (0.97)
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        pair: str | None = None,
        source: str | None = None,
        target: str | None = None,
        timeout: float = 30.0,
        retries: int = 4,
    ) -> None:
        if pair is not None and (source is not None or target is not None):
            raise SettingError("give pair, or source and target, not both")
        if (source is None) != (target is None):
            raise SettingError("source and target go together: give both, or pair")
        self._connection = Connection(url, key=key, timeout=timeout, retries=retries)
        self._pair = pair
        self._languages = None if source is None or target is None else (source, target)

    def __repr__(self) -> str:
        chosen = "" if self._pair is None else f", pair={self._pair!r}"
        if self._languages is not None:
            chosen = ", source={!r}, target={!r}".format(*self._languages)
        return f"Client({self._connection.url!r}{chosen})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._connection.close()

    def translate(
        self,
        words: Sequence[str],
        *,
        k: int = 5,
        reverse: bool = False,
        min_probability: float = 0.0,
        any_case: bool = False,
        compose: bool = False,
    ) -> list[Translation]:
        """Return one `Translation` for each word, in order; an unknown word has no candidates.

        The values are those of `TrainedModel.translate`. Translations that people gave come first;
        if the model does not have one, its score is not a number (NaN). A word that only people
        know has `how` "own". More than 1,000 words are sent in several requests.

        Args:
            words: The words.
            k: Candidates for each word, up to 100.
            reverse: From the target language to the source language.
            min_probability: Leave out less probable candidates, except those that people gave.
            any_case: Translate the same word in upper or lower case if it is unknown.
            compose: Translate terms of several words from their words if they are unknown.

        Raises:
            SettingError: If k < 1, `words` is a single text, or a word is too long.
            ServiceError: If the service does not answer, or refuses the request.
        """
        if isinstance(words, str):
            raise SettingError(f"words is the text {words!r}: give a list of words, [{words!r}]")
        if k < 1:
            raise SettingError(f"k is {k}: give a number of at least 1")
        sent = [word for word in words if _can_be_sent(word)]
        _check_lengths(sent)
        found: list[Translation] = []
        request = {
            "k": k,
            "min_probability": min_probability,
            "any_case": any_case,
            "compose": compose,
        }
        for begin in range(0, len(sent), MOST_WORDS):
            some = sent[begin : begin + MOST_WORDS]
            asked = self._choice(reverse) | request | {"words": some}
            answer = self._connection.post("/v1/translate", asked)
            with self._connection.reading():
                translations = list(map(_translation, answer["translations"]))
                if [one.word for one in translations] != some:
                    raise ValueError
            found += translations
        answers = iter(found)
        return [
            next(answers) if _can_be_sent(word) else Translation(word, how="unknown")
            for word in words
        ]

    def glossary(
        self,
        text: str,
        *,
        max_terms: int = 50,
        k: int = 3,
        min_probability: float = 0.5,
        similar: bool = True,
        reverse: bool = False,
    ) -> Glossary:
        """Return the terms of a text with their translations.

        Entries have the probability and the origin; of score and rank, nothing is known.

        Args:
            text: Any text of up to 200,000 characters.
            max_terms: Of more terms, the rarest are kept; up to 1,000.
            k: Translations of each term, up to 20.
            min_probability: Leave out less probable translations, except those that people gave.
            similar: Also find other forms of terms.
            reverse: The text is in the target language.

        Raises:
            SettingError: If the text cannot be sent.
            ServiceError: If the service does not answer, or refuses the request.
        """
        from bilex.glossary import Glossary

        asked = _glossary_request(text, max_terms, k, min_probability, similar)
        answer = self._connection.post("/v1/glossary", self._choice(reverse) | asked)
        with self._connection.reading():
            return Glossary(tuple(map(_term, answer["terms"])))

    def prompt(
        self,
        text: str,
        *,
        max_terms: int = 50,
        k: int = 3,
        min_probability: float = 0.5,
        similar: bool = True,
        reverse: bool = False,
    ) -> str:
        """Return the terms of a text as plain text for the prompt of a language model.

        This is `glossary(…).prompt(…)` with the languages of the pair; empty if there are no terms.
        For the arguments, see `glossary`.

        Raises:
            SettingError: If the text cannot be sent.
            ServiceError: If the service does not answer, or refuses the request.
        """
        asked = _glossary_request(text, max_terms, k, min_probability, similar)
        request = self._choice(reverse) | asked | {"format": "prompt"}
        return self._connection.post_for_text("/v1/glossary", request)

    def models(self) -> list[PairInfo]:
        """Return all pairs of the service.

        Raises:
            ServiceError: If the service does not answer, or refuses the request.
        """
        return read_pairs(self._connection)

    def lexicon(
        self,
        *,
        reverse: bool = False,
        min_probability: float | None = None,
        origin: Origin | None = None,
        prefix: str = "",
    ) -> Iterator[DictionaryEntry]:
        """Yield the entries of the lexicon, by frequency of the word.

        Args:
            reverse: From the target language to the source language.
            min_probability: Of entries that nobody gave; None for that of `bilex export`.
            origin: Only entries of this origin: "induced", "seed" or "reviewed".
            prefix: Only words that begin with it.

        Raises:
            ServiceError: If the service does not answer, or refuses the request; with the code
                "lexicon-changed" if the model was replaced before the last entry.
        """
        name, turned = self._named(reverse)
        values: dict[str, str | int | float | bool] = {"limit": LARGEST_PAGE, "reverse": turned}
        values |= {} if min_probability is None else {"min_probability": min_probability}
        values |= {} if origin is None else {"origin": origin}
        values |= {"prefix": prefix} if prefix else {}
        number = 0
        while True:
            try:
                page = self._connection.get(f"/v1/lexicon/{_quoted(name)}", values)
            except ServiceError as problem:
                if problem.code != "lexicon-changed":
                    raise
                raise ServiceError(
                    f"the lexicon {name} was replaced after {number:,} entries had been read: "
                    "discard them, and begin again",
                    status=problem.status,
                    code=problem.code,
                ) from None
            with self._connection.reading():
                model = page["model"] or ""
                entries = [_entry(one, model) for one in page["entries"]]
                following = page["next"]
            yield from entries
            number += len(entries)
            if following is None:
                return
            values["cursor"] = str(following)

    def entry(
        self, word: str, *, reverse: bool = False, min_probability: float | None = None
    ) -> WordEntry | None:
        """Return all that is known about a word; None if it is not in the lexicon.

        Args:
            word: The word.
            reverse: The word is one of the target language.
            min_probability: Of entries that nobody gave; None for that of `bilex export`.

        Raises:
            SettingError: If the word is too long.
            ServiceError: If the service does not answer, or refuses the request.
        """
        if not _can_be_sent(word) or "\n" in word:  # no vocabulary has such a word
            return None
        _check_lengths([word])
        name, turned = self._named(reverse)
        values: dict[str, str | int | float | bool] = {"reverse": turned}
        values |= {} if min_probability is None else {"min_probability": min_probability}
        try:
            found = self._connection.get(f"/v1/entry/{_quoted(name)}/{_quoted(word)}", values)
        except ServiceError as problem:
            if problem.code == "unknown-word":
                return None
            raise
        with self._connection.reading():
            model = found["provenance"].get("model", "")
            return WordEntry(
                word=found["word"],
                rank=found["rank"],
                entries=tuple(_entry(one, model) for one in found["entries"]),
                near=tuple(found["near"]),
                near_first=tuple(found["near_first"]),
                provenance=found["provenance"],
            )

    def _choice(self, reverse: bool) -> dict[str, object]:
        """Return the part of a request that says what is translated to what."""
        if self._languages is not None:
            source, target = self._languages[::-1] if reverse else self._languages
            return {"source": source, "target": target}
        return {"pair": self._only_pair(), "reverse": reverse}

    def _named(self, reverse: bool) -> tuple[str, bool]:
        """Return the name of the pair, and whether it is used from target to source."""
        if self._languages is None:
            return self._only_pair(), reverse
        pairs = self.models()
        for turned in (False, True):
            wanted = self._languages[::-1] if turned else self._languages
            for one in pairs:
                if (one.source, one.target) == wanted:
                    return one.name, turned != reverse
        source, target = self._languages
        raise SettingError(f"no pair from {source!r} to {target!r}: served are {_names(pairs)}")

    def _only_pair(self) -> str:
        if self._pair is None:
            pairs = self.models()
            if len(pairs) != 1:
                raise SettingError(
                    f"{self._connection.url} has {len(pairs)} pairs ({_names(pairs)}): choose one "
                    "with pair, or with source and target"
                )
            self._pair = pairs[0].name
        return self._pair


def read_pairs(connection: Connection) -> list[PairInfo]:
    """Return all pairs of a service.

    Raises:
        ServiceError: If the service does not answer, or refuses the request.
    """
    answer = connection.get("/v1/models")
    with connection.reading():
        names = PairInfo.__dataclass_fields__
        return [PairInfo(**{name: one[name] for name in names}) for one in answer["models"]]


def _names(pairs: Sequence[PairInfo]) -> str:
    return ", ".join(one.name for one in pairs) or "none"


def _can_be_sent(word: str) -> bool:
    """Return whether a word is neither empty nor broken; no vocabulary has such a word."""
    return bool(word) and _is_unicode(word)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, or bytes that were not UTF-8
        return False
    return True


def _check_lengths(words: Sequence[str]) -> None:
    for word in words:
        if len(word) > LONGEST_WORD:
            raise SettingError(
                f"the word {word[:40] + '…'!r} has {len(word):,} characters: the service takes "
                f"words of up to {LONGEST_WORD}"
            )


def _glossary_request(
    text: str, max_terms: int, k: int, min_probability: float, similar: bool
) -> dict[str, object]:
    if len(text) > LONGEST_TEXT:
        raise SettingError(
            f"the text has {len(text):,} characters: the service takes up to {LONGEST_TEXT:,}, so "
            "divide it"
        )
    if not _is_unicode(text):
        raise SettingError("the text has halves of surrogate pairs: decode it as UTF-8 strictly")
    return {
        "text": text,
        "max_terms": max_terms,
        "k": k,
        "min_probability": min_probability,
        "similar": similar,
    }


def _quoted(name: str) -> str:
    """Return a part of an address; dots alone would mean another folder."""
    return quote(name, safe="", errors="replace").replace(".", "%2E")


def _translation(one: Mapping[str, Any]) -> Translation:
    return Translation(
        word=one["word"],
        candidates=tuple(map(_candidate, one["candidates"])),
        how=one["how"],
        parts=tuple(one["parts"]),
        missing=tuple(one["missing"]),
    )


def _candidate(one: Mapping[str, Any]) -> Candidate:
    score = one["score"]
    return Candidate(one["word"], math.nan if score is None else score, one["probability"])


def _entry(one: Mapping[str, Any], model: str) -> DictionaryEntry:
    from bilex.lexicons.dictionary import DictionaryEntry

    known = {name: one[name] for name in DictionaryEntry._fields if name in one}
    return DictionaryEntry(**known, model=model if one["score"] is not None else "")


def _term(one: Mapping[str, Any]) -> Any:  # noqa: ANN401 - imported when it is used
    from bilex.glossary import GlossaryTerm
    from bilex.lexicons.dictionary import DictionaryEntry

    return GlossaryTerm(
        term=one["term"],
        found=tuple(one["found"]),
        spans=tuple((start, end) for start, end in one["spans"]),
        how=one["how"],
        rank=one["rank"],
        targets=tuple(
            DictionaryEntry(one["term"], each["word"], each["probability"], origin=each["origin"])
            for each in one["targets"]
        ),
    )
