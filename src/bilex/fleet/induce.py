"""The last two stages: the lexicons of a pair, in both directions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bilex.answers import AnswerTable
from bilex.candidates.induced_dictionary import InducedDictionary, induce
from bilex.candidates.ranking import Ranking
from bilex.candidates.threshold import precision_curve
from bilex.candidates.whole_vocabulary import answer_all, as_table, from_table, rank_all
from bilex.errors import EmptyLexiconError
from bilex.fleet.align import held_out_results, read_seeds
from bilex.fleet.computation import BASE_MEMORY, compute, failed_result
from bilex.fleet.folder import FleetFolder
from bilex.fleet.lexicon_file import write_lexicon_file
from bilex.fleet.link_file import best_to_hub, write_link
from bilex.fleet.pair_ranking import PairRanking, rank_pair, rank_without_paths
from bilex.fleet.placed_pair import PlacedPair, place_pair
from bilex.fleet.tasks import InduceTask, Place
from bilex.jobs.task import Input, Load, Result
from bilex.lexicons import match_words, write_dictionary
from bilex.lexicons.dictionary import DictionaryEntry, DictionaryMetadata
from bilex.lexicons.formats import installed_formats
from bilex.values import IndexedLexicon, SpacePair

COPIES_OF_VECTORS = 5
"""While a pair is ranked: unit rows, candidates under both maps, and temporary ones."""

WORDS_OF_A_CYCLE = 2_000
"""Cycle errors are measured on the most frequent words."""

PRECISIONS = {0.95: "95", 0.9: "90", 0.8: "80"}
"""The expected precisions for which the size of a lexicon is reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InduceWork:
    """Induces and writes the lexicons of a pair.

    Attributes:
        folder: The folder of the fleet.
        memory: Bytes that a search may use; it does not change the results.
    """

    folder: FleetFolder
    memory: int

    def inputs(self, task: InduceTask) -> Sequence[Input]:
        """Return nothing: workers map the vectors into memory themselves."""
        return ()

    def run(self, task: InduceTask, load: Load) -> Result:
        """Return the result of a task."""
        return compute(task, self.folder, lambda: self._induce(task))

    def failed(self, task: InduceTask, problem: BaseException) -> Result:
        """Return the result of a task that ended in an error."""
        return failed_result(task, problem)

    def memory_needed(self, task: InduceTask, input_bytes: int) -> int:
        """Estimate from the size of the vectors."""
        return BASE_MEMORY + self.memory + COPIES_OF_VECTORS * task.vector_bytes

    def task_name(self, result: Result) -> str:
        """Return the name of the task of a stored result."""
        return str(result.get("name"))

    def files(self, task: InduceTask) -> tuple[Path, ...]:
        """Return what the task always writes; an empty lexicon has no files of other formats."""
        lexicons = [self.folder.lexicon(*direction) for direction in task.directions]
        return (*lexicons, *([self._link(task)] if task.with_hub else []))

    def _induce(self, task: InduceTask) -> Mapping[str, Any]:
        pair = place_pair(task, (task.first, task.second), self.folder, memory=self.memory)
        ranking = rank_pair(pair, task, self.folder)
        k = task.selection.k or 1
        tables = answer_all(ranking.forward, ranking.backward, k)
        first, second = task.first.code, task.second.code
        seeds = read_seeds(task.seeds, (first, second))
        spaces = ranking.forward.direction.source.space, ranking.forward.direction.target.space
        known = IndexedLexicon.locate(match_words(seeds, *spaces).lexicon, SpacePair(*spaces))
        answers = {False: known.answers, True: known.reversed().answers}
        written = []
        for source, target in task.directions:
            reverse = source == second
            chosen = _Chosen.of(ranking, tables[reverse], reverse=reverse)
            if source == task.hub and task.from_hub is not None:
                chosen = self._from_hub(task, task.from_hub, k)
            found = induce(
                chosen.ranking,
                k=task.selection.k,
                min_precision=None
                if chosen.ranking.model is None
                else task.selection.min_precision,
                seeds=answers[reverse],
                model=task.key[:12],
                ranked=from_table(chosen.answers),
            )
            facts = self._write(task, chosen, found, (source, target))
            ahead, back = chosen.answers, tables[not reverse]
            written.append(
                {
                    **facts,
                    "mutual": _mutual(ahead, back),
                    "cycle_error": self._cycle_error(task, ahead, (source, target)),
                }
            )
        if task.with_hub:
            self._keep_link(task, pair, tables)
        return {
            "pair": [first, second],
            "seeds": len(known),
            "calibrated_on": ranking.calibrated_on,
            "carried_over": ranking.calibrated_on is not None and not ranking.is_own,
            "third_language": task.hub if ranking.triangulated else None,
            "held_out": {
                "forward": held_out_results(ranking.forward.model),
                "backward": held_out_results(ranking.backward.model),
            }
            if ranking.triangulated
            else None,
            "directions": written,
        }

    def _from_hub(self, task: InduceTask, places: tuple[Place, Place], k: int) -> _Chosen:
        """Rank words of the hub under the map that was trained in this direction."""
        ranking = rank_without_paths(place_pair(task, places, self.folder, memory=self.memory))
        return _Chosen.of(ranking, as_table(rank_all(ranking.forward, k)), reverse=False)

    def _write(
        self,
        task: InduceTask,
        chosen: _Chosen,
        found: InducedDictionary,
        direction: tuple[str, str],
    ) -> dict[str, Any]:
        """Write one direction in all formats, and return what is in it."""
        source, target = direction
        own, carried = chosen.calibrated_on, chosen.carried_over
        metadata = found.metadata(source_language=source, target_language=target)
        metadata = DictionaryMetadata(
            source_language=source,
            target_language=target,
            manifest={
                **metadata.manifest,
                "hub": task.hub,
                "calibrated_on": own,
                "carried_over": carried,
            },
        )
        path = self.folder.lexicon(source, target)
        counted = _Counted(found)
        write_lexicon_file(counted, path, metadata, calibrated_on=own, carried_over=carried)
        size = path.stat().st_size
        for name in task.formats:
            extension = installed_formats()[name].extensions[0]
            export = self.folder.export(source, target, name, extension)
            try:
                write_dictionary(found, export, metadata, format=name)
            except EmptyLexiconError:
                export.unlink(missing_ok=True)
                continue
            size += export.stat().st_size if export.is_file() else 0
        return {
            "source": source,
            "target": target,
            "words": len(found.words),
            **counted.facts(),
            "calibrated_on": own,
            "disk_bytes": size,
            **_expectations(found),
        }

    def _link(self, task: InduceTask) -> Path:
        """Return the file of the best translations of a language to and from the hub."""
        place = task.first if task.first.way else task.second
        return self.folder.link(place.code, task.key)

    def _keep_link(
        self, task: InduceTask, pair: PlacedPair, tables: Mapping[bool, AnswerTable]
    ) -> None:
        """Write the best translations under the final maps and under those of each part."""
        found = [tables]
        for part in range(pair.parts):
            ranking = rank_without_paths(pair, part)
            found.append(answer_all(ranking.forward, ranking.backward, 1))
        if not task.first.way:  # the first language is the hub
            found = [{False: both[True], True: both[False]} for both in found]
        write_link(self._link(task), found, like=self.folder.root / "fleet.json")

    def _cycle_error(
        self, task: InduceTask, ahead: AnswerTable, direction: tuple[str, str]
    ) -> float | None:
        """Return the share of words that reach another word of the hub through this lexicon.

        A word of the source language has a best translation in the hub. Its best translation in
        the target language should have the same. None for pairs with the hub, or if the lexicons
        with the hub are not part of the fleet.
        """
        if task.links is None:
            return None
        keys = dict(zip((task.first.code, task.second.code), task.links, strict=True))
        source, target = (best_to_hub(self.folder.link(code, keys[code])) for code in direction)
        best = torch.from_numpy(ahead.ids[:WORDS_OF_A_CYCLE, 0].copy()).long()
        return round(float((target[best] != source[: len(best)]).float().mean()), 4)


@dataclass(frozen=True, eq=False)
class _Chosen:
    """How one direction is ranked, and the answers for all its words.

    Attributes:
        ranking: Ranks the candidates.
        answers: The best candidates of every word.
        calibrated_on: The pair whose seeds the probabilities were learned from; None without
            probabilities.
        carried_over: Whether that is another pair.
    """

    ranking: Ranking
    answers: AnswerTable
    calibrated_on: str | None
    carried_over: bool

    @classmethod
    def of(cls, pair: PairRanking, answers: AnswerTable, *, reverse: bool) -> _Chosen:
        """Return one direction of a pair."""
        ranking = pair.backward if reverse else pair.forward
        own = None if ranking.model is None else pair.calibrated_on
        return cls(ranking, answers, own, own is not None and not pair.is_own)


class _Counted:
    """Iterates over entries and counts them."""

    def __init__(self, entries: InducedDictionary) -> None:
        self._entries = entries
        self._number = self._seeds = self._translated = self._known = 0
        self._expected = 0.0

    def __iter__(self) -> Iterator[DictionaryEntry]:
        last = None
        for entry in self._entries:
            self._number += 1
            self._seeds += entry.origin == "seed"
            self._translated += entry.source != last
            last = entry.source
            if entry.probability is not None:
                self._known += 1
                self._expected += entry.probability
            yield entry

    def facts(self) -> dict[str, Any]:
        """Return the counts, and the mean probability as the expected precision."""
        expected = round(self._expected / self._known, 4) if self._known else None
        return {
            "entries": self._number,
            "seed_entries": self._seeds,
            "translated_words": self._translated,
            "expected_precision": expected,
        }


def _mutual(ahead: AnswerTable, back: AnswerTable) -> float:
    """Return the share of words that are the best translation of their own best translation."""
    best = ahead.ids[:, 0]
    return round(float((back.ids[best, 0] == np.arange(len(best))).mean()), 4)


def _expectations(found: InducedDictionary) -> dict[str, Any]:
    """Return the expected precision of first answers, and sizes at several precisions."""
    chances = found.ranked.probabilities
    if chances is None:
        return {"expected_p_at_1": None, "entries_at": {}}
    points = precision_curve(chances, torch.tensor(list(PRECISIONS)))
    return {
        "expected_p_at_1": round(float(chances[:, 0].mean()), 4),
        "entries_at": {
            name: point.entries for name, point in zip(PRECISIONS.values(), points, strict=True)
        },
    }
