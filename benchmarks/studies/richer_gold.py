"""Score the first answers of finished jobs again, with the translations of other dictionaries.

    bilex seeds import /usr/share/dictd/freedict-eng-fra.index --pair en-fr -o freedict.tsv
    python benchmarks/studies/richer_gold.py RESULTS en-fr freedict.tsv MUSE/en-fr.*.txt \
        --reversed MUSE/fr-en.*.txt

Test sets have one or two translations of a word, so a right answer may count as wrong. RESULTS is a
folder that `bilex bench run core` wrote. An answer is right if the test set or one of the
dictionaries has it, whatever its case; `--reversed` takes dictionaries of the other direction. Only
first answers are scored, as the method ranks them, because only they are stored.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import bilex
from show import Result, read

Gold = Mapping[str, set[str]]
"""The translations of each word, all in lower case."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("pair", help="the languages, such as en-fr")
    parser.add_argument("dictionaries", type=Path, nargs="*")
    parser.add_argument("--reversed", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    gold = collect(options.dictionaries, options.reversed)
    found = [result for result in read(options.results) if _pair(result) == options.pair]
    print(f"| {options.pair} | seeds | test words | in a dictionary | P@1 | with dictionaries |")
    print("|---|---|---|---|---|---|")
    for result in sorted(found, key=_place):
        job, words = result["job"], result["words"]
        right = [word["rank"] == 1 for word in words]
        kind = " frequent" if job["lexicon"].endswith("-frequent") else ""
        known = sum(word["word"].lower() in gold for word in words)
        print(
            f"| `{job['method']}` | {job['seeds']:,}{kind} | {len(words):,} | {known:,} "
            f"| {100 * fmean(right):.1f} | {100 * fmean(rescored(result, gold)):.1f} |"
        )


def collect(forward: Iterable[Path], backward: Iterable[Path]) -> Gold:
    """Return the translations of all dictionaries together."""
    gold: defaultdict[str, set[str]] = defaultdict(set)
    lexicons = [bilex.read_lexicon(path) for path in forward]
    lexicons += [bilex.read_lexicon(path).reversed() for path in backward]
    for lexicon in lexicons:
        for entry in lexicon.entries:
            gold[entry.source.lower()].add(entry.target.lower())
    return dict(gold)


def rescored(result: Result, gold: Gold) -> Sequence[bool]:
    """Return for each test word whether its first answer is in the test set or a dictionary."""
    return [
        word["rank"] == 1 or (word["best"] or "").lower() in gold.get(word["word"].lower(), ())
        for word in result["words"]
    ]


def _pair(result: Result) -> str:
    return f"{result['job']['source']}-{result['job']['target']}"


def _place(result: Result) -> tuple[str, int, str, int]:
    job = result["job"]
    return job["lexicon"], job["seeds"], job["method"], job["draw"]


if __name__ == "__main__":
    main()
