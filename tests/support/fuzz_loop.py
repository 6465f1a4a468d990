"""Read many damaged files in a child process with limited memory, and report what goes wrong."""

from __future__ import annotations

import contextlib
import gc
import json
import mmap
import os
import random
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType

from bilex.errors import BilexError
from fuzz_readers import Reader
from mutation import some_bytes

SECONDS = 5.0
"""The longest that one input may take."""

MEMORY = 2**30
"""Bytes that the inputs of one reader may take together."""

MOST_FINDINGS = 10


class TooSlow(BaseException):
    """Not an `Exception`, so that no reader takes it for a damaged file."""


@dataclass
class Outcome:
    """Counts, the slowest input, the peak of memory, and each kind of finding once."""

    read: int = 0
    refused: int = 0
    slowest: float = 0.0
    slowest_seed: int = 0
    seconds: float = 0.0
    peak_growth: int = 0
    findings: list[str] = field(default_factory=list)

    def summary(self) -> str:
        return (
            f"{self.read + self.refused:,} inputs, {self.read:,} read, {self.refused:,} refused, "
            f"{len(self.findings)} findings; {self.seconds:.1f} s, slowest {self.slowest:.3f} s "
            f"(seed {self.slowest_seed}), {self.peak_growth / 2**20:.0f} MB more at the peak"
        )


def run_limited(reader: Reader, folder: Path, *, first_seed: int, rounds: int) -> Outcome:
    """Run the loop in a forked child with limited memory; in this process where it cannot fork."""
    if not sys.platform.startswith("linux"):
        return _run(reader, folder, first_seed, rounds, lambda seed: None)
    shared = mmap.mmap(-1, 16)  # the current seed, so that a crash can be repeated

    def announce(seed: int) -> None:
        shared[:] = seed.to_bytes(16, "little")

    report, written = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads
        child = os.fork()
    if not child:
        os.close(report)
        _run_as_child(reader, folder, first_seed, rounds, announce, written)
    os.close(written)
    with os.fdopen(report, "rb") as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    if text:
        return Outcome(**json.loads(text))
    seed = int.from_bytes(shared[:], "little")
    return Outcome(findings=[f"seed {seed}: the process died with status {status}"])


def _run_as_child(
    reader: Reader,
    folder: Path,
    first_seed: int,
    rounds: int,
    announce: Callable[[int], None],
    written: int,
) -> None:
    import resource

    sys.settrace(None)  # coverage of the child is lost when it ends, and makes it slow
    try:
        reader.prepare(folder)
        with contextlib.suppress(BilexError):
            reader.read(folder)  # libraries reserve address space once, such as a GB by Arrow
        limit = _virtual_memory() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        outcome = _run(reader, folder, first_seed, rounds, announce)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        outcome.peak_growth = (after - before) * 1024
        with os.fdopen(written, "wb") as file:
            file.write(json.dumps(asdict(outcome)).encode())
    except BaseException as error:  # noqa: BLE001 - the child must not go on as a second test run
        outcome = Outcome(findings=[f"not in a reader: {_described(error)[1]}"])
        os.write(written, json.dumps(asdict(outcome)).encode())
    finally:
        os._exit(0)


def _virtual_memory() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _run(
    reader: Reader, folder: Path, first_seed: int, rounds: int, announce: Callable[[int], None]
) -> Outcome:
    if not any(folder.iterdir()):
        reader.prepare(folder)
    originals = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    outcome, kinds = Outcome(), set[str]()
    start = time.monotonic()
    for seed in range(first_seed, first_seed + rounds):
        announce(seed)
        changed = damage(reader, originals, random.Random(seed))
        began = time.monotonic()
        try:
            with _limited_time():
                reader.read(folder)
            outcome.read += 1
        except BilexError:
            outcome.refused += 1
        except (Exception, TooSlow) as error:  # noqa: BLE001 - each is a finding
            kind, text = _described(error)
            if kind not in kinds and len(kinds) < MOST_FINDINGS:
                outcome.findings.append(f"seed {seed}: {text}")
            kinds.add(kind)
        seconds = time.monotonic() - began
        if seconds > outcome.slowest:
            outcome.slowest, outcome.slowest_seed = seconds, seed
        for path in changed:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(originals[path])
        if seed % 500 == 0:
            gc.collect()
    if outcome.slowest > SECONDS:
        outcome.findings.append(f"seed {outcome.slowest_seed}: took {outcome.slowest:.1f} s")
    outcome.seconds = time.monotonic() - start
    return outcome


def damage(reader: Reader, originals: dict[Path, bytes], rng: random.Random) -> set[Path]:
    """Damage one or two of the files, or delete one; return which."""
    changed = set()
    for _ in range(rng.choice((1, 1, 1, 2))):
        name, mutation = rng.choice(list(reader.mutations.items()))
        path = next(path for path in originals if path.name.endswith(name))
        data = mutation(rng, originals[path])
        if rng.random() < 0.05:
            data = some_bytes(rng, data)
        if rng.random() < 0.01:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(data)
        changed.add(path)
    return changed


def _described(error: BaseException) -> tuple[str, str]:
    """Return the kind of a finding, and its message with the last lines of bilex it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{Path(one.filename).name}:{one.lineno}" for one in frames[-6:]]
    try:
        text = repr(error)[:300]
    except Exception:  # noqa: BLE001 - of an error that cannot be shown
        text = "?"
    return f"{type(error).__name__} {places[-1]}", f"{text} at {' '.join(places)}"


@contextlib.contextmanager
def _limited_time() -> Iterator[None]:
    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooSlow(f"took more than {SECONDS:.0f} s")
