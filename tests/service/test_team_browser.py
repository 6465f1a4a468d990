"""The pages of a team in a real browser: signing in, inviting, and accessibility."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn

from bilex.review.events import Event
from bilex.review.store import ReviewStore
from bilex.service.serving import listen_here
from bilex.service.team.access import TeamAccess
from bilex.service.team.app import create_team_app
from bilex.service.workbench.opening import prioritize
from bilex.service.workbench.rendering import ReviewSettings
from team import ADMIN, NAMES, PASSWORD, FastPasswords, add_accounts, decision, project_words

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AXE = (Path(__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
FORMS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "320px": {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True},
}
SHOTS = os.environ.get("BILEX_SCREENSHOTS", "")
"""A folder for pictures of all pages."""


class Team:
    """A running server."""

    def __init__(self, address: str, store: ReviewStore, access: TeamAccess) -> None:
        self.address, self.store, self.access = address, store, access


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    project, words = project_words(60)
    where = str(tmp_path_factory.mktemp("team") / "team.sqlite")
    with ReviewStore.create(where, project, words) as store:
        prioritize(store, "value")
        access = TeamAccess(store.database, passwords=FastPasswords())
        add_accounts(access.accounts)
        access.accounts.add("Ngũgĩ wa Thiongʼo de los Ángeles", "reviewer", PASSWORD, actor=ADMIN)
        access.accounts.add("שירה", "reader", PASSWORD, actor=ADMIN)
        app = create_team_app(store, ReviewSettings(access=access))
        config = uvicorn.Config(
            app, log_level="warning", lifespan="off", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        with listen_here(0, 0) as socket:
            thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
            thread.start()
            while not server.started:
                time.sleep(0.01)
            yield Team(f"http://127.0.0.1:{socket.getsockname()[1]}", store, access)
            server.should_exit = True
            thread.join()


@pytest.fixture
def pages(browser: Browser) -> Iterator[Any]:
    """Return a function that opens a browser window; what goes wrong fails the test."""
    contexts: list[Any] = []
    problems: list[str] = []

    def new_page(**form: Any) -> Page:  # noqa: ANN401
        context = browser.new_context(**form)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console",
            lambda message: (
                problems.append(message.text)
                if message.type == "error" and "Content Security Policy" in message.text
                else None
            ),
        )
        return page

    yield new_page
    for context in contexts:
        context.close()
    assert not problems


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def word_on(page: Page) -> str:
    """Return the word of the question, when the page takes keys."""
    page.wait_for_function("document.activeElement?.id === 'word'")
    return page.locator("#question").get_attribute("data-word") or ""


def decided(team: Team) -> list[Event]:
    """Return all events in the order of arrival."""
    return [event for _, event in team.store.events()]


def check(page: Page, name: str, form: str) -> list[str]:
    """Return violations of accessibility rules on a page, after taking its picture."""
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"team-{name}-{form}.png", full_page=True)
    page.evaluate(AXE)
    options = {"runOnly": RULES, "resultTypes": ["violations"]}
    found = page.evaluate("options => axe.run(document, options)", options)["violations"]
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    wide = [f"{name}: {overflow} px too wide"] if overflow > 0 else []
    return wide + [
        f"{name}: {each['id']} {[node['target'] for node in each['nodes']]}" for each in found
    ]


@pytest.mark.parametrize("form", FORMS)
def test_no_page_of_a_team_violates_accessibility_rules(team: Team, pages: Any, form: str) -> None:  # noqa: ANN401
    page = pages(**FORMS[form])
    team.store.add([decision("ann", "word3")])
    page.goto(f"{team.address}/security-log")
    found = check(page, "login", form)
    sign_in(page, NAMES["admin"], "wrong password")
    found += check(page, "login-refused", form)
    sign_in(page, NAMES["admin"])
    assert page.url == f"{team.address}/security-log"
    found += check(page, "log", form)
    page.goto(f"{team.address}/account")
    found += check(page, "account", form)
    page.goto(f"{team.address}/")
    found += check(page, "start", form)
    page.goto(f"{team.address}/accounts")
    page.get_by_role("button", name="Make a link").click()
    found += check(page, "accounts", form)
    link = page.get_by_label("Send this link").input_value()
    page.get_by_role("button", name="Sign out").click()
    page.goto(link)
    found += check(page, "invitation", form)
    page.get_by_label("Name").fill(NAMES["admin"])
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    found += check(page, "invitation-refused", form)
    page.get_by_label("Name").fill(f"guest {form}")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    page.goto(f"{team.address}/entry?word=word3")
    page.get_by_text("so that your opinion is your own").wait_for()
    found += check(page, "entry-hidden", form)
    page.goto(f"{team.address}/words?search=word3")
    found += check(page, "words-hidden", form)
    page.goto(f"{team.address}/review")
    found += check(page, "review", form)
    assert not found


def test_decisions_wait_while_the_session_has_ended(team: Team, pages: Any) -> None:  # noqa: ANN401
    page = pages()
    page.goto(f"{team.address}/review")
    sign_in(page, NAMES["reviewer"])
    word, before = word_on(page), len(decided(team))
    (token,) = [
        each["value"] for each in page.context.cookies() if each["name"] == team.access.cookie
    ]
    team.access.sessions.sign_out(token, address="")
    page.keyboard.press("n")
    page.get_by_text("Not saved yet: 1 waiting").wait_for()
    assert [event.reviewer for event in decided(team)[before:]] == []

    page.goto(f"{team.address}/review")  # sends what waits when somebody has signed in
    sign_in(page, NAMES["reviewer"])
    page.locator("#outbox").wait_for(state="hidden")

    page.wait_for_function("Object.keys(localStorage).length === 0")
    made = decided(team)[before:]
    assert [(event.reviewer, event.word, event.kind) for event in made] == [
        (NAMES["reviewer"], word, "none")
    ]


def test_what_one_person_left_in_a_browser_is_not_sent_for_another(
    team: Team,
    pages: Any,  # noqa: ANN401
) -> None:
    page = pages()
    page.goto(f"{team.address}/review")
    sign_in(page, NAMES["reviewer"])
    assert word_on(page)
    before = len(decided(team))
    page.route("**/decide", lambda route: route.abort())
    page.keyboard.press("n")
    page.get_by_text("Not saved yet: 1 waiting").wait_for()
    page.context.clear_cookies()
    page.goto(f"{team.address}/words")
    page.unroute("**/decide")
    sign_in(page, NAMES["editor"])
    page.wait_for_timeout(1500)

    assert page.locator("#outbox").is_hidden()
    assert [event.reviewer for event in decided(team)[before:]] == []


def test_a_team_works_without_javascript(team: Team, pages: Any) -> None:  # noqa: ANN401
    page = pages(java_script_enabled=False)
    page.goto(f"{team.address}/accounts")
    sign_in(page, NAMES["admin"])
    page.get_by_label("Role of the reader").select_option("editor")
    page.get_by_role("button", name="Save the role of the reader").click()
    assert team.access.accounts.get(NAMES["reader"]).role == "editor"  # type: ignore[union-attr]
    page.get_by_role("button", name="Sign out").click()
    assert page.url == f"{team.address}/login"
