"""Output agrees in words, and in numbers within the tolerance; nothing else agrees."""

from __future__ import annotations

import pytest

from pages.comparison import differences


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ("water\tagua:0.96", "water  agua:0.95\n"),
        ("csls   73.75%  0.787", "csls 74.50%   0.79"),
        ("7,012 words", "7,100 words"),
        ("trained in 41.2 s, 0:45 in all", "trained in 7 s, 12:30 in all"),
        ("3.1k words/s", "1,250 words/s"),
        ("a\tb\td54381e91c25", "a\tb\t0123456789ab"),
        ("a\n…\nd", "a\nb\nc\nd"),
        ("a\n…\nd", "a\nd"),
        ("the file … has 3 … in it", "the file /tmp/x.tsv has 3 of 5 words in it"),
        ("agu…", "agua"),
        ("…", ""),
        ("\nmodel t7, P@1\n\n", "model t7, P@1"),
        ("en.vec: 7,000 words (text)", "en.vec: 7,000 words, from the cache (text)"),
        ("done", "fit: training, 34%, 0:15, about 0:29 left\ndone"),
        ("done", "reading en.vec: 1,000 of 2,000 bytes, about 15 s left\ndone"),
    ],
)
def test_these_agree(expected: str, found: str) -> None:
    assert differences(expected, found) == []


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ("water\tagua:0.96", "water\tagua:0.93"),
        ("water\tagua:0.96", "water\tbeber:0.96"),
        ("csls 73.75%", "csls 77.25%"),
        ("1,000 words", "1,021 words"),
        ("3 of 5 words", "4 of 5 words"),
        ("model t7", "model t8"),
        ("d54381e91c25", "d54381e91c2"),
        ("bilex 0.5.0", "bilex 0.5.1"),
        ("a\nb", "a\nb\nc"),
        ("a\nb\nc", "a\nb"),
        ("", "a"),
        ("a", ""),
        ("a\n…\nd", "a\nb\nc"),
        ("a … d", "a b c"),
        ("a\nb", "b\na"),
        ("trained in 3 s", "trained in 3 rounds"),
    ],
)
def test_these_differ(expected: str, found: str) -> None:
    assert differences(expected, found) != []


def test_the_diff_shows_only_lines_that_differ() -> None:
    assert differences("one 0.50\ntwo\nthree\n…", "one 0.51\nzwei\nthree\nfour") == [
        "--- the page",
        "+++ printed",
        "@@ -1,4 +1,4 @@",
        " one 0.50",
        "-two",
        "+zwei",
        " three",
        "-…",
        "+four",
    ]
