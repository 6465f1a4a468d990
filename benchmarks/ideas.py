"""Ideas of the field, each alone on top of what `bilex` bootstraps, on held-out seeds.

    python benchmarks/ideas.py run DATA RESULTS [--part 1/2]
    python benchmarks/ideas.py show RESULTS

A draw takes 1,000 random pairs of train.5k as seeds and scores all other pairs of that file, never
test words. The base is the strategy of the preset without its probabilities: rotations find pairs
until these settle, RCSLS learns from them, CSLS ranks. An idea changes one thing of that. Each
finished job, which measures all ideas, is a JSON file.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import mean

import torch

from bilex import EmbeddingSpace, Lexicon
from bilex.messages import MutualPairs
from bilex.preprocessing import Pipeline
from bilex.retrieval import Csls
from bilex.strategies import Bootstrap
from bilex.supervised import Procrustes, Rcsls
from bilex.values import IndexedLexicon, LinearMap, Matrix, SpacePair, Vector, unit_rows
from job_files import command, draw_seeds, keep, load_spaces, missing_in_part, spread

LANGUAGES, DRAWS, SEEDS = ("ru", "fi", "tr"), 4, 1_000
BLOCK = 128

UPDATE = MutualPairs()
RCSLS = Rcsls(steps=2_000, batch=400, rate=1.0)


@dataclass(frozen=True, eq=False)
class Task:
    """Two normalized spaces, seeds, and the answers that count as right."""

    pair: SpacePair
    seeds: IndexedLexicon
    held_out: IndexedLexicon
    draw: int

    def rng(self) -> torch.Generator:
        """Return the same chance each time."""
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

    def with_vectors(self, source: Matrix, target: Matrix) -> Task:
        """Return the same task on other vectors of the same words."""
        spaces = self.pair.source.with_vectors(source), self.pair.target.with_vectors(target)
        return replace(self, pair=SpacePair(*spaces))

    def right(self, best: torch.Tensor) -> float:
        """Return the share of held-out words whose best answer is right."""
        answers = self.held_out.answers
        found = zip(self.asked.tolist(), best.tolist(), strict=True)
        return mean(float(answer in answers[word]) for word, answer in found)

    @cached_property
    def asked(self) -> torch.Tensor:
        """The held-out words, as rows."""
        return torch.tensor(sorted(self.held_out.answers))

    def by_csls(self, source: Matrix, target: Matrix) -> float:
        """Return P@1 on held-out words by CSLS over both vocabularies."""
        index = Csls().build(target, source, compute=self.pair.compute)
        return self.right(index.search(source[self.asked], k=1).ids[:, 0])

    def by_cosine_less(self, source: Matrix, target: Matrix, price: Vector) -> float:
        """Return P@1 by cosine minus a price of each target word."""
        best = torch.cat(
            [
                (queries @ target.T - price).argmax(1)
                for queries in torch.split(source[self.asked], BLOCK)
            ]
        )
        return self.right(best)


def rcsls(task: Task) -> float:
    return task.by_csls(*task.rows(task.learned))


def rotation(task: Task) -> float:
    return task.by_csls(*task.rows(task.rotation))


def whitened(task: Task) -> float:
    """Whiten, rotate, re-weight both sides by s^0.5, de-whiten (Artetxe et al., 2018)."""
    pair, pairs = task.pair, task.pairs
    x = pair.source.vectors[pairs.source_ids].double()
    y = pair.target.vectors[pairs.target_ids].double()
    white_x, white_y = _inverse_root(x), _inverse_root(y)
    u, s, vt = torch.linalg.svd((x @ white_x).T @ (y @ white_y), full_matrices=False)
    left = white_x @ u * s.sqrt() @ (u.T @ torch.linalg.inv(white_x) @ u)
    right = white_y @ vt.T * s.sqrt() @ (vt @ torch.linalg.inv(white_y) @ vt.T)
    return task.by_csls(
        unit_rows(pair.source.vectors @ left.float()),
        unit_rows(pair.target.vectors @ right.float()),
    )


def _inverse_root(rows: Matrix) -> Matrix:
    s, v = _spectrum(rows)
    return v / s @ v.T


def iterated(task: Task) -> float:
    """Unit length and centering in turn, five times (Zhang et al., 2019)."""
    steps = Pipeline(steps=("unit", "center") * 5 + ("unit",))
    return rcsls(
        task.with_vectors(
            *(steps.learn(v).apply(v) for v in (task.pair.source.vectors, task.pair.target.vectors))
        )
    )


def spectral(task: Task) -> float:
    """Clip singular values at twice their root mean square (Dubossarsky et al., 2020)."""

    def clip(vectors: Matrix) -> Matrix:
        for _ in range(5):
            vectors = unit_rows(vectors)
            vectors = vectors - vectors.mean(0)
            s, v = _spectrum(vectors)
            most = 2 * s.square().mean().sqrt()
            vectors = vectors @ (v * (most / s).clamp(max=1) @ v.T).float()
        return unit_rows(vectors)

    return rcsls(task.with_vectors(clip(task.pair.source.vectors), clip(task.pair.target.vectors)))


def without_top(task: Task) -> float:
    """Remove the three directions of largest variance (Mu and Viswanath, 2018)."""

    def cut(vectors: Matrix) -> Matrix:
        _, v = _spectrum(vectors - vectors.mean(0))
        top = v[:, -3:].float()
        return unit_rows(vectors - vectors @ top @ top.T)

    return rcsls(task.with_vectors(cut(task.pair.source.vectors), cut(task.pair.target.vectors)))


def _spectrum(rows: Matrix) -> tuple[Vector, Matrix]:
    """Return the singular values of rows, smallest first, and their right vectors as columns."""
    values, vectors = torch.linalg.eigh((rows.T @ rows).double())
    return values.clamp(min=1e-12).sqrt(), vectors


def averaged(task: Task) -> float:
    """Average the similarities of the rotation and of RCSLS: concatenate their spaces."""
    (one, target), (other, _) = task.rows(task.learned), task.rows(task.rotation)
    return task.by_csls(
        unit_rows(torch.cat([one, other], 1)), unit_rows(torch.cat([target, target], 1))
    )


def weighted(task: Task) -> float:
    """Let pairs that were found count by their similarity, the seeds fully."""
    source, target = task.rows(task.rotation)
    alike = (source[task.pairs.source_ids] * target[task.pairs.target_ids]).sum(1).clamp(min=0)
    alike[: len(task.seeds)] = 1
    return task.by_csls(*task.rows(task.learn(replace(task.pairs, weights=alike))))


def dropped_out(task: Task) -> float:
    """Keep a random tenth of the found pairs, then more, then all (Artetxe et al., 2018)."""
    rng = task.rng()
    mapping = task.rotation
    for share in (0.1, 0.2, 0.4, 0.8, 1.0):
        pairs = UPDATE.extend(task.pair, mapping, task.seeds)
        kept = torch.rand(len(pairs), generator=rng) < share
        kept[: len(task.seeds)] = True
        pairs = pairs.take(kept)
        mapping = Procrustes().fit_map(task.pair, pairs, rng=rng)
    pairs = UPDATE.extend(task.pair, mapping, task.seeds)
    return task.by_csls(*task.rows(task.learn(pairs)))


def inverted_softmax(task: Task) -> float:
    """Rank by the softmax over source words instead of target words (Smith et al., 2017)."""
    source, target = task.rows(task.learned)
    heat = 1 / 30
    return task.by_cosine_less(source, target, _soft_most(target, source, heat))


def hubless(task: Task) -> float:
    """Rank by cosine less a price that lets every target word be chosen alike (Huang, 2020)."""
    source, target = task.rows(task.learned)
    heat = 1 / 30
    price = torch.zeros(len(target))
    for _ in range(3):
        gain = _soft_most(source, target, heat, price)
        price = _soft_most(target, source, heat, gain)
    return task.by_cosine_less(source, target, price)


def _soft_most(rows: Matrix, others: Matrix, heat: float, price: Vector | None = None) -> Vector:
    """Return the soft maximum over others of cosine less their price."""
    less = 0 if price is None else price
    return torch.cat(
        [
            heat * ((block @ others.T - less) / heat).logsumexp(1)
            for block in torch.split(rows, BLOCK)
        ]
    )


IDEAS: dict[str, Callable[[Task], float]] = {
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


def make_task(
    source: EmbeddingSpace, target: EmbeddingSpace, drawn: tuple[Lexicon, Lexicon], draw: int
) -> Task:
    pair = SpacePair(_normalized(source), _normalized(target))
    seeds, held_out = (IndexedLexicon.locate(part, pair) for part in drawn)
    return Task(pair, seeds, held_out, draw)


def _normalized(space: EmbeddingSpace) -> EmbeddingSpace:
    return space.with_vectors(Pipeline().learn(space.vectors).apply(space.vectors))


def run_all(data: Path, results: Path, part: str, only: str) -> None:
    torch.set_num_threads(1)
    spaces = load_spaces(data, "en", *LANGUAGES)
    jobs = {f"{target}.{draw}": (target, draw) for draw in range(DRAWS) for target in LANGUAGES}
    for name in missing_in_part(list(jobs), results, part, only):
        target, draw = jobs[name]
        drawn = draw_seeds(data, target, SEEDS, draw)
        task = make_task(spaces["en"], spaces[target], drawn, draw)
        scores = {idea: round(measure(task), 5) for idea, measure in IDEAS.items()}
        keep(name, results, {"target": target, "draw": draw, "words": len(task.asked)} | scores)


def show(results: Path) -> None:
    found = [json.loads(path.read_text()) for path in results.glob("*.json")]
    base = next(iter(IDEAS))
    print("| |", " | ".join(f"en→{target} | over the base" for target in LANGUAGES), "|")
    print("|---|" + "---|---|" * len(LANGUAGES))
    for idea in IDEAS:
        cells = []
        for target in LANGUAGES:
            runs = [one for one in found if one["target"] == target]
            cells += [
                spread([100 * one[idea] for one in runs]),
                spread([100 * (one[idea] - one[base]) for one in runs], sign="+"),
            ]
        print(f"| {idea} |", " | ".join(cells), "|")


if __name__ == "__main__":
    command(__doc__.splitlines()[0], run_all, show)
