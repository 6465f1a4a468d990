"""The list of suites, which is read without their methods."""

from __future__ import annotations

from pathlib import Path

from bilex.benchmark import expand, list_suites, load_suite, suite_names


def test_the_list_says_what_the_suites_are() -> None:
    found = list_suites()

    assert [suite.name for suite in found] == suite_names()
    for suite in found:
        whole = load_suite(suite.name)
        assert suite.jobs == len(expand(whole, Path()))
        assert suite.description == whole.description
