"""Time deciding and asking on a large review project.

    python benchmarks/speed/review_store.py [--words 200000] [--events 1000000] [--turns 1000]
        [--postgres URL_OF_AN_EMPTY_DATABASE] [--folder FOLDER]

A turn is what a page does: store a decision, then ask for the next word and hold it. SQLite is
always measured, in a file in the folder. Without a URL, an own PostgreSQL server is started, as in
the tests, whose commits wait for the disk. Prints a table; the last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from bilex.review import appending, schema, tables
from bilex.review.bulk import analyze, insert_rows
from bilex.review.events import Event, Shown, time_text
from bilex.review.project import Candidate, Project, ReviewWord
from bilex.review.store import ReviewStore

START = datetime(2026, 1, 1, tzinfo=UTC)
REVIEWERS = [f"reviewer{number}" for number in range(20)]


def make_words(count: int) -> Iterator[ReviewWord]:
    rng = random.Random(0)  # noqa: S311 - the same words each time
    for rank in range(count):
        candidates = tuple(
            Candidate(f"слово{rng.randrange(count)}", round(rng.random(), 4)) for _ in range(5)
        )
        yield ReviewWord(
            word=f"{rng.choice('abcdefgh')}ord{rank}", rank=rank, candidates=candidates
        )


def make_event(rng: random.Random, number: int, word: ReviewWord, reviewer: str) -> Event:
    kind = rng.choices(["accept", "none", "skip", "note"], [80, 12, 5, 3])[0]
    return Event(
        id=f"{rng.getrandbits(128):032x}",
        at=time_text(START + timedelta(seconds=10 * number)),
        reviewer=reviewer,
        word=word.word,
        kind=kind,  # type: ignore[arg-type]
        targets=(word.candidates[0].target,) if kind == "accept" else (),
        shown=tuple({each.target: Shown(*each[:2]) for each in word.candidates}.values()),
        note="a note" if kind == "note" else "",
        policy="value",
        model="css-4f1b",
    )


def make_rows(words: list[ReviewWord], count: int) -> Iterator[list[Any]]:
    """Make events of the more frequent half of the words, as rows."""
    rng = random.Random(1)  # noqa: S311
    half = words[: max(1, len(words) // 2)]
    made = [make_event(rng, 0, word, "nobody").to_dict() for word in half]
    for number in range(count):
        values = dict(made[rng.randrange(len(made))])
        values["id"] = f"{rng.getrandbits(128):032x}"
        values["reviewer"] = rng.choice(REVIEWERS)
        values["at"] = time_text(START + timedelta(seconds=10 * number))
        body = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
        shared = [values[name] for name in ("id", "word", "reviewer", "at", "kind")]
        yield [*shared, "queue", "", body]


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def fill(store: ReviewStore, events: list[list[Any]]) -> None:
    def work(connection: sa.Connection) -> None:
        insert_rows(connection, tables.events, appending.EVENT_COLUMNS, events)
        analyze(connection)

    store.database.write(work)


def measure(
    url: str, words: list[ReviewWord], events: list[list[Any]], turns: int
) -> dict[str, float]:
    found: dict[str, float] = {}
    start = time.perf_counter()
    store = ReviewStore.create(url, Project(title="Benchmark"), words)
    found["create_seconds"] = time.perf_counter() - start
    with store:
        found["insert_seconds"] = timed(lambda: fill(store, events))
        found["rebuild_seconds"] = timed(store.rebuild)
        rng = random.Random(2)  # noqa: S311
        for policy in ("frequency", "random", "value"):
            given = [(word.word, rng.random()) for word in words]
            seconds = timed(lambda p=policy, g=given: store.set_priorities(p, g))  # type: ignore[misc]
            found["priorities_seconds"] = seconds
        found |= take_turns(store, turns)
        found |= percentiles("counts", [timed(store.counts) for _ in range(20)])
        listed = [timed(lambda: store.items(state="accepted")) for _ in range(20)]
        found |= percentiles("list", listed)
        searched = [timed(lambda: store.items(search="rd19999")) for _ in range(20)]
        found |= percentiles("search", searched)
        sought = [timed(lambda: store.next_second(REVIEWERS[0])) for _ in range(20)]
        found |= percentiles("second", sought)
        found |= percentiles("audit", [timed(lambda: store.next_audit("x")) for _ in range(20)])
        move(store, found)
    return {name: round(value, 4) for name, value in found.items()}


def take_turns(store: ReviewStore, turns: int) -> dict[str, float]:
    rng = random.Random(3)  # noqa: S311
    item = store.next_word("value", REVIEWERS[0])
    together, deciding, asking = [], [], []
    for number in range(turns):
        assert item is not None, "more turns than open words"
        reviewer = REVIEWERS[number % len(REVIEWERS)]
        event = make_event(rng, 2_000_000 + number, item.word, reviewer)
        start = time.perf_counter()
        store.add([event])
        middle = time.perf_counter()
        item = store.next_word("value", REVIEWERS[(number + 1) % len(REVIEWERS)])
        end = time.perf_counter()
        deciding.append(middle - start)
        asking.append(end - middle)
        together.append(end - start)
    return (
        percentiles("turn", together)
        | percentiles("decide", deciding)
        | percentiles("next", asking)
    )


def move(store: ReviewStore, found: dict[str, float]) -> None:
    """Time the migrations on all data."""
    for name, work in {
        "down_one_seconds": lambda connection: schema.downgrade(connection, "0001"),
        "up_one_seconds": schema.upgrade,
        "down_seconds": lambda connection: schema.downgrade(connection, "base"),
        "up_seconds": schema.upgrade,
    }.items():
        found[name] = timed(lambda w=work: store.database.write(w))  # type: ignore[misc]


def percentiles(name: str, seconds: list[float]) -> dict[str, float]:
    """Return milliseconds."""
    ordered = sorted(seconds)
    at = {50: 0.5, 95: 0.95, 99: 0.99}
    return {
        f"{name}_p{key}_ms": 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]
        for key, share in at.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--postgres", default="", help="the URL of an empty database")
    parser.add_argument("--folder", type=Path, default=None, help="where the files are made")
    options = parser.parse_args()
    words = list(make_words(options.words))
    events = list(make_rows(words, options.events))  # 2 GB for a million
    result: dict[str, dict[str, float]] = {}
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder))
        urls = {"sqlite": str(Path(folder) / "review.db"), "postgresql": options.postgres}
        if not options.postgres:
            sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
            from postgres import postgres_server

            server = stack.enter_context(postgres_server(sync=True))
            urls["postgresql"] = server.new_database()
        for name, url in urls.items():
            result[name] = measure(url, words, events, options.turns)
            print(name, result[name], file=sys.stderr)
    print("| | " + " | ".join(result) + " |")
    print("|---|" + "---:|" * len(result))
    for measured in result["sqlite"]:
        values = " | ".join(f"{found[measured]:,.1f}" for found in result.values())
        print(f"| {measured.replace('_', ' ')} | {values} |")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
