from __future__ import annotations

import re
from html import unescape

import pytest

from bilex.review.events import Event
from workbench import Site, hidden_fields


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
    expected = re.search(r"About <strong>([\d.]+)</strong>", site.get("/batch").text)
    assert expected is not None
    assert float(expected[1]) == pytest.approx(0.03 * len(words), abs=0.06)


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
