"""Options that several commands share, so that they read alike everywhere."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bilex.errors import SettingError

if TYPE_CHECKING:
    from bilex import values

READING, COMPUTING, DICTIONARY, SERVICE = (
    "Reading files",
    "Computing",
    "Dictionary file",
    "Service",
)
"""Sections of the help."""

Limit = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Read only the N most frequent words of each vector file.",
        rich_help_panel=READING,
    ),
]
Lowercase = Annotated[
    bool,
    typer.Option(
        "--lowercase",
        help="Lower-case all words; of words that become equal, the most frequent is kept.",
        rich_help_panel=READING,
    ),
]
ExactCase = Annotated[
    bool,
    typer.Option(
        "--exact-case",
        help="Use words of SEEDS only as they are written. By default, a word that is not in the "
        "vectors is used in other upper or lower case, if they have it.",
        rich_help_panel=READING,
    ),
]
Cache = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder that keeps parsed vectors, so that the next run loads them at once. By "
        "default the cache folder of your system, or $BILEX_CACHE.",
        rich_help_panel=READING,
    ),
]
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Do not use a cache folder.", rich_help_panel=READING),
]
Columns = Annotated[
    str | None,
    typer.Option(
        metavar="ROLE=COLUMN,…",
        help="Which columns of a table hold the words, by name or number: "
        "source=English,target=French or source=2,target=3. Other roles are weight and "
        "provenance. By default, columns are found by the header and the content.",
        rich_help_panel=READING,
    ),
]
Unreviewed = Annotated[
    bool,
    typer.Option(
        "--unreviewed",
        help="Also use pairs of origin induced, which a model found and nobody has reviewed.",
        rich_help_panel=READING,
    ),
]
Pair = Annotated[
    str | None,
    typer.Option(
        "--pair",
        metavar="SOURCE-TARGET",
        help="The two languages to take from a published dictionary, such as en-fi. See "
        "`bilex seeds sources`.",
        rich_help_panel=READING,
    ),
]
Queue = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Which words come first: value (where a decision helps most), frequency or random.",
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print JSON instead of text: one object per line.")
]
Reverse = Annotated[
    bool,
    typer.Option("--reverse", help="Translate from the target language to the source language."),
]
Device = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Where to compute: cpu, cuda, cuda:1, mps.",
        rich_help_panel=COMPUTING,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Number of threads. By default, one for each core.",
        rich_help_panel=COMPUTING,
    ),
]
RandomState = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="Number for the random generator: the same number gives the same result.",
        rich_help_panel=COMPUTING,
    ),
]
Memory = Annotated[
    str,
    typer.Option(
        metavar="SIZE",
        help="Memory that searches may use, such as 512MiB or 2GiB. Does not change results.",
        rich_help_panel=COMPUTING,
    ),
]

Search = Annotated[
    str,
    typer.Option(
        metavar="KIND",
        help="How to search: exact; approximate, which misses some of the best words and may be "
        "faster for very large vocabularies; or auto, which is approximate from 1,000,000 words "
        "on.",
        rich_help_panel=COMPUTING,
    ),
]

Served = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="MODELS",
        help="Model folders and dictionaries with names such as en-es; NAME=PATH gives one "
        "another name. A model and a dictionary of one name are one pair.",
    ),
]

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Model folder, written by `bilex fit`.")
]
Url = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Use the service at this address, such as http://127.0.0.1:8000.",
        rich_help_panel=SERVICE,
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        metavar="KEY",
        help="Key of the service. The variable BILEX_KEY is safer: other users of this computer "
        "can see options.",
        rich_help_panel=SERVICE,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Format of the output file, if not the one of its extension. See `bilex formats`.",
        rich_help_panel=DICTIONARY,
    ),
]
SourceLanguage = Annotated[
    str | None,
    typer.Option(metavar="CODE", help="Source language, such as en.", rich_help_panel=DICTIONARY),
]
TargetLanguage = Annotated[
    str | None,
    typer.Option(metavar="CODE", help="Target language, such as fr.", rich_help_panel=DICTIONARY),
]
Title = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Title of the dictionary.", rich_help_panel=DICTIONARY),
]
License = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="License of the dictionary, such as CC0-1.0.",
        rich_help_panel=DICTIONARY,
    ),
]
Excel = Annotated[
    bool,
    typer.Option(
        "--excel",
        help="For .csv files: start with a byte-order mark, so that Excel shows accents correctly.",
        rich_help_panel=DICTIONARY,
    ),
]
Top = Annotated[
    int | None,
    typer.Option(
        "-k",
        metavar="N",
        min=1,
        help="At most N translations for each word. By default, as many as are probable enough, "
        "or one if the model has no probabilities.",
    ),
]
MinPrecision = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Keep the most probable entries, as long as this share of them is expected to be "
        "right, such as 0.9.",
    ),
]

DEFAULT_MEMORY = "512MiB"

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}


def memory_bytes(text: str) -> int:
    """Return the number of bytes in a text such as 512MiB, 2G or 1.5gb."""
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([kmg]?)(i?b)?\s*", text.lower())
    if match is None:
        raise SettingError(f"--memory is {text!r}: expected a size such as 512MiB or 2GiB")
    return int(float(match[1]) * _UNITS[match[2]])


_SEARCHES: dict[str, values.Search] = {
    "exact": "exact",
    "approximate": "approximate",
    "auto": "auto",
}


def search_kind(text: str) -> values.Search:
    """Return a kind of search.

    Raises:
        SettingError: If there is none of this name.
    """
    if text not in _SEARCHES:
        raise SettingError(f"--search is {text!r}: expected exact, approximate or auto")
    return _SEARCHES[text]


def service_key(key: str | None, url: str | None) -> str | None:
    """Return the key of a service: that of the option, or else of the environment.

    Raises:
        SettingError: If there is a key and no service.
    """
    if url is None and key is not None:
        raise SettingError("--key is for a service: add its address with --url")
    return key or os.environ.get("BILEX_KEY") or None


def use_threads(threads: int | None) -> None:
    """Compute with this number of threads; None leaves the choice to torch: one for each core."""
    if threads is None:
        return
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(threads)
    else:
        os.environ.update(OMP_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads))


def cache_folder(chosen: Path | None, disabled: bool) -> Path | None:
    """Return the folder for parsed vectors; None if none is used."""
    from bilex.storage.cache_folder import default_cache_folder

    return None if disabled else chosen or default_cache_folder()
