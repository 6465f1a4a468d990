"""Write the report of a fleet."""

from __future__ import annotations

from pathlib import Path

from bilex.benchmark.report.frame import check_page_name
from bilex.fleet.report.page import render_page
from bilex.fleet.report.records import read_records
from bilex.storage.files import writing


def write_fleet_report(folder: Path, output: Path) -> None:
    """Write the report as one HTML file.

    Args:
        folder: The folder that `bilex fleet run` wrote; lexicons that are not done are left blank.
        output: The HTML file to write; an existing one is replaced.

    Raises:
        InputFileError: If the folder is not that of a fleet, or no lexicon is done.
        SettingError: If `output` is not the name of an HTML file.
    """
    check_page_name(output)
    page = render_page(read_records(folder))
    with writing(output) as path:
        path.write_text(page, encoding="utf-8", newline="\n")
