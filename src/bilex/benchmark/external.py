"""Score aligned vectors of another tool, by the same rules as trained methods.

Nothing is trained and nothing is centered; cosine and CSLS only scale rows to length 1.
"""

from __future__ import annotations

from pathlib import Path

from bilex.benchmark.jobs import Job, make_job
from bilex.benchmark.suite import Method, Suite, Task
from bilex.errors import SettingError
from bilex.registry import did_you_mean
from bilex.storage.hashes import FileHashes


def external_job(
    suite: Suite,
    name: str,
    vectors: tuple[Path, Path],
    pair: str,
    *,
    data: Path | None,
    hashes: FileHashes,
    seeds: int | None = None,
    draw: int = 0,
    lexicon: str | None = None,
) -> Job:
    """Return the job that scores two aligned files on a test set of a suite.

    Args:
        suite: The suite of the test set and its scoring rules.
        name: The name of the system in results.
        vectors: The aligned files of the source and the target language.
        pair: The direction to score, such as `en-fr`, or `fr-en` for the reverse direction.
        data: The root folder of the data; replaces that of the suite.
        hashes: Computes the hashes of the files.
        seeds: How many seeds the system was trained with; may be left out if the suite has only
            one size for this pair.
        draw: The number of the draw of the seeds.
        lexicon: The lexicon of the suite; may be left out if only one has this pair.

    Raises:
        SettingError: If the suite does not have this pair, lexicon or number of seeds.
    """
    root = suite.data_folder(data)
    if name in suite.methods:
        raise SettingError(
            f"{name!r} is a method of suite {suite.name!r}: choose another name for the system"
        )
    found = _tasks(suite, pair, lexicon)
    task, (source, target, reverse) = found[0]
    files = [str(path.resolve()).replace("{", "{{").replace("}", "}}") for path in vectors]
    job = make_job(
        suite,
        root,
        suite.lexicons[task.lexicon],
        Method(name, aligned=(files[0], files[1])),
        (source, target),
        reverse=reverse,
        seeds=_seeds(suite, pair, [task for task, _ in found], seeds),
        draw=draw,
    )
    return job.with_hashes(hashes)


def _tasks(
    suite: Suite, pair: str, lexicon: str | None
) -> list[tuple[Task, tuple[str, str, bool]]]:
    """Return the tasks that have a pair, in either direction, all with the same lexicon."""
    pairs = [pair for task in suite.tasks for pair in task.pairs]
    known = {f"{a}-{b}" for a, b in pairs} | {f"{b}-{a}" for a, b in pairs}
    if pair not in known:
        raise SettingError(
            f"suite {suite.name!r} does not have the pair {pair!r}{did_you_mean(pair, list(known))}"
            f"; it has: {', '.join(sorted(known))}"
        )
    source, _, target = pair.partition("-")
    found = []
    for task in suite.tasks:
        if (source, target) in task.pairs:
            found.append((task, (source, target, False)))
        elif (target, source) in task.pairs:
            found.append((task, (source, target, True)))
    lexicons = sorted({task.lexicon for task, _ in found})
    if lexicon is None and len(lexicons) > 1:
        raise SettingError(
            f"suite {suite.name!r} has {pair!r} in several lexicons: choose one with --lexicon: "
            f"{', '.join(lexicons)}"
        )
    if lexicon is not None and lexicon not in lexicons:
        raise SettingError(
            f"suite {suite.name!r} does not have {pair!r} in lexicon {lexicon!r}"
            f"{did_you_mean(lexicon, lexicons)}; it is in: {', '.join(lexicons)}"
        )
    return [(task, way) for task, way in found if task.lexicon == (lexicon or lexicons[0])]


def _seeds(suite: Suite, pair: str, tasks: list[Task], seeds: int | None) -> int:
    if seeds is not None:
        return seeds
    sizes = sorted({size for task in tasks for size in task.seeds})
    if len(sizes) > 1:
        raise SettingError(
            f"suite {suite.name!r} has {pair!r} with several seed sizes "
            f"({', '.join(map(str, sizes))}): give the number of seeds that the system was trained "
            "with, with --seeds; 0 means without seeds"
        )
    return sizes[0]
