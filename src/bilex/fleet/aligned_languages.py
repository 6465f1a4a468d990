"""Write the vectors of all languages of a fleet in the space of the hub."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from bilex.embeddings.collector import Floats
from bilex.embeddings.save import RowBlocks, write_blocks
from bilex.errors import InputFileError
from bilex.fleet.folder import FleetFolder
from bilex.fleet.placed_pair import place_language
from bilex.fleet.tasks import Place, Step
from bilex.retrieval import Side
from bilex.values import Progress, unit_rows


class Written(NamedTuple):
    """The files, and the codes of languages that are not aligned."""

    files: tuple[Path, ...]
    missing: tuple[str, ...]


def write_aligned_languages(
    output: Path,
    vectors: Path,
    *,
    limit: int | None = None,
    on_language: Progress | None = None,
) -> Written:
    """Write a text file of unit vectors for each language that is aligned.

    Each file appears complete or not at all. Languages whose alignment is not done are left out.

    Args:
        output: The folder of the fleet.
        vectors: The folder to write to.
        limit: Write only this many of the most frequent words of each language.
        on_language: Called with the number of languages written so far and in total.

    Raises:
        InputFileError: If the folder is not that of a fleet, or no language is aligned.
    """
    folder = FleetFolder(output)
    places = _places(folder.read_contents())
    ready = [place for place in places if _is_done(place, folder)]
    if not any(place.way for place in ready):
        raise InputFileError(output, "has no aligned language: run the fleet first")
    vectors.mkdir(parents=True, exist_ok=True)
    files = []
    for number, place in enumerate(ready, start=1):
        side = place_language(place, folder).sides(None)[0]
        dim = side.space.dim if side.mapping is None else int(side.mapping.weight.shape[1])
        path = vectors / f"{place.code}.vec"
        write_blocks(RowBlocks(side.space.words[:limit], dim, _rows(side)), path, "text")
        files.append(path)
        if on_language is not None:
            on_language(number, len(ready))
    missing = tuple(place.code for place in places if place not in ready)
    return Written(tuple(files), missing)


def _places(contents: dict[str, Any]) -> list[Place]:
    """Return where each language is, from `fleet.json`."""
    stages, parents, hub = contents["stages"], contents["parents"], contents["hub"]
    prepared, aligned = (
        {name: key for name, key, _ in stages[stage]} for stage in ("prepare", "align")
    )
    places = []
    for code in prepared:
        way, here = [], code
        while here != hub:
            parent = parents[here]
            way.append(Step(here, parent, aligned[f"{here}-{parent}"]))
            here = parent
        places.append(Place(code=code, prepared=prepared[code], way=tuple(way)))
    return places


def _is_done(place: Place, folder: FleetFolder) -> bool:
    needed = [folder.language(place.code, place.prepared)]
    needed += [folder.alignment(step.code, step.parent, step.key) for step in place.way]
    return all(path.exists() for path in needed)


def _rows(side: Side) -> Callable[[slice], Floats]:
    def rows(part: slice) -> Floats:
        found: Floats = unit_rows(side.carry(side.space.vectors[part])).numpy(force=True)
        return found

    return rows
