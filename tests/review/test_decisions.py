"""Decisions become pairs to learn from."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bilex.errors import InputFileError, ReviewFileError, SettingError
from bilex.review.decisions import REVIEWED, decisions_of, read_decisions
from bilex.review.events import Event, Kind, Shown
from bilex.review.log import write_log
from bilex.review.project import Candidate, Project, ReviewWord
from bilex.review.projection import project
from bilex.review.store import ReviewStore
from bilex.values import Decisions, Entry, Lexicon
from review_data import logs

ACCEPTED, REJECTED = "chien", "chat"


def decision(
    word: str, kind: Kind, *targets: str, reviewer: str = "ann", resolves: bool = False
) -> Event:
    return Event(
        id=f"{reviewer} {word}",
        at="2026-01-01T00:00:00.000000Z",
        reviewer=reviewer,
        word=word,
        kind=kind,
        targets=targets,
        shown=(Shown(ACCEPTED, 0.6), Shown(REJECTED, 0.2)),
        reason="audit",
        resolves=resolves,
    )


LOG = [
    decision("dog", "accept", ACCEPTED),
    decision("cow", "none"),
    decision("xyz", "not-entry"),
    decision("cat", "skip"),
]


def test_accepted_and_rejected_pairs() -> None:
    found = decisions_of(LOG, weight=2.0, sample=["dog", "cat", "other"])
    assert found.accepted.entries == (Entry("dog", ACCEPTED, 2.0, REVIEWED),)
    assert found.rejected == {("dog", REJECTED), ("cow", ACCEPTED), ("cow", REJECTED)}
    assert found.sample == {"dog"}


def test_the_weight_is_the_share_of_reviewers_who_accepted_the_pair() -> None:
    found = decisions_of(
        [
            decision("dog", "accept", ACCEPTED, "toutou"),
            decision("dog", "accept", ACCEPTED, reviewer="bob"),
        ]
    )
    assert [(pair.target, pair.weight) for pair in found.accepted.entries] == [
        (ACCEPTED, 1.0),
        ("toutou", 0.5),
    ]


def test_nothing_is_learned_from_a_dispute_until_an_editor_decides() -> None:
    dispute = [decision("dog", "accept", ACCEPTED), decision("dog", "none", reviewer="bob")]
    assert decisions_of(dispute, sample=["dog"]) == Decisions()
    editor = decision("dog", "accept", "toutou", reviewer="eve", resolves=True)
    found = decisions_of([*dispute, editor])
    assert found.accepted.entries == (Entry("dog", "toutou", 1.0, REVIEWED),)


def test_of_several_editors_the_last_one_decides_alone() -> None:
    log = [
        decision("dog", "none"),
        decision("dog", "accept", "toutou", reviewer="eve", resolves=True),
        decision("dog", "accept", ACCEPTED, REJECTED, reviewer="fay", resolves=True),
    ]
    found = decisions_of(log)
    # Times are equal: ids decide, and fay's is last.
    assert found.accepted.entries == (
        Entry("dog", ACCEPTED, 1.0, REVIEWED),
        Entry("dog", REJECTED, 1.0, REVIEWED),
    )
    assert not found.rejected
    entry = project("dog", log)
    assert [event.reviewer for event in entry.deciding] == ["fay"]
    assert entry.targets == (ACCEPTED, REJECTED)


@given(logs())
def test_pairs_come_from_the_decisions_that_make_the_entry(log: list[Event]) -> None:
    by_word: dict[str, list[Event]] = {}
    for each in log:
        by_word.setdefault(each.word, []).append(each)
    pairs = decisions_of(log).accepted.entries
    for word, events in by_word.items():
        entry = project(word, events)
        found = {pair.target: pair.weight for pair in pairs if pair.source == word}
        assert tuple(found) == entry.targets
        last = [event.reviewer for event in entry.decisions if event.resolves][-1:]
        if last:
            assert [event.reviewer for event in entry.deciding] == last
            assert set(found.values()) <= {1.0}
        else:
            assert entry.deciding == entry.decisions


@given(logs(), st.randoms(use_true_random=False))
def test_decisions_do_not_depend_on_the_order_of_events(log: list[Event], rng: object) -> None:
    shuffled = list(log)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    found = decisions_of(log)
    assert decisions_of(shuffled) == found
    pairs = {(pair.source, pair.target) for pair in found.accepted.entries}
    assert not pairs & found.rejected
    assert all(0 < pair.weight <= 1 for pair in found.accepted.entries)


def test_accepted_pairs_come_before_seeds_and_rejected_seeds_are_dropped() -> None:
    decisions = Decisions(
        Lexicon((Entry("dog", ACCEPTED, 3.0),)), frozenset({("dog", REJECTED), ("cow", "v")})
    )
    seeds = Lexicon.of([("dog", REJECTED), ("dog", ACCEPTED), ("cow", "vache")])
    assert decisions.added_to(seeds).entries == (
        Entry("dog", ACCEPTED, 3.0),
        Entry("dog", ACCEPTED),
        Entry("cow", "vache"),
    )
    assert Decisions().added_to(seeds) == seeds


def test_a_log_a_file_of_a_database_and_its_url_give_the_same(tmp_path: Path) -> None:
    write_log(LOG, tmp_path / "log.jsonl")
    words = [
        ReviewWord(word=word, rank=rank, candidates=(Candidate(ACCEPTED), Candidate(REJECTED)))
        for rank, word in enumerate(["dog", "cow", "xyz", "cat"])
    ]
    path = tmp_path / "review.db"
    with ReviewStore.create(str(path), Project(), words) as store:
        store.add(LOG)
    expected = decisions_of(LOG, weight=0.5)
    assert read_decisions(tmp_path / "log.jsonl", weight=0.5) == expected
    for place in (path, str(path), f"sqlite:///{path}"):
        found = read_decisions(place, weight=0.5)
        assert found == Decisions(expected.accepted, expected.rejected, frozenset({"dog", "cow"}))


def test_what_is_not_a_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="no such file"):
        read_decisions(tmp_path / "missing.jsonl")
    (tmp_path / "bad.jsonl").write_text("dog\tchien\n", encoding="utf-8")
    with pytest.raises(ReviewFileError, match="line 1"):
        read_decisions(tmp_path / "bad.jsonl")
    for weight in (0, -1, float("nan")):
        with pytest.raises(SettingError, match="weight of decisions"):
            read_decisions(tmp_path / "bad.jsonl", weight=weight)
