"""A pytest plugin that skips what needs a package which is not installed.

For an installation without extras: `PYTHONPATH=tests/support pytest -p no_extras`.
"""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest

_MISSING = re.compile(r"ModuleNotFoundError: No module named '(?!bilex).*|MissingExtraError: .*")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip a module that imports a missing package."""
    report = yield
    if report.failed and (found := _MISSING.search(str(report.longrepr))):
        report.outcome = "skipped"
        report.longrepr = (report.nodeid, 0, f"Skipped: {found[0]}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip a test that ends in an error about a missing package."""
    report = yield
    if call.excinfo is not None and (found := _MISSING.search(call.excinfo.exconly())):
        report.outcome = "skipped"
        report.longrepr = (report.nodeid, 0, f"Skipped: {found[0]}")
    return report
