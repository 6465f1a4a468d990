"""The tasks of a fleet, and the keys that identify their results.

The key of a task is a hash of everything that determines its result, including the keys of the
tasks that it depends on. So all keys are known before anything runs, a finished task is never run
again, and another language changes no key of those that were there before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from bilex.fleet.fleet import Fleet, Language, SeedFile, Selection
from bilex.fleet.links import Links
from bilex.values import Search

SCHEMA = 3
"""Version of the results. A new version changes all keys, so that everything is run again."""

KEY_DIGITS = 32

_OF_LEXICONS = ("retrieval", "calibration", "feature")
_OF_ALIGNMENTS = ("preprocessing", "feedback")
"""Settings that every lexicon depends on, and those that no lexicon depends on directly."""

Hash = Callable[[Path], str]
"""Returns the hash of the contents of a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareTask:
    """Read the vectors of a language, normalize them, and write them to be mapped into memory."""

    key: str
    language: Language
    preprocessing: Mapping[str, Mapping[str, object]]
    needs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the stage and the language."""
        return f"prepare {self.language.code}"

    @property
    def group(self) -> str:
        """Return the language."""
        return self.language.code

    @property
    def kind(self) -> str:
        """Return the stage."""
        return "prepare"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignTask:
    """Train the map of a language to its parent, and the candidate models of this pair.

    Lexicons from the hub have alignments of their own, trained in that direction: here the hub is
    the language, and the other one its parent.

    Attributes:
        key: The key.
        code: The language.
        parent: The language that it is aligned to.
        prepared: The keys of the vectors of both.
        seeds: Files of word pairs of both, in either order.
        tables: The settings of the method.
        start: How to start without seeds.
        random_state: The random state.
        search: How to search.
        needs: Keys of the tasks that must be done before.
        vector_bytes: The size of the vectors of both; 0 until they are prepared.
    """

    key: str
    code: str
    parent: str
    prepared: tuple[str, str]
    seeds: tuple[SeedFile, ...]
    tables: Mapping[str, Mapping[str, object]]
    start: str
    random_state: int
    search: Search
    needs: tuple[str, ...]
    vector_bytes: int = 0

    @property
    def name(self) -> str:
        """Return the stage and the languages."""
        return f"align {self.code}-{self.parent}"

    @property
    def group(self) -> str:
        """Return the parent, whose vectors are usually the larger ones."""
        return self.parent

    @property
    def kind(self) -> str:
        """Return the stage."""
        return "align"


@dataclass(frozen=True, slots=True)
class Step:
    """One alignment on the way of a language to the hub."""

    code: str
    parent: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A language in the space of the hub.

    Attributes:
        code: The language.
        prepared: The key of its vectors.
        way: The alignments from this language to the hub; none for the hub.
    """

    code: str
    prepared: str
    way: tuple[Step, ...]

    @property
    def key(self) -> str:
        """Return the key of the last task that determines the vectors in the hub's space."""
        return self.way[0].key if self.way else self.prepared


@dataclass(frozen=True, slots=True, kw_only=True)
class InduceTask:
    """Induce the lexicons of two languages in the space of the hub, in both directions.

    The task of a pair with the hub belongs to the stage `induce`. All other pairs are induced in
    the stage `triangulate`, which needs the lexicons of both languages with the hub.

    Attributes:
        key: The key.
        first: The language that comes first in the fleet.
        second: The other one.
        hub: The language of the space.
        directions: The directions to write: source and target; none if only the translations to
            and from the hub are needed.
        seeds: Files of word pairs of the two languages.
        from_hub: The hub in the space of the other language, and that language: for the lexicon
            from the hub. None if the languages are used as they are, in the space of the hub.
        links: The keys of the tasks of the first and of the second language with the hub; None if
            this pair is with the hub, or if the method learns no probabilities.
        selection: Which entries are kept.
        tables: The settings of the retriever, and of calibration and its features if there are any;
            of a pair that is not with the hub, also those of training.
        search: How to search.
        formats: Formats besides Parquet.
        random_state: The random state of training.
        needs: Keys of the tasks that must be done before.
        vector_bytes: The size of the vectors of both; 0 until they are prepared.
    """

    key: str
    first: Place
    second: Place
    hub: str
    directions: tuple[tuple[str, str], ...]
    seeds: tuple[SeedFile, ...]
    from_hub: tuple[Place, Place] | None
    links: tuple[str, str] | None
    selection: Selection
    tables: Mapping[str, Mapping[str, object]]
    search: Search
    formats: tuple[str, ...]
    random_state: int
    needs: tuple[str, ...]
    vector_bytes: int = 0

    @property
    def name(self) -> str:
        """Return the stage and the languages."""
        return f"{self.kind} {self.first.code}-{self.second.code}"

    @property
    def group(self) -> str:
        """Return the first language: a worker keeps it open for the next pair."""
        return self.first.code

    @property
    def kind(self) -> str:
        """Return the stage."""
        return "induce" if self.with_hub else "triangulate"

    @property
    def with_hub(self) -> bool:
        """Return whether one of the languages is the hub."""
        return not (self.first.way and self.second.way)


FleetTask = PrepareTask | AlignTask | InduceTask


@dataclass(frozen=True, slots=True)
class FleetTasks:
    """The tasks of each stage."""

    prepare: tuple[PrepareTask, ...]
    align: tuple[AlignTask, ...]
    induce: tuple[InduceTask, ...]
    triangulate: tuple[InduceTask, ...]

    def by_stage(self) -> dict[str, tuple[FleetTask, ...]]:
        """Return the tasks by the name of the stage."""
        return {
            "prepare": self.prepare,
            "align": self.align,
            "induce": self.induce,
            "triangulate": self.triangulate,
        }

    def listed(self) -> dict[str, list[tuple[str, str, tuple[str, ...]]]]:
        """Return the name and key of each task, and the keys that it needs, by stage, for JSON."""
        return {
            stage: [(task.name.partition(" ")[2], task.key, task.needs) for task in tasks]
            for stage, tasks in self.by_stage().items()
        }


def make_tasks(fleet: Fleet, links: Links, sha256: Hash) -> FleetTasks:
    """Return all tasks of a fleet: only languages of wanted pairs, and those on their ways.

    Args:
        fleet: The fleet.
        links: The hub and the parents.
        sha256: Hashes files; a file of vectors is hashed once.
    """
    wanted = {code for pair in fleet.pairs for code in pair}
    used = used_languages(fleet, links)
    prepare = {code: _prepare(fleet, fleet.languages[code], sha256) for code in used}
    files = {file: sha256(file.path) for file in fleet.seeds if used.keys() >= set(file.pair)}
    align = {
        code: _align(fleet, code, links.parents[code], prepare, files)
        for code in prepare
        if code != links.hub
    }
    written_from_hub = {target for source, target in fleet.pairs if source == links.hub}
    from_hub = {
        code: _align(fleet, links.hub, code, prepare, files)
        for code in prepare
        if code in written_from_hub and links.parents[code] == links.hub
    }
    places = {code: _place(code, links, prepare, align) for code in {*wanted, links.hub}}
    directions = _directions(fleet, links.hub)
    make = partial(_induce, fleet, links.hub, files)
    induce = {
        pair: make(
            places[pair[0]],
            places[pair[1]],
            tuple(written),
            from_hub=_from_hub(pair, links.hub, prepare, from_hub),
        )
        for pair, written in directions.items()
        if links.hub in pair
    }
    keys = {code: task.key for pair, task in induce.items() for code in pair if code != links.hub}
    triangulate = [
        make(places[first], places[second], tuple(written), links=_links(keys, first, second))
        for (first, second), written in directions.items()
        if links.hub not in (first, second)
    ]
    return FleetTasks(
        tuple(prepare.values()),
        (*align.values(), *from_hub.values()),
        tuple(induce.values()),
        tuple(triangulate),
    )


def used_languages(fleet: Fleet, links: Links) -> dict[str, None]:
    """Return the languages of wanted pairs and on their ways, in the order of the fleet."""
    used = {step for pair in fleet.pairs for code in pair for step in links.way(code)}
    return {code: None for code in fleet.languages if code in used}


def with_sizes(task: AlignTask | InduceTask, bytes_of: Mapping[str, int]) -> AlignTask | InduceTask:
    """Return the task with the size of its vectors; `bytes_of` has it by key of preparation."""
    if isinstance(task, AlignTask):
        keys: Iterable[str] = task.prepared
    else:
        keys = (task.first.prepared, task.second.prepared)
    return replace(task, vector_bytes=sum(bytes_of.get(key, 0) for key in keys))


def _prepare(fleet: Fleet, language: Language, sha256: Hash) -> PrepareTask:
    tables = {"preprocessing": fleet.method.tables["preprocessing"]}
    key = _key(
        "prepare",
        language.code,
        vectors=sha256(language.vectors),
        words=[language.limit, language.lowercase],
        tables=tables,
    )
    return PrepareTask(key=key, language=language, preprocessing=tables)


def _align(
    fleet: Fleet,
    code: str,
    parent: str,
    prepare: Mapping[str, PrepareTask],
    files: Mapping[SeedFile, str],
) -> AlignTask:
    method, seeds = fleet.method, fleet.seeds_between(code, parent)
    prepared = prepare[code].key, prepare[parent].key
    key = _key(
        "align",
        f"{code}-{parent}",
        prepared=prepared,
        seeds=[[*file.pair, file.columns, files[file]] for file in seeds],
        tables=method.tables,
        start=None if seeds else method.start,
        random_state=method.random_state,
        search=method.search,
    )
    return AlignTask(
        key=key,
        code=code,
        parent=parent,
        prepared=prepared,
        seeds=seeds,
        tables=method.tables,
        start=method.start,
        random_state=method.random_state,
        search=method.search,
        needs=prepared,
    )


def _place(
    code: str,
    links: Links,
    prepare: Mapping[str, PrepareTask],
    align: Mapping[str, AlignTask],
) -> Place:
    way = tuple(Step(step, align[step].parent, align[step].key) for step in links.way(code)[:-1])
    return Place(code=code, prepared=prepare[code].key, way=way)


def _from_hub(
    pair: tuple[str, str],
    hub: str,
    prepare: Mapping[str, PrepareTask],
    align: Mapping[str, AlignTask],
) -> tuple[Place, Place] | None:
    """Return the hub in the space of another language, and that language, if they are aligned."""
    (code,) = set(pair) - {hub}
    if code not in align:
        return None
    way = (Step(hub, code, align[code].key),)
    return (
        Place(code=hub, prepared=prepare[hub].key, way=way),
        Place(code=code, prepared=prepare[code].key, way=()),
    )


def _directions(fleet: Fleet, hub: str) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return the pairs, and the directions of each that are written.

    If the method learns probabilities, other pairs need those of their languages with the hub, so
    these pairs are there even if nothing of them is written.
    """
    found: dict[tuple[str, str], list[tuple[str, str]]] = {
        pair: [] for pair in fleet.unordered_pairs()
    }
    for source, target in fleet.pairs:
        pair = (source, target) if (source, target) in found else (target, source)
        found[pair].append((source, target))
    if "calibration" in fleet.method.tables:
        order = list(fleet.languages)
        for first, second in list(found):
            for code in (first, second):
                if hub not in (first, second):
                    link = (code, hub) if order.index(code) < order.index(hub) else (hub, code)
                    found.setdefault(link, [])
    return found


def _links(keys: Mapping[str, str], first: str, second: str) -> tuple[str, str] | None:
    """Return the keys of the pairs of two languages with the hub, if both pairs are there."""
    return (keys[first], keys[second]) if {first, second} <= keys.keys() else None


def _induce(
    fleet: Fleet,
    hub: str,
    files: Mapping[SeedFile, str],
    first: Place,
    second: Place,
    directions: tuple[tuple[str, str], ...],
    from_hub: tuple[Place, Place] | None = None,
    links: tuple[str, str] | None = None,
) -> InduceTask:
    seeds = fleet.seeds_between(first.code, second.code)
    trains = links is not None
    tables = {
        name: table
        for name, table in fleet.method.tables.items()
        if name in _OF_LEXICONS or (trains and name not in _OF_ALIGNMENTS)
    }
    key = _key(
        "triangulate" if first.way and second.way else "induce",
        f"{first.code}-{second.code}",
        places=[[place.prepared, *(step.key for step in place.way)] for place in (first, second)],
        hub=hub,
        directions=directions,
        seeds=[[*file.pair, file.columns, files[file]] for file in seeds],
        from_hub=None if from_hub is None else from_hub[0].key,
        links=links,
        selection=asdict(fleet.selection),
        tables=tables,
        search=fleet.method.search,
        formats=fleet.formats,
        **({"random_state": fleet.method.random_state} if trains else {}),
    )
    return InduceTask(
        key=key,
        first=first,
        second=second,
        hub=hub,
        directions=directions,
        seeds=seeds,
        from_hub=from_hub,
        links=links,
        selection=fleet.selection,
        tables=tables,
        search=fleet.method.search,
        formats=fleet.formats,
        random_state=fleet.method.random_state,
        needs=(
            first.prepared,
            second.prepared,
            *(step.key for step in (*first.way, *second.way)),
            *(() if from_hub is None else (from_hub[0].key,)),
            *(links or ()),
        ),
    )


def _key(stage: str, name: str, **facts: Any) -> str:  # noqa: ANN401 - plain values
    text = json.dumps(
        {"schema": SCHEMA, "stage": stage, "name": name, **facts},
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]
