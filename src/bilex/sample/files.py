"""The files of the sample, in the package and in a folder of the user."""

from __future__ import annotations

import shutil
from pathlib import Path

from bilex.errors import SettingError
from bilex.storage.files import writing

SAMPLE_FILES = (
    "README.md",
    "en.vec.gz",
    "es.vec.gz",
    "seeds.tsv",
    "test.tsv",
    "en.txt.gz",
    "es.txt.gz",
)
"""README.md describes them."""


def sample_folder() -> Path:
    """Return the folder of the package that holds the files."""
    return Path(__file__).parent


def copy_sample(folder: Path | str) -> None:
    """Copy the files to a new or empty folder, or to one that has them already.

    Raises:
        SettingError: If the folder has other files, or is a file.
    """
    folder = Path(folder)
    readme = folder / SAMPLE_FILES[0]
    is_ours = readme.is_file() and readme.read_bytes() == _bytes_of(SAMPLE_FILES[0])
    if folder.exists() and not is_ours and (not folder.is_dir() or any(folder.iterdir())):
        raise SettingError(f"{folder} exists and does not hold the sample: give another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for name in SAMPLE_FILES:
        with writing(folder / name) as part:
            shutil.copyfile(sample_folder() / name, part)


def _bytes_of(name: str) -> bytes:
    return (sample_folder() / name).read_bytes()
