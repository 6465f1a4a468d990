"""From the results of many jobs to a page, tables and figures that can be believed."""

from __future__ import annotations

from bilex.benchmark.report.writing import write_report

__all__ = ["write_report"]
