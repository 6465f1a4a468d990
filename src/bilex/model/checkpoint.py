"""The state of a training run after each round, so that an interrupted run can be resumed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from bilex.config import Tables, to_toml
from bilex.errors import InputFileError
from bilex.storage.files import writing
from bilex.storage.hashes import sha256_of_words
from bilex.storage.version import __version__
from bilex.values import EmbeddingSpace, Lexicon, LinearMap, Round


def fingerprint(
    tables: Tables,
    source: EmbeddingSpace,
    target: EmbeddingSpace,
    lexicon: Lexicon,
    chance: str,
) -> str:
    """Return a hash of everything that determines a run.

    `chance` is the start method and the random state.
    """
    digest = hashlib.sha256(f"{__version__}\n{to_toml(tables)}\n{chance}\n".encode())
    for space in (source, target):
        digest.update(sha256_of_words(space.words).encode())
        digest.update(space.vectors.cpu().contiguous().numpy().data)
    digest.update(repr(lexicon.entries).encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class Checkpoint:
    """The last finished round of one run, in one file."""

    path: Path
    run: str  # fingerprint of the run it belongs to

    def write(self, done: Round) -> None:
        """Write this round in place of the previous one."""
        # Copied: two roles may share one map, which the format refuses to store twice.
        tensors = {f"map.{role}": m.weight.cpu().clone() for role, m in done.maps.items()}
        facts = {
            "run": self.run,
            "number": str(done.number),
            "total": str(done.total),
            "best": done.best,
            "pairs": str(done.pairs),
            "reports": json.dumps({role: dict(m.report) for role, m in done.maps.items()}),
        }
        with writing(self.path) as part:
            save_file({**tensors, "rng_state": done.rng_state.cpu()}, part, metadata=facts)

    def read(self, device: str = "cpu") -> Round:
        """Return the round to continue from.

        Raises:
            InputFileError: If there is none, or it belongs to another run.
        """
        if not self.path.is_file():
            raise InputFileError(self.path, "no such checkpoint: run without --resume")
        try:
            with safe_open(self.path, framework="pt") as file:
                facts = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, OSError, AttributeError, TypeError) as problem:  # types unknown
            raise InputFileError(
                self.path, f"is damaged ({problem}); remove it and run without --resume"
            ) from problem
        if facts.get("run") != self.run:
            raise InputFileError(
                self.path,
                "belongs to a run with other files or settings, or another version of bilex: use "
                "the same ones, or run without --resume",
            )
        try:
            return _round(facts, tensors, device)
        except (
            KeyError, ValueError, TypeError, AttributeError, RecursionError, RuntimeError
        ) as problem:  # fmt: skip
            raise InputFileError(
                self.path,
                f"is damaged ({type(problem).__name__}: {problem}); remove it and run without "
                "--resume",
            ) from problem

    def remove(self) -> None:
        """Remove the file of a run that is finished."""
        self.path.unlink(missing_ok=True)


def _round(facts: dict[str, str], tensors: dict[str, torch.Tensor], device: str) -> Round:
    reports = json.loads(facts["reports"])
    for name, tensor in tensors.items():
        _check_tensor(name, tensor, device)
    done = Round(
        number=int(facts["number"]),
        total=int(facts["total"]),
        maps={
            role: LinearMap(tensors[f"map.{role}"].to(device), report)
            for role, report in reports.items()
        },
        best=facts["best"],
        pairs=int(facts["pairs"]),
        rng_state=tensors["rng_state"],
    )
    if done.best not in done.maps or not 0 <= done.number <= done.total:
        raise ValueError(f"round {done.number} of {done.total} has no map {done.best!r}")
    return done


def _check_tensor(name: str, tensor: torch.Tensor, device: str) -> None:
    if name == "rng_state":
        torch.Generator(device).set_state(tensor)  # raises for anything but a state
    elif tensor.dtype != torch.float32 or tensor.ndim != 2 or not bool(tensor.isfinite().all()):
        raise ValueError(f"tensor {name!r} is not a matrix of finite float32 numbers")
