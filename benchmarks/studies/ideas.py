"""Ideas from other papers, each alone in place of one thing in the map that `bilex` bootstraps.

    python benchmarks/studies/ideas.py run DATA RESULTS [--languages ru] [--draws 1] [--words 5000]
    python benchmarks/studies/ideas.py show RESULTS

A draw takes 1,000 random pairs of XLING's 5,000 as seeds and scores all other pairs of that file,
never test words. The base is the preset without probabilities and feedback: rotations find pairs
until these settle, RCSLS learns from them, CSLS ranks. Tasks run by `bilex.jobs`: run the same
command again to continue.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import mean
from typing import Any

import torch

from bilex import EmbeddingSpace, Lexicon, load_embeddings, read_lexicon
from bilex.alignment.messages import MutualPairs
from bilex.alignment.preprocessing import Pipeline
from bilex.alignment.strategies import Bootstrap
from bilex.alignment.supervised import Procrustes, Rcsls
from bilex.jobs import Event, Finished, Input, LocalEngine, ResultStore, RunProgress, run_tasks
from bilex.jobs.task import Load, Result
from bilex.lexicons import SampleSpec, sample_lexicon, without_leaks
from bilex.retrieval import Csls
from bilex.storage.hashes import FileHashes
from bilex.values import IndexedLexicon, LinearMap, Matrix, SpacePair, Vector, unit_rows
from show import spread

LANGUAGES, DRAWS, SEEDS = ("ru", "fi", "tr"), 4, 1_000
BLOCK = 128
MEMORY = 4 * 2**30

UPDATE = MutualPairs()
RCSLS = Rcsls(steps=2_000, batch=400, rate=1.0)


@dataclass(frozen=True, eq=False)
class Problem:
    """Two normalized spaces, seeds, and the answers that count as right."""

    pair: SpacePair
    seeds: IndexedLexicon
    held_out: IndexedLexicon
    draw: int

    @classmethod
    def make(
        cls, source: EmbeddingSpace, target: EmbeddingSpace, pairs: Lexicon, draw: int
    ) -> Problem:
        """Draw the seeds; all other pairs are held out."""
        rng = torch.Generator().manual_seed(draw)
        seeds = sample_lexicon(pairs, SampleSpec(SEEDS, "all"), rng=rng, order="random")
        held_out = without_leaks(pairs, seeds)
        spaces = SpacePair(_normalized(source), _normalized(target))
        located = [IndexedLexicon.locate(lexicon, spaces) for lexicon in (seeds, held_out)]
        return cls(spaces, located[0], located[1], draw)

    def rng(self) -> torch.Generator:
        """Return a random generator, the same each time."""
        return torch.Generator().manual_seed(self.draw)

    @cached_property
    def rotation(self) -> LinearMap:
        """The last rotation of the bootstrap."""
        strategy = Bootstrap(supervised=Procrustes(), lexicon_update=UPDATE)
        return strategy.run(self.pair, self.seeds, rng=self.rng())

    @cached_property
    def pairs(self) -> IndexedLexicon:
        """The seeds and what the rotation finds."""
        return UPDATE.extend(self.pair, self.rotation, self.seeds)

    @cached_property
    def learned(self) -> LinearMap:
        """What RCSLS learns from these pairs."""
        return self.learn(self.pairs)

    def learn(self, pairs: IndexedLexicon) -> LinearMap:
        """Take the last step of the preset."""
        return RCSLS.fit_map(self.pair, pairs, rng=self.rng(), start=self.rotation)

    def rows(self, mapping: LinearMap) -> tuple[Matrix, Matrix]:
        """Return both languages in one space, with length 1."""
        source = mapping.apply(self.pair.source.vectors)
        return unit_rows(source), unit_rows(self.pair.target.vectors)

    def treated(self, treat: Callable[[Matrix], Matrix]) -> Problem:
        """Return the same problem with the vectors of both languages treated in some way."""
        source, target = (
            space.with_vectors(treat(space.vectors))
            for space in (self.pair.source, self.pair.target)
        )
        return replace(self, pair=SpacePair(source, target))

    def right(self, best: torch.Tensor) -> float:
        """Return the share of held-out words whose best answer is right."""
        answers = self.held_out.answers
        found = zip(self.queries.tolist(), best.tolist(), strict=True)
        return mean(float(answer in answers[word]) for word, answer in found)

    @cached_property
    def queries(self) -> torch.Tensor:
        """The held-out words, as rows."""
        return torch.tensor(sorted(self.held_out.answers))

    def by_csls(self, source: Matrix, target: Matrix) -> float:
        """Return P@1 on held-out words by CSLS over both vocabularies."""
        index = Csls().build(source, target, compute=self.pair.compute)
        return self.right(index.forward.search(source[self.queries], k=1).ids[:, 0])

    def by_cosine_minus(self, source: Matrix, target: Matrix, price: Vector) -> float:
        """Return P@1 by cosine minus a price of each target word."""
        best = torch.cat(
            [
                (queries @ target.T - price).argmax(1)
                for queries in torch.split(source[self.queries], BLOCK)
            ]
        )
        return self.right(best)


def _normalized(space: EmbeddingSpace) -> EmbeddingSpace:
    return space.with_vectors(Pipeline().learn(space.vectors).apply(space.vectors))


def rcsls(problem: Problem) -> float:
    return problem.by_csls(*problem.rows(problem.learned))


def rotation(problem: Problem) -> float:
    return problem.by_csls(*problem.rows(problem.rotation))


def whitened(problem: Problem) -> float:
    """Whiten, rotate, re-weight both sides by s^0.5, de-whiten (Artetxe et al., 2018)."""
    pair, pairs = problem.pair, problem.pairs
    x = pair.source.vectors[pairs.source_ids].double()
    y = pair.target.vectors[pairs.target_ids].double()
    white_x, white_y = _inverse_root(x), _inverse_root(y)
    u, s, vt = torch.linalg.svd((x @ white_x).T @ (y @ white_y), full_matrices=False)
    left = white_x @ u * s.sqrt() @ (u.T @ torch.linalg.inv(white_x) @ u)
    right = white_y @ vt.T * s.sqrt() @ (vt @ torch.linalg.inv(white_y) @ vt.T)
    return problem.by_csls(
        unit_rows(pair.source.vectors @ left.float()),
        unit_rows(pair.target.vectors @ right.float()),
    )


def _inverse_root(rows: Matrix) -> Matrix:
    s, v = _spectrum(rows)
    return v / s @ v.T


def iterated(problem: Problem) -> float:
    """Unit length and centering in turn, five times (Zhang et al., 2019)."""
    steps = Pipeline(steps=("unit", "center") * 5 + ("unit",))
    return rcsls(problem.treated(lambda vectors: steps.learn(vectors).apply(vectors)))


def spectral(problem: Problem) -> float:
    """Clip singular values at twice their root mean square (Dubossarsky et al., 2020)."""

    def clip(vectors: Matrix) -> Matrix:
        for _ in range(5):
            vectors = unit_rows(vectors)
            vectors = vectors - vectors.mean(0)
            s, v = _spectrum(vectors)
            most = 2 * s.square().mean().sqrt()
            vectors = vectors @ (v * (most / s).clamp(max=1) @ v.T).float()
        return unit_rows(vectors)

    return rcsls(problem.treated(clip))


def without_top(problem: Problem) -> float:
    """Remove the three directions of largest variance (Mu and Viswanath, 2018)."""

    def cut(vectors: Matrix) -> Matrix:
        _, v = _spectrum(vectors - vectors.mean(0))
        top = v[:, -3:].float()
        return unit_rows(vectors - vectors @ top @ top.T)

    return rcsls(problem.treated(cut))


def _spectrum(rows: Matrix) -> tuple[Vector, Matrix]:
    """Return the singular values of rows, smallest first, and their right vectors as columns."""
    values, vectors = torch.linalg.eigh((rows.T @ rows).double())
    return values.clamp(min=1e-12).sqrt(), vectors


def averaged(problem: Problem) -> float:
    """Average the similarities of the rotation and of RCSLS: concatenate their spaces."""
    (one, target), (other, _) = problem.rows(problem.learned), problem.rows(problem.rotation)
    return problem.by_csls(
        unit_rows(torch.cat([one, other], 1)), unit_rows(torch.cat([target, target], 1))
    )


def weighted(problem: Problem) -> float:
    """Weight the pairs that were found by their similarity, and the seeds by 1."""
    source, target = problem.rows(problem.rotation)
    pairs = problem.pairs
    weights = (source[pairs.source_ids] * target[pairs.target_ids]).sum(1).clamp(min=0)
    weights[: len(problem.seeds)] = 1
    return problem.by_csls(*problem.rows(problem.learn(replace(pairs, weights=weights))))


def dropped_out(problem: Problem) -> float:
    """Keep a random 10 % of the found pairs, then more, then all (Artetxe et al., 2018)."""
    rng = problem.rng()
    mapping = problem.rotation
    for share in (0.1, 0.2, 0.4, 0.8, 1.0):
        pairs = UPDATE.extend(problem.pair, mapping, problem.seeds)
        kept = torch.rand(len(pairs), generator=rng) < share
        kept[: len(problem.seeds)] = True
        pairs = pairs.take(kept)
        mapping = Procrustes().fit_map(problem.pair, pairs, rng=rng)
    pairs = UPDATE.extend(problem.pair, mapping, problem.seeds)
    return problem.by_csls(*problem.rows(problem.learn(pairs)))


def inverted_softmax(problem: Problem) -> float:
    """Rank by the softmax over source words instead of target words (Smith et al., 2017)."""
    source, target = problem.rows(problem.learned)
    temperature = 1 / 30
    return problem.by_cosine_minus(source, target, _soft_maximum(target, source, temperature))


def hubless(problem: Problem) -> float:
    """Rank by cosine minus a price that makes target words equally frequent (Huang, 2020)."""
    source, target = problem.rows(problem.learned)
    temperature = 1 / 30
    price = torch.zeros(len(target))
    for _ in range(3):
        gain = _soft_maximum(source, target, temperature, price)
        price = _soft_maximum(target, source, temperature, gain)
    return problem.by_cosine_minus(source, target, price)


def _soft_maximum(
    rows: Matrix, others: Matrix, temperature: float, price: Vector | None = None
) -> Vector:
    """Return the soft maximum over others of cosine minus their price."""
    prices = 0 if price is None else price
    return torch.cat(
        [
            temperature * ((block @ others.T - prices) / temperature).logsumexp(1)
            for block in torch.split(rows, BLOCK)
        ]
    )


IDEAS: dict[str, Callable[[Problem], float]] = {
    "base: RCSLS on the settled pairs": rcsls,
    "a rotation instead of RCSLS": rotation,
    "whitening, re-weighting, de-whitening instead of RCSLS": whitened,
    "iterative normalization": iterated,
    "spectral normalization": spectral,
    "three top components removed": without_top,
    "similarities of rotation and RCSLS averaged": averaged,
    "found pairs weighted by similarity": weighted,
    "annealed dropout of found pairs": dropped_out,
    "inverted softmax instead of CSLS": inverted_softmax,
    "hubless retrieval instead of CSLS": hubless,
}


@dataclass(frozen=True)
class IdeasTask:
    """All ideas on one draw of the seeds of one language pair."""

    data: Path
    target: str
    draw: int
    words: int | None  # the most frequent ones only, to try the script
    hashes: tuple[str, ...]  # of the files

    @property
    def files(self) -> tuple[Path, Path, Path]:
        """Return the vectors of both languages and the word pairs."""
        vectors, xling = self.data / "vectors", self.data / "dictionaries" / "xling"
        return (
            vectors / "en.vec.gz",
            vectors / f"{self.target}.vec.gz",
            xling / f"en-{self.target}" / "train.5k.tsv",
        )

    @property
    def key(self) -> str:
        """Return the hash of everything that determines the result, except for this file."""
        facts = [self.target, self.draw, self.words, SEEDS, self.hashes, asdict(RCSLS), list(IDEAS)]
        return hashlib.sha256(json.dumps(facts, default=str).encode()).hexdigest()[:32]

    @property
    def name(self) -> str:
        """Return what the result is called."""
        return f"ideas {self.target} {self.draw}"

    @property
    def group(self) -> str:
        """Return the pair: tasks of the same pair read the same vectors."""
        return self.target

    @property
    def kind(self) -> str:
        """Return the pair, since it determines how long a task takes."""
        return self.target


@dataclass(frozen=True)
class Vectors:
    """A file of word vectors."""

    path: Path
    words: int | None

    def load(self) -> EmbeddingSpace:
        """Read the file."""
        return load_embeddings(self.path, limit=self.words)


@dataclass(frozen=True)
class IdeasWork:
    """Measures all ideas."""

    def inputs(self, task: IdeasTask) -> Sequence[Input]:
        """Return the vectors of both languages."""
        return [Vectors(path, task.words) for path in task.files[:2]]

    def run(self, task: IdeasTask, load: Load) -> Result:
        """Return P@1 of each idea."""
        source, target = load()
        assert isinstance(source, EmbeddingSpace)
        assert isinstance(target, EmbeddingSpace)
        problem = Problem.make(source, target, read_lexicon(task.files[2]), task.draw)
        scores = {idea: round(measure(problem), 5) for idea, measure in IDEAS.items()}
        words = len(problem.queries)
        return {**self._head(task, "done"), "words": words, "scores": scores}

    def failed(self, task: IdeasTask, problem: BaseException) -> Result:
        """Return the error as a result."""
        return {**self._head(task, "failed"), "error": f"{type(problem).__name__}: {problem}"}

    def memory_needed(self, task: IdeasTask, input_bytes: int) -> int:
        """Return a generous estimate."""
        return MEMORY

    def task_name(self, result: Result) -> str:
        """Return the name of the task of a result."""
        return str(result.get("name"))

    def _head(self, task: IdeasTask, status: str) -> dict[str, Any]:
        facts = {"key": task.key, "name": task.name, "status": status}
        return {**facts, "target": task.target, "draw": task.draw}


def run(options: argparse.Namespace) -> None:
    hashes = FileHashes()
    tasks = []
    for draw in range(options.draws):
        for target in options.languages:
            task = IdeasTask(options.data, target, draw, options.words, ())
            tasks.append(replace(task, hashes=tuple(hashes.sha256(path) for path in task.files)))
    engine = LocalEngine(workers=options.workers, threads=1)
    run_tasks(tasks, IdeasWork(), ResultStore(options.results), engine, on_event=print_end)


def print_end(progress: RunProgress[IdeasTask], event: Event[IdeasTask, Result]) -> None:
    if isinstance(event, Finished):
        print(progress.ended, "of", progress.total, json.dumps(event.result), flush=True)


def show(results: Path) -> None:
    found = [result for result in ResultStore(results).read() if result["status"] == "done"]
    base, languages = next(iter(IDEAS)), sorted({result["target"] for result in found})
    print("| |", " | ".join(f"en→{target} | over the base" for target in languages), "|")
    print("|---|" + "---|---|" * len(languages))
    for idea in IDEAS:
        cells = []
        for target in languages:
            runs = [result["scores"] for result in found if result["target"] == target]
            cells += [
                spread([100 * scores[idea] for scores in runs]),
                spread([100 * (scores[idea] - scores[base]) for scores in runs], sign="+"),
            ]
        print(f"| {idea} |", " | ".join(cells), "|")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("data", type=Path)
    running.add_argument("results", type=Path)
    running.add_argument("--languages", nargs="+", default=LANGUAGES)
    running.add_argument("--draws", type=int, default=DRAWS)
    running.add_argument("--words", type=int, help="only so many of the most frequent words")
    running.add_argument("--workers", type=int, default=2)
    commands.add_parser("show").add_argument("results", type=Path)
    options = parser.parse_args()
    if options.command == "run":
        run(options)
    else:
        show(options.results)


if __name__ == "__main__":
    main()
