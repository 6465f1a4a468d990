"""The folder of a fleet: where each stage keeps its results and its files.

- `fleet.json`: the languages, the hub, and the tasks of each stage: name, key, what they need
- `results/STAGE/jobs/KEY.json`: the result of each task
- `languages/CODE-KEY`: normalized vectors, mapped into memory by tasks
- `alignments/CODE-PARENT-KEY`: the map of a language to its parent, and its candidate models
- `links/CODE-KEY.safetensors`: the best translations of each word to and from the hub
- `lexicons/source_language=CODE/target_language=CODE/part-0.parquet`: the lexicons
- `exports/FORMAT/CODE/CODE-CODE.EXT`: the same in other formats
- `log/HOST-PROCESS.jsonl`: every finished computation

On a cluster, all nodes must see this folder under the same path.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bilex.errors import InputFileError
from bilex.jobs.result_store import ResultStore
from bilex.storage.files import writing

STAGES = ("prepare", "align", "induce", "triangulate")
"""In the order in which they run."""

FORMAT = 3
"""Version of `fleet.json`."""

_DIGITS = 12  # of a key in a file name
# Stages whose files have the same name with other settings.
_OVERWRITES = frozenset({"induce", "triangulate"})


@dataclass(frozen=True, slots=True)
class FleetFolder:
    """Paths in the folder of a fleet."""

    root: Path

    def store(self, stage: str) -> ResultStore:
        """Return the results of a stage."""
        return ResultStore(self.root / "results" / stage, restores=stage not in _OVERWRITES)

    def language(self, code: str, key: str) -> Path:
        """Return the folder of the vectors of a language."""
        return self.root / "languages" / f"{code}-{key[:_DIGITS]}"

    def alignment(self, code: str, parent: str, key: str) -> Path:
        """Return the folder of the alignment of a language to its parent."""
        return self.root / "alignments" / f"{code}-{parent}-{key[:_DIGITS]}"

    def link(self, code: str, key: str) -> Path:
        """Return the file of the best translations between a language and the hub."""
        return self.root / "links" / f"{code}-{key[:_DIGITS]}.safetensors"

    def lexicon(self, source: str, target: str) -> Path:
        """Return the Parquet file of one direction."""
        return (
            self.root
            / "lexicons"
            / f"source_language={source}"
            / f"target_language={target}"
            / "part-0.parquet"
        )

    def other_lexicons(self, pairs: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return the directions that have a lexicon here and are not among these."""
        wanted, found = set(pairs), []
        for path in self.root.glob(str(self.lexicon("*", "*").relative_to(self.root))):
            source, target = (
                folder.name.partition("=")[2] for folder in (path.parent.parent, path.parent)
            )
            if (source, target) not in wanted:
                found.append((source, target))
        return sorted(found)

    def export(self, source: str, target: str, format: str, extension: str) -> Path:
        """Return the file of one direction in another format."""
        return self.root / "exports" / format / source / f"{source}-{target}{extension}"

    @property
    def log(self) -> Path:
        """Return the folder of the log of computations."""
        return self.root / "log"

    def write_contents(self, contents: dict[str, Any]) -> None:
        """Write `fleet.json`."""
        with writing(self.root / "fleet.json") as part:
            text = json.dumps({"format": FORMAT, **contents}, ensure_ascii=False) + "\n"
            part.write_text(text, encoding="utf-8", newline="\n")

    def read_contents(self) -> dict[str, Any]:
        """Return what `write_contents` wrote.

        Raises:
            InputFileError: If there is no fleet in the folder, or one of another version.
        """
        path = self.root / "fleet.json"
        try:
            contents = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            raise InputFileError(
                self.root, "is not the folder of a fleet: give the one of `bilex fleet run -o`"
            ) from None
        except ValueError as problem:
            raise InputFileError(
                path, f"is not valid JSON ({problem}): run the fleet again"
            ) from None
        if not isinstance(contents, dict) or contents.get("format") != FORMAT:
            raise InputFileError(
                path, "was written by another version of bilex: run the fleet again"
            )
        return contents
