"""Rejected words that are asked again because a new model has other candidates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bilex.review import tables
from bilex.review.agreement import Agreement
from bilex.review.audit import Audit
from bilex.review.decisions import decisions_of
from bilex.review.events import Event, Shown
from bilex.review.exchange import reviewed_dictionary
from bilex.review.project import Candidate, Project, ReviewItem, ReviewWord
from bilex.review.projection import project
from bilex.review.returning import as_asked, fresh_candidates, returns
from bilex.review.store import ReviewStore
from review_data import PROJECT, WORDS, event, logs, review_words, undo

FIRST, SECOND, THIRD = PROJECT.model, "css-second", "css-third"


def rejected(id_: int, word: str, *targets: str, model: str = FIRST, **values: Any) -> Event:  # noqa: ANN401
    shown = tuple(Shown(target, 0.5) for target in targets)
    return event(id_, word, "none", shown=shown, model=model, **values)


def accepted(id_: int, word: str, target: str, *, model: str, **values: Any) -> Event:  # noqa: ANN401
    shown = (Shown(target, 0.5),)
    return event(id_, word, targets=(target,), shown=shown, model=model, reason="again", **values)


def words_with(**candidates: str) -> list[ReviewWord]:
    """Return the words of the project, some of them with other candidates than before."""
    changed = {"the": candidates.get("the", "")}
    return [
        word
        if not changed.get(word.word)
        else ReviewWord(
            word=word.word,
            rank=word.rank,
            candidates=tuple(Candidate(target, 0.4) for target in changed[word.word].split()),
        )
        for word in review_words()
    ]


def use_model(store: ReviewStore, model: str, **candidates: str) -> int:
    """Give a store the candidates of another model; return how many rejected words return."""
    named = Project(title="Test", model=model, seed=PROJECT.seed)
    return store.replace_candidates(named, words_with(**candidates)).returning


def next_item(store: ReviewStore, reviewer: str = "ann") -> ReviewItem:
    item = store.next_word("frequency", reviewer)
    assert item is not None
    return item


def waiting(store: ReviewStore) -> dict[str, bool]:
    query = sa.select(tables.priorities.c.word, tables.priorities.c.waiting)
    return store.database.read(lambda connection: dict(map(tuple, connection.execute(query))))


# The store


def test_a_rejected_word_returns_with_candidates_that_nobody_has_rejected(
    store: ReviewStore,
) -> None:
    store.add([rejected(1, "the", "le the", "autre")])
    assert next_item(store).word.word == WORDS[1]
    sample = store.audit_sample()

    assert use_model(store, SECOND, the="autre neu") == 1

    item = next_item(store)
    assert (item.word.word, item.entry.state, item.again) == ("the", "rejected", True)
    assert [each.target for each in as_asked(item).candidates] == ["neu"]
    assert [each.word.word for each in store.audit_sample()] == [each.word.word for each in sample]
    assert store.next_audit("bob").word.word != "the"  # type: ignore[union-attr]
    before = waiting(store)
    assert store.rebuild() == 0
    assert waiting(store) == before


def test_a_word_does_not_return_without_other_candidates(store: ReviewStore) -> None:
    store.add([rejected(1, "the", "le the", "autre")])

    assert use_model(store, SECOND, the="autre") == 0
    assert next_item(store).word.word == WORDS[1]


def test_a_word_that_is_rejected_again_waits_for_the_next_candidates(store: ReviewStore) -> None:
    store.add([rejected(1, "the", "le the", "autre")])
    use_model(store, SECOND, the="neu")

    store.add([rejected(2, "the", "neu", model=SECOND, reason="again")])

    assert next_item(store).word.word == WORDS[1]
    store.release(WORDS[1], "ann")
    item = store.item("the")
    assert item is not None
    assert item.entry.rejected == ("le the", "autre", "neu")
    # A word that was rejected under the first model is known to be wrong.
    assert use_model(store, THIRD, the="autre neu") == 0
    assert next_item(store).word.word == WORDS[1]
    assert use_model(store, "css-fourth", the="autre besser") == 1
    store.release(WORDS[1], "ann")
    assert next_item(store).word.word == "the"


def test_another_reviewer_may_accept_what_the_first_one_never_saw(store: ReviewStore) -> None:
    store.add([rejected(1, "the", "le the", "autre")])
    use_model(store, SECOND, the="neu")

    store.add([accepted(2, "the", "neu", model=SECOND, reviewer="bob")])

    item = store.item("the")
    assert item is not None
    assert (item.entry.state, item.entry.targets) == ("accepted", ("neu",))
    assert (item.entry.reviewers, item.entry.rejected) == (("bob",), ("le the", "autre"))
    assert Agreement.of([item.entry]).words == 0  # nobody else has an opinion on it
    assert store.next_second("ann").word.word == "the"  # type: ignore[union-attr]
    assert store.rebuild() == 0


def test_an_undone_decision_leaves_the_word_to_be_asked_again(store: ReviewStore) -> None:
    first = rejected(1, "the", "le the", "autre")
    store.add([first])
    use_model(store, SECOND, the="neu")
    made = accepted(2, "the", "neu", model=SECOND)
    store.add([made])
    assert next_item(store).word.word == WORDS[1]
    store.release(WORDS[1], "ann")

    store.add([undo(3, made)])

    assert next_item(store).word.word == "the"
    store.add([undo(4, first)])
    item = store.item("the")
    assert item is not None
    assert (item.entry.state, item.again) == ("open", False)


def test_a_word_that_is_skipped_when_asked_again_waits_for_the_next_model(
    store: ReviewStore,
) -> None:
    store.add([rejected(1, "the", "le the", "autre")])
    use_model(store, SECOND, the="neu")

    store.add([event(2, "the", "skip", model=SECOND, reason="again")])

    assert next_item(store).word.word == WORDS[1]
    assert use_model(store, THIRD, the="neu") == 1


def test_a_batch_that_was_rejected_by_its_first_candidates_waits_for_another_model(
    store: ReviewStore,
) -> None:
    store.add([rejected(1, "the", "le the", reason="batch", batch="b")])

    assert next_item(store).word.word == WORDS[1]
    assert use_model(store, SECOND) == 1


def test_priorities_know_which_words_return(store: ReviewStore) -> None:
    store.add([rejected(1, "the", "le the", "autre"), rejected(2, "Zebra", "le Zebra", "autre")])
    use_model(store, SECOND, the="neu")

    store.set_priorities("new", [("Zebra", 9), ("the", 2), ("über", 1)])

    item = store.next_word("new", "ann")
    assert item is not None
    assert item.word.word == "the"


def test_a_word_that_a_new_model_does_not_have_does_not_return(store: ReviewStore) -> None:
    store.add([rejected(1, "the", "le the", "autre")])
    named = Project(title="Test", model=SECOND, seed=PROJECT.seed)

    changes = store.replace_candidates(named, review_words()[1:])

    assert changes.returning == 0
    assert next_item(store).word.word == WORDS[1]


def test_a_restored_backup_asks_the_same_words(store: ReviewStore, tmp_path: Path) -> None:
    store.add([rejected(1, "the", "le the"), rejected(2, "Zebra", "le Zebra", "autre")])
    store.add([rejected(3, "über", "le über", model=SECOND, reason="again")])
    use_model(store, SECOND, the="neu")
    store.backup(tmp_path / "backup.jsonl")

    with ReviewStore.restore(str(tmp_path / "copy.db"), tmp_path / "backup.jsonl") as copy:
        copy.set_priorities("frequency", [(word, -rank) for rank, word in enumerate(WORDS)])
        assert waiting(copy) == waiting(store)
        assert copy.items() == store.items()


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(logs(words=WORDS[:3]), st.integers(0, 10), st.sampled_from(["un", "deux trois", "neu"]))
def test_queues_ask_open_words_and_those_that_return_whatever_came_first(
    tmp_path_factory: pytest.TempPathFactory, log: list[Event], place: int, candidates: str
) -> None:
    folder = tmp_path_factory.mktemp("stores")
    found = []
    for number, order in enumerate((log, log[::-1])):
        with ReviewStore.create(str(folder / f"{number}.db"), PROJECT, review_words()) as made:
            made.set_priorities("frequency", [(word, -rank) for rank, word in enumerate(WORDS)])
            made.add(order[:place])
            use_model(made, SECOND, the=candidates)
            made.add(order[place:])
            flags = waiting(made)
            for item in made.all_items():
                again = returns(item.word, item.entry, SECOND)
                assert item.again == again
                assert flags[item.word.word] == (item.entry.state == "open" or again)
            assert made.rebuild() == 0
            assert waiting(made) == flags
            found.append((flags, made.items()))
    assert found[0] == found[1]


# What decisions amount to


def test_who_rejected_what_is_accepted_now_still_counts() -> None:
    first = rejected(1, "the", "un", "deux", reviewer="bob")
    entry = project("the", [first, accepted(2, "the", "deux", model=SECOND)])

    assert (entry.state, entry.earlier) == ("disputed", ())


def test_two_opinions_on_the_candidates_of_one_model_are_compared() -> None:
    first = rejected(1, "the", "un", reviewer="bob")
    second = rejected(2, "the", "deux", model=SECOND, reason="again", reviewer="bob")
    third = accepted(3, "the", "deux", model=SECOND)

    assert project("the", [first, second, third]).state == "disputed"
    assert project("the", [first, second]).earlier == (first,)


def test_an_editor_who_rejected_the_candidates_of_others_is_replaced_with_them() -> None:
    first = event(1, "the", targets=("un",), shown=(Shown("un"),), model=FIRST, reviewer="cyd")
    editor = rejected(2, "the", "un", reviewer="ed", resolves=True)
    entry = project("the", [first, editor, accepted(3, "the", "deux", model=SECOND)])

    assert (entry.state, entry.targets) == ("accepted", ("deux",))
    assert (entry.earlier, entry.rejected) == ((first, editor), ("un",))


def test_a_later_decision_does_not_replace_what_others_have_accepted() -> None:
    first = event(1, "the", targets=("un",), shown=(Shown("un"),), model=FIRST, reviewer="bob")

    assert project("the", [first, accepted(2, "the", "deux", model=SECOND)]).state == "disputed"


def test_training_learns_all_rejections() -> None:
    log = [
        rejected(1, "the", "un", "deux"),
        rejected(2, "the", "trois", model=SECOND, reason="again"),
        accepted(3, "the", "quatre", model=THIRD),
    ]
    found = decisions_of(log)

    assert found.accepted.translations == {"the": ("quatre",)}
    assert found.rejected == {("the", "un"), ("the", "deux"), ("the", "trois")}


def test_the_audit_counts_the_first_answer() -> None:
    first = event(
        1, "the", "none", shown=(Shown("un", 0.7),), model=FIRST, reason="audit", reviewer="bob"
    )
    later = accepted(2, "the", "deux", model=SECOND)
    item = ReviewItem(word=ReviewWord(word="the", rank=0), entry=project("the", [first, later]))

    found = Audit.of([item], population=None, model=FIRST)
    assert (found.right, found.words, found.believed) == (0, 1, 0.7)
    assert Audit.of([item], population=None, model=SECOND).words == 0
    assert Audit.of([item], population=None).outcomes == found.outcomes


def test_an_export_says_who_rejected_a_candidate_of_an_earlier_model() -> None:
    first = rejected(1, "the", "un", reviewer="bob")
    entry = project("the", [first, accepted(2, "the", "deux", model=SECOND)])
    word = ReviewWord(word="the", rank=0, candidates=(Candidate("deux", 0.5),))

    rows = reviewed_dictionary([ReviewItem(word=word, entry=entry)], PROJECT)

    assert {row.target: (row.origin, row.reviewer) for row in rows} == {
        "deux": ("reviewed", "ann"),
        "un": ("rejected", "bob"),
    }


def test_fresh_candidates_are_those_that_nobody_has_rejected() -> None:
    word = ReviewWord(word="the", rank=0, candidates=(Candidate("un"), Candidate("deux")))
    entry = project("the", [rejected(1, "the", "un"), rejected(2, "the", "x", reviewer="bob")])

    assert fresh_candidates(word, entry) == (Candidate("deux"),)
    assert returns(word, entry, SECOND)
    assert not returns(word, entry, FIRST)
    assert not returns(word, project("the", []), SECOND)
    bare = project("the", [event(1, "the", "none")])
    assert not returns(word, bare, SECOND)  # neither a model nor candidates
    unnamed = project("the", [event(1, "the", "none", shown=(Shown("x"),))])
    assert returns(word, unnamed, SECOND)
