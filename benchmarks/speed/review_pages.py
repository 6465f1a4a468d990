"""Time the review page of a large project by HTTP: from a decision to the next question.

    python benchmarks/speed/review_pages.py [--words 200000] [--events 1000000] [--decisions 1000]
        [--databases sqlite postgresql] [--folder FOLDER]

Starts `bilex review serve` on a database of each kind; PostgreSQL is an own server as in the tests,
whose commits wait for the disk. One reviewer signs in and decides as fast as the answers come, by
the requests of the review page. Prints JSON at the end, with the load of the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import secrets
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))

from bilex.review.accounts import Accounts
from bilex.review.project import Project, ReviewWord
from bilex.review.security_log import Actor
from bilex.review.store import ReviewStore
from bilex.service.workbench.opening import prioritize
from page_client import NoAnswerError, PageClient, read_card, read_undo
from postgres import postgres_server
from review_load import Server
from review_store import REVIEWERS, fill, make_rows, make_words, percentiles

KINDS = {"accept": 80, "none": 12, "skip": 5, "undo": 3}
PAGES = ("/", "/review", "/batch", "/words", "/spare", "/entry?word=")


def measure(
    url: str, words: list[ReviewWord], events: list[list[Any]], decisions: int, folder: Path
) -> dict[str, float]:
    password = secrets.token_urlsafe(15)
    with ReviewStore.create(url, Project(title="Benchmark", model="css-4f1b"), words) as store:
        fill(store, events)
        store.rebuild()
        prioritize(store, "value")
        accounts = Accounts(store.database)
        accounts.add(REVIEWERS[0], "editor", password, actor=Actor("benchmark"))
    server = Server(url, folder / "server.log")
    try:
        server.wait()
        client = PageClient(server.port)
        client.sign_in(REVIEWERS[0], password)
        found = percentiles("decide_to_next", decide(client, decisions))
        print(found, file=sys.stderr, flush=True)
        for page in PAGES:
            address = page + (words[0].word if page.endswith("=") else "")
            name = page.strip("/").partition("?")[0] or "start"
            found |= percentiles(name, [timed_get(client, address) for _ in range(20)])
    finally:
        server.stop()
    found["load_average"] = os.getloadavg()[0]
    return {name: round(value, 1) for name, value in found.items()}


def decide(client: PageClient, decisions: int) -> list[float]:
    """Decide and undo; return how long each answer took."""
    rng = random.Random(4)  # noqa: S311
    page = client.get("/review").text
    seconds = []
    for _ in range(decisions):
        card, last = read_card(page), read_undo(page)
        assert card is not None, "more decisions than open words"
        kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
        fields = {**card.fields, "kind": kind}
        if kind == "undo":
            fields = last
        begin = time.perf_counter()
        answer = client.post("/undo" if kind == "undo" else "/decide", fields.items(), part=True)
        seconds.append(time.perf_counter() - begin)
        assert answer.status == 200, answer
        page = answer.text
    return seconds


def timed_get(client: PageClient, address: str) -> float:
    begin = time.perf_counter()
    try:
        answer = client.get(address)
    except NoAnswerError as problem:
        raise RuntimeError(f"{address}: {problem}") from problem
    assert answer.status == 200, answer
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--decisions", type=int, default=1_000)
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--folder", type=Path, default=None, help="where the files are made")
    given = parser.parse_args()
    words = list(make_words(given.words))
    events = list(make_rows(words, given.events))  # 2 GB for a million
    result: dict[str, dict[str, float]] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=given.folder)))
        for name in given.databases:
            url = str(folder / "review.sqlite")
            if name == "postgresql":
                url = stack.enter_context(postgres_server(sync=True)).new_database()
            result[name] = measure(url, words, events, given.decisions, folder)
            print(name, result[name], file=sys.stderr, flush=True)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
