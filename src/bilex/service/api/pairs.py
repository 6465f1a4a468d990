"""A pair of languages as it is served: the answers of a model, and what people say instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from threading import Lock
from typing import NamedTuple, TypedDict

import torch

from bilex.answers import AnswerTable, Translation
from bilex.candidates.lists import BACK_DEPTH
from bilex.candidates.threshold import threshold_for_f1
from bilex.glossary import Glossary, TermIndex, make_glossary
from bilex.lexicons.dictionary import DictionaryEntry, Origin
from bilex.model import TrainedModel
from bilex.oov import choose_resolvers
from bilex.service.api.own_entries import OwnEntries
from bilex.service.nearest import nearest_words
from bilex.storage.manifest import versions
from bilex.values import EmbeddingSpace

_SCANNED = 20_000  # words that one page of a lexicon looks at, at most
_GIVEN: tuple[Origin, ...] = ("reviewed", "seed")
"""Origins that no probability keeps out."""

_NOTHING: frozenset[str] = frozenset()


class ServedCandidate(TypedDict):
    """A translation, as the API returns it."""

    word: str
    score: float | None
    probability: float | None
    origin: Origin


class Answer(TypedDict):
    """A word and its translations, best first, as the API returns it."""

    word: str
    how: str
    parts: tuple[str, ...]
    missing: tuple[str, ...]
    candidates: list[ServedCandidate]


class Page(NamedTuple):
    """Some entries of a lexicon, and the row that the next page begins with."""

    entries: list[DictionaryEntry]
    next_row: int | None


class _Listing:
    """The words of a lexicon by row: those of the model, then those that only people know."""

    def __init__(self, words: Sequence[str], extra: tuple[str, ...]) -> None:
        self.words, self.extra = words, extra
        self._terms: TermIndex | None = None
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self.words) + len(self.extra)

    def word(self, row: int) -> str:
        size = len(self.words)
        return self.words[row] if row < size else self.extra[row - size]

    @property
    def is_indexed(self) -> bool:
        return self._terms is not None

    @property
    def terms(self) -> TermIndex:
        """Return the words, ready to be found in texts; made when first used."""
        with self._lock:
            if self._terms is None:
                self._terms = TermIndex((*self.words, *self.extra) if self.extra else self.words)
            return self._terms


class ServedDirection:
    """One direction of a pair.

    Entries that people gave come first, rejected ones never.

    Args:
        model: A model that keeps its answers; None if there are only own entries.
        own: What people say.
        reverse: From the target language to the source language.
    """

    def __init__(self, model: TrainedModel | None, own: OwnEntries, *, reverse: bool) -> None:
        self._model, self._own, self._reverse = model, own, reverse
        self._table: AnswerTable | None = None
        self._space: EmbeddingSpace | None = None
        self._names: Sequence[str] = ()
        self._seeds: Mapping[str, frozenset[str]] = {}
        if model is not None:
            self._table = model.contents.answers[reverse]
            spaces = (model.source, model.target)
            self._space, other = spaces[::-1] if reverse else spaces
            self._names, self._other = other.words, other
            seeds = model.seeds.reversed() if reverse else model.seeds
            self._seeds = {word: frozenset(found) for word, found in seeds.translations.items()}
        self._listing = _Listing(() if self._space is None else self._space.words, ())
        self.take_new_words()

    def take_new_words(self) -> None:
        """List the words that only people have entries for; call it when these have changed."""
        old, known = self._listing, {} if self._space is None else self._space.index
        extra = tuple(word for word in self._own.words(reverse=self._reverse) if word not in known)
        if set(extra) != set(old.extra):
            new = _Listing(old.words, extra)
            if old.is_indexed:  # no request shall wait for it
                new.terms  # noqa: B018
            self._listing = new

    def __len__(self) -> int:
        return len(self._listing)

    @property
    def _size(self) -> int:
        return 0 if self._space is None else len(self._space)

    @property
    def is_calibrated(self) -> bool:
        """Return whether translations have probabilities."""
        return self._table is not None and self._table.probabilities is not None

    @cached_property
    def threshold(self) -> float:
        """Return the probability from which entries are in the lexicon, as in `bilex export`."""
        chances = None if self._table is None else self._table.probabilities
        return 0.0 if chances is None else threshold_for_f1(torch.from_numpy(chances))

    def translate(
        self,
        words: Sequence[str],
        *,
        k: int,
        min_probability: float = 0.0,
        any_case: bool = False,
        compose: bool = False,
    ) -> list[Answer]:
        """Return one answer for each word, in order."""
        of = partial(self._own.of, reverse=self._reverse)
        own = {word: entries for word in words if (entries := of(word))}
        if self._model is None:
            return [self._own_answer(word, own.get(word, ()), k, min_probability) for word in words]
        vocabulary = self._model.vocabulary(reverse=self._reverse)
        resolvers = choose_resolvers(vocabulary, any_case=any_case, compose=compose)
        # Rejected candidates leave room for others.
        spare = max(map(len, own.values()), default=0)
        found = self._model.translate(
            words, k=k + spare, reverse=self._reverse, resolvers=resolvers
        )
        return [
            Answer(
                word=word,
                how=result.how,
                parts=result.parts,
                missing=result.missing,
                candidates=self._induced_candidates(result, k, min_probability),
            )
            if word not in own
            else self._mixed_answer(result, own[word], k, min_probability)
            for word, result in zip(words, found, strict=True)
        ]

    def entries(self, word: str, *, min_probability: float | None = None) -> list[DictionaryEntry]:
        """Return the entries of a word of the lexicon, ranked from 1; none if it has none.

        Args:
            word: The word.
            min_probability: Of entries that nobody gave; None for that of the lexicon.
        """
        row = None if self._space is None else self._space.index.get(word)
        return self._entries(word, row, min_probability)

    def rank(self, word: str) -> int | None:
        """Return the rank of a word by frequency, from 1; None if the model does not have it."""
        row = None if self._space is None else self._space.index.get(word)
        return None if row is None else row + 1

    def page(
        self,
        row: int,
        limit: int,
        *,
        min_probability: float | None = None,
        origin: Origin | None = None,
        prefix: str = "",
    ) -> Page:
        """Return some entries, by frequency of the word.

        A page has all entries of a word or none. It may have fewer than `limit`, also when there
        are more: a search for something rare takes several pages.

        Args:
            row: Where to begin, from 0.
            limit: A page ends after this many entries.
            min_probability: Of entries that nobody gave; None for that of the lexicon.
            origin: Only entries of this origin.
            prefix: Only words that begin with it.
        """
        found: list[DictionaryEntry] = []
        listing = self._listing
        end = min(len(listing), row + _SCANNED)
        while row < end and len(found) < limit:
            word = listing.word(row)
            if word.startswith(prefix):
                entries = self._entries(word, row if row < self._size else None, min_probability)
                found += [one for one in entries if origin is None or one.origin == origin]
            row += 1
        return Page(found, row if row < len(listing) else None)

    def glossary(
        self, text: str, *, max_terms: int, k: int, min_probability: float, similar: bool
    ) -> Glossary:
        """Return the terms of a text and their translations."""
        listing = self._listing

        def entries_of(row: int) -> list[DictionaryEntry]:
            known = row if row < self._size else None
            return self._entries(listing.word(row), known, min_probability)

        return make_glossary(
            text,
            listing.terms,
            entries_of,
            max_terms=max_terms,
            k=k,
            min_probability=0.0,  # `entries_of` chooses
            similar=similar,
        )

    def near(self, word: str, number: int) -> tuple[str, ...]:
        """Return words of the same language with similar vectors."""
        return () if self._space is None else nearest_words(self._space, word, number)

    def near_target(self, word: str, number: int) -> tuple[str, ...]:
        """Return words of the other language with vectors similar to that of one of them."""
        return () if self._space is None else nearest_words(self._other, word, number)

    def _induced_candidates(
        self, result: Translation, k: int, min_probability: float
    ) -> list[ServedCandidate]:
        seeds, found = self._seeds.get(result.word, _NOTHING), result.candidates[:k]
        if min_probability:
            found = tuple(
                one
                for one in found
                if self._keeps(one.probability, min_probability) or one.word in seeds
            )
        return [
            {
                "word": word,
                "score": score,
                "probability": chance,
                "origin": "seed" if seeds and word in seeds else "induced",
            }
            for word, score, chance in found
        ]

    def _keeps(self, chance: float | None, least: float) -> bool:
        # With probabilities, candidates that have none are less probable than all others.
        return chance >= least if chance is not None else not (least and self.is_calibrated)

    def _mixed_answer(
        self, result: Translation, own: Sequence[DictionaryEntry], k: int, min_probability: float
    ) -> Answer:
        seeds = self._seeds.get(result.word, _NOTHING)
        induced = [
            DictionaryEntry(
                result.word,
                one.word,
                one.probability,
                one.score,
                origin="seed" if one.word in seeds else "induced",
            )
            for one in result.candidates
            if self._keeps(one.probability, min_probability) or one.word in seeds
        ]
        kept = _served(_probable(_merged(own, induced), min_probability), k)
        return Answer(
            word=result.word,
            how="own" if result.how == "unknown" and kept else result.how,
            parts=result.parts,
            missing=result.missing,
            candidates=kept,
        )

    def _own_answer(
        self, word: str, own: Sequence[DictionaryEntry], k: int, min_probability: float
    ) -> Answer:
        kept = _served(_probable(_merged(own, ()), min_probability), k)
        how = "own" if kept else "unknown"
        return Answer(word=word, how=how, parts=(), missing=(), candidates=kept)

    def _entries(
        self, word: str, row: int | None, min_probability: float | None
    ) -> list[DictionaryEntry]:
        if not self._reverse and self._own.is_left_out(word):
            return []
        own = self._own.of(word, reverse=self._reverse)
        least = self.threshold if min_probability is None else min_probability
        # Improbable ones, too, if people may have given them.
        induced = () if row is None else self._induced(word, row, 0.0 if own else least)
        entries = _merged(own, induced) if own else induced
        if self._model is not None and not self.is_calibrated:  # as `bilex export` does
            kept = [one for one in entries if one.origin != "induced"] or list(entries[:1])
        else:
            kept = list(_probable(entries, least))
        return [one._replace(rank=rank) for rank, one in enumerate(kept, start=1)]

    def _induced(self, word: str, row: int, least: float) -> list[DictionaryEntry]:
        """Return the seeds of a word, and the entries that are at least so probable."""
        table, names = self._table, self._names
        if table is None or self._model is None:
            return []
        seeds, chances = self._seeds.get(word, frozenset()), table.probabilities
        back = table.back_ranks[row].tolist()
        rows = zip(table.ids[row].tolist(), table.scores[row].tolist(), back, strict=True)
        listed = [None] * table.depth if chances is None else chances[row].tolist()
        identity = self._model.identity
        found = [
            DictionaryEntry(
                word,
                names[i],
                chance,
                score,
                back_rank=back_rank if back_rank <= BACK_DEPTH else None,
                origin="seed" if names[i] in seeds else "induced",
                model=identity,
            )
            for (i, score, back_rank), chance in zip(rows, listed, strict=True)
            if chance is None or chance >= least or (seeds and names[i] in seeds)
        ]
        missing = seeds.difference(one.target for one in found)
        return found + [DictionaryEntry(word, each, origin="seed") for each in sorted(missing)]


@dataclass(frozen=True, eq=False)
class ServedPair:
    """A pair of languages.

    Attributes:
        name: Its name, such as en-es.
        source: The source language, as a tag such as en.
        target: The target language.
        model: The model; None if there are only own entries.
        own: Entries that people gave.
        version: Returns a text that changes with own entries, the same in all processes.
        forward: From source to target.
        backward: From target to source.
    """

    name: str
    source: str
    target: str
    model: TrainedModel | None
    own: OwnEntries
    version: Callable[[], str]
    forward: ServedDirection
    backward: ServedDirection

    @classmethod
    def of(
        cls,
        name: str,
        source: str,
        target: str,
        model: TrainedModel | None = None,
        own: OwnEntries | None = None,
        version: Callable[[], str] = str,
    ) -> ServedPair:
        """Return the pair, ready to answer."""
        given = OwnEntries() if own is None else own
        forward, backward = (ServedDirection(model, given, reverse=it) for it in (False, True))
        return cls(name, source, target, model, given, version, forward, backward)

    @property
    def identity(self) -> str | None:
        """Return the identity of the model; None without one."""
        return None if self.model is None else self.model.identity

    def provenance(self) -> dict[str, object]:
        """Return where entries come from."""
        if self.model is None:
            return {"own_entries": len(self.own)}
        return {
            "model": self.model.identity,
            "versions": versions(),
            "source_words": len(self.model.source),
            "target_words": len(self.model.target),
            "seeds": len(self.model.seeds),
            "own_entries": len(self.own),
        }

    def direction(self, *, reverse: bool) -> ServedDirection:
        """Return one direction."""
        return self.backward if reverse else self.forward


def _merged(
    own: Sequence[DictionaryEntry], induced: Sequence[DictionaryEntry]
) -> list[DictionaryEntry]:
    """Return own entries and then others, without rejected ones; each target once.

    What the model knows of a target that people gave, too, stays with it.
    """
    known = {one.target: one for one in induced}
    seen = {one.target for one in own}
    first = []
    for one in own:
        if one.origin == "rejected":
            continue
        found = known.get(one.target)
        if found is not None and one.score is None:
            one = one._replace(
                probability=found.probability, score=found.score, back_rank=found.back_rank
            )
        first.append(one)
    return first + [one for one in induced if one.target not in seen]


def _served(entries: Iterable[DictionaryEntry], k: int) -> list[ServedCandidate]:
    return [
        {
            "word": one.target,
            "score": one.score,
            "probability": one.probability,
            "origin": one.origin,
        }
        for one in islice(entries, k)
    ]


def _probable(entries: Sequence[DictionaryEntry], least: float) -> Iterator[DictionaryEntry]:
    """Yield entries that people gave, those without a probability, and the more probable ones."""
    for one in entries:
        if one.origin in _GIVEN or one.probability is None or one.probability >= least:
            yield one
