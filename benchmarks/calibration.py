"""Do probabilities come true on test words, and what does their order bring?

    python benchmarks/calibration.py run DATA RESULTS [--part 1/2] [--only fr]
    python benchmarks/calibration.py show RESULTS

Preset css, which learns probabilities from held-out seeds; a draw is the random state and, of
1,000 seeds, which random source words of train.5k (XLING) or 0-5000 (MUSE) they are. Test words
are used for nothing but scores. Each finished job is a JSON file.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev

import torch

from bilex import EmbeddingSpace, Lexicon, LexiconInducer, read_lexicon
from bilex.calibration import calibration_error, precision_area
from bilex.induction import InducedDictionary
from bilex.lexicons import sample_lexicon
from bilex.values import IndexedLexicon, SpacePair
from job_files import command, keep, load_spaces, missing_in_part

XLING, MUSE = ("fr", "ru", "fi"), ("ja", "ru")
SIZES, DRAWS = (1_000, 5_000), 2
PRECISIONS, SURE = (0.8, 0.9), 0.8


@dataclass(frozen=True)
class Task:
    """Seeds and test words of English and another language."""

    lexicon: str
    target: str
    size: int
    draw: int

    @property
    def name(self) -> str:
        """Return the name of its result file."""
        return f"{self.lexicon}.{self.target}.{self.size}.{self.draw}"

    def read(self, data: Path) -> tuple[Lexicon, Lexicon]:
        """Return seeds and test pairs."""
        folder = data / "dictionaries" / self.lexicon
        if self.lexicon == "xling":
            files = [folder / f"en-{self.target}" / name for name in ("train.5k.tsv", "test.tsv")]
        else:
            files = [folder / f"en-{self.target}.{part}.txt" for part in ("0-5000", "5000-6500")]
        train, test = (read_lexicon(path).lexicon for path in files)
        if self.size < len(train.translations):
            rng = torch.Generator().manual_seed(self.draw)
            train = sample_lexicon(train, f"{self.size} all", order="random", rng=rng)
        return train, test


def tasks() -> list[Task]:
    return [
        Task(lexicon, target, size, draw)
        for draw in range(DRAWS)
        for size in SIZES
        for lexicon, targets in (("xling", XLING), ("muse", MUSE))
        for target in targets
    ]


def run(
    task: Task, source: EmbeddingSpace, target: EmbeddingSpace, data: Path
) -> dict[str, object]:
    seeds, test = task.read(data)
    start = time.process_time()
    inducer = LexiconInducer("css", random_state=task.draw).fit(source, target, seeds)
    seconds = time.process_time() - start
    gold = IndexedLexicon.locate(test, SpacePair(source, target)).answers
    found = inducer.induce()
    ranked = found.ranked
    if ranked.probabilities is None or inducer.calibration_ is None:
        raise SystemExit(f"{task.name}: no probabilities were learned")
    rows = torch.tensor(sorted(gold))
    right = torch.tensor(
        [[i in gold[row] for i in ranked.ids[row].tolist()] for row in rows.tolist()]
    ).float()
    by_score = ranked.scores[rows].argmax(1)
    first = torch.zeros_like(by_score)
    chances = ranked.probabilities[rows]
    trust, hits = chances[:, 0], right[:, 0]
    plain = right.gather(1, by_score[:, None])[:, 0]
    scores = ranked.scores[rows].gather(1, by_score[:, None])[:, 0]
    mutual = (ranked.back_ranks[rows].gather(1, by_score[:, None])[:, 0] == 1).float()
    model = inducer.calibration_.forward
    return {
        **vars(task),
        "words": len(rows),
        "p_at_1_csls": float(plain.mean()),
        "p_at_1": float(hits.mean()),
        "changed": float((by_score != first).float().mean()),
        "calibration_error": calibration_error(trust, hits),
        "bias": float(trust.mean() - hits.mean()),
        "area": precision_area(trust, hits),
        "area_csls": precision_area(scores, plain),
        "area_mutual": precision_area(mutual, plain),
        "cuts": [_cut(found, wanted, gold) for wanted in PRECISIONS],
        "f1": {
            "chosen": _f1(found, gold),
            **{f"top {k}": _f1(found.cut(k=k), gold) for k in (1, 3)},
        },
        "sure_errors": _sure_errors(found, gold),
        "report": dict(model.report) if model else {},
        "learner": model.learner if model else None,
        "processor_seconds": round(seconds, 1),
        "seconds_map": inducer.training_report_.seconds,
    }


def _cut(
    whole: InducedDictionary, wanted: float, gold: dict[int, frozenset[int]]
) -> dict[str, object]:
    """Cut the whole dictionary where it should have a precision; look at the test words in it."""
    found = whole.cut(min_precision=wanted)
    hits = _verdicts(found, gold)
    entries = [entry for entry in found if entry.origin == "induced"]
    return {
        "wanted": wanted,
        "precision": mean(hits) if hits else None,
        "test_entries": len(hits),
        "entries": len(entries),
        "words": len({entry.source for entry in entries}),
    }


def _verdicts(found: InducedDictionary, gold: dict[int, frozenset[int]]) -> list[bool]:
    """Return whether each entry of a test word is right."""
    index = {word: row for row, word in enumerate(found.words) if row in gold}
    answers = {row: {found.answers[i] for i in ids} for row, ids in gold.items()}
    return [
        entry.target in answers[index[entry.source]] for entry in found if entry.source in index
    ]


def _sure_errors(
    found: InducedDictionary, gold: dict[int, frozenset[int]]
) -> list[tuple[str, str, float, list[str]]]:
    """Return first answers that are thought sure and are not gold, for people to look at."""
    errors = []
    chances = found.ranked.chances()
    for row, right in gold.items():
        best, chance = int(found.ranked.ids[row, 0]), chances[row][0] or 0.0
        if chance >= SURE and best not in right:
            known = [found.answers[i] for i in sorted(right)]
            errors.append((found.words[row], found.answers[best], round(chance, 3), known))
    return errors


def _f1(found: InducedDictionary, gold: dict[int, frozenset[int]]) -> float:
    hits = _verdicts(found, gold)
    return 2 * sum(hits) / (len(hits) + sum(len(ids) for ids in gold.values()))


def run_all(data: Path, results: Path, part: str, only: str) -> None:
    torch.set_num_threads(1)
    spaces = load_spaces(data, "en", *dict.fromkeys((*XLING, *MUSE)))
    jobs = {task.name: task for task in tasks()}
    for name in missing_in_part(list(jobs), results, part, only):
        keep(name, results, run(jobs[name], spaces["en"], spaces[jobs[name].target], data))


def show(results: Path) -> None:
    found = [json.loads(path.read_text()) for path in sorted(results.glob("*.json"))]
    print(
        "| Task | seeds | P@1 by CSLS | by probability | calibration error | area: CSLS, mutual, "
        "probability | at 0.8: precision, entries | at 0.9 | F1: top 1, top 3, chosen |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for key in sorted({(one["lexicon"], one["target"], one["size"]) for one in found}):
        rows = [one for one in found if (one["lexicon"], one["target"], one["size"]) == key]
        print(_row(key, rows))


def _row(key: tuple[str, str, int], rows: Sequence[dict[str, object]]) -> str:
    def both(name: str, scale: float = 100) -> str:
        values = [scale * float(str(row[name])) for row in rows]
        spread = f" ± {stdev(values):.2f}" if len(values) > 1 else ""
        return f"{mean(values):.2f}{spread}"

    def cut(number: int) -> str:
        cuts = [row["cuts"][number] for row in rows]  # type: ignore[index]
        known = [one["precision"] for one in cuts if one["precision"] is not None]
        return (
            f"{mean(known):.3f}, {mean(one['entries'] for one in cuts):,.0f}" if known else "none"
        )

    f1 = [mean(row["f1"][name] for row in rows) for name in ("top 1", "top 3", "chosen")]  # type: ignore[index]
    areas = [
        mean(float(str(row[f"area{end}"])) for row in rows) for end in ("_csls", "_mutual", "")
    ]
    return (
        f"| en→{key[1]} ({key[0].upper()}, {rows[0]['words']:,} words) | {key[2]:,} "
        f"| {both('p_at_1_csls')} | {both('p_at_1')} | {both('calibration_error', 1)} "
        f"| {', '.join(f'{area:.3f}' for area in areas)} | {cut(0)} | {cut(1)} "
        f"| {', '.join(f'{value:.3f}' for value in f1)} |"
    )


if __name__ == "__main__":
    command(__doc__.splitlines()[0], run_all, show)
