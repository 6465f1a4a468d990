"""Plot the expected precision of an induced dictionary against its number of entries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from bilex.candidates.induced_dictionary import PRECISIONS, InducedDictionary
from bilex.errors import SettingError
from bilex.registry import import_extra
from bilex.storage.files import writing

_ENDINGS = (".svg", ".png", ".pdf")
_POINTS = 200
_UNDATED = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # for reproducible files


def check_plot(path: Path) -> None:
    """Raise the errors of `plot_curve`, to call before a long computation.

    Raises:
        SettingError: If the file name does not end in a supported image format.
        MissingExtraError: If matplotlib is not installed.
    """
    if path.suffix.lower() not in _ENDINGS:
        raise SettingError(
            f"cannot draw {path.name!r}: expected a name ending in {', '.join(_ENDINGS)}"
        )
    _matplotlib("matplotlib")


def plot_curve(found: InducedDictionary, path: Path) -> None:
    """Draw expected precision against the number of entries, down to the lowest of `PRECISIONS`."""
    check_plot(path)
    numbers, means = found.expected_precision()
    # The tail is left out: with twenty candidates per word, nearly all of it is wrong.
    wanted = int((means >= PRECISIONS[-1]).sum()) or len(numbers)
    chosen = torch.linspace(0, wanted - 1, min(_POINTS, wanted)).long()
    figure = _matplotlib("matplotlib.figure").Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(numbers[chosen].tolist(), means[chosen].tolist(), color="#0072b2")
    axes.set(xlabel="entries, the most probable first", ylabel="expected precision", ylim=(0, 1.02))
    axes.grid(alpha=0.3)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    kind = path.suffix[1:].lower()
    with (
        _matplotlib("matplotlib").rc_context({"svg.hashsalt": "bilex"}),
        writing(path) as part,
    ):
        figure.savefig(part, format=kind, metadata=_UNDATED.get(kind))


def _matplotlib(module: str) -> Any:  # noqa: ANN401 - imported when needed
    return import_extra(module, "drawing the curve needs", extra="plots")
