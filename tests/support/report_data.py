"""Made-up results of a benchmark, for the tests of the report.

`python tests/support/report_data.py FOLDER` writes a folder to make a report from.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

METHODS = {
    "procrustes": -0.6,
    "rcsls": -0.5,
    "self-learning": 0.35,
    "css-paper": 0.4,
    "pss-paper": 0.5,
}
PAIRS = {"en-fr": 0.9, "en-ru": -0.3, "en-fi": -0.7, "en-ja": -1.2}
SIZES = {100: 3, 500: 1, 1000: 3, 5000: 1}  # draws of each
SECONDS = {"procrustes": 6, "rcsls": 45, "self-learning": 60, "css-paper": 240, "pss-paper": 260}
LETTERS = {
    "en": "abcdefghijklmnoprstuvwy",
    "fr": "abcdeéèfghilmnoprstuvç",
    "ru": "абвгдежзиклмнопрстуфхцчшья",
    "fi": "aäeihjklmnoöprstuvy",
    "ja": "日本語猫犬山川水火木金土人心手目口",
    "he": "אבגדהוזחטיכלמנסעפצקרשת",
}
NASTY = ["<script>alert(1)</script>", 'a"b', "R&D", "it's", "שלום", "猫|犬", "a\\b_c$d%e#f{g}"]


def make_word(language: str, number: int) -> str:
    letters = LETTERS.get(language, LETTERS["en"])
    rng = random.Random(f"{language}{number}")
    return "".join(rng.choice(letters) for _ in range(rng.randint(2, 4 if language == "ja" else 9)))


def make_words(source: str, target: str, n_words: int) -> list[dict[str, Any]]:
    """Return distinct words, the first few hard to print, every ninth a copy of itself."""
    rows: list[dict[str, Any]] = []
    for number in range(n_words):
        word, gold = f"{make_word(source, number)}{number}", [make_word(target, number)]
        if number < len(NASTY):
            word, gold = NASTY[number], [NASTY[-number - 1]]
        elif number % 9 == 0:
            gold = [word, *gold]
        rank = int(10 ** (1.5 + 3 * number / n_words))
        identical = word in gold
        rows.append({"word": word, "gold": gold, "identical": identical, "frequency_rank": rank})
    return rows


def answered(
    rows: Iterable[dict[str, Any]], level: float, method: str, target: str, draw: int
) -> list[dict[str, Any]]:
    found = []
    for row in rows:
        rng = random.Random(f"{row['word']}|{target}")
        ease = rng.gauss(0, 1.6) - 0.35 * math.log10(row["frequency_rank"] + 1) + 1
        own = random.Random(f"{row['word']}|{target}|{method}|{draw}").gauss(0, 0.7)
        gap = level + ease + own
        rank = 1 if gap > 0 else min(40, 1 + math.ceil(-2 * gap))
        best = row["gold"][0] if rank == 1 else make_word(target, hash_of(row["word"] + method))
        found.append({**row, "rank": rank if rank <= 20 else None, "best": best})
    return found


def hash_of(text: str) -> int:
    return random.Random(text).randrange(1000)


def scores_of(rows: list[dict[str, Any]], handicap: float = 1.0) -> dict[str, float]:
    ranks: list[int | None] = [row["rank"] for row in rows]

    def within(k: int) -> float:
        return handicap * sum(rank is not None and rank <= k for rank in ranks) / len(ranks)

    mrr: float = handicap * sum(1 / rank for rank in ranks if rank) / len(ranks)
    return {"p_at_1": within(1), "p_at_5": within(5), "p_at_10": within(10), "mrr": mrr}


def make_job(
    pair: str,
    method: str,
    seeds: int,
    draw: int,
    *,
    n_words: int = 60,
    strength: float | None = None,
) -> dict[str, Any]:
    source, target = pair.split("-")
    lift = METHODS.get(method, 0.0) if strength is None else strength
    gain = 0.55 * math.log10(max(seeds, 10) / 1000)
    # Methods that need seeds gain more from them.
    gain *= 2.2 if lift < 0 else 1.0
    level = PAIRS.get(pair, PAIRS.get(f"{target}-{source}", 0.0)) + lift + gain
    level += random.Random(f"{pair}{seeds}{draw}").gauss(0, 0.08)
    rows = answered(make_words(source, target, n_words), level, method, target, draw)
    identical = sum(row["identical"] for row in rows) / len(rows)
    wobble = 1 + 0.1 * random.Random(f"{pair}{method}{seeds}{draw}").random()
    return {
        "schema": 1,
        "key": f"{pair}.{method}.{seeds}.{draw}",
        "suite": "core",
        "job": {
            "pair": pair,
            "source": source,
            "target": target,
            "method": method,
            "seeds": seeds,
            "draw": draw,
        },
        "status": "done",
        "external": False,
        "protocol": {"name": "vecmap", "primary": "csls"},
        "error": None,
        "scores": {"csls": scores_of(rows), "nearest": scores_of(rows, 0.93)},
        "coverage": {"covered": n_words, "total": int(1.6 * n_words)},
        "words": rows,
        "copy_baseline": identical,
        "identical_share": identical,
        "leakage_removed": draw,
        "seed_pairs": int(0.86 * seeds),
        "hubness": {
            "skewness": (2.4 - lift - 0.3 * gain) * wobble,
            "share_unreached": min(0.9, (0.4 - 0.1 * lift) * wobble),
        },
        "seconds": {
            "fit": SECONDS.get(method, 10) * wobble,
            "evaluate": 3.1 * wobble,
            "processor": (2 * SECONDS.get(method, 10) + 4) * wobble,
        },
        "peak_memory": int(9e8 * wobble),
        "settings": {"preset": method, "rounds": 4},
        "manifest": {
            "versions": {"bilex": "0.1.0", "python": "3.12.4", "torch": "2.6.0", "numpy": "2.2.1"},
            "source": {"words": 200_000, "sha256": "a1" * 32 if source == "en" else "b2" * 32},
            "target": {"words": 150_000, "sha256": f"{hash_of(target):04d}" * 16},
        },
    }


def make_failure(pair: str, method: str, seeds: int, draw: int) -> dict[str, Any]:
    job = make_job(pair, method, seeds, draw, n_words=10)
    for key in ("scores", "coverage", "words", "hubness", "seconds", "peak_memory"):
        job[key] = None
    job["status"] = "failed"
    message = f"the plan for <{pair}> & {method} did not converge"
    job["error"] = {
        "type": "ConvergenceError",
        "message": message,
        "traceback": f"Traceback (most recent call last):\n  …\n{message}",
    }
    return job


def write_jobs(folder: Path, jobs: Iterable[dict[str, Any]]) -> Path:
    (folder / "jobs").mkdir(parents=True, exist_ok=True)
    for job in jobs:
        path = folder / "jobs" / f"{job['key']}.json"
        path.write_text(json.dumps(job, ensure_ascii=False), encoding="utf-8")
    return folder


def make_suite(
    n_words: int = 60, failed: tuple[str, str, int, int] = ("fi-en", "pss-paper", 1000, 0)
) -> list[dict[str, Any]]:
    """Five methods on four pairs and four seed sizes, reverse directions at 1,000; one failure."""
    jobs = [
        make_job(pair, method, seeds, draw, n_words=n_words)
        for pair in PAIRS
        for method in METHODS
        for seeds, draws in SIZES.items()
        for draw in range(draws)
    ]
    jobs += [
        make_job("-".join(reversed(pair.split("-"))), method, 1000, 0, n_words=n_words)
        for pair in PAIRS
        for method in METHODS
    ]
    name = ".".join(map(str, failed))
    return [*(job for job in jobs if job["key"] != name), make_failure(*failed)]


if __name__ == "__main__":
    write_jobs(Path(sys.argv[1]), make_suite(n_words=1200))
