"""The second stage: the map of a language to the hub, and the candidate models of this pair."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from bilex.alignment.feedback import Maps
from bilex.alignment.preprocessing import Pipeline
from bilex.calibration import CrossFit
from bilex.calibration.held_out import part_of
from bilex.candidates.model import (
    CandidateModel,
    CandidateModels,
    read_candidate_models,
    write_candidate_models,
)
from bilex.errors import BilexWarning
from bilex.fleet.computation import BASE_MEMORY, compute, failed_result
from bilex.fleet.fleet import SeedFile
from bilex.fleet.folder import FleetFolder
from bilex.fleet.prepare import open_language
from bilex.fleet.tasks import AlignTask
from bilex.inducer import LexiconInducer
from bilex.inspection import inspect_pair
from bilex.jobs.task import Input, Load, Result
from bilex.lexicons import read_lexicon
from bilex.model import TrainedModel
from bilex.storage.files import writing
from bilex.storage.tensors import read_tensors, write_tensors
from bilex.values import Entry, IndexedLexicon, Lexicon, LinearMap, SpacePair

COPIES_OF_VECTORS = 8
"""While a map is trained and probabilities are learned."""

_ABOUT, _MAP, _SEEDS = "alignment.json", "map.safetensors", "seeds.json"
_OPEN_AT_ONCE = 8


@dataclass(frozen=True, eq=False)
class Alignment:
    """What training a language on its parent gave.

    Attributes:
        mapping: The map.
        models: The candidate models; None if none were learned.
        seeds: The seeds that were used, as both vocabularies spell them.
        parts: Maps trained without the seeds whose words of the parent belong to a part
            (`bilex.calibration.held_out.part_of`), for each part; empty if there are none.
    """

    mapping: LinearMap
    models: CandidateModels | None
    seeds: Lexicon
    parts: tuple[Maps, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignWork:
    """Trains the map of a language.

    Attributes:
        folder: The folder of the fleet.
        memory: Bytes that a search may use; it does not change the results.
    """

    folder: FleetFolder
    memory: int

    def inputs(self, task: AlignTask) -> Sequence[Input]:
        """Return nothing: workers map the vectors into memory themselves."""
        return ()

    def run(self, task: AlignTask, load: Load) -> Result:
        """Return the result of a task."""
        return compute(task, self.folder, lambda: self._align(task))

    def failed(self, task: AlignTask, problem: BaseException) -> Result:
        """Return the result of a task that ended in an error."""
        return failed_result(task, problem)

    def memory_needed(self, task: AlignTask, input_bytes: int) -> int:
        """Estimate from the size of the vectors."""
        return BASE_MEMORY + self.memory + COPIES_OF_VECTORS * task.vector_bytes

    def task_name(self, result: Result) -> str:
        """Return the name of the task of a stored result."""
        return str(result.get("name"))

    def files(self, task: AlignTask) -> tuple[Path, ...]:
        """Return what the task writes."""
        return (self.folder.alignment(task.code, task.parent, task.key),)

    def _align(self, task: AlignTask) -> Mapping[str, Any]:
        codes = task.code, task.parent
        source, target = (
            open_language(self.folder.language(code, key))
            for code, key in zip(codes, task.prepared, strict=True)
        )
        seeds = read_seeds(task.seeds, codes)
        inducer = LexiconInducer(
            task.tables,
            preprocessing=Pipeline(steps=()),  # the vectors are normalized already
            start=task.start,
            random_state=task.random_state,
            memory=self.memory,
            search=task.search,
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", BilexWarning)
            model = inducer.fit(source, target, seeds if len(seeds) else None).model_
        usable = _usable(model.seeds, SpacePair(source, target))
        (folder,) = self.files(task)
        with writing(folder) as part:
            part.mkdir()
            models, parts = model.contents.candidate_models, _parts(inducer.cross_fit_)
            found = Alignment(model.mapping, models, usable, parts)
            _write(task, found, part)
        pair = inspect_pair(source, target)
        return {
            "language": task.code,
            "parent": task.parent,
            "seeds": len(seeds),
            "usable_seeds": len(usable),
            "same_script": pair.same_script,
            "spectral_distance": pair.spectral_distance,
            "looks_wrong": bool(model.report.warnings),
            "warnings": list(dict.fromkeys(str(each.message) for each in caught)),
            **_quality(model),
        }


def read_seeds(files: Sequence[SeedFile], pair: tuple[str, str]) -> Lexicon:
    """Return the word pairs of several files, all in the direction of `pair`."""
    entries: dict[Entry, None] = {}
    for file in files:
        lexicon = read_lexicon(file.path, columns=file.columns)
        in_order = lexicon if file.pair == pair else lexicon.reversed()
        entries |= dict.fromkeys(in_order.entries)
    return Lexicon(tuple(entries))


def _usable(seeds: Lexicon, spaces: SpacePair) -> Lexicon:
    """Return the pairs whose words are both known, each once."""
    found = IndexedLexicon.locate(seeds, spaces)
    rows = zip(found.source_ids.tolist(), found.target_ids.tolist(), strict=True)
    return Lexicon.of([(spaces.source.words[i], spaces.target.words[j]) for i, j in rows])


@lru_cache(maxsize=_OPEN_AT_ONCE)
def open_alignment(folder: Path) -> Alignment:
    """Return what training wrote."""
    tensors = read_tensors(folder / _MAP)
    parts: list[Maps] = []
    while (name := _name(len(parts), "first")) in tensors:
        second = tensors[_name(len(parts), "second")]
        parts.append(Maps(LinearMap(tensors[name]), LinearMap(second)))
    models = read_candidate_models(folder)
    pairs = json.loads((folder / _SEEDS).read_text(encoding="utf-8"))
    seeds = Lexicon.of([(source, target) for source, target in pairs])
    return Alignment(LinearMap(tensors["map"]), models, seeds, tuple(parts))


def _write(task: AlignTask, alignment: Alignment, folder: Path) -> None:
    facts = {"language": task.code, "parent": task.parent, "key": task.key}
    about = folder / _ABOUT
    about.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8", newline="\n")
    pairs = [[entry.source, entry.target] for entry in alignment.seeds.entries]
    (folder / _SEEDS).write_text(json.dumps(pairs, ensure_ascii=False), encoding="utf-8")
    maps = {"map": alignment.mapping}
    for number, part in enumerate(alignment.parts):
        maps |= {_name(number, which): mapping for which, mapping in part._asdict().items()}
    weights = {name: mapping.weight.cpu().contiguous() for name, mapping in maps.items()}
    write_tensors(weights, folder / _MAP, like=about)
    if alignment.models is not None:
        write_candidate_models(alignment.models, folder)


def _name(part: int, which: str) -> str:
    return f"part{part}.{which}"


def _parts(found: CrossFit | None) -> tuple[Maps, ...]:
    """Return the maps of each part, if the seeds were divided by words of the parent."""
    if found is None or not found.complete or len(found.parts) < 2:
        return ()
    rows, names = found.seeds.target_ids, found.spaces.target.words
    for number, part in enumerate(found.parts):
        words = {names[row] for row in rows[part.seeds].tolist()}
        if any(part_of(word, len(found.parts)) != number for word in words):
            return ()
    return tuple(part.maps for part in found.parts)


def _quality(model: TrainedModel) -> dict[str, Any]:
    report, models = model.report, model.contents.candidate_models
    check = report.seeds
    return {
        "seed_check": None if check is None else check.p_at_1,
        "mean_csls": report.mean_csls,
        "doubtful_seeds": len(report.doubtful_seeds),
        "held_out": {
            "forward": held_out_results(None if models is None else models.forward),
            "backward": held_out_results(None if models is None else models.backward),
        },
    }


def held_out_results(model: CandidateModel | None) -> dict[str, Any] | None:
    """Return the results on held-out seeds that a report shows."""
    if model is None:
        return None
    report = model.report
    precision = report["p_at_1_reordered" if model.reorders else "p_at_1"]
    return {
        "words": report["words"],
        "p_at_1": precision,
        "calibration_error": report["calibration_error"],
    }
