"""Which languages are weak, and why: from their vectors, their seeds and their alignment."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from bilex.fleet.report.records import FleetRecords, LanguageRecord
from bilex.inspection.difficulty import FEW_SEEDS, TOO_FEW_SEEDS
from bilex.inspection.pair import FAR_SPECTRA
from bilex.inspection.space import SMALL_VOCABULARY

WEAK = 0.85
"""A language is weak if its lexicons are below this share of the median language."""

LOW_HELD_OUT = 0.3
"""Precision on held-out seeds below which a map hardly works."""

MANY_DOUBTFUL = 0.05
"""Share of seeds that look wrong."""

MUCH_CALIBRATION_ERROR = 0.08


SAID_BY_SHARE = "seed pairs look wrong"
"""A warning of every few wrong seeds; here it depends on their share."""


def is_weak(records: FleetRecords, language: LanguageRecord) -> bool:
    """Return whether lexicons are clearly below those of most others, or the map looks wrong."""
    found, code = records.qualities, language.code
    if language.aligned is not None and language.aligned["looks_wrong"]:
        return True
    return code in found and found[code] < WEAK * median(found.values())


def reasons(records: FleetRecords, language: LanguageRecord) -> list[str]:
    """Return what may limit a language, the most severe first; empty if nothing was found."""
    return [
        *_failures(records, language),
        *_warnings(language),
        *_of_seeds(records, language),
        *_of_vectors(language),
    ]


def _failures(records: FleetRecords, language: LanguageRecord) -> Iterator[str]:
    own = {
        f"prepare {language.code}",
        f"align {language.code}-{language.parent}",
        f"align {language.parent}-{language.code}",
    }
    for found in records.failed:
        if found["name"] in own:
            yield f"{found['name'].split()[0]} failed: {found['error']['message']}"


def _warnings(language: LanguageRecord) -> Iterator[str]:
    found = () if language.aligned is None else language.aligned["warnings"]
    # The remedy after the colon is for people who prepare a single pair.
    yield from (each.partition(": ")[0] for each in found if SAID_BY_SHARE not in each)


def _of_seeds(records: FleetRecords, language: LanguageRecord) -> Iterator[str]:
    aligned, seeds, held_out = language.aligned, language.usable_seeds, language.held_out
    if aligned is None or seeds is None:
        return
    if not seeds:
        yield "no seeds: aligned by words spelled the same, or by its vectors alone"
    elif seeds < TOO_FEW_SEEDS:
        yield f"only {seeds:,} usable seed pair{'s' if seeds > 1 else ''}"
    elif seeds < FEW_SEEDS:
        yield f"{seeds:,} usable seed pairs are few"
    if language.parent != records.hub:
        yield f"reaches the hub through {language.parent}"
    if held_out is not None and held_out["p_at_1"] < LOW_HELD_OUT:
        yield f"only {held_out['p_at_1']:.0%} of its held-out seeds are translated correctly"
    if held_out is None and records.has_probabilities:
        yield "no probabilities could be learned from its seeds"
    if held_out is not None and held_out["calibration_error"] > MUCH_CALIBRATION_ERROR:
        yield f"its probabilities are off by {held_out['calibration_error']:.2f} on held-out seeds"
    if seeds and aligned["doubtful_seeds"] > MANY_DOUBTFUL * seeds:
        yield f"{aligned['doubtful_seeds'] / seeds:.0%} of its seeds look wrong"
    if not aligned["same_script"]:
        yield f"another script than {language.parent}"
    distance = aligned["spectral_distance"]
    if distance is not None and distance > FAR_SPECTRA:
        yield f"vectors of another shape than those of {language.parent}"


def _of_vectors(language: LanguageRecord) -> Iterator[str]:
    if language.prepared is None:
        return
    words = language.prepared["words"]
    if words < SMALL_VOCABULARY:
        yield f"a small vocabulary ({words:,} words)"
    yield from (
        note.partition(":")[0] for note in language.prepared["notes"] if "is small" not in note
    )
