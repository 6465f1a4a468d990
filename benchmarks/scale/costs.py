"""Estimate what all pairs of 157 languages cost, from a short measurement of this machine.

    python benchmarks/scale/costs.py DATA
    python benchmarks/scale/costs.py DATA --check OUT   # against the times of a fleet that was run

The law is that of `bilex fleet plan`. All languages have the same number of words and seeds with
the hub. `--check` compares the law with the processor time of each job in the log of a fleet.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from itertools import product
from pathlib import Path
from statistics import mean
from string import ascii_lowercase
from tempfile import TemporaryDirectory

from bilex.fleet import load_fleet, make_plan, measure
from bilex.fleet.fleet import Fleet
from bilex.fleet.links import find_links
from bilex.fleet.measurement import Measurement
from bilex.fleet.plan import Plan, Size

LANGUAGES, DIM = 157, 300
SIZES = 200_000, 2_000_000
NODES, CORES = (1, 10, 100), 32


def many_languages(data: Path, folder: Path) -> Fleet:
    """Return a fleet of 157 languages with seeds to the first one; all have the same files."""
    codes = ["".join(letters) for letters in product(ascii_lowercase, repeat=3)][:LANGUAGES]
    lines = [f'hub = "{codes[0]}"', 'pairs = "all"', "[languages]"]
    lines += [f'{code} = {{ vectors = "{data}/vectors/en.vec.gz" }}' for code in codes]
    seeds = data / "dictionaries" / "xling" / "en-fr" / "train.1k.tsv"
    lines += ["[seeds]", *(f'{codes[0]}-{code} = "{seeds}"' for code in codes[1:])]
    path = folder / "FLEET.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return load_fleet(path)


def estimate(fleet: Fleet, measured: Measurement, words: int) -> Plan:
    """Return the cost if all languages have this number of words."""
    sizes = dict.fromkeys(fleet.languages, Size(words, DIM))
    return make_plan(fleet, find_links(fleet), measured, sizes=sizes)


def check(folder: Path) -> dict[str, dict[str, float]]:
    """Return expected and used seconds of a job of each stage, on average."""
    fleet = load_fleet(folder / "fleets" / "fleet.toml")
    made = make_plan(fleet, find_links(fleet), measure(fleet, DIM))
    used = defaultdict(list)
    for file in (folder / "fleet" / "log").glob("*.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            job = json.loads(line)
            used[job["name"].split()[0]].append(job["processor"])
    return {
        stage.stage: {
            "jobs": stage.jobs,
            "expected": round(mean(stage.seconds), 1),
            "used": round(mean(used[stage.stage]), 1),
        }
        for stage in made.stages
        if used[stage.stage]
    }


def main() -> None:
    """Print JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--check", type=Path, help="output folder of fleet_accuracy.py")
    given = parser.parse_args()
    if given.check:
        print(json.dumps(check(given.check), indent=1))
        return
    with TemporaryDirectory() as folder:
        fleet = many_languages(given.data.absolute(), Path(folder))
    measured = measure(fleet, DIM)
    print(measured)
    for words in SIZES:
        plan = estimate(fleet, measured, words)
        print(json.dumps({"words": words, **plan.to_dict(NODES, CORES)}, indent=1))


if __name__ == "__main__":
    main()
