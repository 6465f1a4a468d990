"""Options that several commands share, so that they read alike everywhere."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from bilex.errors import SettingError

Limit = Annotated[
    int | None, typer.Option(min=1, help="Keep only the N most frequent words of a file.")
]
Lowercase = Annotated[
    bool,
    typer.Option("--lowercase", help="Merge case variants, keeping the most frequent vector."),
]
Cache = Annotated[
    Path | None,
    typer.Option(help="Folder for parsed vectors, so that the next load is instant."),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Always parse; write no cache.")]
Columns = Annotated[
    str | None,
    typer.Option(
        metavar="ROLE=COLUMN,…",
        help="Which columns of a table hold the words, by name or number: "
        "source=English,target=French or source=2,target=3; also weight and provenance. Found by "
        "the header and the content by default.",
    ),
]
Unreviewed = Annotated[
    bool,
    typer.Option(
        "--unreviewed",
        help="Use pairs of origin induced too: a model found them, and nobody has reviewed them.",
    ),
]
Pair = Annotated[
    str | None,
    typer.Option(
        "--pair",
        metavar="SOURCE-TARGET",
        help="Which languages to take, such as en-fi, if the pairs are in a published dictionary: "
        "see `bilex seeds sources`.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Reverse = Annotated[
    bool, typer.Option("--reverse", help="From the target language to the source language.")
]
Device = Annotated[str, typer.Option(help="Where to compute: cpu, cuda, cuda:1, mps, …")]
Threads = Annotated[
    int | None,
    typer.Option(min=1, help="How many threads compute; one for each core by default."),
]
RandomState = Annotated[int, typer.Option(help="Same number, same result.")]
Memory = Annotated[
    str, typer.Option(help="Memory for searches, such as 512MiB or 2GiB; never changes a result.")
]

Model = Annotated[Path, typer.Argument(help="Model folder, written by `bilex fit`.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="File or folder to write.")]
Format = Annotated[
    str | None,
    typer.Option("--format", help="Of the output, if its ending does not say it."),
]
SourceLanguage = Annotated[str | None, typer.Option(help="A language tag such as en.")]
TargetLanguage = Annotated[str | None, typer.Option(help="A language tag such as fr.")]
Title = Annotated[str | None, typer.Option(help="The title of the dictionary.")]
License = Annotated[str | None, typer.Option(help="Its license, such as CC0-1.0.")]
Excel = Annotated[
    bool,
    typer.Option(
        "--excel",
        help="For .csv: start with a byte-order mark, by which Excel shows accents correctly.",
    ),
]
Top = Annotated[
    int | None,
    typer.Option(
        "-k",
        min=1,
        help="At most so many translations a word; by default as many as are worth keeping, or "
        "one if the model is not calibrated.",
    ),
]
MinPrecision = Annotated[
    float | None,
    typer.Option(help="Cut where this share of the entries is right, such as 0.9."),
]

DEFAULT_MEMORY = "512MiB"

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}


def memory_bytes(text: str) -> int:
    """Return the number of bytes in a text such as 512MiB, 2G or 1.5gb."""
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([kmg]?)(i?b)?\s*", text.lower())
    if match is None:
        raise SettingError(f"--memory is {text!r}: expected a size such as 512MiB or 2GiB")
    return int(float(match[1]) * _UNITS[match[2]])


def use_threads(threads: int | None) -> None:
    """Compute with so many threads; None leaves it to torch, which takes one for each core."""
    if threads is None:
        return
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(threads)
    else:
        os.environ.update(OMP_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads))


def cache_folder(chosen: Path | None, disabled: bool) -> Path | None:
    """Return where parsed vectors are kept; None if they are not."""
    from bilex.storage.cache_folder import default_cache_folder

    return None if disabled else chosen or default_cache_folder()
