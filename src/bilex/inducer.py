"""The front door: learn from two spaces and a lexicon, then translate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self, cast

import torch

from bilex.config import Tables, build_parts, describe_parts, load_preset
from bilex.errors import EmptyLexiconError, NotFittedError, SettingError
from bilex.lexicons import coverage
from bilex.model_folder import ModelContents, read_model, write_model
from bilex.protocols import Preprocessor, Retriever, SearchIndex, Strategy
from bilex.values import (
    Compute,
    EmbeddingSpace,
    IndexedLexicon,
    InducedEntry,
    Lexicon,
    LinearMap,
    Matrix,
    Progress,
    SpacePair,
    Translation,
)

DEFAULT_PRESET = "procrustes"

_QUERIES_AT_ONCE = 16_384  # between two reports of progress


class LexiconInducer:
    """Translate words by aligning two monolingual embedding spaces.

    Args:
        method: The name of a preset, the path of a TOML file, or tables of settings.
        preprocessing: Used instead of the method's own.
        strategy: Used instead of the method's own.
        retrieval: Used instead of the method's own.
        device: Where to compute, as torch names it.
        random_state: Makes a run repeatable.
        memory: Bytes that a search may use for its work; never changes an answer.

    Example:
        >>> import torch
        >>> from bilex import EmbeddingSpace, Lexicon, LexiconInducer
        >>> vectors = torch.eye(3)
        >>> numbers = EmbeddingSpace(("one", "two", "three"), vectors)
        >>> numeros = EmbeddingSpace(("un", "deux", "trois"), vectors.roll(1, dims=1))
        >>> seeds = Lexicon.of([("one", "un"), ("two", "deux")])
        >>> inducer = LexiconInducer().fit(numbers, numeros, seeds)
        >>> inducer.translate(["three"], k=1)[0].candidates[0].word
        'trois'
    """

    def __init__(
        self,
        method: str | Tables = DEFAULT_PRESET,
        *,
        preprocessing: Preprocessor | None = None,
        strategy: Strategy | None = None,
        retrieval: Retriever | None = None,
        device: str = "cpu",
        random_state: int = 0,
        memory: int = Compute().memory,
    ) -> None:
        self.method = method
        self.preprocessing = preprocessing
        self.strategy = strategy
        self.retrieval = retrieval
        self.device = device
        self.random_state = random_state
        self.memory = memory

    def fit(self, source: EmbeddingSpace, target: EmbeddingSpace, lexicon: Lexicon) -> Self:
        """Learn the map; whatever is learned ends in an underscore.

        Raises:
            EmptyLexiconError: If no pair of the lexicon is in both vocabularies.
        """
        self._prepare()
        learner = cast(Preprocessor, self.parts_["preprocessing"])
        device = torch.device(self.device)
        self.source_normalization_ = learner.learn(source.vectors.to(device))
        self.target_normalization_ = learner.learn(target.vectors.to(device))
        self.source_ = source.with_vectors(
            self.source_normalization_.apply(source.vectors.to(device))
        )
        self.target_ = target.with_vectors(
            self.target_normalization_.apply(target.vectors.to(device))
        )
        pair = SpacePair(self.source_, self.target_)
        pairs = IndexedLexicon.locate(lexicon, pair)
        if not len(pairs):
            raise EmptyLexiconError(_nothing_covered(lexicon, source, target))
        rng = torch.Generator(device).manual_seed(self.random_state)
        self.seeds_ = lexicon
        self.map_: LinearMap = cast(Strategy, self.parts_["strategy"]).run(pair, pairs, rng=rng)
        self.forward_ = self.build_index()
        self.backward_ = self.build_index(reverse=True)
        return self

    def transform(self, vectors: Matrix) -> Matrix:
        """Carry raw source vectors into the normalized target space."""
        self._check_fitted()
        return self.map_.apply(self.source_normalization_.apply(vectors.to(self.device)))

    def translate(
        self, words: Sequence[str], *, k: int = 5, reverse: bool = False
    ) -> list[Translation]:
        """Return one `Translation` for each word, in order; an unknown word has no candidates.

        A word outside the vocabulary is known all the same if its vectors came with subwords.
        """
        self._check_fitted()
        return self._search(self.backward_ if reverse else self.forward_, words, k, reverse)

    def translator(
        self, retrieval: Retriever, *, reverse: bool = False
    ) -> Callable[[Sequence[str], int], list[Translation]]:
        """Return a function that translates with another way of ranking."""
        self._check_fitted()
        index = self.build_index(retrieval, reverse=reverse)
        return lambda words, k: self._search(index, words, k, reverse)

    def induce(
        self, *, k: int = 1, reverse: bool = False, on_block: Progress | None = None
    ) -> Iterator[InducedEntry]:
        """Yield the dictionary of the whole vocabulary, most frequent word first."""
        self._check_fitted()
        queries, answers = self._sides(reverse)
        there, back = self.forward_, self.backward_
        if reverse:
            there, back = back, there
        total = len(queries) + len(answers)
        favorites: list[int] = []  # of each answer among the queries
        for first in range(0, len(answers), _QUERIES_AT_ONCE):
            block = slice(first, first + _QUERIES_AT_ONCE)
            rows = self._mapped(answers.vectors[block], reverse=not reverse)
            favorites.extend(back.search(rows, k=1).ids[:, 0].tolist())
            _report(on_block, len(favorites), total)
        for first in range(0, len(queries), _QUERIES_AT_ONCE):
            block = slice(first, first + _QUERIES_AT_ONCE)
            found = there.search(self._mapped(queries.vectors[block], reverse=reverse), k=k)
            pairs = zip(found.ids.tolist(), found.scores.tolist(), strict=True)
            for row, (ids, scores) in enumerate(pairs, start=first):
                for rank, (i, score) in enumerate(zip(ids, scores, strict=True), start=1):
                    mutual = rank == 1 and favorites[i] == row
                    yield InducedEntry(queries.words[row], answers.words[i], score, rank, mutual)
            _report(on_block, len(answers) + min(block.stop, len(queries)), total)

    def save(self, folder: Path | str) -> None:
        """Write the model as plain data; see `bilex.model_folder` for what is in it."""
        self._check_fitted()
        contents = ModelContents(
            config=describe_parts(self.parts_),
            source=self.source_,
            target=self.target_,
            source_normalization=self.source_normalization_,
            target_normalization=self.target_normalization_,
            mapping=self.map_,
            seeds=self.seeds_,
            forward_penalties=self.forward_.penalties,
            backward_penalties=self.backward_.penalties,
            random_state=self.random_state,
        )
        write_model(contents, Path(folder))

    @classmethod
    def load(
        cls, folder: Path | str, *, device: str = "cpu", memory: int = Compute().memory
    ) -> Self:
        """Read a model written by `save`; runs no code from the folder."""
        contents = read_model(Path(folder))
        inducer = cls(
            contents.config, device=device, random_state=contents.random_state, memory=memory
        )
        inducer._prepare()
        inducer.source_normalization_ = contents.source_normalization
        inducer.target_normalization_ = contents.target_normalization
        inducer.source_ = contents.source.with_vectors(contents.source.vectors.to(device))
        inducer.target_ = contents.target.with_vectors(contents.target.vectors.to(device))
        inducer.seeds_ = contents.seeds
        inducer.map_ = LinearMap(contents.mapping.weight.to(device), contents.mapping.report)
        inducer.forward_ = inducer.build_index(penalties=contents.forward_penalties)
        inducer.backward_ = inducer.build_index(penalties=contents.backward_penalties, reverse=True)
        return inducer

    def build_index(
        self,
        retrieval: Retriever | None = None,
        *,
        reverse: bool = False,
        penalties: torch.Tensor | None = None,
    ) -> SearchIndex:
        """Index one side of the aligned spaces, with the model's own retrieval unless given."""
        retriever = retrieval or cast(Retriever, self.parts_["retrieval"])
        mapped, target = self.map_.apply(self.source_.vectors), self.target_.vectors
        candidates, queries = (mapped, target) if reverse else (target, mapped)
        if penalties is not None:
            penalties = penalties.to(candidates)
        compute = Compute(memory=self.memory)
        return retriever.build(candidates, queries, compute=compute, penalties=penalties)

    def _prepare(self) -> None:
        """Make the parts, and check the settings before anything long begins."""
        try:
            torch.empty(0, device=self.device)
        except (RuntimeError, AssertionError) as problem:
            raise SettingError(
                f"device {self.device!r} cannot be used here ({problem}); try device 'cpu'"
            ) from problem
        tables = load_preset(self.method) if isinstance(self.method, str) else self.method
        self.parts_: dict[str, Any] = build_parts(tables)
        for kind in ("preprocessing", "strategy", "retrieval"):
            if getattr(self, kind) is not None:
                self.parts_[kind] = getattr(self, kind)

    def _check_fitted(self) -> None:
        if not hasattr(self, "map_"):
            raise NotFittedError("call fit() or load() before using the model")

    def _sides(self, reverse: bool) -> tuple[EmbeddingSpace, EmbeddingSpace]:
        return (self.target_, self.source_) if reverse else (self.source_, self.target_)

    def _mapped(self, rows: Matrix, *, reverse: bool) -> Matrix:
        """Bring normalized rows of a query language into the target space."""
        return rows if reverse else self.map_.apply(rows)

    def _search(
        self, index: SearchIndex, words: Sequence[str], k: int, reverse: bool
    ) -> list[Translation]:
        queries, answers = self._sides(reverse)
        vectors = {word: self._vector(word, queries, reverse) for word in words}
        known = [word for word, vector in vectors.items() if vector is not None]
        if not known:
            return [Translation(word) for word in words]
        rows = torch.stack([cast(torch.Tensor, vectors[word]) for word in known])
        hits = index.search(self._mapped(rows, reverse=reverse), k=k)
        found = dict(zip(known, hits.named(answers.words), strict=True))
        return [Translation(word, found.get(word, ())) for word in words]

    def _vector(self, word: str, space: EmbeddingSpace, reverse: bool) -> torch.Tensor | None:
        """Return the normalized vector of a word, spelled from subwords if need be."""
        row = space.index.get(word)
        if row is not None:
            return space.vectors[row]
        raw = space.subwords.vector(word) if space.subwords is not None else None
        if raw is None:
            return None
        normalization = self.target_normalization_ if reverse else self.source_normalization_
        return normalization.apply(raw.to(space.vectors)[None])[0]


def _report(on_block: Progress | None, done: int, total: int) -> None:
    if on_block is not None:
        on_block(done, total)


def _nothing_covered(lexicon: Lexicon, source: EmbeddingSpace, target: EmbeddingSpace) -> str:
    found = coverage(lexicon, source, target)
    hints = " ".join(found.hints) or "Are these the right two vector files, in the right order?"
    return (
        f"none of the {found.pairs} seed pairs has both words in the vocabularies "
        f"({len(source)} source words, {len(target)} target words). {hints}"
    )
