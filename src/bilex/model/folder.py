"""The contents of a trained model, and the folder that stores it.

The folder has plain data only; reading it executes no code from it.

- `config.toml`: the settings, one table for each part
- `manifest.json`: versions, vocabulary sizes and hashes, random state, report of the map
- `tensors.safetensors`: vectors, map, normalization, and the tensors of the retriever
- `source.txt`, `target.txt`: the vocabularies, one word per line
- `seeds.jsonl`: the pairs it was trained on; empty if there were none
- `candidates.json`, `candidates.safetensors`: the models that give candidates probabilities, if
  they were learned
- `answers.safetensors`: the translations of all words of both vocabularies, if they are kept
- `doubtful_seeds.tsv`: seed pairs that look wrong, the worst first, if there are any
- `seeds_left_out.tsv`: rows of the seed file that were not used, with line and reason, if any
- `report.json`: the course of training, with times; all other files are the same for the same
  random state
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from bilex.answers import AnswerTable
from bilex.candidates.model import (
    CANDIDATE_FILES,
    CandidateModels,
    plain_contents,
    read_candidate_models,
    write_candidate_models,
)
from bilex.config import to_toml
from bilex.errors import BilexError, DimensionError, ModelFolderError, SettingError
from bilex.lexicons import read_lexicon, write_lexicon
from bilex.lexicons.left_out import left_out_table
from bilex.model.feature_plugins import check_features
from bilex.storage.answer_file import ANSWERS, read_answers, write_answers
from bilex.storage.files import recover, writing
from bilex.storage.hashes import read_vocabulary, sha256_of_words
from bilex.storage.manifest import versions, vocabulary
from bilex.storage.tensors import read_tensors, write_tensors
from bilex.values import (
    EmbeddingSpace,
    Lexicon,
    LinearMap,
    Normalization,
    NormalizationStep,
    TrainingReport,
)

FORMAT = 2
"""Increased when an older version of bilex can no longer read the folder."""

FILES = (
    "config.toml",
    "manifest.json",
    "report.json",
    "seeds.jsonl",
    "source.txt",
    "target.txt",
    "tensors.safetensors",
)

DOUBTFUL_SEEDS = "doubtful_seeds.tsv"
"""For users; bilex does not read it."""

SEEDS_LEFT_OUT = "seeds_left_out.tsv"
"""For users; bilex does not read it."""

_VECTORS = ("source.vectors", "target.vectors")

_RETRIEVAL = "retrieval."  # prefix of the tensors of the retriever
_PACKAGE = "retrieval_package"  # key of the manifest

_FOR_USERS = (DOUBTFUL_SEEDS, SEEDS_LEFT_OUT)

_LEFT_BY_FILE_MANAGERS = {".DS_Store", "Thumbs.db", "desktop.ini"}


@dataclass(frozen=True, eq=False)
class ModelContents:
    """The data of a trained model; spaces are normalized.

    Attributes:
        config: The settings, one table for each part.
        source: The source space.
        target: The target space.
        source_normalization: How source vectors are normalized.
        target_normalization: How target vectors are normalized.
        mapping: Maps source rows into the target space.
        seeds: The pairs it was trained on.
        random_state: Of the training run.
        report: The course of training.
        retrieval_state: Tensors that the retriever computed, by name.
        candidate_models: Give candidates probabilities; None if they were not learned.
        half: Whether files store vectors with 16 bits per number, to which they are rounded.
        answers: Translations of all words; the key is whether the direction is reverse. Empty if
            they are not kept.
    """

    config: dict[str, dict[str, object]]
    source: EmbeddingSpace
    target: EmbeddingSpace
    source_normalization: Normalization
    target_normalization: Normalization
    mapping: LinearMap
    seeds: Lexicon
    random_state: int
    report: TrainingReport
    retrieval_state: Mapping[str, torch.Tensor] = field(default_factory=dict)
    candidate_models: CandidateModels | None = None
    half: bool = False
    answers: Mapping[bool, AnswerTable] = field(default_factory=dict)

    @cached_property
    def identity(self) -> str:
        """Return a hash of everything that translations depend on."""
        digest = hashlib.sha256(to_toml(self.config).encode())
        for space in (self.source, self.target):
            digest.update(sha256_of_words(space.words).encode())
        digest.update(self.mapping.weight.cpu().contiguous().numpy().data)
        if self.candidate_models is not None:
            text, tensors = plain_contents(self.candidate_models)
            digest.update(text.encode())
            for _, tensor in sorted(tensors.items()):
                digest.update(tensor.numpy().data)
        return digest.hexdigest()[:12]

    def to(self, device: str) -> ModelContents:
        """Return the same contents with vectors, map and candidate models on a device."""
        models = self.candidate_models
        # In another memory layout, products would have other last digits after a reload.
        weight = self.mapping.weight.to(device).contiguous()
        return replace(
            self,
            source=self.source.with_vectors(self.source.vectors.to(device)),
            target=self.target.with_vectors(self.target.vectors.to(device)),
            mapping=replace(self.mapping, weight=weight),
            retrieval_state={name: t.to(device) for name, t in self.retrieval_state.items()},
            candidate_models=None if models is None else models.to(device),
        )


def check_output(folder: Path) -> None:
    """Raise `SettingError` if a model must not be written to a folder.

    Only a model folder or an empty folder is replaced.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise SettingError(f"{folder} is a file: give the name of a folder to write the model to")
    held = {path.name for path in folder.iterdir()} - _LEFT_BY_FILE_MANAGERS
    if held and not held.issuperset(FILES):
        raise SettingError(
            f"{folder} exists and is not a model: give another name, or remove the folder yourself"
        )
    if others := sorted(held.difference(FILES, CANDIDATE_FILES, _FOR_USERS, [ANSWERS])):
        raise SettingError(
            f"{folder} is a model, but holds {others[0]}, which would be lost: move it elsewhere, "
            "or give another name"
        )


def write_model(contents: ModelContents, folder: Path) -> None:
    """Write a model folder; it appears complete or not at all."""
    check_output(folder)
    with writing(folder.resolve()) as part:
        part.mkdir()
        _write_text(part / "config.toml", to_toml(contents.config))
        for name, facts in (
            ("manifest", _manifest(contents)),
            ("report", contents.report.to_dict()),
        ):
            text = json.dumps(facts, ensure_ascii=False, indent=2, sort_keys=True)
            _write_text(part / f"{name}.json", f"{text}\n")
        write_tensors(_tensors(contents), part / "tensors.safetensors", like=part / "config.toml")
        if contents.candidate_models is not None:
            write_candidate_models(contents.candidate_models, part)
        if contents.answers:
            write_answers(
                contents.answers,
                part / ANSWERS,
                model=contents.identity,
                like=part / "config.toml",
            )
        for side, space in (("source", contents.source), ("target", contents.target)):
            (part / f"{side}.txt").write_bytes("".join(f"{w}\n" for w in space.words).encode())
        write_lexicon(contents.seeds, part / "seeds.jsonl")
        if doubtful := contents.report.doubtful_seeds:
            write_lexicon(Lexicon.of(doubtful), part / DOUBTFUL_SEEDS)
        if contents.seeds.report is not None and contents.seeds.report.left_out:
            _write_text(part / SEEDS_LEFT_OUT, left_out_table(contents.seeds.report.left_out))


def read_model(folder: Path) -> ModelContents:
    """Read a model folder and check everything in it.

    Raises:
        ModelFolderError: If a file is missing, damaged or inconsistent with the others.
    """
    recover(folder)
    if not folder.is_dir():
        raise ModelFolderError(folder, "there is no such folder: train a model with `bilex fit`")
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise ModelFolderError(
            folder, f"has no {missing[0]}, so it is not a model: train a model with `bilex fit`"
        )
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        config = _read_config(folder / "config.toml")
        tensors = _read_tensors(folder / "tensors.safetensors")
        _check_format(folder, manifest)
        return _assemble(folder, manifest, report, config, tensors)
    except (
        ValueError, KeyError, TypeError, OverflowError, RecursionError, SafetensorError, OSError
    ) as problem:  # fmt: skip
        ours = isinstance(problem, BilexError)
        if ours and not isinstance(problem, DimensionError | SettingError):
            raise
        raise ModelFolderError(
            folder, f"is damaged ({type(problem).__name__}: {problem}); train the model again"
        ) from problem


def retrieval_package(folder: Path) -> str | None:
    """Return the package whose plug-in a model ranks words with; None if it is bilex itself."""
    found = json.loads((folder / "manifest.json").read_text(encoding="utf-8")).get(_PACKAGE)
    return None if found is None else str(found)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _manifest(contents: ModelContents) -> dict[str, object]:
    package = _package_of_retriever(contents.config)
    return {
        **({} if package is None else {_PACKAGE: package}),
        "format": FORMAT,
        "id": contents.identity,
        "versions": versions(),
        "source": vocabulary(contents.source),
        "target": vocabulary(contents.target),
        "seeds": len(contents.seeds),
        "random_state": contents.random_state,
        "map": dict(contents.mapping.report),
        "normalization": {
            "source": [step.kind for step in contents.source_normalization.steps],
            "target": [step.kind for step in contents.target_normalization.steps],
        },
    }


def _package_of_retriever(config: Mapping[str, Mapping[str, object]]) -> str | None:
    """Return the package that the retriever is in; None if it is bilex, or is not known."""
    name = str(config["retrieval"]["name"])
    for entry in entry_points(group="bilex.retrieval", name=name):
        if entry.dist is not None and entry.dist.name != "bilex":
            return entry.dist.name
    return None


def _tensors(contents: ModelContents) -> dict[str, torch.Tensor]:
    tensors = {
        "map": contents.mapping.weight,
        **dict(zip(_VECTORS, (contents.source.vectors, contents.target.vectors), strict=True)),
    }
    if contents.half:
        tensors |= {name: tensors[name].half() for name in _VECTORS}
    for name, tensor in contents.retrieval_state.items():
        # Copied: safetensors refuses tensors that share memory, and an index may share vectors.
        tensors[f"{_RETRIEVAL}{name}"] = tensor.clone()
    for side, normalization in (
        ("source", contents.source_normalization),
        ("target", contents.target_normalization),
    ):
        for number, step in enumerate(normalization.steps):
            if step.tensor is not None:
                tensors[f"{side}.normalization.{number}"] = step.tensor
    return {name: tensor.cpu().contiguous() for name, tensor in tensors.items()}


def _read_config(path: Path) -> dict[str, dict[str, object]]:
    config = tomllib.loads(path.read_text(encoding="utf-8"))
    to_toml(config)  # raises ValueError if a value is not one that `write_model` writes
    return config


def _read_tensors(path: Path) -> dict[str, torch.Tensor]:
    tensors = read_tensors(path)
    for name, tensor in tensors.items():
        if name in _VECTORS and tensor.dtype == torch.float16:
            continue
        if tensor.dtype != torch.float32 and not name.startswith(_RETRIEVAL):
            raise ValueError(f"tensor {name!r} is not float32")
    return tensors


def _check_format(folder: Path, manifest: dict[str, Any]) -> None:
    if manifest["format"] != FORMAT:
        raise ModelFolderError(
            folder,
            f"has format {manifest['format']}, this bilex reads format {FORMAT}: "
            "install the version that wrote it, or train the model again",
        )


def _assemble(
    folder: Path,
    manifest: dict[str, Any],
    report: dict[str, Any],
    config: dict[str, dict[str, object]],
    tensors: dict[str, torch.Tensor],
) -> ModelContents:
    spaces = {
        side: EmbeddingSpace(
            read_vocabulary(folder / f"{side}.txt", manifest[side]["sha256"]),
            tensors[f"{side}.vectors"].float(),
        )
        for side in ("source", "target")
    }
    mapping = LinearMap(tensors["map"], dict(manifest["map"]))
    models = read_candidate_models(folder)
    dims = (spaces["source"].dim, spaces["target"].dim)
    _check_shape("map", mapping.weight, dims)
    if models is not None:
        check_features(models, config)
        _check_shape("second", models.second.weight, dims)
        _check_pairs(models, spaces)
    return ModelContents(
        config=config,
        source=spaces["source"],
        target=spaces["target"],
        source_normalization=_normalization("source", manifest, tensors),
        target_normalization=_normalization("target", manifest, tensors),
        mapping=mapping,
        seeds=_read_seeds(folder) if manifest["seeds"] else Lexicon(()),
        random_state=int(manifest["random_state"]),
        report=TrainingReport.from_dict(report),
        retrieval_state={
            name.removeprefix(_RETRIEVAL): tensor
            for name, tensor in tensors.items()
            if name.startswith(_RETRIEVAL)
        },
        candidate_models=models,
        half=tensors["source.vectors"].dtype == torch.float16,
        answers=read_answers(
            folder, (len(spaces["source"]), len(spaces["target"])), model=manifest["id"]
        ),
    )


def _read_seeds(folder: Path) -> Lexicon:
    return read_lexicon(folder / "seeds.jsonl", unreviewed=True)


def _check_shape(name: str, tensor: torch.Tensor, expected: tuple[int, ...]) -> None:
    if tuple(tensor.shape) != expected:
        found = tuple(tensor.shape)
        raise DimensionError(f"tensor {name!r} has shape {found}, expected {expected}")


def _check_pairs(models: CandidateModels, spaces: Mapping[str, EmbeddingSpace]) -> None:
    if models.pairs is None:
        return
    for rows, (side, space) in zip(models.pairs, spaces.items(), strict=True):
        if bool((rows >= len(space)).any()):
            raise DimensionError(
                f"tensor 'pairs' has row {int(rows.max())}, but the {side} language has "
                f"{len(space):,} words"
            )


def _normalization(
    side: str, manifest: dict[str, Any], tensors: dict[str, torch.Tensor]
) -> Normalization:
    kinds = manifest["normalization"][side]
    return Normalization(
        tuple(
            NormalizationStep(kind, tensors.get(f"{side}.normalization.{number}"))
            for number, kind in enumerate(kinds)
        )
    )
