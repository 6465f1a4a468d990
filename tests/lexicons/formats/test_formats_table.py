"""The table of formats in the documentation; run this file to update it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bilex.lexicons.formats import formats_table, installed_formats

PAGE = Path(__file__).resolve().parents[3] / "docs" / "dictionary" / "export.md"
TABLE = re.compile(r"(<!-- formats: .*? -->\n)(.*?)(<!-- end of formats -->\n)", re.DOTALL)


def updated(text: str) -> str:
    table = formats_table()
    return TABLE.sub(lambda found: f"{found[1]}\n{table}\n{found[3]}", text)


@pytest.mark.skipif(not PAGE.exists(), reason="the documentation is not part of this distribution")
def test_the_documentation_lists_all_formats() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert TABLE.search(text)
    assert text == updated(text), f"out of date: run python {Path(__file__).name}"


def test_the_table_has_a_row_for_each_format() -> None:
    header, _, *rows = formats_table().splitlines()

    assert header == "| Name | Extensions | Read | gzip | Fields | Rejected | Needs | Use |"
    assert [row.split("`")[1] for row in rows] == list(installed_formats())
    assert (
        "| `parquet` | `.parquet` | yes | no | all | yes | `bilex[export]` | Typed columns, for "
        "pandas, DuckDB and Spark. |"
    ) in rows
    assert any(row.startswith("| `stardict` | `.stardict` (a folder) | yes | no |") for row in rows)
    assert any("| no | yes | source, target, probability, origin | no | – |" in row for row in rows)


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
