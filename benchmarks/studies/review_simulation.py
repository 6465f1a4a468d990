"""Which queue of the review workbench brings most: a simulated reviewer who knows the answers.

    python benchmarks/studies/review_simulation.py run DATA results.jsonl
    python benchmarks/studies/review_simulation.py show results.jsonl
    python benchmarks/studies/review_simulation.py draw results.jsonl docs/figures/review-queues.svg

A run begins with a few seed pairs. A queue chooses words of the training dictionary; 10 % of the
questions are audits. The reviewer sees five candidates, accepts those that the dictionary has, and
otherwise rejects all of them (or, with `--own`, types the translation). After every 250 decisions a
model is trained from the seeds and the decisions. Rejected words for which it has other candidates
are asked again, as in the workbench. It is scored on the test dictionary, whose words are never
asked.

So that a run takes minutes, vocabularies hold the words of the dictionaries and the 1,000 most
frequent words, and the method is the preset `bilex` with a rotation in place of RCSLS, without
feedback, and with at most 8 rounds. Figures are higher than with full vocabularies; queues compare
alike. Results are JSON lines, one for each trained model. The same command continues a run.
"""

from __future__ import annotations

import argparse
import json
import random
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from statistics import mean, stdev
from typing import Any, cast

import numpy as np
import torch
from scipy.stats import t as student

from bilex import EmbeddingSpace, Lexicon, LexiconInducer, load_embeddings, read_lexicon
from bilex.config import Tables, load_preset
from bilex.errors import BilexWarning
from bilex.model import TrainedModel
from bilex.registry import plugin_class
from bilex.review.batches import NearCertain
from bilex.review.decisions import decisions_of
from bilex.review.events import Event, Shown, time_text
from bilex.review.project import Candidate, Project, ReviewItem, ReviewWord
from bilex.review.projection import ReviewedEntry, project
from bilex.review.queue import QueueFeatures, ReviewPolicy, zipf
from bilex.review.returning import as_asked, returns
from bilex.review.second_opinions import doubt

LANGUAGES, POLICIES = ("fr", "ru", "fi", "ja"), ("frequency", "random", "value")
SHOWN = 5
TOP = 1_000  # most frequent words that vocabularies hold besides those of the dictionaries
POOL = 2_500  # words of the training dictionary in use
AUDITS = 0.1
START = datetime(2026, 1, 1, tzinfo=UTC)
SECOND = 0.15  # share of decisions that a second reviewer looks at
DEV = 0.3  # share of the pool that takes the place of test words with --dev

Gold = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Run:
    """One simulated review: what identifies its results."""

    language: str
    draw: int
    seeds: int
    policy: str  # a name, or name:key=value,key=value
    wrong: float  # share of wrong decisions
    second: bool  # whether a second reviewer looks at doubtful decisions
    own: float  # share of words without a right candidate whose translation the reviewer types
    dev: bool

    @property
    def queue(self) -> ReviewPolicy:
        """Return the policy with its settings."""
        name, _, settings = self.policy.partition(":")
        values = dict(pair.split("=") for pair in settings.split(",") if pair)
        found = plugin_class("review_queue", name)
        return cast(ReviewPolicy, found(**{key: float(value) for key, value in values.items()}))


@dataclass(frozen=True, eq=False)
class Problem:
    """Two spaces, words that may be asked, and test words."""

    source: EmbeddingSpace
    target: EmbeddingSpace
    pool: Gold
    test: Gold

    @classmethod
    def load(cls, data: Path, language: str, *, dev: bool) -> Problem:
        """Read the files of a language; the same words are in use for every draw."""
        source = load_embeddings(data / "vectors/en.vec.gz")
        target = load_embeddings(data / f"vectors/{language}.vec.gz")
        folder = data / "dictionaries"
        files = (
            (f"muse/en-{language}.0-5000.txt", f"muse/en-{language}.5000-6500.txt")
            if language == "ja"
            else (f"xling/en-{language}/train.5k.tsv", f"xling/en-{language}/test.tsv")
        )
        train, test = (_gold(read_lexicon(folder / file), source, target) for file in files)
        words = sorted(train.keys() - test.keys())
        random.Random(0).shuffle(words)  # noqa: S311
        words = words[:POOL]
        if dev:
            cut = int(DEV * len(words))
            test, words = {word: train[word] for word in words[:cut]}, words[cut:]
        pool = {word: train[word] for word in words}
        used = {**pool, **test}
        return cls(
            _part(source, used),
            _part(target, {word for targets in used.values() for word in targets}),
            pool,
            test,
        )

    @cached_property
    def tables(self) -> Tables:
        """The method."""
        tables = load_preset("bilex")
        del tables["feedback"]
        tables["supervised"] = {"name": "procrustes"}
        tables["strategy"]["rounds"] = tables["calibration"]["rounds"] = 8
        tables["calibration"]["candidates"] = 10
        return tables


def _gold(lexicon: Lexicon, source: EmbeddingSpace, target: EmbeddingSpace) -> Gold:
    found: dict[str, set[str]] = {}
    for entry in lexicon.entries:
        if entry.source in source.index and entry.target in target.index:
            found.setdefault(entry.source, set()).add(entry.target)
    return {word: frozenset(targets) for word, targets in found.items()}


def _part(space: EmbeddingSpace, words: Mapping[str, object] | set[str]) -> EmbeddingSpace:
    rows = sorted({space.index[word] for word in words} | set(range(min(TOP, len(space)))))
    return EmbeddingSpace(tuple(space.words[row] for row in rows), space.vectors[rows])


class Simulation:
    """A review from the first question to the last model."""

    def __init__(self, problem: Problem, run: Run) -> None:
        self.problem, self.run = problem, run
        self.rng = random.Random(f"{run.language} {run.draw}")  # noqa: S311
        words = sorted(problem.pool)
        self.seeds = set(self.rng.sample(words, run.seeds))
        self.open = [word for word in words if word not in self.seeds]
        self.project = Project(seed=run.draw)
        self.events: list[Event] = []
        self.model = 0  # the number of the model whose candidates are shown
        self.slips: set[str] = set()  # words with a wrong first decision
        self.looked_at_again = self.found = 0

    def train(self) -> TrainedModel:
        """Train a model from the seeds and all decisions."""
        gold = self.problem.pool
        seeds = Lexicon.of([(word, y) for word in sorted(self.seeds) for y in sorted(gold[word])])
        decisions = decisions_of(self.events, sample=self._sample())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BilexWarning)
            inducer = LexiconInducer(self.problem.tables, random_state=self.run.draw)
            return inducer.fit(
                self.problem.source, self.problem.target, seeds, decisions=decisions
            ).model_

    def ask(self, model: TrainedModel, questions: int) -> None:
        """Ask the next words and store the decisions."""
        self.model += 1
        items = self._items(model)
        priorities = self.run.queue.priorities(QueueFeatures.of_items(self.project, items))
        queue = iter(np.argsort(-priorities, kind="stable").tolist())
        audit = iter(
            sorted(range(len(self.open)), key=lambda row: self.project.order(self.open[row]))
        )
        asked: dict[int, None] = {}
        for number in range(min(questions, len(items))):
            chosen = audit if number % round(1 / AUDITS) == 0 else queue
            row = next((row for row in chosen if row not in asked), None)
            asked[next(row for row in queue if row not in asked) if row is None else row] = None
        decided: list[Event] = []
        for row in asked:
            decided.append(self._decide(items[row]))
            self.events.append(decided[-1])
        if self.run.second:
            doubtful = sorted(decided, key=doubt, reverse=True)[: int(SECOND * len(decided))]
            for event in doubtful:
                self._again(event)
        closed = {event.word for event in decided}
        self.open = [word for word in self.open if word not in closed]

    def _items(self, model: TrainedModel) -> list[ReviewItem]:
        """Return the words that may be asked: open ones, then those that are asked again."""
        found = [
            ReviewItem(word=word, entry=ReviewedEntry(word=word.word))
            for word in self._words(model, self.open)
        ]
        entries = self._entries()
        return found + [
            ReviewItem(word=word, entry=entries[word.word], again=True)
            for word in self._words(model, sorted(entries))
            if returns(word, entries[word.word], str(self.model))
        ]

    def _entries(self) -> dict[str, ReviewedEntry]:
        by_word: dict[str, list[Event]] = {}
        for event in self.events:
            by_word.setdefault(event.word, []).append(event)
        return {word: project(word, events) for word, events in by_word.items()}

    def measure(self, model: TrainedModel) -> dict[str, float | int]:
        """Score a model on test words, and the dictionary that review has made so far."""
        problem, gold = self.problem, {**self.problem.pool, **self.problem.test}
        words = list(gold)
        answers = dict(zip(words, self._words(model, words), strict=True))
        right = {
            word: bool(found.candidates) and found.candidates[0].target in gold[word]
            for word, found in answers.items()
        }
        chances = [answers[word].candidates[0].probability or 0.0 for word in problem.test]
        verdicts = zip(chances, (right[word] for word in problem.test), strict=True)
        certain = [verdict for verdict in verdicts if verdict[0] >= NearCertain().least]
        entries = dict(right)
        entries.update(dict.fromkeys(self.seeds, True))
        accepted = decisions_of(self.events).accepted.translations
        for event in self.events:
            entries[event.word] = bool(gold[event.word] & set(accepted.get(event.word, ())))
        weights = {word: float(zipf([problem.source.index[word]])[0]) for word in words}
        return {
            "p_at_1": mean(right[word] for word in problem.test),
            "p_at_5": mean(
                any(each.target in gold[word] for each in answers[word].candidates)
                for word in problem.test
            ),
            "coverage": sum(weights[w] for w in words if entries[w]) / sum(weights.values()),
            "accepted": len(accepted),
            "rejected": sum(each.state == "rejected" for each in self._entries().values()),
            "asked_again": sum(event.reason == "again" for event in self.events),
            "slips": len(self.slips),
            "second_looks": self.looked_at_again,
            "slips_found": self.found,
            "believed": mean(chances),  # 0 without probabilities
            "certain": len(certain),
            "certain_expected": sum(chance for chance, _ in certain),
            "certain_right": sum(is_right for _, is_right in certain),
        }

    def _words(self, model: TrainedModel, words: Sequence[str]) -> list[ReviewWord]:
        rows = self.problem.source.index
        return [
            ReviewWord(
                word=word,
                rank=rows[word],
                candidates=tuple(Candidate(c.word, c.probability) for c in found.candidates),
            )
            for word, found in zip(words, model.translate(words, k=SHOWN), strict=True)
        ]

    def _sample(self) -> set[str]:
        """Return the decided words before the first open one in the random order."""
        end = min(map(self.project.order, self.open), default=2**63)
        return {event.word for event in self.events if self.project.order(event.word) < end}

    def _decide(self, item: ReviewItem) -> Event:
        word = as_asked(item)
        targets, slip = self._answer(word)
        if slip:
            self.slips.add(word.word)
        shown = tuple(Shown(each.target, each.probability) for each in word.candidates)
        event = self._event("first", word.word, targets, shown)
        return replace(event, reason="again") if item.again else event

    def _answer(self, word: ReviewWord) -> tuple[tuple[str, ...], bool]:
        """Return what a reviewer answers, and whether it is wrong."""
        gold = self.problem.pool[word.word]
        shown = [each.target for each in word.candidates]
        right = tuple(target for target in shown if target in gold)
        if self.rng.random() < self.run.wrong:
            others = [target for target in shown if target not in gold]
            if right and (not others or self.rng.random() < 0.5):
                return (), True
            if others:
                return (self.rng.choice(others),), True
        if not right and self.rng.random() < self.run.own:
            return (min(gold),), False
        return right, False

    def _again(self, first: Event) -> None:
        """Ask a second reviewer, who slips as often; an editor settles what they disagree on."""
        candidates = tuple(Candidate(each.target, each.probability) for each in first.shown)
        word = ReviewWord(word=first.word, rank=0, candidates=candidates)
        targets, _ = self._answer(word)
        self.looked_at_again += 1
        self.events.append(self._event("second", first.word, targets, first.shown))
        agreed = set(targets) & set(first.targets) or (not targets and not first.targets)
        if not agreed:
            gold = self.problem.pool[first.word]
            truth = tuple(each.target for each in first.shown if each.target in gold)
            event = self._event("editor", first.word, truth, first.shown)
            self.events.append(replace(event, resolves=True))
            self.found += first.word in self.slips

    def _event(
        self, reviewer: str, word: str, targets: tuple[str, ...], shown: tuple[Shown, ...]
    ) -> Event:
        number = len(self.events)
        return Event(
            id=f"{number} {reviewer} {word}",
            at=time_text(START + timedelta(seconds=number)),
            reviewer=reviewer,
            word=word,
            kind="accept" if targets else "none",
            targets=targets,
            shown=shown,
            model=str(self.model),
        )


def simulate(
    problem: Problem, run: Run, steps: Sequence[int], first: TrainedModel
) -> Iterator[dict[str, Any]]:
    """Yield the result after each number of decisions; `first` was trained on the seeds alone."""
    simulation, model, done = Simulation(problem, run), first, 0
    for step in steps:
        begin = time.process_time()
        if step:
            simulation.ask(model, step - done)
            done = step
            model = simulation.train()
        measured = simulation.measure(model)
        seconds = round(time.process_time() - begin, 1)
        yield {**run.__dict__, "decisions": done, **measured, "processor_seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("data", type=Path)
    run.add_argument("results", type=Path)
    run.add_argument("--languages", nargs="+", default=LANGUAGES)
    run.add_argument("--draws", nargs="+", type=int, default=[0, 1, 2, 3])
    run.add_argument("--seeds", type=int, default=100)
    run.add_argument("--policies", nargs="+", default=POLICIES)
    run.add_argument("--steps", nargs="+", type=int, default=[0, 250, 500, 750, 1000])
    run.add_argument("--wrong", type=float, default=0.0)
    run.add_argument("--second", action="store_true")
    run.add_argument("--own", type=float, default=0.0)
    run.add_argument("--dev", action="store_true", help="score words of the training dictionary")
    show = commands.add_parser("show")
    show.add_argument("results", type=Path)
    draw = commands.add_parser("draw")
    draw.add_argument("results", type=Path)
    draw.add_argument("figure", type=Path)
    given = parser.parse_args()
    if given.command == "run":
        run_all(given)
    elif given.command == "show":
        show_all(read_results(given.results))
    else:
        draw_all(read_results(given.results), given.figure)


def run_all(given: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    done = {(_key(line), line["decisions"]) for line in read_results(given.results)}
    for draw in given.draws:
        for language in given.languages:
            problem: Problem | None = None
            first: TrainedModel | None = None
            for policy in given.policies:
                run = Run(
                    language,
                    draw,
                    given.seeds,
                    policy,
                    given.wrong,
                    given.second,
                    given.own,
                    given.dev,
                )
                if all((tuple(run.__dict__.values()), step) in done for step in given.steps):
                    continue
                problem = problem or Problem.load(given.data, language, dev=given.dev)
                first = first or Simulation(problem, run).train()
                for line in simulate(problem, run, given.steps, first):
                    with given.results.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(line) + "\n")
                    print(_short(line), flush=True)


def read_results(path: Path) -> list[dict[str, Any]]:
    """Return one result for each model; the last one if a run was begun again."""
    if not path.is_file():
        return []
    found: dict[object, dict[str, Any]] = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        found[_key(line), line["decisions"]] = line
    return list(found.values())


def _key(line: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(line[name] for name in Run.__dataclass_fields__)


def _short(line: Mapping[str, Any]) -> str:
    return (
        f"{line['language']} {line['draw']} {line['policy']} {line['decisions']}: "
        f"P@1 {100 * line['p_at_1']:.1f}, coverage {100 * line['coverage']:.1f}, "
        f"{line['accepted']} accepted, {line['processor_seconds']} s"
    )


Curves = dict[str, dict[int, list[float]]]
"""By policy and number of decisions: one value for each draw."""


def curves(results: Sequence[Mapping[str, Any]], measure: str, language: str) -> Curves:
    found: Curves = {}
    for line in results:
        if language in ("all", line["language"]):
            by_step = found.setdefault(line["policy"], {})
            by_step.setdefault(line["decisions"], []).append(100 * line[measure])
    return found


def complete(results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the runs of one setting whose language and draw all queues have finished."""
    wanted = {(line["policy"], line["decisions"]) for line in results}
    found: dict[object, set[object]] = {}
    for line in results:
        done = found.setdefault((line["language"], line["draw"]), set())
        done.add((line["policy"], line["decisions"]))
    return [line for line in results if found[line["language"], line["draw"]] == wanted]


def half_width(values: Sequence[float]) -> float:
    """Return half of the 95 % interval of a mean, by Student's t; infinite for a single value."""
    n = len(values)
    if n < 2:
        return float("inf")
    return float(student.ppf(0.975, n - 1) * stdev(values) / n**0.5)


def against_random(
    results: Sequence[Mapping[str, Any]], measure: str, policy: str
) -> dict[int, list[float]]:
    """Return the differences to `random` of the same language and draw, by number of decisions."""
    found: dict[int, list[float]] = {}
    by_run = {
        (line["policy"], line["language"], line["draw"], line["decisions"]): line[measure]
        for line in results
    }
    for (name, *where), value in by_run.items():
        other = by_run.get(("random", *where))
        if name == policy and other is not None:
            found.setdefault(int(where[-1]), []).append(100 * (value - other))
    return found


def show_all(results: Sequence[dict[str, Any]]) -> None:
    """Print Markdown tables for each setting: means over draws, and differences to `random`.

    Differences have a 95 % interval over runs (a language and a draw), whose number is in brackets.
    """
    settings = ("seeds", "wrong", "second", "own", "dev")
    for setting in sorted({tuple(line[name] for name in settings) for line in results}):
        chosen = [line for line in results if tuple(line[name] for name in settings) == setting]
        chosen = complete(chosen)
        if not chosen:
            continue
        print(", ".join(f"{name} {value}" for name, value in zip(settings, setting, strict=True)))
        steps = sorted({line["decisions"] for line in chosen})
        for measure in ("p_at_1", "coverage"):
            print(f"\n| {measure} | queue | {' | '.join(map(str, steps))} |")
            print("|---" * (len(steps) + 2) + "|")
            for language in sorted({line["language"] for line in chosen}):
                for policy, by_step in curves(chosen, measure, language).items():
                    cells = [
                        f"{mean(by_step[step]):.1f}" if step in by_step else "" for step in steps
                    ]
                    print(f"| {language} | {policy} | {' | '.join(cells)} |")
            for policy in sorted({line["policy"] for line in chosen} - {"random"}):
                gains = against_random(chosen, measure, policy)
                cells = [
                    f"{mean(gains[step]):+.1f} ±{half_width(gains[step]):.1f} ({len(gains[step])})"
                    if step in gains
                    else ""
                    for step in steps
                ]
                if gains:
                    print(f"| all | {policy} − random | {' | '.join(cells)} |")
        words = sum(line.get("certain", 0) for line in chosen)
        if words:
            expected = sum(line.get("certain_expected", 0) for line in chosen) / words
            right = sum(line.get("certain_right", 0) for line in chosen) / words
            print(
                f"\nnear-certain test words: {words}, {100 * expected:.1f} % right expected, ",
                end="",
            )
            print(f"{100 * right:.1f} % are")
        slips = sum(line["slips"] for line in chosen if line["decisions"] == steps[-1])
        if slips:
            last = [line for line in chosen if line["decisions"] == steps[-1]]
            found = sum(line["slips_found"] for line in last)
            print(f"\nwrong decisions: {slips}, found by second looks: {found}")
        seconds = sum(line["processor_seconds"] for line in chosen)
        print(f"\n{len(chosen)} models, {seconds / 60:.0f} processor minutes\n")


def draw_all(results: Sequence[dict[str, Any]], figure: Path) -> None:
    """Draw P@1 and coverage against decisions: means over draws, and the range of draws."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "bilex"
    chosen = [
        line
        for line in results
        if line["seeds"] == 100 and not (line["wrong"] or line["own"] or line["dev"])
    ]
    chosen = complete(chosen)
    languages = [name for name in LANGUAGES if any(line["language"] == name for line in chosen)]
    drawing, grid = plt.subplots(
        2,
        len(languages),
        figsize=(2.4 * len(languages) + 1, 4.6),
        layout="constrained",
        squeeze=False,
        sharex=True,
    )
    for column, language in enumerate(languages):
        for row, (measure, title) in enumerate(
            (("p_at_1", "P@1 of test words, %"), ("coverage", "right entries by frequency, %"))
        ):
            axes = grid[row][column]
            for policy, by_step in curves(chosen, measure, language).items():
                steps = sorted(by_step)
                middle = np.array([mean(by_step[step]) for step in steps])
                low, high = ([end(by_step[step]) for step in steps] for end in (min, max))
                (line,) = axes.plot(steps, middle, marker=".", label=policy)
                axes.fill_between(steps, low, high, color=line.get_color(), alpha=0.15)
            axes.grid(alpha=0.3)
            if not row:
                axes.set_title(f"en→{language}")
            else:
                axes.set_xlabel("decisions")
            if not column:
                axes.set_ylabel(title)
    grid[0][0].legend(frameon=False)
    drawing.savefig(figure, metadata={"Date": None})


if __name__ == "__main__":
    main()
