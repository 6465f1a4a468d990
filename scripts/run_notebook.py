"""Run a notebook in an empty folder and save in it what its cells print.

    python scripts/run_notebook.py examples/first-dictionary.ipynb

Progress bars and messages are not saved.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbclient
import nbformat

SECONDS = 900
"""How long a cell may take."""


def kept(output: Any) -> bool:  # noqa: ANN401 - nbformat has no types
    """Return whether an output is a result: what was printed, a value, or an image."""
    if output.output_type == "display_data":
        return bool("image/png" in output.data)
    return bool(output.output_type != "stream" or output.name == "stdout")


def main(path: Path) -> None:
    """Run the notebook at `path` and replace its outputs."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    with TemporaryDirectory() as folder:
        nbclient.NotebookClient(
            notebook,
            timeout=SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            record_timing=False,
        ).execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if kept(each)]
    notebook.metadata["language_info"] = {"name": "python"}  # not the version of this machine
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
