from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

from bilex.review.correction import Correction
from bilex.review.events import Event, Shown
from bilex.review.project import Candidate, Project, ReviewWord
from bilex.review.store import ReviewStore
from bilex.service.workbench.access import LoopbackAccess
from bilex.service.workbench.app import create_review_app
from bilex.service.workbench.opening import prioritize
from bilex.service.workbench.rendering import ReviewSettings
from workbench import TOKEN, Site, hidden_fields

Audited = Callable[[int, float], Site]


def batch_form(site: Site) -> list[tuple[str, str]]:
    """Return the fields of the batch page, all rows ticked."""
    page = site.get("/batch").text
    form = page[page.index('action="/batch"') :].partition("</form>")[0]
    fields = re.findall(r'<input type="\w+" name="(\w+)" value="([^"]*)"', form)
    return [(name, unescape(value)) for name, value in fields]


def events_of(site: Site) -> list[Event]:
    return [event for _, event in site.store.events()]


def test_a_batch_has_nearly_certain_words_and_says_how_many_errors_to_expect(site: Site) -> None:
    form = batch_form(site)
    words = [value for name, value in form if name == "word"]

    assert 10 <= len(words) <= 30
    assert all(int(word.removeprefix("word")) % 2 == 0 for word in words)
    assert expected_errors(site) == pytest.approx(0.03 * len(words), abs=0.06)


@pytest.fixture
def audited(tmp_path: Path) -> Iterator[Audited]:
    """Return a function that opens a project with audited words, of which a share was right."""
    sites = ExitStack()

    def open_site(number: int, share: float) -> Site:
        project = Project(source_language="en", target_language="es", model="m1", seed=7)
        words = [
            ReviewWord(
                word=f"word{rank}", rank=rank, candidates=(Candidate(f"palabra{rank}", 0.97),)
            )
            for rank in range(400)
        ]
        store = ReviewStore.create(str(tmp_path / f"{number}.sqlite"), project, words)
        sites.enter_context(store)
        prioritize(store, "value")
        drawn = sorted(words, key=lambda each: project.order(each.word))[:number]
        store.add([audit_event(each, right=n < share * number) for n, each in enumerate(drawn)])
        access = LoopbackAccess(TOKEN)
        app = create_review_app(store, ReviewSettings(access=access))
        client = TestClient(app, base_url="http://127.0.0.1", follow_redirects=False)
        client.get("/open", params={"token": TOKEN})
        return Site(sites.enter_context(client), store, access.form_token(None))  # type: ignore[arg-type]

    with sites:
        yield open_site


def audit_event(word: ReviewWord, *, right: bool) -> Event:
    return Event(
        id=f"audit-{word.word}",
        at="2026-01-31T12:00:00.000000Z",
        reviewer="me",
        word=word.word,
        kind="accept" if right else "none",
        targets=(word.candidates[0].target,) if right else (),
        shown=tuple(Shown(each.target, each.probability) for each in word.candidates),
        reason="audit",
        model="m1",
    )


def expected_errors(site: Site) -> float | None:
    found = re.search(r"About <strong>([\d.]+)</strong>", site.get("/batch").text)
    return None if found is None else float(found[1])


def test_expected_errors_are_corrected_by_a_hundred_audited_words(
    audited: Audited,
) -> None:
    few, many = audited(99, 1.0), audited(110, 1.0)

    assert expected_errors(few) == pytest.approx(0.03 * 50, abs=0.06)
    assert "The audit" not in few.get("/batch").text
    correction = Correction.learn([0.97] * 110, [True] * 110)
    chance = float(correction.apply(np.array([0.97]))[0])
    assert chance > 0.98
    assert expected_errors(many) == pytest.approx((1 - chance) * 50, abs=0.06)
    assert "in 110 words drawn at random" in many.get("/batch").text


def test_there_is_no_batch_if_the_audit_contradicts_the_probabilities(
    audited: Audited,
) -> None:
    site = audited(120, 0.7)

    assert expected_errors(site) is None
    assert "corrected by the audit of 120 words" in site.get("/batch").text


def test_ticked_words_are_accepted_and_the_others_are_asked_later(site: Site) -> None:
    form = batch_form(site)
    words = [value for name, value in form if name == "word"]
    form.remove(("ticked", "1"))

    assert site.post("/batch", [*form, ("kind", "accept")]).status_code == 303

    states = {word: site.store.item(word).entry.state for word in words}  # type: ignore[union-attr]
    assert states == {word: "skipped" if word == words[1] else "accepted" for word in words}
    assert {event.reason for event in events_of(site)} == {"batch"}
    assert len({event.batch for event in events_of(site)}) == 1


def test_a_batch_is_rejected_in_one_step(site: Site) -> None:
    form = batch_form(site)
    site.post("/batch", [*form, ("kind", "none")])

    assert {event.kind for event in events_of(site)} == {"none"}
    assert site.store.counts().states["rejected"] == len(events_of(site))


def test_a_batch_that_is_sent_again_counts_once(site: Site) -> None:
    form = [*batch_form(site), ("kind", "accept")]
    site.post("/batch", form)
    number = len(events_of(site))
    site.post("/batch", form)

    assert len(events_of(site)) == number


def test_a_whole_batch_is_undone_in_one_step(site: Site) -> None:
    site.post("/batch", [*batch_form(site), ("kind", "accept")])
    accepted = site.store.counts().states["accepted"]
    page = site.get("/batch").text
    assert f"{accepted} words" in page
    undo = hidden_fields(page[page.index('id="undo"') :])

    assert site.post("/undo", undo).status_code == 303

    assert accepted > 9
    assert site.store.counts().states["open"] == 60
    assert 'id="undo"' not in site.get("/batch").text


@pytest.mark.parametrize(
    "wrong", [("kind", "skip"), ("word", "one more"), ("chance", "high"), ("ticked", "first")]
)
def test_an_impossible_batch_is_refused_as_a_whole(site: Site, wrong: tuple[str, str]) -> None:
    form = [*batch_form(site), wrong]
    if wrong[0] != "kind":
        form.append(("kind", "accept"))

    assert site.post("/batch", form).status_code == 400
    assert not events_of(site)


def test_without_nearly_certain_words_there_is_no_batch(site: Site) -> None:
    while 'name="ticked"' in site.get("/batch").text:
        site.post("/batch", [*batch_form(site), ("kind", "accept")])

    assert "No batch now" in site.get("/batch").text
    assert site.store.counts().states["open"] >= 30
