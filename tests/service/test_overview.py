from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

from bilex.review.events import Event
from bilex.review.store import ReviewStore
from workbench import Site, hidden_fields


def words_on(page: str) -> list[str]:
    return re.findall(r'<a class="entry-link"[^>]*>\s*<bdi[^>]*>([^<]*)</bdi>', page)


def test_the_start_page_counts_and_continues(site: Site) -> None:
    assert ">Start</a>" in site.get("/").text
    site.decide("accept")
    site.decide("none")
    page = site.get("/").text

    assert ">Continue</a>" in page
    assert re.search(r"2 <span[^>]*>of 60 words decided", page)
    for state in ("accepted", "rejected"):
        assert re.search(rf'/words\?state={state}">[^<]*</a></dt><dd>1</dd>', page)


def test_the_start_page_shows_the_precision_of_the_audit(site: Site) -> None:
    assert "95\u00a0% interval" not in site.get("/").text
    for kind in ("accept", "accept", "none", "accept"):
        word = site.store.next_audit("me").word.word  # type: ignore[union-attr]
        sent = site.question(word=word) | {"kind": kind, "reason": "audit"}
        site.post("/decide", sent)
    page = site.get("/").text

    assert "3 of 4 words drawn at random" in page
    assert 'class="chart interval"' in page


def test_the_curve_has_a_point_for_each_day(site: Site) -> None:
    for day in range(1, 4):
        site.store.add(
            [
                Event(
                    id=f"{day}-{number}",
                    at=f"2026-01-{day:02}T12:00:00.000000Z",
                    reviewer="me",
                    word=f"word{10 * day + number}",
                    kind="none",
                )
                for number in range(day)
            ]
        )
    page = site.get("/").text

    assert 'aria-label="6 decisions"' in page
    curve = re.search(r'class="curve" points="([^"]*)"', page)
    assert curve is not None
    heights = [float(point.split(",")[1]) for point in curve[1].split()]
    assert len(heights) == 4
    assert heights == sorted(heights, reverse=True)


def test_agreement_is_shown_for_several_reviewers(site: Site) -> None:
    assert "Agreement" not in site.get("/").text
    sent = site.decide("accept")
    other = Event(
        id="x", at="2026-01-01T00:00:00.000000Z", reviewer="ann", word=sent["word"], kind="none"
    )
    site.store.add([other])

    assert "0 of 1 words with two or more reviewers" in site.get("/").text


def test_words_are_listed_page_by_page_without_gaps(site: Site) -> None:
    page = site.get("/words").text
    first = words_on(page)
    following = re.search(r'href="(/words\?[^"]*after=[^"]*)"', page)
    assert following is not None
    second = words_on(site.get(following[1].replace("&amp;", "&")).text)

    assert first + second == [f"word{rank}" for rank in range(60)]


def test_words_are_found_by_text_and_by_state(site: Site) -> None:
    site.post("/decide", site.question(word="word12") | {"kind": "none"})

    assert words_on(site.get("/words", search="WORD12").text) == ["word12"]
    assert words_on(site.get("/words", state="rejected").text) == ["word12"]
    assert words_on(site.get("/words", state="rejected", search="13").text) == []
    assert "No word fits" in site.get("/words", search="' OR 1=1 --").text
    part = site.client.get("/words?search=word12", headers={"HX-Request": "true"}).text
    assert words_on(part) == ["word12"]
    assert "<html" not in part


def test_a_cursor_that_nobody_made_is_refused(site: Site) -> None:
    assert site.get("/words", after="nonsense").status_code == 400


def test_an_entry_shows_its_history_and_any_event_can_be_undone(site: Site) -> None:
    for kind in ("none", "accept"):
        site.post("/decide", site.question(word="word7") | {"kind": kind, "note": f"was {kind}"})
    page = site.get("/entry", word="word7").text
    history = page[page.index('id="history"') :]
    assert history.index("was accept") < history.index("was none")
    first = site.store.history("word7")[0]

    for form in page.split('action="/undo"')[1:]:
        fields = hidden_fields(form)
        if fields["undoes"] == first.id:
            answer = site.post("/undo", fields)
            assert answer.headers["location"] == "/entry?word=word7"

    page = site.get("/entry", word="word7").text
    assert page.count('class="undone"') == 1
    assert "undid: none of these" in page
    assert "Restore" in page
    assert site.store.item("word7").entry.state == "accepted"  # type: ignore[union-attr]


def test_words_with_any_character_have_a_page(tmp_path: Path, site: Site) -> None:
    odd = "a/b ?&#%<>\"'+é"
    site.store.add(
        [Event(id="odd", at="2026-01-01T00:00:00.000000Z", reviewer="me", word=odd, kind="none")]
    )

    assert site.get(f"/entry?word={quote(odd, safe='')}").status_code == 200
    assert site.get("/review", word=odd).status_code == 200


def test_what_is_not_there_says_so(site: Site, store: ReviewStore) -> None:
    assert site.get("/nothing").status_code == 404
    assert site.get("/entry", word="nothing").status_code == 404
    assert "no word" in site.get("/entry", word="nothing").text
    assert site.get("/entry").status_code == 400
    assert site.get("/help").status_code == 200
