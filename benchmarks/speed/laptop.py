"""Time what people wait for, on an ordinary machine: fits, look-ups, dictionaries, searches.

    python benchmarks/speed/laptop.py DATA WORK                 # all but the large one, 20 minutes
    python benchmarks/speed/laptop.py DATA WORK --only translate
    python benchmarks/speed/laptop.py DATA WORK --only large    # 200,000 words of each language

DATA holds vectors/{en,fr,ru}.vec.gz, small/{en,es}.vec.gz and dictionaries/; models are kept in
WORK, and made if they are not there. Each line of output is JSON: what was measured, and the figure
we want. "cpu" are processor seconds of one thread, which other load changes little.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import torch

import bilex
from bilex.model import TrainedModel
from bilex.values import EmbeddingSpace, Lexicon, unit_rows

HERE = Path(__file__).parent
WORDS = ("house", "water", "bread")


def tell(row: str, value: float, unit: str, wanted: float, **more: object) -> None:
    facts = {"row": row, "value": round(value, 3), "unit": unit, "wanted": wanted, **more}
    print(json.dumps(facts), flush=True)


def cpu_of(work: Callable[[], object]) -> tuple[float, object]:
    begin = time.process_time()
    found = work()
    return time.process_time() - begin, found


def wall_of(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


@contextmanager
def other_load(processes: int) -> Iterator[None]:
    """Keep cores busy, as a browser and its friends do."""
    spin = [sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(spin) for _ in range(processes)]  # noqa: S603
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def command(*arguments: str, environment: dict[str, str] | None = None) -> tuple[float, float]:
    """Run bilex; return seconds, and processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    subprocess.run(  # noqa: S603
        [sys.executable, "-m", "bilex", *arguments],
        check=True,
        capture_output=True,
        env={**os.environ, **(environment or {})},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return time.perf_counter() - begin, cpu


def searches(data: Path, work: Path) -> None:
    """The kernel at 50,000 words, with all instructions and with those of ten years ago."""
    del data, work
    for isa, limits in (("", (0.7, 2.8)), ("AVX2", (1.2, 3.5))):
        environment = {**os.environ, **({"ONEDNN_MAX_CPU_ISA": isa} if isa else {})}
        done = subprocess.run(  # noqa: S603
            [sys.executable, str(HERE / "similarity.py"), "--rounds", "2"],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        )
        found = json.loads(done.stdout.strip().split("\n")[-1])
        name = f", {isa} only" if isa else ""
        tell(f"exact top-10, 50k{name}", found["topk_ratio"], "float32 products", limits[0])
        tell(f"CSLS both ways{name}", found["csls_both_ratio"], "float32 products", limits[1])


def small_seeds(data: Path) -> Lexicon:
    """Return 1,000 usable pairs of the small vocabularies."""
    spaces = [bilex.load_embeddings(data / "small" / f"{name}.vec.gz") for name in ("en", "es")]
    source, target = (set(space.words) for space in spaces)
    pairs = bilex.read_lexicon(data / "dictionaries/muse/en-es.0-5000.txt").entries
    usable = [pair for pair in pairs if pair.source in source and pair.target in target]
    random.Random(0).shuffle(usable)  # noqa: S311
    return Lexicon(tuple(usable[:1_000]))


def small_fit(data: Path, work: Path) -> None:
    """A default fit of 6,600 and 4,800 words by the command, with and without other load."""
    seeds = work / "small-seeds.tsv"
    from bilex.lexicons import write_lexicon

    write_lexicon(small_seeds(data), seeds)
    files = [str(data / "small" / f"{name}.vec.gz") for name in ("en", "es")]
    arguments = ("fit", *files, str(seeds), "-o", str(work / "small"))
    command(*arguments)  # parses the vectors, once
    idle, cpu = command(*arguments)
    tell("default fit, 6.6k × 4.8k × 50", cpu, "cpu seconds of the command", 15, seconds=idle)
    with other_load(2):
        busy, _ = command(*arguments)
    tell("the same beside two busy processes", busy / idle, "times as long", 1.5, seconds=busy)


def reduced(space: EmbeddingSpace, words: int, dim: int) -> EmbeddingSpace:
    """Return the most frequent words in the directions that matter most."""
    rows = space.vectors[:words] - space.vectors[:words].mean(0)
    basis = torch.linalg.svd(rows, full_matrices=False).Vh[:dim]
    return EmbeddingSpace(space.words[:words], unit_rows(rows @ basis.T))


def few_seeds_fit(data: Path, work: Path) -> None:
    """A default fit of 7,000 and 9,000 words with about 117 usable seeds."""
    del work
    source, target = (
        reduced(bilex.load_embeddings(data / f"vectors/{name}.vec.gz"), words, 100)
        for name, words in (("en", 7_000), ("fr", 9_000))
    )
    pairs = bilex.read_lexicon(data / "dictionaries/xling/en-fr/train.500.tsv").entries
    usable = [pair for pair in pairs if pair.source in source.index and pair.target in target.index]
    seeds = Lexicon(tuple(usable[:117]))
    seconds, _ = cpu_of(lambda: bilex.fit(source, target, seeds))
    tell("default fit, 7k × 9k × 100, 117 seeds", seconds, "cpu seconds", 20)


def fitted(data: Path, work: Path, language: str) -> Path:
    """Return the folder of a default model, made now if it is not there."""
    folder = work / f"en-{language}"
    if not folder.is_dir():
        fit_of(data, work, language, 0)
    return folder


def fit_of(data: Path, work: Path, language: str, wanted: float) -> None:
    spaces = [bilex.load_embeddings(data / f"vectors/{name}.vec.gz") for name in ("en", language)]
    seeds = bilex.read_lexicon(data / f"dictionaries/xling/en-{language}/train.1k.tsv")
    seconds, model = cpu_of(lambda: bilex.fit(spaces[0], spaces[1], seeds))
    assert isinstance(model, TrainedModel)
    answers, answered = cpu_of(model.with_answers)
    assert isinstance(answered, TrainedModel)
    answered.save(work / f"en-{language}")
    model.save(work / f"en-{language}-without")
    if wanted:
        row = f"default fit en→{language}, 1k seeds"
        tell(row, seconds, "cpu seconds", wanted, answers_to_all_words=round(answers, 1))


def fits(data: Path, work: Path) -> None:
    """Default fits of real vocabularies with 1,000 seeds."""
    fit_of(data, work, "fr", 150)
    fit_of(data, work, "ru", 200)


def translate(data: Path, work: Path) -> None:
    """Words looked up by the command and in Python."""
    folder = fitted(data, work, "fr")
    for name, more in (("", ""), (", without kept answers", "-without")):
        cold = min(command("translate", f"{folder}{more}", WORDS[0])[0] for _ in range(3))
        tell(f"bilex translate, one word, cold{name}", cold, "seconds", 1.2)
        model = bilex.load(f"{folder}{more}")
        model.translate(WORDS)  # prepares what is prepared once
        one = min(wall_of(partial(model.translate, [word])) for word in WORDS for _ in range(5))
        tell(f"one word, warm{name}", 1_000 * one, "milliseconds", 3)
        many = partial(model.translate, model.source.words[:1_000])
        tell(f"1,000 words{name}", min(wall_of(many) for _ in range(2)), "seconds", 0.4)


def induce(data: Path, work: Path) -> None:
    """The dictionary of 26,000 words, with probabilities."""
    folder = fitted(data, work, "fr")
    for name, more in (("", ""), (", without kept answers", "-without")):
        _, cpu = command("induce", f"{folder}{more}", "-o", str(work / "dictionary.tsv"))
        tell(f"bilex induce, 26k words{name}", cpu, "cpu seconds of the command", 40)


def large(data: Path, work: Path) -> None:
    """Probabilities for 200,000 words of each language: noisy twins of the English vectors."""
    del work
    space = bilex.load_embeddings(data / "vectors/en.vec.gz")
    rng = torch.Generator().manual_seed(0)
    size, dim = 200_000, space.dim
    rows = space.vectors[torch.arange(size) % len(space)]
    rows = unit_rows(rows + 0.5 / dim**0.5 * torch.randn(size, dim, generator=rng))
    rotation = torch.linalg.qr(torch.randn(dim, dim, generator=rng)).Q
    other = unit_rows(rows + 0.3 / dim**0.5 * torch.randn(size, dim, generator=rng)) @ rotation
    source = EmbeddingSpace(tuple(f"s{i}" for i in range(size)), rows)
    target = EmbeddingSpace(tuple(f"t{i}" for i in range(size)), other)
    seeds = Lexicon.of([(f"s{i}", f"t{i}") for i in range(0, 5_000, 5)])
    model = bilex.fit(source, target, seeds, progress=True)
    report = model.report
    tell(
        "probabilities at 200k × 200k",
        report.calibration_seconds or 0.0,
        "seconds",
        100,
        training=report.seconds,
        threads=torch.get_num_threads(),
    )


ROWS = {
    "translate": translate,
    "induce": induce,
    "small": small_fit,
    "few": few_seeds_fit,
    "searches": searches,
    "fits": fits,
    "large": large,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--only", choices=ROWS, nargs="+")
    parser.add_argument("--threads", type=int, default=1)
    chosen = parser.parse_args()
    chosen.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(chosen.threads)
    for name in chosen.only or [name for name in ROWS if name != "large"]:
        ROWS[name](chosen.data, chosen.work)


if __name__ == "__main__":
    main()
