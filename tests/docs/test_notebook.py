"""The notebook runs, and prints what is saved in it.

The last digits of a fit depend on the processor. Cells with the tag `varies` show words that depend
on them: of these, the number of lines is compared.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from pages.comparison import differences

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "first-dictionary.ipynb"

SECONDS = 900
"""How long a cell may take on a slow machine with other load."""

pytestmark = [
    pytest.mark.docs,
    pytest.mark.skipif(not NOTEBOOK.is_file(), reason="examples are not part of this distribution"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of Jupyter
]


def printed(cell: Any) -> str:  # noqa: ANN401 - nbformat has no types
    """Return the results of a cell as text: what it printed, and the value of its last line."""
    text = ""
    for output in cell.get("outputs", ()):
        if output.output_type == "stream" and output.name == "stdout":
            text += output.text
        elif output.output_type == "execute_result":
            text += output.data["text/plain"]
    return text


def changes(before: Any, after: Any) -> list[str]:  # noqa: ANN401
    """Return how the results of a cell differ from those that are saved."""
    shown, found = printed(before), printed(after)
    if "varies" not in before.metadata.get("tags", ()):
        return differences(shown, found)
    lines = [text.count("\n") for text in (shown, found)]
    return [] if lines[0] == lines[1] else [f"{lines[0]} lines are saved, {lines[1]} were printed"]


def images(cell: Any) -> int:  # noqa: ANN401
    return sum("image/png" in output.get("data", {}) for output in cell.get("outputs", ()))


def test_the_notebook_prints_what_is_saved_in_it(tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    saved = nbformat.read(NOTEBOOK, as_version=4)
    fresh = nbformat.read(NOTEBOOK, as_version=4)
    client = nbclient.NotebookClient(
        fresh,
        timeout=SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )

    client.execute()  # raises if a cell does

    found = [
        "\n".join([f"cell {number}:", before.source, *diff])
        for number, (before, after) in enumerate(zip(saved.cells, fresh.cells, strict=True))
        if (diff := changes(before, after))
    ]
    assert not found, "\n\n".join(["", *found])
    assert sum(map(images, fresh.cells)) == sum(map(images, saved.cells)) == 1
    assert (tmp_path / "en-es.tsv").is_file()


def test_the_notebook_is_small_and_free_of_local_paths() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")

    assert len(text) < 60_000
    assert sys.prefix not in text
    assert "/home/" not in text
    assert "Traceback" not in text
