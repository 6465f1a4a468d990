"""Every format a dictionary is written in: its name, its endings, and who writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bilex.dictionary import DictionaryEntry, DictionaryFacts
from bilex.errors import SettingError
from bilex.export.anki import anki
from bilex.export.dix import dix
from bilex.export.parquet import require_pyarrow, save_parquet
from bilex.export.plain_text import csv_rows, gatitos, jsonl, muse, tsv
from bilex.export.prompts import prompts
from bilex.export.stardict import save_stardict
from bilex.export.tbx import tbx
from bilex.export.tei import tei
from bilex.export.tmx import tmx
from bilex.registry import did_you_mean

Render = Callable[[Iterable[DictionaryEntry], DictionaryFacts], Iterator[str]]
"""Turns a dictionary into pieces of text."""

Save = Callable[[Iterable[DictionaryEntry], DictionaryFacts, Path], None]
"""Writes a dictionary to a new file or folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format: either text that is rendered piece by piece, or a file or folder of its own."""

    name: str
    endings: tuple[str, ...]
    render: Render | None = None
    save: Save | None = None
    zips: bool = False  # whether readers expect to find it gzipped, as name.gz
    is_folder: bool = False


FORMATS = {
    form.name: form
    for form in (
        Format(name="tsv", endings=(".tsv",), render=tsv, zips=True),
        Format(name="csv", endings=(".csv",), render=csv_rows, zips=True),
        Format(name="jsonl", endings=(".jsonl",), render=jsonl, zips=True),
        Format(name="parquet", endings=(".parquet",), save=save_parquet),
        Format(name="gatitos", endings=(".gatitos.tsv",), render=gatitos, zips=True),
        Format(name="muse", endings=(".txt",), render=muse, zips=True),
        Format(name="tbx", endings=(".tbx",), render=tbx, zips=True),
        Format(name="tmx", endings=(".tmx",), render=tmx, zips=True),
        Format(name="tei", endings=(".tei", ".tei.xml"), render=tei, zips=True),
        Format(name="stardict", endings=(".stardict",), save=save_stardict, is_folder=True),
        Format(name="dix", endings=(".dix",), render=dix),
        Format(name="anki", endings=(".anki.tsv", ".anki.txt"), render=anki),
        Format(name="prompts", endings=(".prompts.jsonl",), render=prompts, zips=True),
    )
}

_FILES_OF_STARDICT = {".ifo", ".idx", ".dict", ".dz", ".gz", ".syn", ".oft", ".json"}


def find_format(path: Path, name: str | None = None) -> Format:
    """Return the format of this name, or the one that the ending of the path tells.

    Raises:
        SettingError: If there is no such format, or it is not gzipped and the path is.
    """
    if name is not None:
        if name not in FORMATS:
            raise SettingError(
                f"no format is called {name!r}{did_you_mean(name, list(FORMATS))}: expected one "
                f"of {', '.join(FORMATS)}"
            )
        form = FORMATS[name]
    else:
        found = format_by_ending(path)
        if found is None:
            endings = ", ".join(form.endings[0] for form in FORMATS.values())
            raise SettingError(
                f"the ending of {path.name!r} tells no format: expected one of {endings}, or name "
                "the format"
            )
        form = found
    if is_zipped(path) and not form.zips:
        raise SettingError(f"{form.name} is not written gzipped: leave .gz off {path.name!r}")
    return form


def format_by_ending(path: Path) -> Format | None:
    """Return the format with the longest ending that fits, .gz aside."""
    name = path.name.lower().removesuffix(".gz")
    fitting = [
        (len(ending), form)
        for form in FORMATS.values()
        for ending in form.endings
        if name.endswith(ending)
    ]
    return max(fitting, key=lambda found: found[0])[1] if fitting else None


def is_zipped(path: Path) -> bool:
    """Tell whether the name asks for gzip."""
    return path.name.lower().endswith(".gz")


def check_output(path: Path | str, format: str | None = None) -> None:
    """Raise before long work begins if a dictionary could not be written there.

    Args:
        path: Where to write.
        format: One of `FORMATS`; told by the ending when absent.

    Raises:
        SettingError: If the format is not known, or something else is in the way.
        MissingExtraError: If the format needs a package that is not installed.
    """
    path = Path(path)
    form = find_format(path, format)
    if form.name == "parquet":
        require_pyarrow()
    if path.is_dir() and not form.is_folder:
        raise SettingError(f"{path} is a folder; give the name of a file to write")
    if form.is_folder and path.exists() and not _may_be_replaced(path):
        raise SettingError(
            f"{path} exists and is not a StarDict dictionary: give a new name, or remove it "
            "yourself"
        )


def _may_be_replaced(folder: Path) -> bool:
    """Tell whether all in a folder belongs to one dictionary, so that nothing else is lost."""
    if not folder.is_dir():
        return False
    endings = [file.suffix for file in folder.iterdir()]
    return not endings or (endings.count(".ifo") == 1 and set(endings) <= _FILES_OF_STARDICT)
