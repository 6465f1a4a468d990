"""Examples of wrong answers, which show the kinds of errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bilex.benchmark.report.number_format import DASH, size_label, whole
from bilex.benchmark.report.records import Direction, JobRecord
from bilex.benchmark.report.study import Study
from bilex.benchmark.report.tables import Cell, Column, Row, Table, word
from bilex.benchmark.report.test_words import TestWord

ERRORS_SHOWN = 10
"""Wrong answers shown for each method and language pair."""


@dataclass(frozen=True, slots=True)
class Example:
    """A wrong answer, and how many of the other methods answered correctly."""

    test_word: TestWord
    answer: str | None
    rank: int | None
    others_right: int
    others: int


def examples_table(study: Study) -> Table:
    """Return wrong answers of each method in each language pair, from frequent words to rare."""
    rows = []
    for direction in study.directions:
        size = _most_seeds(study, direction)
        for method in study.methods:
            rows += [
                _row(direction, size, method, found)
                for found in _examples(study, direction, size, method)
            ]
    columns = (
        Column("pair", "Pair", numeric=False),
        Column("seeds", "Seeds"),
        Column("method", "Method", numeric=False),
        Column("word", "Word", numeric=False),
        Column("gold", "Correct", numeric=False),
        Column("answer", "Answer", numeric=False),
        Column("rank", "Rank of correct"),
        Column("others", "Others correct", numeric=False),
        Column("frequency_rank", "Frequency rank"),
    )
    note = (
        f"Up to {ERRORS_SHOWN} words that a method translated wrongly, evenly spread from frequent "
        "to rare, with the most seeds, in the first draw. Others correct: how many of the other "
        "methods translated this word correctly."
    )
    return Table("errors", "Example errors", note, columns, tuple(rows), 4)


def _most_seeds(study: Study, direction: Direction) -> int:
    return max(size for found, size, _ in study.cells if found == direction)


def _examples(study: Study, direction: Direction, size: int, method: str) -> list[Example]:
    records = study.cell(direction, size, method)
    if not records:
        return []
    record = records[0]
    others = [
        _right_words(other)
        for name in study.methods
        if name != method
        for other in study.cell(direction, size, name)
        if other.draw == record.draw
    ]
    words = study.test_words[direction]
    wrong = [int(i) for i in np.flatnonzero(~record.answers.right())]
    wrong.sort(key=lambda i: _frequency(words[record.answers.words[i]]))
    return [
        Example(
            test_word=words[place := int(record.answers.words[i])],
            answer=record.answers.best[i],
            rank=int(record.answers.ranks[i]) or None,
            others_right=sum(place in right for right in others),
            others=len(others),
        )
        for i in _evenly(wrong)
    ]


def _right_words(record: JobRecord) -> set[int]:
    return set(record.answers.words[record.answers.right()].tolist())


def _frequency(entry: TestWord) -> float:
    return float("inf") if entry.frequency_rank is None else entry.frequency_rank


def _evenly(items: Sequence[int]) -> list[int]:
    if len(items) <= ERRORS_SHOWN:
        return list(items)
    places = np.linspace(0, len(items) - 1, ERRORS_SHOWN).round().astype(int)
    return [items[place] for place in places]


def _row(direction: Direction, size: int, method: str, found: Example) -> Row:
    rank, frequency = found.rank, found.test_word.frequency_rank
    gold = ", ".join(found.test_word.gold)
    cells = (
        word(direction.label),
        Cell(size, size_label(size)),
        word(method),
        word(found.test_word.word, direction.source),
        word(gold, direction.target),
        word(found.answer, direction.target),
        Cell(rank, "beyond 20" if rank is None else str(rank)),
        Cell(found.others_right, f"{found.others_right} of {found.others}")
        if found.others
        else Cell(None, DASH),
        Cell(frequency, whole(frequency)),
    )
    return Row(cells, direction, size, method)
