"""Put a review server under load while it is killed: no decision may be lost or doubled.

    python benchmarks/speed/review_load.py [--reviewers 50] [--seconds 900] [--kills 20]
        [--cut-seconds 120] [--words 20000] [--interval 3]

Starts an own PostgreSQL server and `bilex review serve`. Each reviewer signs in and decides a word
every three seconds by the requests of the review page: what is not acknowledged waits in an outbox
and is sent again with the same id, and without a connection the page asks the words that it has in
store. Meanwhile the server is killed at random moments, PostgreSQL is restarted twice (once as if
it had crashed), and a third of the reviewers lose the network for two minutes.

At the end, all that was acknowledged is compared with the events in the database. The last line is
JSON: `lost`, `doubled` and `differing` must be 0, and so must answers with a status of 500 or more
while both servers were running (`errors_while_up`). The exit code is 1 if any of them is not. A
turn is the time from a decision to the next question; calm ones are not near a fault.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))

from bilex.review.accounts import Accounts
from bilex.review.events import Event, time_text
from bilex.review.project import Project
from bilex.review.security_log import Actor
from bilex.review.store import ReviewStore
from bilex.service.workbench.opening import prioritize
from page_client import (
    TIMEOUT,
    Answer,
    Card,
    NoAnswerError,
    PageClient,
    read_card,
    read_spares,
    read_undo,
)
from postgres import PostgresServer, postgres_server
from review_store import make_words

KINDS = {"accept": 70, "other": 8, "none": 12, "not-entry": 3, "skip": 4, "undo": 3}
"""How often reviewers do what; "other" accepts the second candidate."""
NONE = (
    "lost",
    "doubled",
    "differing",
    "not_sent",
    "entries_wrong",
    "errors_while_up",
    "refused",
    "broken",
)
"""Figures that must be 0."""
LONGEST_PAUSE = 15.0  # seconds between two tries to send, as in the page
SETTLING = 15.0  # seconds after a fault in which turns are not called calm
DRAINING = 180.0  # seconds at the end to send what waits


class Kept(NamedTuple):
    """A decision in the outbox."""

    address: str
    fields: tuple[tuple[str, str], ...]
    at: str


class Problem(NamedTuple):
    """An answer that was not a success."""

    status: int
    sent: float
    answered: float
    text: str


class Turn(NamedTuple):
    """When a decision was sent, and how many seconds later the next question was there."""

    sent: float
    seconds: float


@dataclass
class Tally:
    """What all reviewers saw; lists and counters are only added to, which is thread-safe."""

    turns: list[Turn] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    from_store: list[str] = field(default_factory=list)  # words that the page had in store
    resent: list[str] = field(default_factory=list)  # ids
    broken: list[str] = field(default_factory=list)  # what this program did not expect


class Reviewer:
    """Decides words as a person with the page open."""

    def __init__(self, number: int, port: int, password: str, tally: Tally) -> None:
        self.name = f"reviewer{number}"
        self.made: dict[str, Kept] = {}
        self.acknowledged: set[str] = set()
        self.client = PageClient(port)
        self._password, self._tally = password, tally
        self._rng = random.Random(number)  # noqa: S311
        self._outbox: dict[str, Kept] = {}
        self._lock = threading.Lock()
        self._card: Card | None = None
        self._undo: dict[str, str] = {}
        self._spares: list[Card] = []
        self._seen: set[str] = set()
        self._kept: list[Card] = []

    @property
    def waiting(self) -> int:
        """Return how many decisions are not acknowledged."""
        return len(self._outbox)

    def work(self, until: float, interval: float, done: threading.Event) -> None:
        """Sign in and decide until a time; what is not acknowledged is sent until `done`."""
        self._patiently(lambda: self.client.sign_in(self.name, self._password), until)
        self.start(lambda: self._send_repeatedly(done))
        due = time.monotonic() + self._rng.random() * interval
        while (now := time.monotonic()) < until:
            if now < due:
                time.sleep(min(due, until) - now)
                continue
            due = max(due + interval, now)
            if self._card is None and (self.waiting or not self._load()):
                continue
            self._decide()

    def start(self, work: Callable[[], None]) -> threading.Thread:
        """Run a part of the work beside the others; a mistake in it is written down."""

        def checked() -> None:
            try:
                work()
            except Exception:  # noqa: BLE001 - whatever it is
                self._tally.broken.append(traceback.format_exc())

        thread = threading.Thread(target=checked, daemon=True)
        thread.start()
        return thread

    def _load(self) -> bool:
        """Open the review page; return whether it has a question."""
        with suppress(NoAnswerError):
            page = self._checked(lambda: self.client.get("/review"))
            if page is not None:
                self._card, self._undo = read_card(page.text), read_undo(page.text)
                self._stock_up()
        return self._card is not None

    def _stock_up(self) -> None:
        """Get questions for the time without a connection."""
        page = self._checked(lambda: self.client.get("/spare"))
        if page is not None:
            self._spares = read_spares(page.text)

    def _decide(self) -> None:
        assert self._card is not None
        card = self._card
        kind = self._rng.choices(list(KINDS), list(KINDS.values()))[0]
        if kind == "undo" and (self._undo or self._kept):
            self._undo_last()
            return
        fields = [(name, value) for name, value in card.fields.items() if name != "csrf"]
        chosen = card.targets[1:2] if kind == "other" else ()
        fields += [("target", target) for target in chosen]
        fields.append(("kind", kind if kind in ("none", "not-entry", "skip") else "accept"))
        self._seen.add(card.word)
        if not self._post("/decide", card.fields["id"], fields):
            self._kept.append(card)
            self._show_spare()

    def _undo_last(self) -> None:
        if self._kept:  # decided without a connection
            card = self._kept.pop()
            id_ = secrets.token_urlsafe(15)
            fields = [("id", id_), ("word", card.word), ("undoes", card.fields["id"])]
            self._keep(id_, "/undo", fields)
            self._seen.discard(card.word)
            self._card = Card({**card.fields, "id": secrets.token_urlsafe(15)}, card.targets)
            return
        given = [(name, value) for name, value in self._undo.items() if name != "csrf"]
        self._post("/undo", self._undo["id"], given)
        self._undo = {}

    def _post(self, address: str, id_: str, fields: list[tuple[str, str]]) -> bool:
        """Send a form and show the next question; return whether there was an answer."""
        self._keep(id_, address, fields)
        begin = time.monotonic()
        try:
            answer = self._checked(
                lambda: self.client.post(address, [*fields, ("csrf", self.client.csrf)], part=True)
            )
        except NoAnswerError:
            return False
        if answer is None:
            return False
        self._tally.turns.append(Turn(begin, time.monotonic() - begin))
        self._acknowledge(id_, answer)
        self._kept.clear()
        self._card, self._undo = read_card(answer.text), read_undo(answer.text)
        return True

    def _keep(self, id_: str, address: str, fields: list[tuple[str, str]]) -> None:
        kept = Kept(address, tuple(fields), time_text(datetime.now(UTC)))
        with self._lock:
            assert id_ not in self.made, "the page gave an id twice"
            self.made[id_] = self._outbox[id_] = kept

    def _show_spare(self) -> None:
        self._undo = {}
        while self._spares:
            card = self._spares.pop(0)
            if card.word not in self._seen:
                self._card = card
                self._tally.from_store.append(card.word)
                return
        self._card = None  # wait for the connection

    def _acknowledge(self, id_: str, answer: Answer) -> None:
        assert answer.stored == id_, f"{answer.stored} is stored, and {id_} was sent"
        with self._lock:
            self.acknowledged.add(id_)
            self._outbox.pop(id_, None)

    def _send_repeatedly(self, done: threading.Event) -> None:
        pause = 1.0
        while not done.wait(pause):
            try:
                self._send()
                pause = 1.0
            except NoAnswerError:
                pause = min(2 * pause, LONGEST_PAUSE)

    def _send(self) -> None:
        """Send what waits, the oldest first."""
        with self._lock:
            waiting = list(self._outbox.items())
        for id_, kept in waiting:
            if id_ in self.acknowledged:
                continue
            fields = [*kept.fields, ("csrf", self.client.csrf), ("kept_at", kept.at)]
            self._tally.resent.append(id_)
            answer = self._checked(lambda k=kept, f=fields: self.client.post(k.address, f))  # type: ignore[misc]
            if answer is None:
                raise NoAnswerError
            self._acknowledge(id_, answer)
        if waiting and not self._outbox:
            self._stock_up()

    def _checked(self, request: Callable[[], Answer]) -> Answer | None:
        """Return the answer to a request; None if it was not a success, which is written down."""
        sent = time.monotonic()
        try:
            answer = request()
        except NoAnswerError as problem:
            self._tally.unanswered.append(str(problem))
            raise
        if answer.status in (200, 204):
            return answer
        problem_ = Problem(answer.status, sent, time.monotonic(), answer.text[:300])
        self._tally.problems.append(problem_)
        return None

    def _patiently(self, work: Callable[[], None], until: float) -> None:
        while True:
            try:
                return work()
            except NoAnswerError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)


class Server:
    """`bilex review serve`, started again whenever it ends."""

    def __init__(self, url: str, log: Path) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = int(listener.getsockname()[1])
        self.starts = 0
        self._environment = {**os.environ, "BILEX_DATABASE": url}
        self._log = log
        self._ending = False
        self._process = self._start()
        self._watch = threading.Thread(target=self._start_again, daemon=True)
        self._watch.start()

    def kill(self) -> None:
        """Kill a server that answers, with SIGKILL."""
        self.wait()
        self._process.kill()

    def wait(self) -> None:
        """Wait until the server answers."""
        client = PageClient(self.port)
        while True:
            try:
                if client.get("/login").status == 200:
                    return
            except NoAnswerError:
                time.sleep(0.05)

    def stop(self) -> None:
        """Stop the server as Ctrl-C does."""
        self._ending = True
        self._process.terminate()
        self._watch.join()

    def _start(self) -> subprocess.Popen[bytes]:
        self.starts += 1
        command = [sys.executable, "-m", "bilex", "review", "serve", "--port", str(self.port)]
        with self._log.open("ab") as log:
            return subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)  # noqa: S603

    def _start_again(self) -> None:
        while True:
            self._process.wait()
            if self._ending:
                return
            self._process = self._start()


class Faults:
    """What goes wrong, and when."""

    def __init__(self, server: Server, postgres: PostgresServer, reviewers: list[Reviewer]) -> None:
        self.kills = 0
        self.moments: list[float] = []  # when something went wrong
        self.down: list[tuple[float, float]] = []  # when PostgreSQL did not run
        self._server, self._postgres = server, postgres
        self._cut = reviewers[::3]

    def run(self, seconds: float, kills: int, cut_seconds: float, draw: int) -> None:
        """Do it all within some seconds: kills at random moments, and the others in between."""
        rng, begin = random.Random(draw), time.monotonic()  # noqa: S311
        plan: list[tuple[float, str, Callable[[], None]]] = [
            (0.25 * seconds, "no network", self._disconnect),
            (0.25 * seconds + cut_seconds, "network", self._reconnect),
            (0.55 * seconds, "crash of PostgreSQL", lambda: self._restart("immediate")),
            (0.8 * seconds, "restart of PostgreSQL", lambda: self._restart("fast")),
        ]
        plan += [(rng.uniform(0.05, 0.95) * seconds, "kill", self._kill) for _ in range(kills)]
        for due, name, action in sorted(plan, key=lambda each: each[0]):
            time.sleep(max(0.0, begin + due - time.monotonic()))
            action()
            self.moments.append(time.monotonic())
            note(f"{time.monotonic() - begin:.1f} s: {name}")

    def _kill(self) -> None:
        self._server.kill()
        self.kills += 1

    def _disconnect(self) -> None:
        for each in self._cut:
            each.client.cut()

    def _reconnect(self) -> None:
        for each in self._cut:
            each.client.reconnect()

    def _restart(self, mode: Any) -> None:  # noqa: ANN401 - a literal of the server
        begin = time.monotonic()
        self._postgres.restart(mode)
        self.down.append((begin, time.monotonic()))


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def make_project(server: PostgresServer, words: int, reviewers: int, password: str) -> str:
    """Make a project with an account for each reviewer; return the address of its database."""
    url = server.new_database()
    with ReviewStore.create(url, Project(title="Load", model="m1"), make_words(words)) as store:
        prioritize(store, "value")
        accounts = Accounts(store.database)
        for number in range(reviewers):
            name = f"reviewer{number}"
            accounts.add(name, "reviewer", password, actor=Actor("load", "127.0.0.1"))
    return url


def compare(store: ReviewStore, reviewers: list[Reviewer]) -> dict[str, int]:
    """Compare what was made and acknowledged with the events in the database."""
    stored: dict[str, Event] = {}
    times: Counter[str] = Counter()
    for _, event in store.events():
        stored[event.id] = event
        times[event.id] += 1
    made = {id_: (each.name, kept) for each in reviewers for id_, kept in each.made.items()}
    acknowledged = set().union(*(each.acknowledged for each in reviewers))
    return {
        "decisions": len(made),
        "acknowledged": len(acknowledged),
        "stored": sum(times.values()),
        "lost": len(acknowledged - stored.keys()),
        "doubled": sum(number - 1 for number in times.values()) + len(stored.keys() - made.keys()),
        "differing": sum(
            not _is_same(stored[id_], *made[id_]) for id_ in stored.keys() & made.keys()
        ),
        "not_sent": len(made.keys() - acknowledged),
        "entries_wrong": store.rebuild(),
    }


def _is_same(event: Event, reviewer: str, kept: Kept) -> bool:
    fields = dict(kept.fields)
    kind = fields.get("kind", "undo")
    if (event.reviewer, event.word, event.kind) != (reviewer, fields["word"], kind):
        return False
    if kind == "undo":
        return event.undoes == fields["undoes"]
    chosen = fields.get("target")
    return kind != "accept" or (chosen or event.shown[0].target) == event.targets[0]


def measured(tally: Tally, faults: Faults) -> dict[str, Any]:
    """Return times, and answers that were not a success by kind."""
    up: Counter[int] = Counter()
    restarting: Counter[int] = Counter()
    for each in tally.problems:
        meets = any(each.sent < end and begin < each.answered for begin, end in faults.down)
        (restarting if meets else up)[each.status] += 1
        if not meets:
            note(f"{each.status}: {each.text}")
    for text in tally.broken:
        note(text)
    calm = [
        turn.seconds
        for turn in tally.turns
        if not any(-TIMEOUT < turn.sent - moment < SETTLING for moment in faults.moments)
    ]
    return {
        "broken": len(tally.broken),
        "errors_while_up": sum(number for status, number in up.items() if status >= 500),
        "refused": sum(number for status, number in up.items() if status < 500),
        "errors_while_postgresql_restarted": dict(restarting),
        "unanswered": dict(Counter(tally.unanswered)),
        "asked_from_store": len(tally.from_store),
        "sent_again": len(tally.resent),
        "answered_at_once": len(tally.turns),
        "turn_ms": milliseconds([turn.seconds for turn in tally.turns]),
        "calm_turns": len(calm),
        "calm_turn_ms": milliseconds(calm),
    }


def milliseconds(seconds: list[float]) -> dict[str, float]:
    """Return the median and upper percentiles."""
    ordered = sorted(seconds) or [0.0]
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    at = {name: ordered[int(share * (len(ordered) - 1))] for name, share in shares.items()}
    return {name: round(1000 * value, 1) for name, value in at.items()}


def run(given: argparse.Namespace, postgres: PostgresServer, log: Path) -> dict[str, Any]:
    """Run the load and return the figures; what the server prints is added to `log`."""
    password, tally, done = secrets.token_urlsafe(15), Tally(), threading.Event()
    url = make_project(postgres, given.words, given.reviewers, password)
    server = Server(url, log)
    try:
        server.wait()
        reviewers = [
            Reviewer(number, server.port, password, tally) for number in range(given.reviewers)
        ]
        begin = time.monotonic()
        end = begin + given.seconds
        working = [
            each.start(lambda e=each: e.work(end, given.interval, done))  # type: ignore[misc]
            for each in reviewers
        ]
        faults = Faults(server, postgres, reviewers)
        faults.run(given.seconds, given.kills, given.cut_seconds, given.draw)
        for thread in working:
            thread.join()
        late = time.monotonic() + DRAINING
        while any(each.waiting for each in reviewers) and time.monotonic() < late:
            time.sleep(0.1)
        done.set()
        with ReviewStore.open(url) as store:
            found = compare(store, reviewers)
        return {
            "reviewers": given.reviewers,
            "seconds": given.seconds,
            **found,
            **measured(tally, faults),
            "kills": faults.kills,
            "server_starts": server.starts,
            "postgresql_restarts": len(faults.down),
            "tracebacks": log.read_text(errors="replace").count("Traceback"),
            "load_average": round(os.getloadavg()[1], 1),
        }
    finally:
        done.set()
        server.stop()


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--reviewers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--interval", type=float, default=3, help="seconds between decisions")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--cut-seconds", type=float, default=120, help="without a network")
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--draw", type=int, default=0, help="of the moments of the kills")
    parser.add_argument("--log", type=Path, default=None, help="keep what the server prints here")
    return parser.parse_args(arguments)


def main() -> None:
    given = parse()
    with tempfile.TemporaryDirectory() as folder, postgres_server(sync=True) as postgres:
        found = run(given, postgres, given.log or Path(folder) / "server.log")
    print(json.dumps(found))
    if any(found[name] for name in NONE):
        sys.exit(1)


if __name__ == "__main__":
    main()
