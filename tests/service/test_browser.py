"""The workbench in a real browser: keys, touch, no connection, and accessibility."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bilex.review.events import Event
from workbench import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route

AXE = (Path(__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PAGES = ("/", "/review", "/batch", "/words", "/help", "entry")
FORMS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "320 px": {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True},
}
EVERY_FORM = {
    **FORMS,
    "320 px, dark": {**FORMS["320 px"], "color_scheme": "dark"},
}
MEASURE = """() => {
  window.waits = [];
  let pressed = 0;
  addEventListener("keydown", () => { pressed = performance.now(); }, true);
  const onChange = () => {
    if (pressed) waits.push(performance.now() - pressed);
    pressed = 0;
  };
  new MutationObserver(onChange).observe(document.querySelector("main"), { childList: true });
}"""
"""Measures the time from a key to the next question."""
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}

Open = Callable[..., "Page"]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Return a function that opens a page of a server, signed in; what goes wrong fails the test.

    Requests to other hosts, errors of scripts and violations of the content policy go wrong.
    """
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def open_at(served: Served, address: str, **form: Any) -> Page:  # noqa: ANN401
        context = browser.new_context(**form)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)

        def check(url: str) -> None:
            if not url.startswith((served.address, "data:", "blob:")):
                problems.append(f"request to {url}")

        page.on("request", lambda request: check(request.url))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console",
            lambda message: (
                problems.append(message.text)
                if message.type == "error" and "Content Security Policy" in message.text
                else None
            ),
        )
        page.goto(served.entrance)
        page.goto(served.address + address)
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert not problems


def word_on(page: Page) -> str:
    return page.locator("#question").get_attribute("data-word") or ""


def wait_for_other(page: Page, word: str) -> None:
    page.wait_for_function(
        "word => document.querySelector('#question').dataset.word !== word", arg=word
    )


def wait_for_spares(page: Page) -> None:
    """Wait until the page has asked for words in store, even if it did so before this call."""
    page.wait_for_function(
        "() => performance.getEntriesByType('resource')"
        ".some(each => each.name.endsWith('/spare') && each.responseEnd > 0)"
    )


def own_events(served: Served, before: int = 0) -> list[Event]:
    return [event for _, event in served.store.events(before)]


def last_arrival(served: Served) -> int:
    return max((number for number, _ in served.store.events()), default=0)


def violations(page: Page, rules: list[str] = RULES) -> list[str]:
    # Evaluated, since the content policy forbids other scripts than ours.
    page.evaluate(AXE)
    options = {"runOnly": rules, "resultTypes": ["violations"]}
    found = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{page.url}: {each['id']} {[node['target'] for node in each['nodes']]}"
        for each in found["violations"]
    ]


def test_two_hundred_decisions_by_keyboard(served: Served, open_page: Open) -> None:
    page = open_page(served, "/review")
    before, keys, decided = last_arrival(served), 0, 0
    page.evaluate(MEASURE)
    plan = (["Enter"] * 7 + ["n", "Enter", "x", "Enter", "Enter", "s"] + ["2", "Enter"] * 2) * 20
    for key in plan:
        word = word_on(page)
        page.keyboard.press(key)
        keys += 1
        if key == "2":
            continue
        wait_for_other(page, word)
        decided += 1
        if decided == 200:
            break

    events = own_events(served, before)
    assert len(events) == decided == 200
    assert len({event.id for event in events}) == 200
    assert keys / decided <= 1.15
    waits = page.evaluate("waits")
    assert len(waits) == 200
    assert statistics.median(waits) <= 300  # milliseconds
    assert {event.kind for event in events} == {"accept", "none", "not-entry", "skip"}
    second = [event for event in events if event.targets and event.targets[0].startswith("otra")]
    assert 20 <= len(second) <= 30
    assert page.locator("#status").inner_text().startswith("Saved: ")
    assert f"Next: {word_on(page)}" in page.locator("#status").inner_text()
    assert page.evaluate("document.activeElement.id") == "word"


def test_keys_for_own_translation_undo_and_help(served: Served, open_page: Open) -> None:
    page = open_page(served, "/review")
    word = word_on(page)
    state = served.store.item(word).entry.state  # type: ignore[union-attr]
    page.keyboard.press("/")
    page.keyboard.type("mi n palabra")  # letters are text here, not keys
    page.keyboard.press("Enter")
    wait_for_other(page, word)
    assert served.store.item(word).entry.targets == ("mi n palabra",)  # type: ignore[union-attr]

    other = word_on(page)
    page.keyboard.press("u")
    wait_for_other(page, other)
    assert word_on(page) == word
    assert served.store.item(word).entry.state == state  # type: ignore[union-attr]

    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    assert not page.locator("#keys").is_visible()
    assert word_on(page) == word

    page.keyboard.press("2")
    page.keyboard.press("3")
    label = page.locator("button[value=accept] .label").inner_text()
    number = word.removeprefix("word")
    assert label == f"Accept otra{number}, <b>tercera{number}</b>"
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    wait_for_other(page, word)
    targets = served.store.item(word).entry.targets  # type: ignore[union-attr]
    assert targets == (f"<b>tercera{number}</b>",)


def test_one_click_accepts_after_a_note_or_translation_was_typed(
    served: Served, open_page: Open
) -> None:
    page = open_page(served, "/review")
    for field in ("#note", "#own"):
        word, before = word_on(page), last_arrival(served)
        page.locator("summary").click()
        page.locator(field).fill("typed")
        page.locator("button[value=accept] bdi").click()
        wait_for_other(page, word)
        (event,) = own_events(served, before)
        assert "typed" in (event.note, *event.targets)


def test_single_keys_can_be_switched_off(served: Served, open_page: Open) -> None:
    page = open_page(served, "/help")
    page.get_by_label("Use single keys").uncheck()
    page.goto(f"{served.address}/review")
    before = last_arrival(served)
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)

    assert not own_events(served, before)


def test_a_refused_decision_is_explained_and_does_not_wait(served: Served, open_page: Open) -> None:
    page = open_page(served, "/review")
    page.evaluate("document.querySelector('#decision').elements.shown.value = '[1]'")
    page.keyboard.press("Enter")
    page.locator("#alert").wait_for()

    assert "cannot be stored" in page.locator("#alert").inner_text()
    assert page.locator("#outbox").is_hidden()


def test_twenty_decisions_by_touch(served: Served, open_page: Open) -> None:
    page = open_page(served, "/review", **PHONE)
    before = last_arrival(served)
    for number in range(20):
        word = word_on(page)
        if number % 4 == 1:
            page.locator(".candidate").nth(1).tap()
        button = "none" if number % 4 == 3 else "accept"
        target = page.locator(f"button[value={button}]")
        box = target.bounding_box()
        assert box is not None
        assert box["height"] >= 44
        assert box["y"] + box["height"] <= 844  # in reach without scrolling
        target.tap()
        wait_for_other(page, word)

    kinds = [event.kind for event in own_events(served, before)]
    assert kinds == ["accept", "accept", "accept", "none"] * 5


def test_decisions_wait_without_a_connection_and_are_stored_once(
    served: Served, open_page: Open
) -> None:
    page = open_page(served, "/review")
    wait_for_spares(page)
    before, words = last_arrival(served), []
    page.context.set_offline(True)
    for number in range(1, 4):
        words.append(word_on(page))
        page.keyboard.press("n")
        page.get_by_text(f"Not saved yet: {number} waiting").wait_for()
        wait_for_other(page, words[-1])
    page.keyboard.press("u")
    page.get_by_text("Not saved yet: 4 waiting").wait_for()
    assert word_on(page) == words[-1]
    page.keyboard.press("Enter")
    page.get_by_text("Not saved yet: 5 waiting").wait_for()
    assert not own_events(served, before)

    page.context.set_offline(False)
    page.locator("#outbox").wait_for(state="hidden")

    events = own_events(served, before)
    assert [event.kind for event in events] == ["none", "none", "none", "undo", "accept"]
    assert len(set(words)) == 3
    states = [served.store.item(word).entry.state for word in words]  # type: ignore[union-attr]
    assert states == ["rejected", "rejected", "accepted"]
    assert [event.at for event in events] == sorted(event.at for event in events)


def test_without_further_words_the_page_waits_for_the_connection(
    served: Served, open_page: Open
) -> None:
    page = open_page(served, "/help")
    page.route("**/spare", lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto(f"{served.address}/review")
    wait_for_spares(page)
    before, word = last_arrival(served), word_on(page)
    page.context.set_offline(True)
    page.keyboard.press("n")
    page.get_by_role("heading", name="No connection").wait_for()
    page.keyboard.press("Enter")  # a word that is decided cannot be decided again
    assert page.locator("#outbox").inner_text() == "Not saved yet: 1 waiting."

    page.context.set_offline(False)
    page.locator("#decision").wait_for()

    assert [(event.word, event.kind) for event in own_events(served, before)] == [(word, "none")]
    assert word_on(page) != word


def test_a_lost_answer_does_not_store_a_decision_twice(served: Served, open_page: Open) -> None:
    page = open_page(served, "/review")
    wait_for_spares(page)
    before, word = last_arrival(served), word_on(page)
    lost: list[str] = []

    def lose(route: Route) -> None:  # the server stores it, the page does not learn of it
        if not lost:
            lost.append(route.fetch().headers["x-bilex-stored"])
        route.abort()

    page.route("**/decide", lose)
    page.keyboard.press("n")
    page.get_by_text("Not saved yet: 1 waiting").wait_for()
    page.unroute("**/decide")
    page.locator("#outbox").wait_for(state="hidden")

    assert [event.id for event in own_events(served, before)] == lost
    assert served.store.item(word).entry.state == "rejected"  # type: ignore[union-attr]


def test_what_waits_is_sent_after_the_page_was_closed(served: Served, open_page: Open) -> None:
    page = open_page(served, "/review")
    before, word = last_arrival(served), word_on(page)
    page.route("**/decide", lambda route: route.abort())
    page.keyboard.press("n")
    page.get_by_text("Not saved yet: 1 waiting").wait_for()
    page.close()
    assert not own_events(served, before)

    later = page.context.new_page()
    later.goto(f"{served.address}/words")
    later.locator("#outbox").wait_for(state="hidden")
    later.wait_for_function("Object.keys(localStorage).length === 0")

    assert [event.word for event in own_events(served, before)] == [word]


def test_everything_works_without_javascript(served: Served, open_page: Open) -> None:
    page = open_page(served, "/review", java_script_enabled=False)
    before, word = last_arrival(served), word_on(page)
    page.locator(".candidate input").nth(1).check()
    page.locator("button[value=accept]").click()
    assert word_on(page) != word
    assert own_events(served, before)[0].targets[0].startswith("otra")
    page.get_by_role("button", name="Undo").click()
    assert word_on(page) == word
    page.goto(f"{served.address}/words")
    page.get_by_label("Search").fill(word)
    page.get_by_role("button", name="Show").click()
    page.get_by_role("link", name=word, exact=True).click()
    assert page.get_by_text("undid: ").count() == 1


@pytest.mark.parametrize("form", FORMS)
def test_no_page_violates_accessibility_rules(served: Served, open_page: Open, form: str) -> None:
    page = open_page(served, "/", **FORMS[form])
    decided = next(iter(served.store.items(state="accepted", limit=1)), None)
    word = "word0" if decided is None else decided.word.word
    rules = ["color-contrast"] if form == "dark" else RULES  # nothing else differs from light
    found: list[str] = []
    for address in PAGES:
        page.goto(served.address + (f"/entry?word={word}" if address == "entry" else address))
        found += violations(page, rules)
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, f"{address} is {overflow} px too wide"
        if address == "/review":
            page.locator("summary").click()
            found += violations(page, rules)
            page.locator("#word").focus()
            page.keyboard.press("?")
            found += violations(page, rules)
    assert not found


@pytest.mark.slow
@pytest.mark.parametrize("form", EVERY_FORM)
@pytest.mark.parametrize("language", ["spanish", "hebrew"])
def test_no_page_in_any_state_and_form_violates_accessibility_rules(
    request: pytest.FixtureRequest, open_page: Open, form: str, language: str
) -> None:
    served: Served = request.getfixturevalue("served" if language == "spanish" else "hebrew")
    page = open_page(served, "/review", **EVERY_FORM[form])
    found: list[str] = []

    def check(state: str) -> None:
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        wide = [f"{overflow} px too wide"] if overflow > 0 else []
        found.extend(f"{state}: {each}" for each in wide + violations(page))

    def go(address: str) -> None:
        page.goto(address if address.startswith("http") else served.address + address)

    check("review")
    word = word_on(page)
    page.locator("summary").click()
    page.locator("#note").fill("a note")
    page.locator("button[value=accept]").click()
    wait_for_other(page, word)
    check("review, after a decision")
    page.locator("#word").focus()
    page.keyboard.press("?")
    check("keys")
    page.keyboard.press("Escape")
    page.evaluate("document.querySelector('#decision').elements.shown.value = '[1]'")
    page.locator("button[value=none]").click()
    page.locator("#alert").wait_for()
    check("review, refused")
    go("/")
    check("start")
    go("/batch")
    assert page.locator("input[name=ticked]").count() >= 10
    check("batch")
    go("/words")
    check("words")
    go("/words?state=accepted&search=" + word)
    check("words, filtered")
    go("/words?search=nothing-like-it")
    check("words, none")
    go(f"/entry?word={word}")
    check("entry with history")
    undecided = next(iter(served.store.items(state="open", limit=1))).word.word
    go(f"/entry?word={undecided}")
    check("entry without history")
    go("/help")
    check("help")
    go("/no-such-page")
    check("message")

    page.route("**/spare", lambda route: route.fulfill(body="", content_type="text/html"))
    go("/review")
    wait_for_spares(page)
    page.context.set_offline(True)
    page.locator("button[value=skip]").click()
    page.get_by_role("heading", name="No connection").wait_for()
    check("review, without a connection")
    page.context.set_offline(False)
    page.locator("#decision").wait_for()

    assert not found


@pytest.mark.slow
@pytest.mark.parametrize("form", EVERY_FORM)
def test_pages_of_a_finished_project_violate_no_accessibility_rule(
    finished: Served, open_page: Open, form: str
) -> None:
    page = open_page(finished, "/review", **EVERY_FORM[form])
    page.get_by_role("heading", name="No word is waiting").wait_for()
    found = violations(page)
    page.goto(f"{finished.address}/batch")
    page.get_by_text("No batch now").wait_for()

    assert not found + violations(page)


def test_languages_from_right_to_left_keep_their_direction(hebrew: Served, open_page: Open) -> None:
    page = open_page(hebrew, "/review", **PHONE)
    direction = "element => getComputedStyle(element).direction"

    assert page.locator("#word").evaluate(direction) == "ltr"
    assert page.locator(".candidate .target").first.evaluate(direction) == "rtl"
    assert page.locator("#own").evaluate(direction) == "rtl"
    assert page.locator(".candidate .target").first.get_attribute("lang") == "he"
    found = violations(page)
    page.locator("button[value=accept]").tap()
    page.goto(f"{hebrew.address}/words")
    assert not found + violations(page)
