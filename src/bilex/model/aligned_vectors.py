"""The vectors of both languages in one space, in formats that other programs read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from bilex.embeddings.collector import Floats
from bilex.embeddings.save import FileFormat, RowBlocks, write_blocks
from bilex.embeddings.vocabulary_bytes import check_writable
from bilex.errors import SettingError
from bilex.model.card import CardFacts, card, license_tag
from bilex.model.folder import ModelContents
from bilex.registry import did_you_mean
from bilex.storage.files import writing
from bilex.storage.hashes import sha256_of
from bilex.storage.manifest import versions, vocabulary
from bilex.values import EmbeddingSpace, LinearMap, Progress, unit_rows

KIND = "bilex-aligned-vectors"
"""The kind of the folder in its manifest."""

AlignedFormat = Literal["vec", "bin", "kv", "safetensors", "hf"]

_FORMATS: dict[str, tuple[str, FileFormat]] = {  # the end of a file's name, and how it is written
    "vec": (".vec", "text"),
    "bin": (".bin", "word2vec-bin"),
    "kv": (".kv", "gensim"),
    "safetensors": (".safetensors", "safetensors"),
    "hf": ("/model.safetensors", "safetensors"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedVectors:
    """Writes the mapped source vectors and the target vectors, each scaled to length 1.

    Attributes:
        format: "vec" (text), "bin" (word2vec), "kv" (gensim), "safetensors", or "hf": a folder
            for each language and a model card, as models are shared on the Hugging Face Hub.
        source_name: Name of the files of the source language, such as "en".
        target_name: Name of the files of the target language.
        limit: Write only this many of the most frequent words of each language.
        license: For the card: the license of the vectors, as an SPDX name.
        scores: For the card: the output of `bilex evaluate --json`.
    """

    format: AlignedFormat = "vec"
    source_name: str = "source"
    target_name: str = "target"
    limit: int | None = None
    license: str | None = None
    scores: Mapping[str, object] | None = None

    def __post_init__(self) -> None:
        if self.format not in _FORMATS:
            hint = did_you_mean(self.format, list(_FORMATS))
            known = ", ".join(_FORMATS)
            raise SettingError(f"the vector format is {self.format!r}{hint}, expected: {known}")
        for name in (self.source_name, self.target_name):
            if not re.fullmatch(r"\w[\w-]*", name):
                raise SettingError(
                    f"{name!r} cannot be a file name: use letters, digits, - and _, such as en"
                )
        if self.source_name.lower() == self.target_name.lower():
            raise SettingError(
                f"both languages are called {self.source_name!r}: give them different names"
            )
        if self.limit is not None and self.limit < 1:
            raise SettingError(f"limit is {self.limit}: expected 1 or more words")
        if self.format != "hf" and (self.license is not None or self.scores is not None):
            raise SettingError(
                f"license and scores are for a model card, which the format {self.format!r} does "
                "not have: choose the format 'hf', or leave them out"
            )
        if self.license is not None:
            license_tag(self.license)

    def write(
        self, model: ModelContents, folder: Path | str, *, on_block: Progress | None = None
    ) -> None:
        """Write a folder; it appears complete or not at all.

        An existing folder is replaced only if it is empty or has aligned vectors.

        Args:
            model: The model to write.
            folder: The folder to write.
            on_block: Called with the number of words written so far and in total.

        Raises:
            SettingError: If the folder has other files, or the format cannot represent a word.
        """
        folder = Path(folder)
        check_aligned_output(folder)
        spaces = (_first(model.source, self.limit), _first(model.target, self.limit))
        if self.format == "bin":
            for space in spaces:
                check_writable(space.words, forbidden="\n ")
        with writing(folder.resolve()) as part:
            part.mkdir()
            self._write_vectors(part, spaces, model.mapping, on_block)
            if self.format == "hf":
                self._write_card(part, spaces, model)
            _write_json(part / "manifest.json", self._manifest(part, spaces, model))

    def _write_vectors(
        self,
        folder: Path,
        spaces: tuple[EmbeddingSpace, EmbeddingSpace],
        mapping: LinearMap,
        on_block: Progress | None,
    ) -> None:
        suffix, file_format = _FORMATS[self.format]
        total, before = sum(map(len, spaces)), 0
        for space, name, carry in zip(spaces, self._names, (mapping, None), strict=True):
            on_rows = _shifted(on_block, before, total)
            blocks = RowBlocks(space.words, _width(space, carry), _rows(space, carry), on_rows)
            write_blocks(blocks, folder / f"{name}{suffix}", file_format)
            if self.format == "hf":
                text = "".join(f"{word}\n" for word in space.words)
                (folder / name / "vocab.txt").write_bytes(text.encode())
            before += len(space)

    def _write_card(
        self, folder: Path, spaces: tuple[EmbeddingSpace, EmbeddingSpace], model: ModelContents
    ) -> None:
        dim = spaces[1].dim
        facts = CardFacts(
            names=self._names,
            words=(len(spaces[0]), len(spaces[1])),
            dim=dim,
            seeds=len(model.seeds),
            random_state=model.random_state,
            config=model.config,
            report=model.report,
            license=self.license,
            scores=self.scores,
        )
        (folder / "README.md").write_bytes(card(facts).encode())
        languages = {
            name: {
                "role": role,
                "words": len(space),
                "vectors": f"{name}/model.safetensors",
                "vocabulary": f"{name}/vocab.txt",
            }
            for name, role, space in zip(self._names, ("source", "target"), spaces, strict=True)
        }
        about = {"model_type": KIND, "dim": dim, "unit_length": True, "languages": languages}
        _write_json(folder / "config.json", about)

    def _manifest(
        self, folder: Path, spaces: tuple[EmbeddingSpace, EmbeddingSpace], model: ModelContents
    ) -> dict[str, object]:
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return {
            "kind": KIND,
            "format": 1,
            "versions": versions(),
            "settings": asdict(self),
            "source": vocabulary(spaces[0]),
            "target": vocabulary(spaces[1]),
            "model": {
                "config": model.config,
                "map": dict(model.mapping.report),
                "random_state": model.random_state,
                "seeds": len(model.seeds),
                "source": vocabulary(model.source),
                "target": vocabulary(model.target),
            },
            "files": {
                path.relative_to(folder).as_posix(): {
                    "bytes": path.stat().st_size,
                    "sha256": sha256_of(path),
                }
                for path in files
            },
        }

    @property
    def _names(self) -> tuple[str, str]:
        return (self.source_name, self.target_name)


def check_aligned_output(folder: Path) -> None:
    """Raise `SettingError` if aligned vectors must not be written to a folder."""
    if folder.exists() and not folder.is_dir():
        raise SettingError(f"{folder} is a file: give the name of a folder to write to")
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    try:
        ours = json.loads((folder / "manifest.json").read_bytes()).get("kind") == KIND
    except (OSError, ValueError, AttributeError):
        ours = False
    if not ours:
        raise SettingError(
            f"{folder} exists and has other files than aligned vectors: give another name, or "
            "remove the folder yourself"
        )


def _first(space: EmbeddingSpace, limit: int | None) -> EmbeddingSpace:
    return EmbeddingSpace(space.words[:limit], space.vectors[:limit])


def _width(space: EmbeddingSpace, mapping: LinearMap | None) -> int:
    return space.dim if mapping is None else int(mapping.weight.shape[1])


def _rows(space: EmbeddingSpace, mapping: LinearMap | None) -> Callable[[slice], Floats]:
    def rows(part: slice) -> Floats:
        vectors = space.vectors[part]
        found: Floats = unit_rows(mapping.apply(vectors) if mapping else vectors).numpy(force=True)
        return found

    return rows


def _shifted(on_block: Progress | None, before: int, total: int) -> Progress | None:
    if on_block is None:
        return None
    return lambda done, _: on_block(before + done, total)


def _write_json(path: Path, facts: Mapping[str, object]) -> None:
    text = json.dumps(facts, ensure_ascii=False, indent=2, sort_keys=True)
    path.write_bytes(f"{text}\n".encode())
