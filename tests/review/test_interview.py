"""What a reviewer is asked next."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from bilex.errors import SettingError
from bilex.review.events import Event
from bilex.review.interview import Interview, Question
from bilex.review.project import ReviewItem, ReviewWord
from bilex.review.projection import project


class FakeStore:
    """Gives words from lists, and remembers what is held."""

    def __init__(self, **words: list[str]) -> None:
        self.words = words
        self.log: list[Event] = []
        self.held: set[str] = set()

    def next_word(self, policy: str, reviewer: str) -> ReviewItem | None:
        assert policy == "value"
        return self._first("queue")

    def next_audit(self, reviewer: str) -> ReviewItem | None:
        return self._first("audit")

    def next_second(self, reviewer: str) -> ReviewItem | None:
        return self._first("second")

    def next_skipped(self, reviewer: str) -> ReviewItem | None:
        return self._first("skipped")

    def last_events(self, reviewer: str, limit: int) -> list[Event]:
        return [event for event in reversed(self.log) if event.reviewer == reviewer][:limit]

    def release(self, word: str, reviewer: str) -> None:
        self.held.remove(word)

    def skip(self, word: str, reviewer: str = "ann") -> None:
        self.log.append(
            Event(
                id=str(len(self.log)),
                at="2026-01-01T00:00:00.000000Z",
                reviewer=reviewer,
                word=word,
                kind="skip",
            )
        )

    def _first(self, name: str) -> ReviewItem | None:
        word = next(iter(self.words.get(name, [])), None)
        if word is None:
            return None
        self.held.add(word)
        return ReviewItem(word=ReviewWord(word=word, rank=0), entry=project(word, []))


def ask(store: FakeStore, interview: Interview | None = None) -> Question | None:
    return (interview or Interview()).next_question(store, "ann", policy="value", seed=1)


def asked(store: FakeStore, interview: Interview | None = None) -> tuple[str, str, str] | None:
    found = ask(store, interview)
    return found and (found.item.word.word, found.reason, found.policy)


def test_a_rejected_word_with_other_candidates_is_asked_again() -> None:
    class Returning(FakeStore):
        def _first(self, name: str) -> ReviewItem | None:
            found = super()._first(name)
            return None if found is None else replace(found, again=True)

    assert asked(Returning(queue=["q"]), Interview(audits=0, seconds=0)) == ("q", "again", "value")
    assert asked(Returning(second=["s"])) == ("s", "again", "")


def test_each_kind_of_question_has_its_share() -> None:
    store = FakeStore(queue=["q"], audit=["a"], second=["s"], skipped=["k"])
    kinds: Counter[str] = Counter()
    for _ in range(4_000):
        question = ask(store)
        assert question is not None
        assert question.policy == ("value" if question.item.word.word == "q" else "")
        kinds[question.item.word.word] += 1
        store.skip("other")
    for kind in "ask":
        assert 0.085 <= kinds[kind] / 4_000 <= 0.115
    assert kinds["q"] == 4_000 - kinds["a"] - kinds["s"] - kinds["k"]


def test_loading_the_page_again_asks_the_same() -> None:
    store = FakeStore(queue=["q"], audit=["a"], second=["s"], skipped=["k"])
    for _ in range(200):
        assert asked(store) == asked(store)
        store.skip("other")
    assert asked(FakeStore(queue=["q"])) == ("q", "queue", "value")


def test_what_is_missing_is_replaced_by_the_queue() -> None:
    store = FakeStore(queue=["q"])
    for _ in range(100):
        assert asked(store) == ("q", "queue", "value")
        store.skip("other")


def test_a_skipped_word_returns_after_thirty_other_events() -> None:
    always = Interview(audits=0, seconds=0, returns=1)
    store = FakeStore(queue=["q"], skipped=["k"])
    store.skip("k")
    for _ in range(30):
        assert asked(store, always) == ("q", "queue", "value")
        assert store.held == {"q"}  # the skipped word is free for others
        store.skip("other")
    assert asked(store, always) == ("k", "queue", "")


def test_another_reviewer_may_be_asked_a_skipped_word_at_once() -> None:
    always = Interview(audits=0, seconds=0, returns=1)
    store = FakeStore(queue=["q"], skipped=["k"])
    store.skip("k", reviewer="bob")
    assert asked(store, always) == ("k", "queue", "")


def test_when_the_queue_is_empty_skipped_words_and_second_opinions_are_left() -> None:
    only = Interview(audits=0, seconds=0, returns=0)
    store = FakeStore(skipped=["k"], second=["s"])
    assert asked(store, only) == ("k", "queue", "")
    store.skip("k")
    assert asked(store, only) == ("s", "second", "")
    store.words["second"] = []
    assert asked(store, only) == ("k", "queue", "")
    assert asked(FakeStore(), only) is None
    assert asked(FakeStore(), Interview(audits=1, seconds=0, returns=0)) is None


def test_zero_as_the_waiting_time_lets_skipped_words_return_at_once() -> None:
    store = FakeStore(queue=["q"], skipped=["k"])
    store.skip("k")
    at_once = Interview(audits=0, seconds=0, returns=1, skipped_after=0)
    assert asked(store, at_once) == ("k", "queue", "")


@pytest.mark.parametrize(
    "settings", [{"audits": -0.1}, {"seconds": 2}, {"returns": 0.9}, {"skipped_after": -1}]
)
def test_impossible_shares_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(SettingError, match=next(iter(settings))):
        Interview(**settings)  # type: ignore[arg-type]
