"""Keeping a calibration in a model folder, as plain data.

- `candidates.json`: names, settings and what held-out seeds said, by direction
- `candidates.safetensors`: what was learned, and the second map
"""

from __future__ import annotations

import json
from pathlib import Path

import torch

from bilex.calibration.calibrator import Calibration
from bilex.calibration.candidate_model import CandidateModel
from bilex.tensor_files import read_tensors, write_tensors
from bilex.values import LinearMap

CALIBRATION_FILES = FACTS, TENSORS = "candidates.json", "candidates.safetensors"


def plain_contents(calibration: Calibration) -> tuple[str, dict[str, torch.Tensor]]:
    """Return all there is to keep: facts as JSON, and tensors by name."""
    facts: dict[str, object] = {
        "candidates": calibration.candidates,
        "second": dict(calibration.second.report),
        "warnings": list(calibration.warnings),
    }
    tensors = {"second": calibration.second.weight.cpu().contiguous()}
    for name, model in (("forward", calibration.forward), ("backward", calibration.backward)):
        if model is not None:
            facts[name] = model.facts()
            tensors |= {f"{name}.{key}": value for key, value in model.tensors().items()}
    return json.dumps(facts, indent=2, ensure_ascii=False, sort_keys=True) + "\n", tensors


def write_calibration(calibration: Calibration, folder: Path) -> None:
    """Write both files into a folder that is being made."""
    text, tensors = plain_contents(calibration)
    (folder / FACTS).write_text(text, encoding="utf-8", newline="\n")
    write_tensors(tensors, folder / TENSORS, like=folder / FACTS)


def read_calibration(folder: Path) -> Calibration | None:
    """Return the calibration kept in a folder, None if there is none.

    Raises:
        ValueError, KeyError, TypeError, OSError, SafetensorError: If a file is damaged, or one
            is there without the other.
    """
    if not ((folder / FACTS).exists() or (folder / TENSORS).exists()):
        return None
    facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    tensors = read_tensors(folder / TENSORS)
    candidates = int(facts["candidates"])
    if candidates < 1:
        raise ValueError(f"{candidates} candidates are judged, expected 1 or more")
    return Calibration(
        second=LinearMap(tensors["second"], facts["second"]),
        candidates=candidates,
        forward=_model("forward", facts, tensors),
        backward=_model("backward", facts, tensors),
        warnings=tuple(facts["warnings"]),
    )


def _model(
    name: str, facts: dict[str, dict[str, object]], tensors: dict[str, torch.Tensor]
) -> CandidateModel | None:
    if name not in facts:
        return None
    own = {
        key.removeprefix(f"{name}."): tensor
        for key, tensor in tensors.items()
        if key.startswith(f"{name}.")
    }
    return CandidateModel.restore(facts[name], own)
