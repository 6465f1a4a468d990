"""No text takes more than linear time."""

from __future__ import annotations

import time

import pytest

from bilex.glossary import TermIndex
from bilex.oov import Lemmas

SHORT, LONG = 10_000, 50_000
PARTS = {
    "letters": "a",
    "words": "dogs ",
    "networks": "neural networkz ",
    "kanji": "日",
    "spaces": " ",
    "line breaks": "-\n ",
    "marks": "e" + "\u0316\u0301" * 1_000,
    "only marks": "\u0316\u0301",
    "marks of Thai": "ก" + "\u0e48\u0e38" * 1_000,
    "vowels of Thai": "เ",
    "half characters": "\ud800",
    "apostrophes": "a'",
    "hyphens": "a-",
    "points": "a.",
    "symbols": "+",
    "capitals": "Iß",
    "invisible": "a\u200b\u00ad",
    "kana": "カ\u3099ー",
}
TERMS = [
    "a", "aaa", "a'a'a'a'a", "a a a a a a b", "a-a-a", "日", "日日日日日語", "เก", "e",
    "dog", "neural network", "カ", "ıß", "ab", "a.a", "neural net",
]  # fmt: skip


def seconds(index: TermIndex, text: str) -> float:
    """Return the shorter time of two, of this thread alone."""
    times = []
    for _ in range(2):
        start = time.thread_time()
        index.find(text)
        times.append(time.thread_time() - start)
    return min(times)


@pytest.mark.parametrize("name", PARTS)
def test_time_is_in_proportion_to_the_length(name: str) -> None:
    part = PARTS[name]
    index = TermIndex(TERMS, lemmas=Lemmas({"dogs": "dog"}.get))
    short, long = ((part * size)[:size] for size in (SHORT, LONG))

    # Five times the length; quadratic time would be 25 times.
    assert seconds(index, long) < 12 * seconds(index, short) + 0.05
