"""From the results of many jobs to a page with tables, figures and significance tests."""

from __future__ import annotations

from bilex.benchmark.report.writing import write_report

__all__ = ["write_report"]
