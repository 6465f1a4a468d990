"""What each part of the preset `bilex` is worth, on held-out seeds, never on test words.

    python benchmarks/beyond.py run DATA RESULTS [--part 1/2] [--only NAME]
    python benchmarks/beyond.py show RESULTS

A draw takes none to 1,000 random pairs of train.5k as seeds and scores all other pairs of that
file: P@1 by CSLS and as the model itself ranks, how far its probabilities come true, and what is
known of the map without labels. With noise, a fifth of the seeds have each other's translations,
and what is listed as doubtful is compared with them. Each finished job is a JSON file.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from statistics import mean

import torch

from bilex import EmbeddingSpace, Lexicon, LexiconInducer
from bilex.calibration import calibration_error
from bilex.config import load_preset, override
from bilex.evaluation import evaluate
from bilex.trained_model import CALIBRATED
from bilex.values import Entry
from job_files import command, draw_seeds, keep, load_spaces, missing_in_part, spread

LANGUAGES, DRAWS, SIZES, NOISE = ("fr", "ru", "fi", "tr"), 4, (0, 25, 50, 100, 1_000), 0.2

ALIKE = ("lexicon_update.weighting=equal", "feedback.weighting=equal")
MAP_ALONE = ("feedback.name=none", "calibration.name=none")
VARIANTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "bilex": ("bilex", ()),
    "bilex, a fifth of the seeds wrong": ("bilex", ()),
    "bilex, pairs count alike": ("bilex", ALIKE),
    "bilex, pairs count alike, feedback of 10,000 words": (
        "bilex",
        (*ALIKE, "feedback.rank_limit=10000"),
    ),
    "no spelling": ("bilex", ('calibration.without=["strings"]',)),
    "no feedback": ("bilex", ("feedback.name=none",)),
    "no feedback, no probabilities": ("bilex", MAP_ALONE),
    "no feedback, no probabilities, one attempt": ("bilex", (*MAP_ALONE, "start.name=none")),
    "no feedback, no probabilities, first map by Procrustes": (
        "bilex",
        (*MAP_ALONE, 'strategy.first="procrustes"'),
    ),
    "css-paper": ("css-paper", ()),
}


def run(
    variant: str,
    source: EmbeddingSpace,
    target: EmbeddingSpace,
    drawn: tuple[Lexicon, Lexicon],
    size: int,
    draw: int,
) -> dict[str, object]:
    preset, settings = VARIANTS[variant]
    tables = load_preset(preset)
    for setting in settings:
        tables = override(tables, setting)
    seeds, held_out = drawn
    wrong: set[tuple[str, str]] = set()
    if "wrong" in variant:
        seeds, wrong = spoil(seeds, draw)
    start = time.process_time()
    inducer = LexiconInducer(tables, random_state=draw).fit(source, target, seeds)
    seconds = time.process_time() - start
    scores = evaluate(
        inducer.rankers(), held_out, source.index, target.index, rng=torch.Generator()
    ).scores
    doubtful = set(inducer.training_report_.doubtful_seeds)
    known = {pair for pair in wrong if pair[0] in source.index and pair[1] in target.index}
    return {
        "variant": variant,
        "size": size,
        "draw": draw,
        "csls": scores["csls"].p_at_1,
        "own": scores[CALIBRATED if CALIBRATED in scores else "csls"].p_at_1,
        "calibration_error": _error(inducer, held_out) if CALIBRATED in scores else None,
        "mean_csls": inducer.training_report_.mean_csls,
        "warnings": inducer.training_report_.warnings,
        "seconds": round(seconds, 1),
        "doubtful": len(doubtful),
        "doubtful_wrong": len(doubtful & known),
        "wrong": len(known),
    }


def spoil(seeds: Lexicon, draw: int) -> tuple[Lexicon, set[tuple[str, str]]]:
    """Give some seeds each other's translations; return them all, and which are wrong now."""
    rng = torch.Generator().manual_seed(1_000 + draw)
    rows = torch.randperm(len(seeds), generator=rng)[: round(NOISE * len(seeds))].tolist()
    entries = list(seeds.entries)
    for row, other in zip(rows, [*rows[1:], rows[0]], strict=True):
        entries[row] = Entry(seeds.entries[row].source, seeds.entries[other].target)
    right = {(entry.source, entry.target) for entry in seeds.entries}
    return Lexicon(tuple(entries)), {(e.source, e.target) for e in entries} - right


def _error(inducer: LexiconInducer, held_out: Lexicon) -> float:
    """Return how far the probabilities of first answers are from coming true."""
    gold = held_out.translations
    asked = [
        word
        for word, answers in gold.items()
        if word in inducer.source_.index and any(a in inducer.target_.index for a in answers)
    ]
    firsts = [answer.candidates[0] for answer in inducer.translate(asked, k=1)]
    told = torch.tensor([first.probability or 0.0 for first in firsts])
    right = torch.tensor(
        [float(first.word in gold[word]) for word, first in zip(asked, firsts, strict=True)]
    )
    return calibration_error(told, right)


def run_all(data: Path, results: Path, part: str, only: str) -> None:
    torch.set_num_threads(1)
    spaces = load_spaces(data, "en", *LANGUAGES)
    jobs = {
        f"{variant.replace(' ', '_')}.{target}.{size}.{draw}": (variant, target, size, draw)
        for draw in range(DRAWS)
        for variant in VARIANTS
        for size in SIZES
        for target in LANGUAGES
    }
    for name in missing_in_part(list(jobs), results, part, only):
        variant, target, size, draw = jobs[name]
        drawn = draw_seeds(data, target, size, draw)
        found = run(variant, spaces["en"], spaces[target], drawn, size, draw)
        keep(name, results, found | {"target": target})


def show(results: Path) -> None:
    found = [json.loads(path.read_text()) for path in results.glob("*.json")]
    for size in SIZES:
        print(f"\n{size} seeds: P@1 by CSLS → as the model ranks; calibration error; seconds\n")
        print("| variant |", " | ".join(f"en→{target}" for target in LANGUAGES), "|")
        print("|---|" + "---|" * len(LANGUAGES))
        for variant in VARIANTS:
            cells = []
            for target in LANGUAGES:
                runs = [
                    f
                    for f in found
                    if (f["variant"], f["size"], f["target"]) == (variant, size, target)
                ]
                cells.append(_cell(runs) if runs else "–")
            print(f"| {variant} |", " | ".join(cells), "|")


def _cell(runs: list[dict[str, float]]) -> str:
    csls, own = ([100 * run[key] for run in runs] for key in ("csls", "own"))
    text = f"{spread(csls)} → {spread(own)}" if csls != own else spread(csls)
    errors = [run["calibration_error"] for run in runs if run["calibration_error"] is not None]
    if errors:
        text += f"; {mean(errors):.3f}"
    text += f"; {mean(run['seconds'] for run in runs):.0f} s"
    if any(run["wrong"] for run in runs):
        listed, hit, wrong = (
            sum(run[k] for run in runs) for k in ("doubtful", "doubtful_wrong", "wrong")
        )
        text += f"; {listed} listed, {hit} of {wrong} wrong ones"
    return text


if __name__ == "__main__":
    command(__doc__.splitlines()[0], run_all, show)
