"""Tables as data, and as Markdown, LaTeX, CSV and Parquet."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from bilex.benchmark.report.comparisons import Comparisons, compare
from bilex.benchmark.report.detail_tables import basis_table, failures_table, scores_table
from bilex.benchmark.report.examples import ERRORS_SHOWN, examples_table
from bilex.benchmark.report.number_format import (
    counted,
    decimal,
    listed,
    mebibytes,
    p_text,
    percent,
    points,
    seconds,
    size_label,
    whole,
)
from bilex.benchmark.report.records import read_results
from bilex.benchmark.report.score_tables import precision_tables, precision_together
from bilex.benchmark.report.study import Study, arrange
from bilex.benchmark.report.table_formats import comma, latex, markdown, write_table
from bilex.benchmark.report.tables import Cell, Column, Row, Table, number, word
from report_data import NASTY, make_failure, make_job, write_jobs

parquet = pytest.importorskip("pyarrow.parquet")

STRENGTHS = {"strong": 1.5, "strong-too": 1.45, "weak": -2.0}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Three methods on two pairs with 100 and 500 seeds; one job failed, one was not run."""
    folder = tmp_path_factory.mktemp("results")
    jobs = [
        make_job(pair, method, seeds, draw, n_words=120, strength=strength)
        for pair in ("en-fr", "en-he")
        for method, strength in STRENGTHS.items()
        for seeds, draws in ((100, 2), (500, 1))
        for draw in range(draws)
    ]
    jobs = [job for job in jobs if job["key"] not in ("en-he.weak.500.0", "en-fr.weak.500.0")]
    return arrange(
        read_results(write_jobs(folder, [*jobs, make_failure("en-he", "weak", 500, 0)])), folder
    )


@pytest.fixture(scope="module")
def comparisons(study: Study) -> Comparisons:
    return compare(study, np.random.default_rng(0))


def row_of(table: Table, *headings: str) -> dict[str, Cell]:
    for row in table.rows:
        if tuple(cell.text for cell in row.cells[: len(headings)]) == headings:
            return {c.key: cell for c, cell in zip(table.columns, row.cells, strict=True)}
    raise AssertionError(f"no row {headings}")


def test_a_table_for_each_number_of_seeds_marks_the_best(
    study: Study, comparisons: Comparisons
) -> None:
    few, more = precision_tables(study, comparisons)

    best = row_of(few, study.methods[0])
    assert best["all"].mark == "best"
    assert best["all"].spread.startswith("± ")
    assert row_of(few, study.methods[1])["all"].mark == "tied"
    assert row_of(few, "weak")["en→fr"].mark == ""
    assert "weak" not in [row.cells[0].text for row in more.rows]  # neither run nor done
    assert few.columns[2].note == "120 of 192"
    assert row_of(few, "copy the word")["en→fr"].text == percent(study.done[0].copy_baseline)


def test_the_paper_table_has_all_numbers_of_seeds(study: Study, comparisons: Comparisons) -> None:
    table = precision_together(study, comparisons)

    assert [column.key for column in table.columns[:3]] == ["seeds", "method", "all"]
    assert {row.cells[0].text for row in table.rows} == {"100", "500"}
    assert row_of(table, "100", "weak")["en→fr"].value == pytest.approx(
        np.mean([study.p_at_1(r) for r in study.cell(study.directions[0], 100, "weak")])
    )


def test_all_scores_have_best_mean_and_deviation(study: Study, comparisons: Comparisons) -> None:
    table = scores_table(study, comparisons)

    two = row_of(table, "en→fr", "100", "strong")
    records = study.cell(study.directions[0], 100, "strong")
    scores = [study.p_at_1(record) for record in records]
    assert two["draws"].value == 2
    assert two["best"].value == max(score for score in scores if score is not None)
    assert two["sd"].value == pytest.approx(np.std([s for s in scores if s is not None], ddof=1))
    one = row_of(table, "en→fr", "500", "strong")
    assert (one["sd"].value, one["sd"].text) == (None, "–")


def test_the_basis_of_scores_is_reported(study: Study) -> None:
    found = row_of(basis_table(study), "en→fr", "100", "weak")

    assert found["covered"].text == "120"
    assert found["coverage"].text == "62.5"
    assert found["seed_pairs"].value == 86
    assert found["strict"].value == pytest.approx(found["p_at_1"].value * 120 / 192)  # type: ignore[operator]


def test_failures_keep_their_error(study: Study) -> None:
    (row,) = failures_table(study).rows

    assert [cell.text for cell in row.cells[:5]] == [
        "en→he",
        "500",
        "weak",
        "0",
        "ConvergenceError",
    ]


def test_examples_are_wrong_answers_from_frequent_to_rare(study: Study) -> None:
    table = examples_table(study)

    rows = [row for row in table.rows if row.method == "weak"]
    assert not rows  # no result with the most seeds
    rows = [r for r in table.rows if r.method == "strong" and r.cells[0].text == "en→he"]
    assert 0 < len(rows) <= ERRORS_SHOWN
    ranks = [row.cells[8].value for row in rows]
    assert ranks == sorted(ranks, key=lambda rank: float(rank or 0))
    for row in rows:
        assert row.cells[5].text not in row.cells[4].text.split(", ")
        assert row.cells[7].text.endswith(" of 1")
        assert (row.cells[3].language, row.cells[5].language) == ("en", "he")


def nasty_table() -> Table:
    rows = tuple(
        Row((word(text), number(place / 3, f"{place / 3:.2f}"))) for place, text in enumerate(NASTY)
    )
    rows += (
        Row((word("none"), number(None, ""))),
        Row((word("two\nlines"), Cell(1.0, "1", "± 2"))),
    )
    columns = (Column("word", "A|word", numeric=False), Column("value", "Value", note="of 3"))
    return Table("nasty", "Nasty & words", "Shares < 1 % → all.", columns, rows)


def test_markdown_escapes_what_would_break_it() -> None:
    lines = markdown(nasty_table()).splitlines()

    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 3 + len(NASTY) + 2
    for line in table:
        assert line.replace("\\\\", "").replace("\\|", "").count("|") == 3
    assert r"\<script\>alert(1)\</script\>" in table[3]
    assert table[-2] == "| none | – |"
    assert table[-1] == "| two lines | 1 ± 2 |"


def test_latex_escapes_what_would_break_it() -> None:
    text = latex(nasty_table())

    assert r"\toprule" in text
    assert r"\bottomrule" in text
    assert r"a\textbackslash{}b\_c\$d\%e\#f\{g\}" in text
    assert r"R\&D" in text
    assert r"\caption{Nasty \& words. Shares $<$ 1 \% $\to$ all.}\label{tab:nasty}" in text
    assert "use XeLaTeX or LuaLaTeX" in text
    assert "none & -- \\\\" in text
    assert r"1 {\scriptsize $\pm$ 2}" in text


def test_latex_marks_and_groups_rows(study: Study, comparisons: Comparisons) -> None:
    text = latex(precision_together(study, comparisons))

    assert text.isascii()
    assert r"\textbf{" in text
    assert r"$^{\approx}$" in text
    assert text.count(r"\addlinespace") == 1
    body = text[text.index(r"\midrule") :]
    assert body.count("\n100 & ") == 1  # written once, not on every row
    assert r"en$\to$fr" in text


def test_long_latex_tables_break_across_pages() -> None:
    rows = tuple(Row((word("a"), number(1, "1"))) for _ in range(60))
    table = Table("long", "Long", "", (Column("a", "A", numeric=False), Column("b", "B")), rows)

    text = latex(table)

    assert text.startswith("% needs \\usepackage{booktabs} and \\usepackage{longtable}\n")
    assert r"\begin{longtable}{lr}" in text
    assert r"\endhead" in text


def test_csv_and_parquet_hold_the_values(tmp_path: Path) -> None:
    table = nasty_table()
    write_table(table, tmp_path)

    rows = list(csv.reader(io.StringIO(comma(table))))
    assert rows[0] == ["word", "value"]
    assert [row[0] for row in rows[1 : len(NASTY) + 1]] == NASTY
    assert float(rows[2][1]) == 1 / 3
    assert rows[-2] == ["none", ""]
    stored = parquet.read_table(tmp_path / "nasty.parquet").to_pydict()
    assert stored["word"][: len(NASTY)] == NASTY
    assert stored["value"][1] == 1 / 3
    assert stored["value"][-2] is None
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".csv", ".md", ".parquet", ".tex"]


def test_a_table_without_rows_can_be_written(tmp_path: Path) -> None:
    write_table(Table("empty", "Empty", "", (Column("a", "A"),), ()), tmp_path)

    assert parquet.read_table(tmp_path / "empty.parquet").num_rows == 0


def test_numbers_are_written_for_people() -> None:
    assert [percent(0.6141), percent(None)] == ["61.4", "–"]
    assert [points(0.0081), points(-0.02), points(-0.0001)] == ["+0.8", "−2.0", "0.0"]
    assert [decimal(-1.234), decimal(None)] == ["−1.23", "–"]
    assert [whole(1242), whole(None)] == ["1,242", "–"]
    assert [seconds(3.14), seconds(1234.5), seconds(None)] == ["3.1", "1,234", "–"]
    assert [mebibytes(2**30), mebibytes(None)] == ["1,024", "–"]
    assert [size_label(n) for n in (0, 500, 1000, 2500, 20000)] == ["0", "500", "1k", "2.5k", "20k"]
    assert [p_text(0.0002), p_text(0.0312)] == ["< 0.001", "0.031"]
    assert [counted(1, "job"), counted(2, "entry", "entries")] == ["1 job", "2 entries"]
    assert [listed([]), listed(["a"]), listed(["a", "b", "c"])] == ["", "a", "a, b and c"]
