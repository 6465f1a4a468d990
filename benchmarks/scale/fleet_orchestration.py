"""Run a fleet of synthetic languages on a real Ray cluster while processes are killed.

    python benchmarks/scale/fleet_orchestration.py --languages 157 --words 1500 -o /tmp/fleet

Languages are turned and noisy copies of one random space, with seeds to a hub. The cluster has
several raylets on this machine. While the fleet runs, a worker is killed every minute, one raylet
is killed, and the driver is killed with -9 twice and started again. Then it is checked that every
pair is there once, that nothing was computed twice but what was in flight, how much processor time
the scheduler took, whether the memory of the driver grew, and how long `bilex fleet status` takes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import torch

from bilex.embeddings import save_embeddings
from bilex.fleet import fleet_status
from bilex.lexicons import write_lexicon
from bilex.values import EmbeddingSpace, Lexicon, unit_rows

ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "disabled",
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
}
STORE = 128 * 2**20  # bytes of an object store: the least that Ray makes
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
WORKERS = (b"ray::_work", b"ray::IDLE")  # Ray's own agents begin with ray:: too
WARM_UP = 0.2  # share of a driver's life in which its memory may grow


def write_languages(folder: Path, number: int, words: int, dim: int, seeds: int) -> Path:
    """Write vectors, seeds and a fleet file; return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    codes = ["".join(letters) for letters in product(ascii_lowercase, repeat=3)][:number]
    rng = torch.Generator().manual_seed(0)
    center = unit_rows(torch.randn(words, dim, generator=rng))
    hub, lines = codes[0], [f'hub = "{codes[0]}"', 'vectors = "{language}.vec"']
    pairs = []
    for code in codes:
        turn = torch.linalg.qr(torch.randn(dim, dim, generator=rng)).Q
        vectors = center @ turn + 0.4 / dim**0.5 * torch.randn(words, dim, generator=rng)
        names = tuple(f"{code}{row}" for row in range(words))
        save_embeddings(EmbeddingSpace(names, vectors), folder / f"{code}.vec")
        lines.append(f"[languages.{code}]")
        if code != hub:
            lexicon = Lexicon.of([(f"{hub}{row}", f"{code}{row}") for row in range(seeds)])
            write_lexicon(lexicon, folder / f"{hub}-{code}.tsv")
            pairs.append(f'{hub}-{code} = "{hub}-{code}.tsv"')
    text = "\n".join([*lines, "[seeds]", *pairs, "[method]", 'preset = "procrustes"', ""])
    (folder / "FLEET.toml").write_text(text, encoding="utf-8")
    return folder / "FLEET.toml"


@dataclass
class Process:
    """A process and what it has used so far."""

    kind: str
    processor: float
    resident: int


def processes(roots: dict[int, str]) -> Iterator[tuple[int, Process]]:
    """Yield the processes below some roots; a worker is one that Ray started to run tasks."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            try:
                stat = (path / "stat").read_text().rpartition(") ")[2].split()
            except OSError:
                continue
            parents.setdefault(int(stat[1]), []).append(int(path.name))
    waiting = list(roots)
    seen = set()
    while waiting:
        pid = waiting.pop()
        if pid in seen:
            continue
        seen.add(pid)
        waiting += parents.get(pid, [])
        try:
            stat = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        is_worker = command.startswith(WORKERS) or b"default_worker.py" in command
        kind = roots.get(pid) or ("worker" if is_worker else "scheduler")
        processor = (int(stat[11]) + int(stat[12])) / TICKS
        yield pid, Process(kind, processor, int(stat[21]) * PAGE)


@dataclass
class Watcher:
    """Counts what processes use, and kills some of them."""

    cluster: Any
    used: dict[int, Process] = field(default_factory=dict)
    driver_memory: list[list[tuple[float, int]]] = field(default_factory=list)

    def look(self, driver: int) -> None:
        """Note what all processes have used."""
        roots = dict.fromkeys(self.cluster_processes(), "scheduler") | {driver: "driver"}
        for pid, found in processes(roots):
            self.used[pid] = found
            if pid == driver:
                self.driver_memory[-1].append((time.time(), found.resident))

    def cluster_processes(self) -> list[int]:
        """Return the processes that the cluster started itself."""
        return [
            started.process.pid
            for node in self.cluster.list_all_nodes()
            for each in node.all_processes.values()
            for started in each
        ]

    def kill_worker(self) -> bool:
        """Kill a worker during a task, if there is one."""
        at_work = []
        for pid, found in processes(dict.fromkeys(self.cluster_processes(), "scheduler")):
            try:
                command = Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                continue
            if found.kind == "worker" and command.startswith(b"ray::_work"):
                at_work.append(pid)
        if not at_work:
            return False
        os.kill(random.choice(at_work), signal.SIGKILL)  # noqa: S311
        return True

    def kill_raylet(self) -> None:
        """Kill a raylet that is not the head."""
        node = next(iter(self.cluster.worker_nodes))
        self.cluster.remove_node(node, allow_graceful=False)

    def processor(self, kind: str) -> float:
        """Return the seconds that processes of a kind have used."""
        return sum(found.processor for found in self.used.values() if found.kind == kind)


def start_driver(fleet: Path, output: Path, address: str, log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "bilex", "fleet", "run", str(fleet), "-o", str(output)]
    with log.open("ab") as file:
        return subprocess.Popen(  # noqa: S603
            [*command, "--engine", "ray", "--address", address],
            stdout=file,
            stderr=file,
            env={**os.environ, **ENVIRONMENT},
        )


def share_done(output: Path) -> float:
    if not (output / "fleet.json").exists():
        return 0.0
    pairs = fleet_status(output)[-1]
    return (pairs.done + len(pairs.failures)) / pairs.total


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    os.environ.update(ENVIRONMENT)
    from ray.cluster_utils import Cluster

    folder: Path = arguments.output
    fleet = write_languages(
        folder / "data", arguments.languages, arguments.words, arguments.dim, arguments.seeds
    )
    output, log = folder / "out", folder / "driver.log"
    node = {"num_cpus": 1, "object_store_memory": STORE}
    # The head works, too: beside one without CPUs, a driver asks all others for some all the time.
    head = {**node, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(arguments.raylets - 1):
        cluster.add_node(**node)
    watcher = Watcher(cluster)
    kills: Counter[str] = Counter()
    at = {"driver": [0.3, 0.7], "raylet": [0.5]}  # shares of the pairs that are done
    begin = last_kill = time.time()
    driver = start_driver(fleet, output, cluster.address, log)
    watcher.driver_memory.append([])
    try:
        while driver.poll() is None:
            time.sleep(arguments.every)
            watcher.look(driver.pid)
            done = share_done(output)
            if at["driver"] and done >= at["driver"][0]:
                at["driver"].pop(0)
                driver.kill()
                driver.wait()
                kills["driver"] += 1
                driver = start_driver(fleet, output, cluster.address, log)
                watcher.driver_memory.append([])
            elif at["raylet"] and done >= at["raylet"][0]:
                at["raylet"].pop(0)
                watcher.kill_raylet()
                kills["raylet"] += 1
            elif time.time() - last_kill >= arguments.kill_every and watcher.kill_worker():
                last_kill = time.time()
                kills["worker"] += 1
        seconds = time.time() - begin
        code = driver.returncode
    finally:
        if driver.poll() is None:
            driver.kill()
        cluster.shutdown()
    return {
        "languages": arguments.languages,
        "exit_code": code,
        "seconds": round(seconds),
        "kills": dict(kills),
        **check(output, arguments.languages),
        **overhead(watcher, output, seconds),
        **memory(watcher),
        **status_time(output),
    }


def check(output: Path, languages: int) -> dict[str, Any]:
    """Return what is there, and what was computed more than once."""
    import pyarrow.parquet as parquet

    files = sorted((output / "lexicons").rglob("*.parquet"))
    expected = languages * (languages - 1)
    empty = sum(parquet.read_metadata(file).num_rows == 0 for file in files)
    times = Counter(line["key"] for line in log_lines(output))
    again = {key: count for key, count in times.items() if count > 1}
    keys = [key for stage in tasks(output).values() for _, key, _ in stage]
    return {
        "lexicons": len(files),
        "expected": expected,
        "empty": empty,
        "tasks": len(keys),
        "never_computed": sum(key not in times for key in keys),
        "computed_again": sum(again.values()) - len(again),
        "failed": sum(len(stage.failures) for stage in fleet_status(output)),
    }


def overhead(watcher: Watcher, output: Path, seconds: float) -> dict[str, Any]:
    """Return the seconds of processor time of tasks and of everything else.

    Most of what the scheduler uses depends on the time that passes, not on the tasks: on a machine
    that is busy with other work, its share is larger.
    """
    lines = log_lines(output)
    tasks_seconds = sum(line["processor"] for line in lines)
    scheduler, driver = watcher.processor("scheduler"), watcher.processor("driver")
    workers = watcher.processor("worker")
    return {
        "task_processor": round(tasks_seconds),
        "task_mean": round(tasks_seconds / max(len(lines), 1), 3),
        "worker_processor": round(workers),
        "scheduler_processor": round(scheduler),
        "driver_processor": round(driver),
        "scheduler_cores": round(scheduler / seconds, 3),
        "cores_at_work": round((workers + scheduler + driver) / seconds, 2),
        "overhead": round((scheduler + driver) / max(workers + scheduler + driver, 1e-9), 4),
    }


def memory(watcher: Watcher) -> dict[str, Any]:
    """Return the memory of each driver in MiB: after its start, at its end, and the largest."""
    found = []
    for life in watcher.driver_memory:
        sizes = [size / 2**20 for _, size in life if size]
        later = sizes[int(WARM_UP * len(sizes)) :]
        if later:
            found.append([round(later[0]), round(later[-1]), round(max(later))])
    return {"driver_memory_mib": found}


def status_time(output: Path) -> dict[str, Any]:
    begin = time.perf_counter()
    command = [sys.executable, "-m", "bilex", "fleet", "status", str(output)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    return {"status_seconds": round(time.perf_counter() - begin, 2)}


def log_lines(output: Path) -> list[dict[str, Any]]:
    files = sorted((output / "log").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def tasks(output: Path) -> dict[str, list[tuple[str, str, list[str]]]]:
    found: dict[str, list[tuple[str, str, list[str]]]] = json.loads(
        (output / "fleet.json").read_text()
    )["stages"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--languages", type=int, default=12)
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--dim", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--raylets", type=int, default=3)
    parser.add_argument("--kill-every", type=float, default=60.0, help="seconds")
    parser.add_argument("--every", type=float, default=2.0, help="seconds between two looks")
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    found = run(arguments)
    text = json.dumps(found, indent=2)
    (arguments.output / "found.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    right = (
        found["exit_code"] == 0
        and found["lexicons"] == found["expected"]
        and not found["never_computed"]
        and not found["failed"]
    )
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
