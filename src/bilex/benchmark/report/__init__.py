"""Write a report of benchmark results: a page with tables, figures and significance tests."""

from __future__ import annotations

from bilex.benchmark.report.writing import write_report

__all__ = ["write_report"]
