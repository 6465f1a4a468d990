from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bilex.review.events import LONGEST_TEXT, Event
from bilex.review.project import Candidate
from bilex.service.workbench.reviewing import STORED, moment
from workbench import Site, hidden_fields


def only_event(site: Site) -> dict[str, object]:
    ((_, event),) = list(site.store.events())
    return {name: getattr(event, name) for name in event.__slots__}


def test_enter_with_nothing_chosen_accepts_the_first_candidate(site: Site) -> None:
    sent = site.decide("accept")

    event = only_event(site)
    number = str(event["word"]).removeprefix("word")
    assert event["targets"] == (f"palabra{number}",)
    assert event["id"] == sent["id"]
    assert event["model"] == "m1"
    assert event["policy"] == sent["policy"]
    assert [each.target for each in event["shown"]] == [  # type: ignore[attr-defined]
        f"palabra{number}", f"otra{number}", f"<b>tercera{number}</b>"
    ]  # fmt: skip


def test_several_candidates_and_an_own_translation_are_accepted_together(site: Site) -> None:
    sent = site.question(word="word3")
    fields = [*sent.items(), ("kind", "accept"), ("target", "otra3"), ("target", "palabra3"),
              ("own", "  mi   palabra "), ("part_of_speech", "noun"), ("sense", "thing"),
              ("note", "see <b>page</b> 3")]  # fmt: skip

    assert site.post("/decide", fields).status_code == 303

    entry = site.store.item("word3").entry  # type: ignore[union-attr]
    assert entry.targets == ("otra3", "palabra3", "mi palabra")
    assert (entry.part_of_speech, entry.sense) == ("noun", "thing")
    assert entry.notes == (("me", "see <b>page</b> 3"),)


@pytest.mark.parametrize(
    ("kind", "state"), [("none", "rejected"), ("not-entry", "not-entry"), ("skip", "skipped")]
)
def test_rejecting_needs_nothing_else(site: Site, kind: str, state: str) -> None:
    sent = site.decide(kind)

    assert site.store.item(sent["word"]).entry.state == state  # type: ignore[union-attr]


def test_without_javascript_a_decision_leads_to_the_next_word(site: Site) -> None:
    first = site.question()
    answer = site.post("/decide", first | {"kind": "none"})

    assert (answer.status_code, answer.headers["location"]) == (303, "/review")
    assert site.question()["word"] != first["word"]


def test_a_part_has_the_next_word_and_says_that_the_last_one_is_saved(site: Site) -> None:
    first = site.question()
    answer = site.post("/decide", first | {"kind": "none"}, part=True)

    following = hidden_fields(answer.text)["word"]
    assert answer.headers[STORED] == first["id"]
    assert f"Saved: {first['word']}: none of these. Next: {following}" in answer.text
    assert following != first["word"]
    assert "<html" not in answer.text


def test_a_decision_that_is_sent_again_counts_once(site: Site) -> None:
    sent = site.question() | {"kind": "accept", "kept_at": "2026-01-31T12:00:00.000000Z"}

    answers = [site.post("/decide", sent) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [204] * 3
    assert {answer.headers[STORED] for answer in answers} == {sent["id"]}
    assert only_event(site)["at"] == "2026-01-31T12:00:00.000000Z"


def test_a_time_in_the_future_is_not_believed() -> None:
    assert moment("9999-01-01T00:00:00.000000Z") < "9999"
    assert moment("2026-01-31T12:00:00.000000Z") == "2026-01-31T12:00:00.000000Z"
    assert moment("1999, or so").startswith("20")


def test_undo_asks_the_word_again_for_the_same_reason(site: Site) -> None:
    sent = site.decide("none", reason="audit", policy="random")
    page = site.get("/review").text
    undo = hidden_fields(page[page.index('id="undo"') :])
    assert undo["undoes"] == sent["id"]

    answer = site.post("/undo", undo)

    assert answer.status_code == 303
    assert site.store.item(sent["word"]).entry.state == "open"  # type: ignore[union-attr]
    again = hidden_fields(site.get(answer.headers["location"]).text)
    assert (again["word"], again["reason"], again["policy"]) == (sent["word"], "audit", "random")
    assert again["id"] != sent["id"]


NO_AUDIT_FOLLOWS = "00000000-0000-4000-8000-000000000003"
"""An event after which the next question comes from the queue: it is drawn by a hash."""


def other_model(site: Site, word: str, *targets: str) -> None:
    """Give one word other candidates, and the project another model."""
    words = [item.word for item in site.store.all_items()]
    candidates = tuple(Candidate(target, 0.5) for target in targets)
    words = [replace(each, candidates=candidates) if each.word == word else each for each in words]
    site.store.replace_candidates(replace(site.store.project, model="m2"), words)
    site.store.set_priorities("value", [(word, 1.0)])


def test_a_rejected_word_is_asked_again_with_other_candidates_only(site: Site) -> None:
    sent = site.decide("none", id=NO_AUDIT_FOLLOWS)
    other_model(site, sent["word"], "palabra" + sent["word"].removeprefix("word"), "nueva")

    page = site.get("/review").text
    asked = site.question()

    assert "Asked again: a new model has other candidates" in page
    assert (asked["word"], asked["reason"], asked["policy"]) == (sent["word"], "again", "value")
    assert asked["shown"] == '[["nueva", 0.5]]'
    assert page.count('name="target"') == 1
    site.post("/decide", asked | {"kind": "accept"})
    entry = site.store.item(sent["word"]).entry  # type: ignore[union-attr]
    assert (entry.state, entry.targets) == ("accepted", ("nueva",))
    assert entry.decisions[0].reason == "again"
    assert "Asked again" in site.get("/entry", word=sent["word"]).text


def test_an_undone_answer_is_asked_again_for_the_same_reason(site: Site) -> None:
    sent = site.decide("none", id=NO_AUDIT_FOLLOWS)
    other_model(site, sent["word"], "nueva")
    site.decide("none")
    page = site.get("/review", word=sent["word"]).text
    answer = site.post("/undo", hidden_fields(page[page.index('id="undo"') :]))

    again = site.get(answer.headers["location"]).text
    fields = hidden_fields(again[again.index('id="decision"') :])
    assert (fields["word"], fields["reason"]) == (sent["word"], "again")
    other_model(site, sent["word"])  # a third one, without candidates
    again = site.get(answer.headers["location"]).text
    assert hidden_fields(again[again.index('id="decision"') :])["reason"] == "search"


def test_undo_as_a_part_shows_the_word_and_what_can_be_undone_next(site: Site) -> None:
    first, second = site.decide("none"), site.decide("skip")
    page = site.get("/review").text
    answer = site.post("/undo", hidden_fields(page[page.index('id="undo"') :]), part=True)

    assert hidden_fields(answer.text)["word"] == second["word"]
    assert f"Undone: {second['word']}: skipped. Again: {second['word']}" in answer.text
    assert hidden_fields(answer.text[answer.text.index('id="undo"') :])["undoes"] == first["id"]


def test_what_does_not_exist_cannot_be_undone(site: Site) -> None:
    fields = {"csrf": site.csrf, "id": "1", "word": "word1", "undoes": "nothing"}

    assert site.post("/undo", fields).status_code == 404
    assert site.post("/undo", fields | {"word": "no such word"}).status_code == 404
    assert not list(site.store.events())


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "perhaps"}, {"kind": "undo"}, {"reason": "no"}, {"shown": "{"}, {"shown": "[[1]]"},
        {"note": "x" * (LONGEST_TEXT + 1)}, {"id": ""},
        {"shown": "[]"}, {"shown": "5"}, {"own": "x" * (LONGEST_TEXT + 1)},
    ],
)  # fmt: skip
def test_an_impossible_decision_is_refused_and_not_stored(
    site: Site, wrong: dict[str, str]
) -> None:
    answer = site.post("/decide", site.question() | {"kind": "accept"} | wrong)

    assert answer.status_code == 400
    assert not list(site.store.events())


@pytest.mark.parametrize("word", ["", "unknown", "' OR 1=1 --", "../word1", "word1\x00"])
def test_a_word_that_the_project_does_not_have_is_not_decided(site: Site, word: str) -> None:
    sent = site.question() | {"kind": "none", "word": word}

    assert site.post("/decide", sent).status_code in (400, 404)
    assert site.get("/review", word=word).status_code in (400, 404)
    assert not list(site.store.events())


def test_markup_in_words_stays_text(site: Site) -> None:
    sent = site.question(word="word3")
    site.post("/decide", sent | {"kind": "accept", "own": "<script>x</script>", "note": "<i>"})

    for address in ("/review?word=word3", "/entry?word=word3", "/words", "/", "/batch"):
        page = site.get(address).text
        assert "<script>x" not in page
        assert "<b>tercera" not in page
        assert "<i>" not in page
    assert "&lt;script&gt;x" in site.get("/entry", word="word3").text


def test_a_second_reviewer_does_not_see_the_first_decision(site: Site) -> None:
    site.post("/decide", site.question(word="word3") | {"kind": "accept", "own": "secret"})
    question = site.get("/review", word="word3").text

    assert "secret" not in question[question.index('id="question"') :]


def test_a_word_and_its_translations_have_their_languages(site: Site) -> None:
    page = site.get("/review", word="word3").text

    assert re.search(r'<h1 [^>]*lang="en" dir="ltr">word3</h1>', page)
    assert re.search(r'<bdi [^>]*lang="es" dir="ltr">palabra3</bdi>', page)
    assert re.search(r'<input id="own"[^>]*lang="es" dir="ltr"', page)


def test_spare_questions_have_ids_of_their_own(site: Site) -> None:
    page = site.get("/spare").text
    cards = re.findall(r"<template.*?</template>", page, flags=re.DOTALL)

    fields = [hidden_fields(card) for card in cards]
    assert len({each["id"] for each in fields}) == len({each["word"] for each in fields}) == 40
    assert {each["csrf"] for each in fields} == {site.csrf}
    ranks = [int(each["word"].removeprefix("word")) for each in fields]
    assert ranks == sorted(ranks)
    other = re.findall(r'data-word="word(\d+)"', site.get("/spare").text)
    assert ranks != list(map(int, other))  # people without a connection get different words


def test_when_all_words_are_decided_the_page_says_so(site: Site) -> None:
    at = "2026-01-01T00:00:00.000000Z"
    site.store.add(
        [
            Event(id=str(rank), at=at, reviewer="me", word=f"word{rank}", kind="none")
            for rank in range(59)
        ]
    )
    last = site.question()
    answer = site.post("/decide", last | {"kind": "none"}, part=True)

    assert last["word"] == "word59"
    assert "No word is waiting" in answer.text
    assert "No word is waiting" in site.get("/review").text
    assert site.store.counts().decided == 60


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(note=st.text(max_size=60), own=st.text(max_size=30))
def test_any_text_is_stored_or_refused(site: Site, note: str, own: str) -> None:
    sent = site.question(word="word5") | {"kind": "accept"}
    try:
        answer = site.post("/decide", sent | {"note": note, "own": own})
    except UnicodeEncodeError:  # half of a character: no browser sends it
        return

    assert answer.status_code in (303, 400)
    if answer.status_code == 303:
        assert site.store.history("word5")[-1].id == sent["id"]
        assert unescape(site.get("/entry", word="word5").text)
