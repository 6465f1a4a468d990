"""Score lexicons of a fleet on XLING pairs whose seeds were withheld, against direct training.

    python benchmarks/scale/fleet_accuracy.py DATA -o OUT fleet direct score
    python benchmarks/scale/fleet_accuracy.py DATA -o OUT score --words test
    python benchmarks/scale/fleet_accuracy.py DATA -o OUT1 fleet direct score --draw 1

The fleet has seeds to English only: 1,000 pairs of XLING, and 1,000 of MUSE for languages that
XLING has no English pairs of. Direct training has 1,000 seeds of the pair itself: it is `fit` with
the same preset, from the first to the second language of the pair. For pairs with English it is
what the fleet does, with the same seeds, so it is not repeated: their lexicons count as both. Seeds
are those of XLING's train.1k, which are frequent words; with `--draw`, random pairs of train.5k.

Development words are those of XLING's train.5k. Pairs whose word is in a training list that one of
the two systems used are dropped, those through English included; test pairs that are also in
train.5k, too.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from statistics import mean
from typing import Any

import torch

import bilex
from bilex import LexiconInducer, load_embeddings, read_dictionary
from bilex.answers import Candidate
from bilex.calibration import calibration_error
from bilex.values import Lexicon

HUB = "en"
XLING = ("en-fi", "en-fr", "en-ru", "en-tr", "fi-fr", "fi-ru", "ru-fr", "tr-fi", "tr-fr", "tr-ru")
SEEDS = 1_000
CANDIDATES = 20  # of a word: the best by CSLS is among them, whatever its probability
DRAWS = 2_000  # of the bootstrap

Pair = tuple[str, str]


@dataclass(frozen=True)
class Answer:
    """Whether the best translation of a word is right, its probability, and the same by CSLS."""

    right: bool
    probability: float | None
    right_by_csls: bool


def read_pairs(path: Path) -> list[Pair]:
    """Return the word pairs of a file of XLING or MUSE, in lower case."""
    lines = path.read_text(encoding="utf-8").splitlines()
    split = (line.lower().replace("\t", " ").split() for line in lines)
    return [(words[0], words[1]) for words in split if len(words) == 2]


@dataclass(frozen=True)
class Seeds:
    """The seeds of all pairs: the most frequent pairs if `draw` is 0, random ones if not."""

    data: Path
    draw: int

    def of(self, pair: str) -> list[Pair]:
        """Return 1,000 seeds of a pair of XLING, or of English and another language."""
        if pair in XLING:
            name = "train.5k.tsv" if self.draw else "train.1k.tsv"
            pairs = read_pairs(self.data / "dictionaries" / "xling" / pair / name)
        else:
            pairs = read_pairs(self.data / "dictionaries" / "muse" / f"{pair}.0-5000.txt")
        if self.draw:
            random.Random(f"{self.draw} {pair}").shuffle(pairs)  # noqa: S311
        return pairs[:SEEDS]

    def file(self, pair: str, folder: Path) -> Path:
        """Write the seeds of a pair; return the file."""
        path = folder / f"{pair}.tsv"
        path.write_text("".join(f"{a}\t{b}\n" for a, b in self.of(pair)), encoding="utf-8")
        return path


def with_hub(pair: str) -> bool:
    """Return whether one of the two languages is the hub."""
    return HUB in pair.split("-")


def through_hub(seeds: Seeds, pair: str) -> list[Pair]:
    """Return both translations of each English seed word that two languages share."""
    first, second = (seeds.of(f"{HUB}-{code}") for code in pair.split("-"))
    by_hub: dict[str, list[str]] = {}
    for english, word in second:
        by_hub.setdefault(english, []).append(word)
    return [(word, other) for english, word in first for other in by_hub.get(english, ())]


def write_fleet(
    data: Path, path: Path, seeds: Mapping[str, Path], preset: str, pairs: Iterable[str]
) -> Path:
    """Write a fleet file that makes the lexicons of some pairs, in the order of their names."""
    codes = dict.fromkeys([HUB, *(code for pair in seeds for code in pair.split("-"))])
    lines = [f'hub = "{HUB}"', f'vectors = "{data}/vectors/{{language}}.vec.gz"']
    lines += ["lowercase = true", f"pairs = {json.dumps(list(pairs))}", 'directions = "forward"']
    lines += [f"[languages.{code}]" for code in codes]
    lines.append("[seeds]")
    lines += [f'{pair} = "{file}"' for pair, file in seeds.items()]
    lines += ["[method]", f'preset = "{preset}"', "[lexicons]", f"k = {CANDIDATES}"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def all_directions(codes: Iterable[str]) -> list[str]:
    """Return all pairs of languages, in both directions."""
    return [f"{source}-{target}" for source, target in permutations(codes, 2)]


def run(fleet: Path, output: Path, options: Iterable[str]) -> None:
    """Run a fleet in another process."""
    command = [sys.executable, "-m", "bilex", "fleet", "run", str(fleet), "-o", str(output)]
    subprocess.run([*command, *options], check=True)  # noqa: S603


def gold(seeds: Seeds, pair: str, words: str) -> dict[str, set[str]]:
    """Return the translations of words that no training list has, if both are in the vectors."""
    source, target = pair.split("-")
    folder = seeds.data / "dictionaries" / "xling" / pair
    used = {*seeds.of(pair), *(() if source == HUB else through_hub(seeds, pair))}
    seen = {word for word, _ in used}
    large = set(read_pairs(folder / "train.5k.tsv"))
    if words == "test":
        pairs = [each for each in read_pairs(folder / "test.tsv") if each not in large]
    else:
        pairs = sorted(large)
    path = seeds.data / "vectors"
    spaces = [load_embeddings(path / f"{code}.vec.gz") for code in (source, target)]
    found: dict[str, set[str]] = {}
    for word, translation in pairs:
        covered = word in spaces[0].index and translation in spaces[1].index
        if covered and word not in seen and (word, translation) not in used:
            found.setdefault(word, set()).add(translation)
    return found


def answers_of_fleet(output: Path, pair: str, wanted: Mapping[str, set[str]]) -> list[Answer]:
    """Return what a lexicon of a fleet has for some words."""
    source, target = pair.split("-")
    folder = output / "lexicons" / f"source_language={source}" / f"target_language={target}"
    by_word: dict[str, list[Candidate]] = {}
    for entry in read_dictionary(folder / "part-0.parquet").entries:
        if entry.source in wanted:
            assert entry.score is not None  # all entries were induced
            found = Candidate(entry.target, entry.score, entry.probability)
            by_word.setdefault(entry.source, []).append(found)
    return [answer(by_word[word], right) for word, right in wanted.items()]


def answers_of_model(folder: Path, wanted: Mapping[str, set[str]]) -> list[Answer]:
    """Return what a model answers to some words."""
    found = bilex.load(folder).translate(list(wanted), k=CANDIDATES)
    return [
        answer(each.candidates, right) for each, right in zip(found, wanted.values(), strict=True)
    ]


def answer(candidates: Sequence[Candidate], right: set[str]) -> Answer:
    """Return whether the first candidate is right, and the one with the best score."""
    first, nearest = candidates[0], max(candidates, key=lambda each: each.score)
    return Answer(first.word in right, first.probability, nearest.word in right)


def fit_pair(seeds: Seeds, pair: str, preset: str, folder: Path) -> None:
    """Train on the seeds of the pair itself."""
    path = seeds.data / "vectors"
    source, target = (
        load_embeddings(path / f"{code}.vec.gz", lowercase=True) for code in pair.split("-")
    )
    inducer = LexiconInducer(preset, random_state=0)
    inducer.fit(source, target, Lexicon.of(seeds.of(pair))).model_.save(folder)


def precision(found: Iterable[Answer]) -> float:
    """Return P@1 in percent."""
    return 100 * mean(each.right for each in found)


def error(found: Iterable[Answer]) -> float | None:
    """Return the expected calibration error of best translations."""
    some = [each for each in found if each.probability is not None]
    if not some:
        return None
    chances = torch.tensor([each.probability for each in some])
    return calibration_error(chances, torch.tensor([float(each.right) for each in some]))


def interval(pairs: Iterable[tuple[list[Answer], list[Answer]]]) -> tuple[float, float]:
    """Return the 95 % interval of the mean difference of P@1 over pairs; words are drawn."""
    gains = [
        [100.0 * (one.right - other.right) for one, other in zip(*both, strict=True)]
        for both in pairs
    ]
    draw = random.Random(0)  # noqa: S311
    means = sorted(
        mean(mean(draw.choices(each, k=len(each))) for each in gains) for _ in range(DRAWS)
    )
    return means[int(0.025 * DRAWS)], means[int(0.975 * DRAWS)]


def score(seeds: Seeds, output: Path, words: str, pairs: Iterable[str]) -> dict[str, Any]:
    """Return the scores of all pairs that both systems have."""
    rows, both = [], {}
    for pair in pairs:
        wanted = gold(seeds, pair, words)
        fleet = answers_of_fleet(output / "fleet", pair, wanted)
        own = output / f"direct-{pair}"
        direct = fleet if with_hub(pair) else answers_of_model(own, wanted)
        both[pair] = fleet, direct
        rows.append(
            {
                "pair": pair,
                "words": len(wanted),
                "direct": round(precision(direct), 2),
                "fleet": round(precision(fleet), 2),
                "direct_by_csls": round(100 * mean(each.right_by_csls for each in direct), 2),
                "fleet_by_csls": round(100 * mean(each.right_by_csls for each in fleet), 2),
                "direct_error": error(direct),
                "fleet_error": error(fleet),
            }
        )
        print(json.dumps(rows[-1]), flush=True)
    found: dict[str, Any] = {"words": words, "draw": seeds.draw, "pairs": rows}
    withheld = [pair for pair in both if not with_hub(pair)]
    for name, some in (("all", list(both)), ("withheld", withheld)):
        if not some:
            continue
        by_fleet, by_direct = (mean(precision(both[pair][i]) for pair in some) for i in (0, 1))
        low, high = interval(both[pair] for pair in some)
        errors = [error(both[pair][0]) for pair in some]
        found[name] = {
            "pairs": len(some),
            "direct": round(by_direct, 2),
            "fleet": round(by_fleet, 2),
            "difference": round(by_fleet - by_direct, 2),
            "interval": [round(low, 2), round(high, 2)],
            "share": round(by_fleet / by_direct, 4),
            "mean_error": None if None in errors else round(mean(e for e in errors if e), 4),
            "largest_error": None if None in errors else round(max(e for e in errors if e), 4),
        }
        print(name, json.dumps(found[name]), flush=True)
    return found


def main() -> None:
    """Run what is named, in this order: fleet, direct, score."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder with vectors/ and dictionaries/")
    parser.add_argument("steps", nargs="+", choices=("fleet", "direct", "score"))
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--languages", default="fr,ru,fi,tr,ja,zh")
    parser.add_argument("--pairs", default=",".join(XLING))
    parser.add_argument("--preset", default="bilex")
    parser.add_argument("--draw", type=int, default=0, help="random seeds; 0: frequent ones")
    parser.add_argument("--only-pairs", action="store_true", help="write no other lexicons")
    parser.add_argument("--words", choices=("development", "test"), default="development")
    parser.add_argument("--run", default="--workers 1 --threads 1", help="options of fleet run")
    given = parser.parse_args()
    data, output, options = given.data.absolute(), given.output.absolute(), given.run.split()
    pairs, fleets = given.pairs.split(","), output / "fleets"
    fleets.mkdir(parents=True, exist_ok=True)
    seeds = Seeds(data, given.draw)
    if "fleet" in given.steps:
        codes = given.languages.split(",")
        files = {pair: seeds.file(pair, fleets) for pair in (f"{HUB}-{code}" for code in codes)}
        wanted = pairs if given.only_pairs else all_directions([HUB, *codes])
        fleet = write_fleet(data, fleets / "fleet.toml", files, given.preset, wanted)
        run(fleet, output / "fleet", options)
    if "direct" in given.steps:
        for pair in (each for each in pairs if not with_hub(each)):
            folder = output / f"direct-{pair}"
            if not folder.exists():
                fit_pair(seeds, pair, given.preset, folder)
    if "score" in given.steps:
        found = score(seeds, output, given.words, pairs)
        path = output / f"scores-{given.words}.json"
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
