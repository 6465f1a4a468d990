from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.lexicons.dictionary import DictionaryEntry, Origin
from bilex.review.events import Event, Shown
from bilex.review.project import Candidate, Project, ReviewWord
from bilex.review.store import ReviewStore
from bilex.service.api.own_entries import DecisionFeed, OwnEntries
from bilex.service.api.pairs import ServedPair
from review_data import event
from running_service import odd_model, plain_model, plain_pair

WORDS = plain_model().source.words


def own(*entries: tuple[str, str, Origin]) -> OwnEntries:
    return OwnEntries(
        DictionaryEntry(source, target, origin=origin) for source, target, origin in entries
    )


def best(pair: ServedPair, word: str, *, reverse: bool = False, k: int = 5) -> list[str]:
    answer = pair.direction(reverse=reverse).translate([word], k=k)[0]
    return [one["word"] for one in answer["candidates"]]


@given(
    words=st.lists(st.sampled_from([*WORDS, "nothing", ""]), max_size=6),
    k=st.integers(1, 30),
    reverse=st.booleans(),
)
def test_without_own_entries_answers_are_those_of_the_model(
    words: list[str], k: int, reverse: bool
) -> None:
    answers = plain_pair().direction(reverse=reverse).translate(words, k=k)
    expected = plain_model().translate(words, k=k, reverse=reverse)
    for answer, known in zip(answers, expected, strict=True):
        assert (answer["word"], answer["how"]) == (known.word, known.how)
        found = [(one["word"], one["score"], one["probability"]) for one in answer["candidates"]]
        assert found == [tuple(one) for one in known.candidates]


def test_what_people_gave_comes_first_and_what_they_rejected_never() -> None:
    word = WORDS[3]
    first, second, third = best(plain_pair(), word, k=3)
    pair = plain_pair(own((word, "own word", "reviewed"), (word, first, "rejected")))
    assert best(pair, word, k=3) == ["own word", second, third]
    accepted = plain_pair(own((word, third, "reviewed")))
    answer = accepted.forward.translate([word], k=3)[0]["candidates"]
    assert [one["word"] for one in answer] == [third, first, second]
    assert answer[0]["origin"] == "reviewed"
    assert answer[0]["probability"] is not None  # what the model knows stays


def test_decisions_hold_in_the_other_direction_too() -> None:
    word = WORDS[3]
    first = best(plain_pair(), word)[0]
    pair = plain_pair(own((word, first, "rejected"), (word, "own word", "reviewed")))
    assert word not in best(pair, first, reverse=True, k=20)
    assert best(pair, "own word", reverse=True) == [word]


def test_probabilities_keep_out_only_what_nobody_gave() -> None:
    word = WORDS[3]
    pair = plain_pair(own((word, "own word", "reviewed")))
    answer = pair.forward.translate([word], k=20, min_probability=1.0)[0]["candidates"]
    assert answer[0]["word"] == "own word"
    assert all(one["origin"] in ("reviewed", "seed") for one in answer)
    unreviewed = plain_pair(own(("new", "neu", "induced")))
    assert unreviewed.forward.translate(["new"], k=1, min_probability=0.9)[0]["how"] == "own"


def test_a_word_that_only_people_know_is_in_lexicon_and_glossary() -> None:
    pair = plain_pair(own(("hot dog", "perrito caliente", "seed")))
    assert pair.forward.entries("hot dog")[0].target == "perrito caliente"
    last = pair.forward.page(len(WORDS), 10).entries
    assert [(one.source, one.target, one.rank) for one in last] == [
        ("hot dog", "perrito caliente", 1)
    ]
    found = pair.forward.glossary(
        "A hot dog, please", max_terms=5, k=1, min_probability=0.5, similar=False
    )
    assert [term.term for term in found.terms] == ["hot dog"]


def test_pages_list_each_entry_once_as_export_does() -> None:
    direction = plain_pair().forward
    expected = [(one.source, one.target) for one in plain_model().induce()]
    found: list[tuple[str, str]] = []
    row: int | None = 0
    while row is not None:
        page = direction.page(row, 7)
        found += [(one.source, one.target) for one in page.entries]
        row = page.next_row
    assert found == expected


def test_pages_can_be_filtered() -> None:
    direction = plain_pair(own((WORDS[2], "own", "reviewed"))).forward
    reviewed = direction.page(0, 100, origin="reviewed").entries
    assert [(one.source, one.target) for one in reviewed] == [(WORDS[2], "own")]
    begin = WORDS[11]
    listed = {one.source for one in direction.page(0, 1000, prefix=begin).entries}
    assert listed == {word for word in WORDS if word.startswith(begin)} & {
        one.source for one in direction.page(0, 100_000).entries
    }
    certain = direction.page(0, 100_000, min_probability=0.9).entries
    assert all((one.probability or 1) >= 0.9 or one.origin != "induced" for one in certain)


def test_a_model_without_probabilities_gives_one_translation() -> None:
    pair = ServedPair.of("de-fr", "de", "fr", odd_model())
    assert not pair.forward.is_calibrated
    assert all(one.rank == 1 for one in pair.forward.page(0, 100).entries)
    assert len(pair.forward.page(0, 100).entries) == len(odd_model().source)


def test_a_pair_may_have_own_entries_only() -> None:
    pair = ServedPair.of(
        "en-de", "en", "de", own=own(("new", "neu", "seed"), ("no", "x", "rejected"))
    )
    assert best(pair, "new") == ["neu"]
    assert best(pair, "neu", reverse=True) == ["new"]
    assert best(pair, "no") == []
    assert pair.forward.near("new", 3) == ()
    assert len(pair.forward) == len(pair.backward) == 1


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.lists(
                st.tuples(st.sampled_from("xyz"), st.sampled_from(["reviewed", "rejected"])),
                max_size=3,
                unique_by=lambda pair: pair[0],
            ),
        ),
        max_size=8,
    )
)
def test_both_directions_always_agree(
    steps: list[tuple[str, list[tuple[str, Origin]]]],
) -> None:
    entries = OwnEntries()
    for word, targets in steps:
        entries.replace(
            word, [DictionaryEntry(word, target, origin=origin) for target, origin in targets]
        )
    forward = {
        (one.source, one.target, one.origin) for w in "abc" for one in entries.of(w, reverse=False)
    }
    backward = {
        (one.target, one.source, one.origin) for w in "xyz" for one in entries.of(w, reverse=True)
    }
    assert forward == backward
    last = dict(steps)
    assert forward == {
        (w, target, origin) for w, targets in last.items() for target, origin in targets
    }


@pytest.fixture
def database(tmp_path: Path) -> Path:
    words = [
        ReviewWord(word=word, rank=rank, candidates=(Candidate(f"{word}1", 0.9),))
        for rank, word in enumerate(WORDS[:5])
    ]
    place = tmp_path / "words.sqlite"
    project = Project(source_language="en", target_language="es", model="m1", seed=7)
    ReviewStore.create(str(place), project, words).close()
    return place


def decide(place: Path, *events: Event) -> None:
    with ReviewStore.open(str(place)) as store:
        assert store.add(events) == [True] * len(events)


def test_decisions_are_taken_as_they_come_in(database: Path) -> None:
    first, second, third = WORDS[:3]
    shown = (Shown(f"{second}1", 0.9),)
    decide(database, event(1, first, targets=("own",), shown=()))
    entries = OwnEntries()
    feed = DecisionFeed(str(database), entries)
    assert [(one.target, one.origin) for one in entries.of(first, reverse=False)] == [
        ("own", "reviewed")
    ]
    assert not feed.refresh()

    decide(database, event(2, second, "none", shown=shown), event(3, third, "not-entry"))

    assert feed.refresh()
    assert [one.origin for one in entries.of(second, reverse=False)] == ["rejected"]
    assert entries.is_left_out(third)
    assert not feed.refresh()

    decide(database, event(4, first, "undo", undoes="1"), event(5, third, "undo", undoes="3"))

    assert feed.refresh()
    assert entries.of(first, reverse=False) == ()
    assert entries.of("own", reverse=True) == ()
    assert not entries.is_left_out(third)


def test_a_word_that_is_no_entry_is_not_in_the_lexicon() -> None:
    entries = OwnEntries()
    pair = plain_pair(entries)
    assert pair.forward.entries(WORDS[0])
    entries.replace(WORDS[0], [], left_out=True)
    assert pair.forward.entries(WORDS[0]) == []
    assert best(pair, WORDS[0])  # who asks for the word gets an answer
