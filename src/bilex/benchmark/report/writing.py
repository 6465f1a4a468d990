"""Write the report of a folder of results: a page, tables and figures."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from bilex.benchmark.report.comparison_tables import apart_table, together_table, wins_table
from bilex.benchmark.report.comparisons import Comparisons, compare
from bilex.benchmark.report.detail_tables import (
    basis_table,
    cost_table,
    failures_table,
    frequency_table,
    hubness_table,
    scores_table,
)
from bilex.benchmark.report.drawing import Picture, require_matplotlib, save_picture
from bilex.benchmark.report.examples import examples_table
from bilex.benchmark.report.figures import pictures
from bilex.benchmark.report.findings import find
from bilex.benchmark.report.frame import check_page_name
from bilex.benchmark.report.page import render_page
from bilex.benchmark.report.palette import looks
from bilex.benchmark.report.provenance import provenance_table
from bilex.benchmark.report.records import read_results
from bilex.benchmark.report.score_tables import precision_tables, precision_together
from bilex.benchmark.report.sections import Content
from bilex.benchmark.report.spelling_table import spelling_table
from bilex.benchmark.report.study import Study, arrange
from bilex.benchmark.report.table_formats import require_pyarrow, write_table
from bilex.benchmark.report.tables import Table
from bilex.errors import SettingError
from bilex.storage.files import writing

RANDOM_STATE = 0
"""State of the random generator; fixed, so that the same results give the same report."""

_LIST = "README.md"
_FIRST_LINE = "# Tables and figures of a bilex benchmark report"


def write_report(results: Path, output: Path, *, keys: Collection[str] | None = None) -> None:
    """Write a report: one HTML file, and next to it a folder of tables and figures.

    The folder has the name of the file with `-tables` instead of `.html`. It contains each table
    as Markdown, LaTeX, CSV and Parquet, each figure as SVG and PNG, and a list of all files. The
    same results give the same files. Jobs that were not run or failed are left blank.

    Args:
        results: The folder that `bilex bench run` wrote.
        output: The HTML file to write; an existing file and its folder are replaced.
        keys: Report only these jobs, such as those of the current version of a suite. By default
            all jobs are reported, each with its latest result.

    Raises:
        InputFileError: If there are no results, no job is done, or a file cannot be read.
        SettingError: If `output` is not the name of an HTML file, or its folder exists and was not
            made by a report.
        MissingExtraError: If matplotlib or pyarrow is not installed.
    """
    require_matplotlib()
    require_pyarrow()
    folder = _tables_folder(output)
    study = arrange(read_results(results, keys), results)
    comparisons = compare(study, np.random.default_rng(RANDOM_STATE))
    given = looks(study.methods)
    colors = {method: given[method] for method in study.methods}  # best first
    tables = _tables(study, comparisons)
    content = Content(
        study=study,
        findings=find(study, comparisons),
        precision=precision_tables(study, comparisons),
        tables={table.name: table for table in tables},
        pictures=pictures(study, comparisons, colors),
        looks=colors,
    )
    page = render_page(content)
    with writing(folder) as path:
        path.mkdir()
        for table in tables:
            write_table(table, path)
        for picture in content.pictures:
            save_picture(picture, colors, path)
        text = _list(tables, content.pictures)
        (path / _LIST).write_text(text, encoding="utf-8", newline="\n")
    with writing(output) as path:
        path.write_text(page, encoding="utf-8", newline="\n")


def _tables(study: Study, comparisons: Comparisons) -> list[Table]:
    return [
        precision_together(study, comparisons),
        scores_table(study, comparisons),
        basis_table(study),
        frequency_table(study),
        spelling_table(study, np.random.default_rng(RANDOM_STATE)),
        hubness_table(study),
        cost_table(study),
        wins_table(study, comparisons),
        together_table(comparisons),
        apart_table(comparisons),
        examples_table(study),
        failures_table(study),
        provenance_table(study),
    ]


def _tables_folder(output: Path) -> Path:
    """Return the folder for tables, after checking that no other folder would be replaced."""
    check_page_name(output)
    folder = output.with_name(f"{output.stem}-tables")
    if folder.exists():
        own = folder / _LIST
        if not own.is_file() or not own.read_text(encoding="utf-8").startswith(_FIRST_LINE):
            raise SettingError(
                f"{folder} exists already and was not made by a report: move it away, or give the "
                f"report another name than {output.name}"
            )
    return folder


def _list(tables: Sequence[Table], drawn: Sequence[Picture]) -> str:
    lines = [
        _FIRST_LINE,
        "",
        "The whole folder is replaced when the report is written again.",
        "",
        "| Files | Content |",
        "|---|---|",
        *(f"| `{table.name}` `.md` `.tex` `.csv` `.parquet` | {table.title} |" for table in tables),
        *(f"| `{picture.name}` `.svg` `.png` | {picture.title} |" for picture in drawn),
    ]
    return "\n".join(lines) + "\n"
