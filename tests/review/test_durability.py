"""Several writers at once, and programs and servers that are killed: nothing is lost or doubled."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bilex.review.events import Event
from bilex.review.projection import project
from bilex.review.store import ReviewStore
from postgres import PostgresServer
from review_data import PROJECT, WORDS, event, review_words, undo

WRITER = """
import sys
from bilex.review.events import Event
from bilex.review.store import ReviewStore
store = ReviewStore.open(sys.argv[1])
for number in range(100_000):
    item = store.next_word("frequency", "ann")
    word = item.word.word if item else f"w{number % 5}"
    store.add([Event(id=f"{sys.argv[2]}-{number}", at="2026-01-31T12:00:00.000000Z",
                     reviewer="ann", word=word, kind="skip" if number % 2 else "none")])
    print(f"{sys.argv[2]}-{number}", flush=True)
"""


def at_once(count: int, work: Callable[[int], object]) -> None:
    """Run work in several threads that start together."""
    barrier = threading.Barrier(count)

    def run(number: int) -> None:
        barrier.wait()
        work(number)

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(run, range(count)))


def check_projection(store: ReviewStore) -> None:
    """Compare each entry with what its events make of it."""
    for item in store.items(limit=1000):
        word = item.word.word
        assert item.entry == project(word, store.history(word))
    counts = store.counts()
    assert store.rebuild() == 0
    assert store.counts() == counts


def test_the_same_event_from_several_connections_is_stored_once(
    store: ReviewStore, database_url: str
) -> None:
    made = [event(number, WORDS[number % 3]) for number in range(9)]
    new: list[list[bool]] = []

    def work(number: int) -> None:
        with ReviewStore.open(database_url) as own:
            new.append(own.add(made if number % 2 else made[::-1]))

    at_once(4, work)

    assert sum(map(sum, new)) == len(made)
    assert store.counts().events == len(list(store.events())) == len(made)
    check_projection(store)


def test_one_id_for_several_words_is_stored_for_one_of_them(
    store: ReviewStore, database_url: str
) -> None:
    new: list[bool] = []

    def work(number: int) -> None:
        with ReviewStore.open(database_url) as own:
            for turn in range(10):
                new.extend(own.add([event(turn, WORDS[number])]))

    at_once(4, work)

    assert sum(new) == len(list(store.events())) == 10
    check_projection(store)


def test_writers_of_the_same_words_do_not_lose_each_others_decisions(store: ReviewStore) -> None:
    def work(number: int) -> None:
        for turn in range(5):
            order = WORDS if (number + turn) % 2 else WORDS[::-1]
            made = [
                event(1000 * number + 10 * turn + place, word, "none", reviewer=f"r{number}")
                for place, word in enumerate([*order, f"new {turn}"])
            ]
            assert all(store.add(made))

    at_once(5, work)

    for word in (*WORDS, "new 0"):
        item = store.item(word)
        assert item is not None
        assert sorted(item.entry.reviewers) == [f"r{number}" for number in range(5)]
    assert store.counts().events == 5 * 5 * (len(WORDS) + 1)
    check_projection(store)


def test_the_queue_gives_no_word_to_two_reviewers(store: ReviewStore) -> None:
    asked: list[str] = []

    def work(number: int) -> None:
        reviewer = f"r{number}"
        while (item := store.next_word("frequency", reviewer)) is not None:
            asked.append(item.word.word)
            store.add([event(f"{reviewer}-{item.word.word}", item.word.word, reviewer=reviewer)])

    at_once(4, work)

    assert Counter(asked) == dict.fromkeys(WORDS, 1)


def test_who_follows_the_arrivals_misses_none(store: ReviewStore) -> None:
    seen: list[str] = []
    done = threading.Event()

    def work(number: int) -> None:
        if number == 0:
            after = 0
            while True:
                last = done.is_set()
                for arrival, each in store.events(after):
                    seen.append(each.id)
                    after = arrival
                if last:
                    return
        for turn in range(20):
            store.add([event(f"{number}-{turn}", WORDS[number])])
        finished.append(number)
        if len(finished) == 3:
            done.set()

    finished: list[int] = []
    at_once(4, work)

    assert len(seen) == len(set(seen)) == 60


def test_new_priorities_and_decisions_at_once(store: ReviewStore) -> None:
    def work(number: int) -> None:
        for turn in range(5):
            if number == 0:
                store.set_priorities("frequency", [(word, turn) for word in WORDS])
            elif number == 1:
                store.replace_candidates(PROJECT, review_words(prefix=f"{turn} "))
            else:
                word = WORDS[(number - 2) * 3 + turn % 3]
                made = event(100 * number + turn, word)
                store.add([made])
                store.add([undo(100 * number + 50 + turn, made)] if turn == 4 else [])

    at_once(4, work)

    open_ = {item.word.word for item in store.items(state="open")}
    asked = set()
    while (item := store.next_word("frequency", "zoe")) is not None:
        asked.add(item.word.word)
        store.add([event(f"z-{item.word.word}", item.word.word)])
    assert asked == open_
    check_projection(store)


def test_what_was_acknowledged_survives_kill(store: ReviewStore, database_url: str) -> None:
    acknowledged: list[str] = []
    for run in range(2):
        command = [sys.executable, "-c", WRITER, database_url, f"run{run}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:  # noqa: S603
            assert writer.stdout is not None
            acknowledged += [writer.stdout.readline().strip() for _ in range(5 + 3 * run)]
            writer.kill()
            acknowledged += writer.stdout.read().split()

    stored = [each.id for _, each in store.events()]
    assert len(acknowledged) >= 5 + 8
    assert set(acknowledged) <= set(stored)
    assert len(stored) == len(set(stored)) <= len(acknowledged) + 2  # one that was not yet told
    check_projection(store)


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_restart_of_the_server_is_waited_for(postgres: PostgresServer, mode: str) -> None:
    url = postgres.emptied_database()
    with ReviewStore.create(url, PROJECT, review_words()) as store:
        store.set_priorities("frequency", [(word, -rank) for rank, word in enumerate(WORDS)])
        added: list[str] = []
        running = threading.Event()
        stop = threading.Event()

        def work() -> None:
            number = 0
            while not stop.is_set():
                store.next_word("frequency", "ann")
                made = event(number, WORDS[number % len(WORDS)], "note", note="x")
                store.add([made])
                added.append(made.id)
                number += 1
                running.set()

        with ThreadPoolExecutor(1) as pool:
            working = pool.submit(work)
            running.wait(20)
            before = len(added)
            postgres.restart(mode)  # type: ignore[arg-type]
            while len(added) < before + 5 and not working.done():
                time.sleep(0.01)
            stop.set()
            working.result()
        assert [each.id for _, each in store.events()] == added


def test_a_backup_taken_while_others_write_is_of_one_moment(
    store: ReviewStore, tmp_path: Path
) -> None:
    made: list[Event] = []

    def work(number: int) -> None:
        if number == 0:
            for turn in range(20):
                made.append(event(turn, WORDS[turn % 3]))
                store.add([made[-1]])
        else:
            store.backup(tmp_path / f"{number}.jsonl")

    at_once(3, work)

    for number in (1, 2):
        url = str(tmp_path / f"{number}.db")
        with ReviewStore.restore(url, tmp_path / f"{number}.jsonl") as copy:
            found = [each for _, each in copy.events()]
            assert found == made[: len(found)]
            check_projection(copy)
