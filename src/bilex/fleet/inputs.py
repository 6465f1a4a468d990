"""What a fleet reads, looked at before anything runs.

Missing files and seeds that cannot be read are errors. Rows of seeds that are not used and
languages without seeds are warnings.
"""

from __future__ import annotations

from pathlib import Path

from bilex.errors import InputFileError, warn_user
from bilex.fleet.fleet import Fleet
from bilex.fleet.links import Links
from bilex.fleet.tasks import used_languages
from bilex.lexicons import read_lexicon
from bilex.lexicons.left_out import COMMENT, describe_left_out


def check_inputs(fleet: Fleet, links: Links) -> None:
    """Look at the files of all languages that are used, and read the seeds between them.

    Raises:
        InputFileError: If a file is missing.
        LexiconFileError: If a file of seeds cannot be read.
    """
    used = used_languages(fleet, links)
    for code in used:
        _check_exists(fleet.languages[code].vectors, f"the vectors of [languages.{code}]")
    for file in fleet.seeds:
        if used.keys() >= set(file.pair):
            _check_exists(file.path, f"seeds of {'-'.join(file.pair)}")
            report = read_lexicon(file.path, columns=file.columns).report
            unused = [] if report is None else [r for r in report.left_out if r.reason != COMMENT]
            if unused:
                warn_user(f"{file.path.name}: not used: {describe_left_out(unused)}")
    alone = [code for code in used if code != links.hub and not _has_seeds(fleet, links, code)]
    if alone:
        warn_user(_without_seeds(fleet, links.hub, alone))


def _check_exists(path: Path, what: str) -> None:
    if not path.exists():
        raise InputFileError(
            path,
            f"no such file, given as {what}: check the path, which is relative to the fleet file",
        )


def _has_seeds(fleet: Fleet, links: Links, code: str) -> bool:
    return bool(fleet.seeds_between(code, links.parents[code]))


def _without_seeds(fleet: Fleet, hub: str, alone: list[str]) -> str:
    others = {code for file in fleet.seeds for code in file.pair if hub not in file.pair}
    hint = "add seeds"
    if not any(hub in file.pair for file in fleet.seeds) and others:
        hint = f"add seeds, or choose another hub: {', '.join(sorted(others))} have seeds"
    return (
        f"no seeds lead to the hub {hub} from {', '.join(alone)}: a language without them is "
        f"aligned by words spelled the same, or by its vectors alone, which often fails; {hint}"
    )
