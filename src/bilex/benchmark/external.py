"""Scoring aligned vectors that another tool wrote, by the same rules as everything else.

Nothing is trained and nothing normalized: cosine and CSLS scale rows to length 1, that is all.
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
    """Return the job of scoring two aligned files on a test set of a suite.

    Args:
        suite: Where the test set and its scoring rules come from.
        name: What results call the system.
        vectors: The aligned files of the source and the target language.
        pair: The direction to be scored, such as `en-fr`; or `fr-en` for the other one.
        data: The folder that the paths of the suite start from, instead of its own.
        hashes: What hashes the files.
        seeds: How many seeds the system was trained with; may be left out if the suite has only
            one size for this pair.
        draw: Which draw of them.
        lexicon: Which lexicon of the suite; may be left out if only one has this pair.

    Raises:
        SettingError: If the suite does not have this pair, lexicon or number of seeds.
    """
    root = suite.data_folder(data)
    if name in suite.methods:
        raise SettingError(
            f"{name!r} is a method of suite {suite.name!r}: give the other system another name"
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
            f"suite {suite.name!r} has {pair!r} in several lexicons: choose one with --lexicon, "
            f"of {', '.join(lexicons)}"
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
            f"suite {suite.name!r} has {pair!r} with several seed sizes: say how many the system "
            f"was trained with, --seeds 0 for none; the suite has {', '.join(map(str, sizes))}"
        )
    return sizes[0]
