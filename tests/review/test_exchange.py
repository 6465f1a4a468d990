"""Reviewed dictionaries go out with all decisions, and edited files come back as events."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.errors import EventError
from bilex.lexicons import (
    Dictionary,
    DictionaryEntry,
    DictionaryMetadata,
    read_dictionary,
    write_dictionary,
)
from bilex.lexicons.formats import Format, installed_formats
from bilex.review.events import Event, Shown
from bilex.review.exchange import WORD_FIELDS, Edits, edits, reviewed_dictionary
from bilex.review.project import Candidate, Project, ReviewItem, ReviewWord
from bilex.review.projection import project

PROJECT = Project(title="Dogs", source_language="en", target_language="fr", model="css-4f")
EARLY, LATE = "2026-01-01T00:00:00.000000Z", "2026-02-01T00:00:00.000000Z"
FILES = ("d.tsv", "d.csv", "d.jsonl", "d.xlsx", "d.tbx", "d.tei", "d.lift", "d.parquet")
DOG = ReviewWord(
    word="dog",
    rank=0,
    candidates=(
        Candidate("chien", 0.9),
        Candidate("chat", 0.5),
        Candidate("loup", 0.25),
        Candidate("clebs", None, "seed"),
    ),
)


def event(kind: str = "accept", **values: object) -> Event:
    given = {"id": str(values), "at": EARLY, "reviewer": "Ann", "word": "dog", "kind": kind}
    return Event.from_dict({**given, **values})


def item(*events: Event, word: ReviewWord = DOG) -> ReviewItem:
    return ReviewItem(word=word, entry=project(word.word, events))


def exported(*events: Event, word: ReviewWord = DOG) -> Dictionary:
    return reviewed_dictionary([item(*events, word=word)], PROJECT)


def shown(*targets: str) -> list[list[object]]:
    return [[target, None] for target in targets]


ACCEPTED = event(targets=["chien", "toutou"], shown=shown("chien", "chat"), note="a\n pet ")


def changed(dictionary: Dictionary, which: str, **values: str) -> Dictionary:
    return Dictionary(
        tuple(e._replace(**values) if e.target == which else e for e in dictionary),  # type: ignore[arg-type]
        dictionary.metadata,
    )


def made(before: Dictionary, after: Dictionary, **options: object) -> Edits:
    return edits(before, after, **{"reviewer": "Bo", "at": LATE, **options})  # type: ignore[arg-type]


def test_a_reviewed_dictionary_has_every_decision() -> None:
    second = event(id="2", reviewer="Bo", at=LATE, targets=["chien"], shown=shown("chien", "chat"))
    other = event("note", id="3", note="x", part_of_speech="noun", sense="animal")
    found = reviewed_dictionary([item(ACCEPTED, second, other)], PROJECT)

    assert found.metadata == DictionaryMetadata(
        source_language="en", target_language="fr", title="Dogs"
    )
    said = ("noun", "animal", "a  pet")
    assert list(found) == [
        DictionaryEntry(
            *("dog", "chien", 0.9, None, 1, None, "reviewed", "css-4f"), *said, "Ann; Bo", LATE
        ),
        DictionaryEntry(
            *("dog", "toutou", None, None, 2, None, "reviewed", ""), *said, "Ann", EARLY
        ),
        DictionaryEntry(*("dog", "loup", 0.25, None, 3, None, "induced", "css-4f"), *said),
        DictionaryEntry(*("dog", "clebs", None, None, 4, None, "seed", ""), *said),
        DictionaryEntry(
            *("dog", "chat", 0.5, None, None, None, "rejected", "css-4f"), *said, "Ann; Bo", LATE
        ),
    ]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ((), {"chien": "induced", "chat": "induced", "loup": "induced", "clebs": "seed"}),
        ((event("not-entry"),), {}),
        (
            (event("none", shown=shown("chien", "clebs")),),
            {"chat": "induced", "loup": "induced", "chien": "rejected", "clebs": "rejected"},
        ),
        (
            (event(targets=["chien"]), event("none", id="2", reviewer="Bo", shown=shown("loup"))),
            {"chien": "induced", "chat": "induced", "clebs": "seed", "loup": "rejected"},
        ),
    ],
    ids=["open", "not-entry", "none", "disputed"],
)
def test_the_origin_follows_the_state(events: Sequence[Event], expected: dict[str, str]) -> None:
    found = exported(*events)

    assert {entry.target: entry.origin for entry in found} == expected


def test_unreviewed_candidates_may_be_left_out() -> None:
    found = reviewed_dictionary([item(ACCEPTED)], PROJECT, unreviewed=False)

    assert {entry.origin for entry in found} == {"reviewed", "rejected", "seed"}


def test_nothing_edited_gives_no_event() -> None:
    before = exported(ACCEPTED)
    backwards = Dictionary(before.entries[::-1])

    assert made(before, before) == made(before, backwards, deleted="reject") == Edits()


@pytest.mark.parametrize(
    "form", [f for f in installed_formats().values() if f.is_readable and f.is_writable]
)
def test_an_unedited_file_gives_no_event(tmp_path: Path, form: Format) -> None:
    before = exported(ACCEPTED, event("note", id="2", part_of_speech="noun", sense="animal"))
    path = tmp_path / f"d{form.extensions[0]}"
    write_dictionary(before, path)

    found = made(before, read_dictionary(path))

    assert (found.events, found.unused) == ((), ())
    if form.select is None:  # otherwise the file has one translation a word, or other limits
        assert found.missing == (0 if form.keeps_rejected else 1)


def test_a_file_without_origins_decides_nothing(tmp_path: Path) -> None:
    before = exported(ACCEPTED)
    (tmp_path / "d.tsv").write_text(
        "".join(f"{entry.source}\t{entry.target}\n" for entry in before), encoding="utf-8"
    )

    assert made(before, read_dictionary(tmp_path / "d.tsv")) == Edits()


def test_an_accepted_candidate() -> None:
    before = exported()
    found = made(before, changed(before, "chien", origin="reviewed"))

    [one] = found.events
    assert one == Event(
        id=one.id,
        at=LATE,
        reviewer="Bo",
        word="dog",
        kind="accept",
        targets=("chien",),
        shown=(Shown("chien", 0.9),),
        reason="import",
        model="css-4f",
        batch=one.batch,
    )
    assert one.batch


def test_a_rejected_candidate_leaves_the_others_open() -> None:
    before = exported()
    [one] = made(before, changed(before, "chat", origin="rejected")).events

    assert (one.kind, one.targets, one.rejected) == ("none", (), ("chat",))


def test_earlier_decisions_on_the_word_stay() -> None:
    before = exported(ACCEPTED)
    [one] = made(before, changed(before, "loup", origin="rejected"), reviewer="Ann").events

    after = project("dog", [ACCEPTED, one])
    assert after.targets == ("chien", "toutou")
    assert set(after.rejected) == {"chat", "loup"}


def test_an_editor_overrules_others() -> None:
    before = exported(ACCEPTED)
    after = changed(before, "toutou", origin="rejected")
    [one] = made(before, after, resolves=True).events
    [other] = made(before, after).events

    decided = project("dog", [ACCEPTED, one])
    assert (decided.targets, set(decided.rejected)) == (("chien",), {"toutou", "chat"})
    beside = project("dog", [ACCEPTED, other])
    assert (beside.targets, beside.rejected) == (("chien", "toutou"), ("chat",))


def test_own_translations() -> None:
    before = exported()
    rows = [
        DictionaryEntry("dog", "cabot", origin="seed"),
        DictionaryEntry("dog", "kiki", origin="reviewed"),
        DictionaryEntry("dog", "mistigri", origin="rejected"),
        DictionaryEntry("cat", "minou", origin="seed"),
    ]
    first, second = made(before, Dictionary((*before, *rows))).events

    assert (first.targets, first.rejected) == (("cabot", "kiki"), ("mistigri",))
    assert first.shown == (Shown("mistigri"),)
    assert (second.word, second.targets, second.batch) == ("cat", ("minou",), first.batch)


def test_a_corrected_translation_is_the_reviewers_own() -> None:
    before = exported()
    found = made(before, changed(before, "loup", target="louve"))

    assert [one.targets for one in found.events] == [("louve",)]
    assert found.missing == 1


def test_a_new_induced_row_is_not_accepted() -> None:
    before = exported()
    found = made(before, Dictionary((*before, DictionaryEntry("dog", "x"))))

    assert found.events == ()
    assert found.unused == (
        "'dog': the new translation 'x' has the origin induced; if it is right, set its origin to "
        "reviewed",
    )


def test_a_deleted_row_means_nothing_unless_requested() -> None:
    before = exported(ACCEPTED)
    after = Dictionary(tuple(e for e in before if e.target not in ("toutou", "loup", "chat")))

    assert made(before, after) == Edits(missing=3)
    [one] = made(before, after, deleted="reject").events
    assert (one.targets, set(one.rejected)) == (("chien",), {"toutou", "loup", "chat"})


def test_a_deleted_word_is_not_worth_an_entry_if_requested() -> None:
    before, cat = exported(ACCEPTED), DictionaryEntry("cat", "chat", origin="seed")
    rejected = DictionaryEntry("cow", "chat", origin="rejected")
    both = Dictionary((*before, cat, rejected))

    assert made(both, Dictionary((cat,))) == Edits(missing=len(before) + 1)
    [one] = made(both, Dictionary((cat,)), deleted="reject").events
    assert (one.word, one.kind, one.rejected) == ("dog", "not-entry", ())
    assert {each.target for each in one.shown} == {entry.target for entry in before}


def test_what_is_said_about_a_word_is_a_note() -> None:
    before = exported(ACCEPTED)
    after = changed(changed(before, "chien", sense="animal"), "loup", part_of_speech="noun")
    [one] = made(before, after, resolves=True).events

    assert (one.kind, one.part_of_speech, one.sense, one.note) == ("note", "noun", "animal", "")
    assert not one.resolves
    entry = project("dog", [ACCEPTED, one])
    assert (entry.part_of_speech, entry.sense, entry.targets) == (
        *("noun", "animal"),
        ("chien", "toutou"),
    )


def test_rows_of_a_word_that_disagree() -> None:
    before = exported()
    after = changed(changed(before, "chien", sense="a", note="x"), "loup", sense="b", note="y")
    found = made(before, after)

    [one] = found.events
    assert (one.sense, one.note) == ("a", "x; y")
    assert found.unused == ("'dog': the sense 'b', because 'a' is used",)


def test_what_cannot_be_stored_is_reported() -> None:
    before = exported(ACCEPTED)
    emptied = changed(before, "chien", note="")
    assert made(before, emptied) == Edits(unused=("'dog': an empty note does not remove 'a  pet'",))
    open_again = Dictionary(tuple(e._replace(origin="induced") for e in before))
    assert made(before, open_again) == Edits(
        unused=("'dog': its decision was removed; undo it in the workbench instead",)
    )
    with pytest.raises(EventError, match="a text of 2001 characters"):
        made(before, changed(before, "chien", note="x" * 2001))


def test_a_file_imported_twice_counts_once() -> None:
    before = exported()
    after = changed(before, "chien", origin="reviewed")
    first, again = made(before, after), made(before, after, at=EARLY)

    assert [one.id for one in first.events] == [one.id for one in again.events]
    assert made(before, after, reviewer="Cy").events[0].id != first.events[0].id
    later = exported(event("none", shown=shown("chat")))
    assert made(later, changed(later, "chien", origin="reviewed")).events[0].id not in (
        one.id for one in first.events
    )


# Laws.

texts = st.sampled_from(["", "noun", "a b", "50 % <x> & y", "origin=seed", "=1+1", "שלום", "a;b"])
targets = st.sampled_from(["chien", "chat", "loup", "a  b", "<x> & y", "ours", '"q"', "=1+1"])
names = st.sampled_from(["dog", "New York", "<b>", "#x"])
people = st.sampled_from(["Ann", "Bo"])
candidates = st.lists(
    st.builds(
        Candidate, targets, st.sampled_from([None, 0.25, 0.5]), st.sampled_from(["seed", "induced"])
    ),
    max_size=4,
    unique_by=lambda one: one.target,
)


@st.composite
def events_of(draw: st.DrawFn, word: str, reviewers: st.SearchStrategy[str]) -> list[Event]:
    found = []
    for number in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(["accept", "none", "not-entry", "skip", "note"]))
        chosen = draw(st.lists(targets, min_size=1, max_size=2, unique=True))
        found.append(
            event(
                kind,
                id=str(number),
                word=word,
                at=f"2026-01-0{number + 1}T00:00:00.000000Z",
                reviewer=draw(reviewers),
                targets=chosen if kind == "accept" else (),
                shown=shown(*draw(st.lists(targets, max_size=3, unique=True))),
                part_of_speech=draw(texts),
                sense=draw(texts),
                note=draw(texts) or ("x" if kind == "note" else ""),
            )
        )
    return found


@st.composite
def projects(
    draw: st.DrawFn, reviewers: st.SearchStrategy[str]
) -> list[tuple[ReviewWord, list[Event]]]:
    words = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    return [
        (
            ReviewWord(word=word, rank=rank, candidates=tuple(draw(candidates))),
            draw(events_of(word, reviewers)),
        )
        for rank, word in enumerate(words)
    ]


@st.composite
def edited(draw: st.DrawFn, before: Dictionary) -> Dictionary:
    """Decide on rows, correct and add translations, and change what is said about words."""
    fields = {
        word: {name: draw(texts) for name in WORD_FIELDS if draw(st.booleans())}
        for word in dict.fromkeys(entry.source for entry in before)
    }
    rows: dict[tuple[str, str], DictionaryEntry] = {}
    for entry in before:
        origin = draw(st.sampled_from([entry.origin, "reviewed", "rejected"]))
        said = {name: text for name, text in fields[entry.source].items() if text}
        row = entry._replace(origin=origin, **said)  # type: ignore[arg-type]
        rows[row[:2]] = row
    for word in fields:
        for target in draw(st.lists(targets, max_size=2)):
            said = next(e for e in rows.values() if e.source == word)._asdict()
            row = DictionaryEntry(word, target, origin=draw(st.sampled_from(["seed", "reviewed"])))
            row = row._replace(**{name: said[name] for name in WORD_FIELDS})  # type: ignore[arg-type]
            rows.setdefault(row[:2], row)
    return Dictionary(tuple(draw(st.permutations(list(rows.values())))), before.metadata)


def through(file: str, dictionary: Dictionary) -> Dictionary:
    with tempfile.TemporaryDirectory() as folder:
        write_dictionary(dictionary, Path(folder) / file)
        return read_dictionary(Path(folder) / file)


def content(dictionary: Dictionary) -> set[tuple[object, ...]]:
    """Return what reviewers decided and said; a new seed is an own translation."""
    return {(e.source, e.target, e.origin, e.part_of_speech, e.sense, e.note) for e in dictionary}


def check_round_trip(
    data: st.DataObject, file: str, reviewers: st.SearchStrategy[str], *, resolves: bool
) -> None:
    words = data.draw(projects(reviewers))
    items = [ReviewItem(word=word, entry=project(word.word, made)) for word, made in words]
    out = reviewed_dictionary(items, PROJECT)
    if not out.entries:
        return
    before = through(file, out)
    assert before.entries == out.entries
    assert before.metadata == out.metadata
    changes = data.draw(edited(before))

    found = edits(before, through(file, changes), reviewer="Ann", at=LATE, resolves=resolves)

    assert found.unused == ()
    assert len({one.word for one in found.events}) == len(found.events)
    again = reviewed_dictionary(
        [
            replace(one, entry=project(word.word, [*made, *_of_word(found.events, word.word)]))
            for one, (word, made) in zip(items, words, strict=True)
        ],
        PROJECT,
    )
    own = {entry[:2] for entry in changes} - {entry[:2] for entry in before}
    wanted = Dictionary(
        tuple(e._replace(origin="reviewed") if e[:2] in own else e for e in changes)
    )
    assert content(again) == content(wanted)
    assert (content(again) != content(before)) == bool(found.events)


def _of_word(events: Sequence[Event], word: str) -> list[Event]:
    return [one for one in events if one.word == word]


@pytest.mark.parametrize("file", FILES)
@given(data=st.data())
@settings(deadline=None, max_examples=15)
def test_an_edited_file_gives_the_edited_content(file: str, data: st.DataObject) -> None:
    check_round_trip(data, file, st.just("Ann"), resolves=False)


@given(data=st.data(), file=st.sampled_from(FILES))
@settings(deadline=None, max_examples=25)
def test_the_file_of_an_editor_decides_between_reviewers(data: st.DataObject, file: str) -> None:
    check_round_trip(data, file, people, resolves=True)


@pytest.mark.slow
@given(data=st.data(), file=st.sampled_from(FILES))
@settings(deadline=None, max_examples=1_000)
def test_many_edited_files_give_the_edited_content(data: st.DataObject, file: str) -> None:
    check_round_trip(data, file, st.just("Ann"), resolves=False)
