"""A pytest plugin that skips what needs a package which is not installed.

For an installation without extras: `PYTHONPATH=tests/support pytest -p no_extras`.
"""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest

_MISSING = re.compile(r"(ModuleNotFoundError: No module named '(?!bilex)|MissingExtraError: ).*")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip a module that imports a missing package."""
    report = yield
    found = _MISSING.search(str(report.longrepr)) if report.failed else None
    if found is not None:
        report.outcome = "skipped"
        report.longrepr = (report.nodeid, 0, f"Skipped: {found[0]}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip a test that ends in such an error."""
    report = yield
    problem = str(report.longrepr).rpartition("\nE   ")[2] if report.failed else ""
    found = _MISSING.search(problem)
    if found is not None:
        report.outcome = "skipped"
        report.longrepr = (report.nodeid, 0, f"Skipped: {found[0]}")
    return report
