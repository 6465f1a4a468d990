"""What a fleet will cost: the jobs of each stage, and time, memory and disk on some machines.

The law, in seconds of one core, for languages of n and m words with d dimensions:

- prepare: n · d · reading
- align: fit(x) + product · f · s · n · m · d, with x = min(n, m, 20,000) / 1,000
- induce: product · (6 + 2·p) · s · n · m · d + (1 + p) · (n + m) · ranking
- triangulate: product · 6 · s · n · m · d + (n + m) · ranking + learning + e · fit(x)

`reading`, `fit`, `product`, `ranking` and `learning` are measured (`bilex.fleet.measurement`), and
fit(x) = fit · (a + b·x + c·x²). Training looks at the most frequent words, up to a pool. The final
index is over all words, in two directions, and so are the neighborhoods and the candidates from
which probabilities are learned: f searches in all. A pair without the hub trains maps of its own,
which takes the share e of a fit. A lexicon takes four searches over all words: neighborhoods and
candidates, in two directions. If probabilities are learned, neighborhoods of maps trained without p
parts of the seeds are two more, and the translations to and from the hub under these maps two more
for each part. s is 1 if searches are exact, and the share of an exact search that an approximate
one takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any, cast

from bilex.embeddings import declared_size, load_embeddings
from bilex.fleet import align, induce, link_file, prepare
from bilex.fleet.computation import BASE_MEMORY
from bilex.fleet.fleet import Fleet, Language
from bilex.fleet.links import Links
from bilex.fleet.measurement import WORDS, Measurement
from bilex.fleet.tasks import AlignTask, InduceTask, PrepareTask, make_tasks
from bilex.similarity import is_approximate
from bilex.values import Compute, Search

SHARE_OF_SEARCH = (0.1, 120_000)
"""An approximate search takes the share a + b / words of the time of an exact one.

Finding the cells of all words is quadratic, with a small factor; searching the cells is linear.
From a fit and a dictionary of 1,000,000 words (benchmarks/scale/dictionary.py), and from searches
of 1,000,000 and 2,000,000 words, which are faster: there, neighborhoods and candidates come from
one search (benchmarks/scale/search.py).
"""

POOL = 20_000
"""Words that training looks at, in most methods."""

GROWTH = (0.76, 0.235, 0.006)
"""The time of a fit of x times `WORDS` words, relative to x = 1: a + b·x + c·x².

From fits with the preset `bilex`. For English and French with 800 seeds and 2,500, 5,000, 10,000
and 17,000 words, it is within 12 % of the measured time; beyond that it was not checked.
"""

SHARE_OF_OWN_MAPS = 0.25
"""Training the maps of a pair without the hub takes this share of a fit, if it learns
probabilities. From fits of 18,000 to 50,000 words with the preset `bilex`."""

PASSES_OF_A_FIT = 2
PASSES_OF_PROBABILITIES = 4
"""More searches of a fit that learns probabilities.

From fits of 200,000 and 1,000,000 words with the preset `bilex`, which also has feedback.
"""

PASSES_OF_A_LEXICON = 4
PASSES_OF_PARTS = 2
"""More searches of a lexicon, if probabilities are learned from parts of the seeds."""

BYTES_OF_A_WORD = 12
"""Of a vocabulary, on disk."""

BYTES_OF_AN_ENTRY = 25
"""Of a Parquet file; other formats take about twice as much."""

BYTES_OF_A_TRANSLATION = 8
"""To or from the hub, kept for triangulation."""

BYTES_OF_MODELS = 500_000
"""Of the candidate models of an alignment, in both directions."""

UNKNOWN_WORDS = 1_000_000
"""Assumed if a file does not say how many words it has."""


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a language: words and dimensions."""

    words: int
    dim: int

    @property
    def bytes(self) -> int:
        """Return the size of its vectors."""
        return 4 * self.words * self.dim


@dataclass(frozen=True, slots=True)
class StageCost:
    """What a stage costs: seconds of one core for each job, bytes of the largest one, and disk."""

    stage: str
    seconds: tuple[float, ...]
    memory: int
    disk: int

    @property
    def jobs(self) -> int:
        """Return the number of jobs."""
        return len(self.seconds)

    def elapsed(self, slots: int) -> float:
        """Return the time with this many cores; a job is not divided."""
        if not self.seconds:
            return 0.0
        return max(sum(self.seconds) / slots, max(self.seconds))


@dataclass(frozen=True, slots=True)
class Plan:
    """The cost of each stage, and the hub."""

    hub: str
    stages: tuple[StageCost, ...]

    def hours(self, nodes: int, cores: int) -> float:
        """Return the time on some machines with the same number of cores each."""
        return sum(stage.elapsed(nodes * cores) for stage in self.stages) / 3600

    def node_memory(self, nodes: int, cores: int) -> int:
        """Return the memory of each machine, if all of its cores are to work."""
        return max(min(cores, -(-stage.jobs // nodes)) * stage.memory for stage in self.stages)

    @property
    def disk(self) -> int:
        """Return the size of the folder of the fleet."""
        return sum(stage.disk for stage in self.stages)

    def to_dict(self, nodes: Sequence[int], cores: int) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "hub": self.hub,
            "stages": [
                {
                    "stage": stage.stage,
                    "jobs": stage.jobs,
                    "core_hours": round(sum(stage.seconds) / 3600, 4),
                    "job_memory": stage.memory,
                    "disk": stage.disk,
                }
                for stage in self.stages
            ],
            "machines": [
                {
                    "nodes": number,
                    "cores": cores,
                    "hours": round(self.hours(number, cores), 4),
                    "memory": self.node_memory(number, cores),
                }
                for number in nodes
            ],
            "disk": self.disk,
        }


def language_size(language: Language) -> Size:
    """Return the size of a language, from the header of its file if it has one.

    Raises:
        VectorFileError: If the file cannot be read.
    """
    words, dim = declared_size(language.vectors) or (None, None)
    if dim is None:
        dim = load_embeddings(language.vectors, limit=1).dim
    most = UNKNOWN_WORDS if words is None else words
    return Size(min(most, language.limit or most), dim)


def make_plan(
    fleet: Fleet,
    links: Links,
    measured: Measurement,
    *,
    sizes: Mapping[str, Size] | None = None,
    memory: int = Compute().memory,
) -> Plan:
    """Return the cost of a fleet; nothing is hashed or run.

    Args:
        fleet: The fleet.
        links: The hub and the parents.
        measured: What this machine needs.
        sizes: The sizes of the languages; looked up in their files if None.
        memory: Bytes that a search may use.
    """
    tasks = make_tasks(fleet, links, str)
    size = dict(sizes or {})
    for task in tasks.prepare:
        code = task.language.code
        if code not in size:
            size[code] = language_size(task.language)
    return Plan(
        links.hub,
        (
            _prepare_cost(tasks.prepare, size, measured),
            _align_cost(tasks.align, size, measured, memory, fleet),
            _lexicon_cost("induce", tasks.induce, size, measured, memory, fleet),
            _lexicon_cost("triangulate", tasks.triangulate, size, measured, memory, fleet),
        ),
    )


def _prepare_cost(
    tasks: Sequence[PrepareTask], size: Mapping[str, Size], measured: Measurement
) -> StageCost:
    found = [size[task.language.code] for task in tasks]
    return StageCost(
        "prepare",
        tuple(measured.reading * each.words * each.dim for each in found),
        max(BASE_MEMORY + prepare.COPIES_OF_VECTORS * each.bytes for each in found),
        sum(each.bytes + BYTES_OF_A_WORD * each.words for each in found),
    )


def _align_cost(
    tasks: Sequence[AlignTask],
    size: Mapping[str, Size],
    measured: Measurement,
    memory: int,
    fleet: Fleet,
) -> StageCost:
    seconds, bytes_, disk = [], [0], 0
    parts = _parts(fleet)
    passes = PASSES_OF_A_FIT + (PASSES_OF_PROBABILITIES if parts else 0)
    for task in tasks:
        one, other = size[task.code], size[task.parent]
        dim = max(one.dim, other.dim)
        products = passes * _products(one.words, other.words, dim, task.search)
        seconds.append(_fit(one, other, measured) + measured.product * products)
        bytes_.append(one.bytes + other.bytes)
        disk += 4 * one.dim * other.dim * (1 + 2 * parts) + (BYTES_OF_MODELS if parts else 0)
    needed = BASE_MEMORY + memory + align.COPIES_OF_VECTORS * max(bytes_)
    return StageCost("align", tuple(seconds), needed, disk)


def _lexicon_cost(
    stage: str,
    tasks: Sequence[InduceTask],
    size: Mapping[str, Size],
    measured: Measurement,
    memory: int,
    fleet: Fleet,
) -> StageCost:
    seconds, bytes_, disk = [], [0], 0
    copies = 1 + 2 * len(fleet.formats)
    parts = _parts(fleet)
    more = parts if stage == "induce" else 0  # whole lexicons
    passes = PASSES_OF_A_LEXICON + (PASSES_OF_PARTS if parts else 0) + 2 * more
    for task in tasks:
        one, other = size[task.first.code], size[task.second.code]
        dim = size[task.hub].dim
        products = passes * _products(one.words, other.words, dim, task.search)
        words = one.words + other.words
        learning = 0.0
        if parts and stage == "triangulate":
            learning = measured.learning + SHARE_OF_OWN_MAPS * _fit(one, other, measured)
        ranking = measured.ranking * (1 + more) * words
        seconds.append(measured.product * products + ranking + learning)
        bytes_.append(one.bytes + other.bytes)
        entries = sum(size[source].words for source, _ in task.directions)
        disk += copies * BYTES_OF_AN_ENTRY * entries * (fleet.selection.k or 1)
        if stage == "induce":
            disk += (1 + more) * BYTES_OF_A_TRANSLATION * link_file.DEPTH * words
    needed = BASE_MEMORY + memory + induce.COPIES_OF_VECTORS * max(bytes_)
    return StageCost(stage, tuple(seconds), needed, disk)


def _fit(one: Size, other: Size, measured: Measurement) -> float:
    """Return the seconds of a fit without its index."""
    pool = min(one.words, other.words, POOL) / WORDS
    return measured.fit * (GROWTH[0] + GROWTH[1] * pool + GROWTH[2] * pool**2)


def _parts(fleet: Fleet) -> int:
    """Return the number of parts of the seeds that are held out in turn; 0 if none are."""
    calibration = fleet.method.tables.get("calibration")
    return 0 if calibration is None else int(cast(int, calibration.get("parts", 0)))


def _products(words: int, others: int, dim: int, search: Search) -> float:
    """Return the multiplications of a search, or as many as take the time of an approximate one."""
    constant, factor = SHARE_OF_SEARCH
    shares = [
        min(1.0, constant + factor / candidates)
        if is_approximate(Compute(search=search), candidates)
        else 1.0
        for candidates in (words, others)  # in both directions
    ]
    return words * others * dim * mean(shares)
