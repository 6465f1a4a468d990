"""Write tables as Markdown, LaTeX, CSV and Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from bilex.benchmark.report.tables import Cell, Column, Row, Table
from bilex.registry import import_extra
from bilex.storage.files import writing

LONGEST_FLOAT = 45
"""Rows of a LaTeX table that fit on a page; longer tables break across pages."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "–": "--",
    "−": "$-$",
    "±": r"$\pm$",
    "→": r"$\to$",
    "≈": r"$\approx$",
    "≥": r"$\geq$",
    "\n": " ",
}
_MARKDOWN = {character: f"\\{character}" for character in "\\|*_`[]<>#"} | {"\n": " "}


def write_table(table: Table, folder: Path) -> None:
    """Write a table into `folder` in all formats, as files with the name of the table."""
    texts: dict[str, Callable[[Table], str]] = {".md": markdown, ".tex": latex, ".csv": comma}
    for suffix, write in texts.items():
        (folder / f"{table.name}{suffix}").write_text(write(table), encoding="utf-8", newline="")
    with writing(folder / f"{table.name}.parquet") as path:
        write_parquet(table, path)


def markdown(table: Table) -> str:
    """Return a table as GitHub-flavored Markdown."""
    titles = [_escaped(column.title, _MARKDOWN) for column in table.columns]
    rules = ["---:" if column.numeric else "---" for column in table.columns]
    lines = [titles, rules, *([_markdown_cell(cell) for cell in r.cells] for r in table.rows)]
    if any(column.note for column in table.columns):
        lines.insert(2, [_escaped(column.note, _MARKDOWN) for column in table.columns])
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    note = f"\n\n{_escaped(table.note, _MARKDOWN)}" if table.note else ""
    return f"## {_escaped(table.title, _MARKDOWN)}\n\n{body}{note}\n"


def latex(table: Table) -> str:
    """Return a LaTeX table that uses the package booktabs."""
    long = len(table.rows) > LONGEST_FLOAT
    spec = "".join("r" if column.numeric else "l" for column in table.columns)
    caption = _escaped(f"{table.title}. {table.note}".strip(), _LATEX)
    label = f"\\caption{{{caption}}}\\label{{tab:{table.name}}}"
    head = [r"\toprule", *_latex_head(table.columns), r"\midrule"]
    body = [*_latex_rows(table), r"\bottomrule"]
    if long:
        lines = [f"\\begin{{longtable}}{{{spec}}}", f"{label}\\\\", *head, r"\endhead", *body]
        lines.append(r"\end{longtable}")
    else:
        lines = [r"\begin{table}", r"\centering", label, f"\\begin{{tabular}}{{{spec}}}"]
        lines += [*head, *body, r"\end{tabular}", r"\end{table}"]
    needs = r"% needs \usepackage{booktabs}" + (r" and \usepackage{longtable}" if long else "")
    text = "\n".join(lines) + "\n"
    engine = "" if text.isascii() else "% has non-ASCII letters: use XeLaTeX or LuaLaTeX\n"
    return f"{needs}\n{engine}{text}"


def comma(table: Table) -> str:
    """Return the values of a table, not rounded, separated by commas."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.key for column in table.columns])
    writer.writerows([cell.value for cell in row.cells] for row in table.rows)
    return text.getvalue()


def write_parquet(table: Table, path: Path) -> None:
    """Write the values of a table, not rounded, as a Parquet file.

    Raises:
        MissingExtraError: If pyarrow is not installed.
    """
    require_pyarrow()
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    columns = {
        column.key: arrow.array(_of_one_type([row.cells[place].value for row in table.rows]))
        for place, column in enumerate(table.columns)
    }
    parquet.write_table(arrow.table(columns), path)


def require_pyarrow() -> None:
    """Check that Parquet files can be written.

    Raises:
        MissingExtraError: If pyarrow is missing; the message has the install command.
    """
    import_extra("pyarrow", "writing the tables of a report as Parquet needs", extra="scale")


def _of_one_type(values: list[float | int | str | None]) -> list[float | int | str | None]:
    """Return values of one type: text if any value is text, float if any is a float."""
    if any(isinstance(value, str) for value in values):
        return [None if value is None else str(value) for value in values]
    if any(isinstance(value, float) for value in values):
        return [None if value is None else float(value) for value in values]
    return values


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in text)


def _markdown_cell(cell: Cell) -> str:
    text = _escaped(cell.text, _MARKDOWN)
    if cell.mark == "best":
        text = f"**{text}**"
    return " ".join(filter(None, [text, cell.spread, "≈" if cell.mark == "tied" else ""]))


def _latex_cell(cell: Cell) -> str:
    text = _escaped(cell.text, _LATEX)
    if cell.mark == "best":
        text = f"\\textbf{{{text}}}"
    if cell.mark == "tied":
        text = f"{text}$^{{\\approx}}$"
    spread = f" {{\\scriptsize {_escaped(cell.spread, _LATEX)}}}" if cell.spread else ""
    return text + spread


def _latex_head(columns: tuple[Column, ...]) -> Iterator[str]:
    yield " & ".join(_escaped(column.title, _LATEX) for column in columns) + r" \\"
    if any(column.note for column in columns):
        notes = [f"\\scriptsize {_escaped(c.note, _LATEX)}" if c.note else "" for c in columns]
        yield " & ".join(notes) + r" \\"


def _latex_rows(table: Table) -> Iterator[str]:
    """Yield the rows; a repeated first heading is left out, a new one follows extra space."""
    before: Row | None = None
    for row in table.rows:
        texts = [_latex_cell(cell) for cell in row.cells]
        if before is not None and table.headings > 1:
            if row.cells[0].text == before.cells[0].text:
                texts[0] = ""
            else:
                yield r"\addlinespace"
        yield " & ".join(texts) + r" \\"
        before = row
