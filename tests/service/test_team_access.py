"""Who may do what: each route for each role, forms, sessions, sign-in, and what pages reveal."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from starlette.routing import Mount

from bilex.review import tables
from bilex.review.roles import ROLES, Role
from bilex.review.sessions import SessionSettings
from bilex.review.store import ReviewStore
from bilex.service.headers import HEADERS
from bilex.service.team.access import TeamAccess, TeamSettings, safe_target
from bilex.service.team.app import create_team_app
from bilex.service.workbench.opening import prioritize
from bilex.service.workbench.rendering import ReviewSettings
from team import (
    ADMIN,
    MARKUP,
    NAMES,
    OTHER_PASSWORD,
    PASSWORD,
    FastPasswords,
    Visitor,
    add_accounts,
    api_routes,
    decision,
    form_fields,
    log_of,
    parameters,
    project_words,
)

# The least role that a route needs; None for anybody.
PERMISSIONS: dict[tuple[str, str], Role | None] = {
    ("GET", "/"): "reader",
    ("GET", "/words"): "reader",
    ("GET", "/entry"): "reader",
    ("GET", "/evidence"): "reader",
    ("GET", "/help"): "reader",
    ("GET", "/review"): "reviewer",
    ("GET", "/spare"): "reviewer",
    ("GET", "/batch"): "reviewer",
    ("POST", "/decide"): "reviewer",
    ("POST", "/undo"): "reviewer",
    ("POST", "/batch"): "reviewer",
    ("GET", "/login"): None,
    ("POST", "/login"): None,
    ("GET", "/invitation"): None,
    ("POST", "/invitation"): None,
    ("POST", "/logout"): "reader",
    ("GET", "/account"): "reader",
    ("POST", "/account/password"): "reader",
    ("GET", "/accounts"): "admin",
    ("POST", "/accounts/role"): "admin",
    ("POST", "/accounts/remove"): "admin",
    ("POST", "/accounts/invite"): "admin",
    ("POST", "/accounts/withdraw"): "admin",
    ("GET", "/security-log"): "admin",
}
FIELDS: dict[str, dict[str, Any]] = {
    "/entry": {"word": "word1"},
    "/evidence": {"word": "word1"},
    "/decide": {"id": "d1", "word": "word1", "kind": "skip"},
    "/undo": {"id": "u1", "word": "word1", "undoes": "no such event"},
    "/batch": {"id": "b1", "kind": "accept", "word": "word1", "target": "x", "chance": "1"},
    "/accounts/role": {"name": "nobody", "role": "reader"},
    "/accounts/remove": {"name": "nobody"},
    "/accounts/invite": {"role": "reader"},
    "/accounts/withdraw": {"mark": "none"},
    "/account/password": {"old": "wrong", "new": OTHER_PASSWORD},
}
POSTS = [path for method, path in PERMISSIONS if method == "POST"]
SIGNED_IN_POSTS = [path for path in POSTS if PERMISSIONS["POST", path] is not None]

New = Callable[..., Visitor]


class Site:
    """The pages of a team, and browsers that look at them."""

    def __init__(self, store: ReviewStore, **settings: Any) -> None:  # noqa: ANN401
        self.store = store
        self.access = TeamAccess(
            store.database, TeamSettings(**settings), passwords=FastPasswords()
        )
        self.accounts = add_accounts(self.access.accounts)
        self.app: FastAPI = create_team_app(store, ReviewSettings(access=self.access))

    def browser(self, role: Role | None = None) -> Visitor:
        """Return a new browser; it has a session if a role is given."""
        scheme = "https" if self.access.settings.secure else "http"
        client = TestClient(self.app, base_url=f"{scheme}://words.test", follow_redirects=False)
        if role is not None:
            token = self.access.sessions.start(self.accounts[role], address="test")
            client.cookies.set(self.access.cookie, token)
        return Visitor(client, self.access, role)


def make_store(where: str) -> ReviewStore:
    project, words = project_words()
    store = ReviewStore.create(where, project, words)
    prioritize(store, "value")
    return store


@pytest.fixture(scope="module")
def new_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project without decisions, to be copied: making one takes longer."""
    path = tmp_path_factory.mktemp("project") / "team.sqlite"
    make_store(str(path)).close()
    return path


@pytest.fixture
def copied(tmp_path: Path, new_project: Path) -> Iterator[ReviewStore]:
    shutil.copy(new_project, tmp_path)
    with ReviewStore.open(str(tmp_path / new_project.name)) as store:
        yield store


@pytest.fixture
def site(copied: ReviewStore) -> Site:
    return Site(copied)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, new_project: Path) -> Iterator[Site]:
    """Return a site for tests that change nothing of importance."""
    folder = tmp_path_factory.mktemp("team")
    shutil.copy(new_project, folder)
    with ReviewStore.open(str(folder / new_project.name)) as store:
        yield Site(store)


def counted(store: ReviewStore) -> dict[str, int]:
    """Return how many rows each table of importance has."""
    names = ("events", "accounts", "invitations", "security_log", "sessions")

    def work(connection: sa.Connection) -> dict[str, int]:
        return {
            name: connection.scalar(
                sa.select(sa.func.count()).select_from(tables.metadata.tables[name])
            )
            or 0
            for name in names
        }

    return store.database.read(work)


# Routes and roles


def test_every_route_has_a_permission(shared: Site) -> None:
    found = {
        (method, route.path) for route in api_routes(shared.app) for method in route.methods or ()
    }

    assert found == set(PERMISSIONS)
    mounts = {route.path for route in shared.app.routes if isinstance(route, Mount)}
    assert mounts == {"/static"}


@pytest.mark.parametrize("role", [None, *ROLES])
@pytest.mark.parametrize(("method", "path"), PERMISSIONS)
def test_each_route_is_for_its_roles_only(
    shared: Site, method: str, path: str, role: Role | None
) -> None:
    browser, needed = shared.browser(role), PERMISSIONS[method, path]
    fields = FIELDS.get(path, {})
    before = counted(shared.store)

    answer = browser.get(path, **fields) if method == "GET" else browser.post(path, **fields)

    may = needed is None or (role is not None and ROLES.index(role) >= ROLES.index(needed))
    if may:
        own_form = path in ("/login", "/invitation")  # these need the token of a visit
        assert answer.status_code in (200, 303, 400, 404) or own_form
        assert "/login" not in answer.headers.get("location", "") or path == "/logout"
        return
    assert counted(shared.store) == before
    assert "word1" not in answer.text
    if role is None and method == "GET":
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/login")
    else:
        assert answer.status_code == 403


@pytest.mark.parametrize("role", ROLES)
def test_pages_offer_only_what_a_role_may(shared: Site, role: Role) -> None:
    browser = shared.browser(role)
    page = browser.get("/").text
    offered = set(re.findall(r'(?:href|action)="(/(?!static/)[a-z/-]*)', page))

    for path in offered:
        method = "POST" if f'action="{path}"' in page else "GET"
        needed = PERMISSIONS[method, path]
        assert needed is None or ROLES.index(role) >= ROLES.index(needed), path
    assert ("/review" in offered) == (role != "reader")
    assert ("/accounts" in offered) == (role == "admin")
    entry = browser.get("/entry", word="word1").text
    assert ('href="/review?word' in entry) == (role != "reader")


def test_a_new_role_counts_at_once(site: Site) -> None:
    browser = site.browser("admin")
    site.access.accounts.add("second", "admin", PASSWORD, actor=ADMIN)
    site.access.accounts.set_role(NAMES["admin"], "reader", actor=ADMIN)

    assert browser.get("/accounts").headers["location"].startswith("/login")


# Forms


@pytest.mark.parametrize("path", SIGNED_IN_POSTS)
def test_a_form_without_the_token_of_the_session_changes_nothing(shared: Site, path: str) -> None:
    browser, other = shared.browser("admin"), shared.browser("admin")
    before = counted(shared.store)
    visit = shared.browser().form("/login", "/login")["csrf"]

    for csrf in ("", "wrong", "ü", other.csrf, visit, browser.csrf[:-1], browser.csrf.upper()):
        answer = browser.post(path, **FIELDS.get(path, {}) | {"csrf": csrf})
        assert answer.status_code == 403
    answer = browser.client.post(path, data=FIELDS.get(path, {}) | {"csrf": ""})
    assert answer.status_code == 403
    assert browser.get("/account").status_code == 200  # not signed out
    assert counted(shared.store) == before


def test_forms_without_a_session_need_the_token_of_their_browser(site: Site) -> None:
    token, _ = site.access.accounts.invite("reader", actor=ADMIN)
    others = site.browser().form("/login", "/login")["csrf"]
    before = counted(site.store)
    for path, fields in {
        "/login": {"name": NAMES["admin"], "password": PASSWORD},
        "/invitation": {"token": token, "name": "guest", "password": PASSWORD},
    }.items():
        for csrf in ("", "wrong", "ü", others, site.browser().csrf):
            browser = site.browser()
            browser.get("/login")
            answer = browser.post(path, **fields | {"csrf": csrf})
            assert answer.status_code == 403
            assert site.access.cookie not in answer.cookies
    assert counted(site.store) == before


def test_nothing_is_changed_by_get(shared: Site) -> None:
    browser = shared.browser("admin")
    before = counted(shared.store)
    for path in POSTS:
        assert browser.get(path, csrf=browser.csrf, **FIELDS.get(path, {})).status_code in (
            200,
            303,
            404,
            405,
        )
    assert counted(shared.store) == before


# Sessions


def test_signing_in_and_out(site: Site) -> None:
    browser = site.browser()
    wanted = "/entry?word=word1"
    sent = browser.get("/entry", word="word1").headers["location"]
    assert sent == "/login?next=%2Fentry%3Fword%3Dword1"
    fields = browser.form(sent, "/login") | {"name": "The READER", "password": PASSWORD}

    answer = browser.post("/login", **fields)

    assert (answer.status_code, answer.headers["location"]) == (303, wanted)
    page = browser.get(wanted)
    assert page.status_code == 200
    assert NAMES["reader"] in page.text
    assert browser.get("/login", next="/words").headers["location"] == "/words"
    logout = form_fields(page.text, "/logout")
    assert browser.post("/logout", **logout).headers["location"] == "/login"
    assert browser.get("/").headers["location"] == "/login"


def test_a_planted_session_is_not_used_and_a_stolen_one_ends(site: Site) -> None:
    browser = site.browser()
    planted = "A" * 43
    browser.client.cookies.set(site.access.cookie, planted)
    browser.sign_in(NAMES["reviewer"])
    own = browser.client.cookies.get(site.access.cookie, domain="words.test") or ""
    assert own not in ("", planted)

    thief = site.browser()
    thief.client.cookies.set(site.access.cookie, planted)
    assert thief.get("/").headers["location"] == "/login"

    browser = site.browser("reviewer")
    stolen = browser.client.cookies[site.access.cookie]
    browser.client.cookies.clear()
    browser.client.cookies.set(site.access.cookie, stolen, domain="words.test")
    fields = {"name": NAMES["reviewer"], "password": PASSWORD}
    visit = site.browser()
    csrf = visit.form("/login", "/login")["csrf"]
    browser.client.cookies.set(
        site.access.visit_cookie,
        visit.client.cookies[site.access.visit_cookie],
        domain="words.test",
    )
    assert browser.post("/login", csrf=csrf, **fields).status_code == 303
    assert browser.client.cookies.get(site.access.cookie, domain="words.test") != stolen
    thief.client.cookies.clear()
    thief.client.cookies.set(site.access.cookie, stolen)
    assert thief.get("/").headers["location"] == "/login"


@pytest.mark.parametrize("secure", [False, True])
def test_cookies_are_not_for_scripts_other_sites_or_plain_http(
    copied: ReviewStore, secure: bool
) -> None:
    site = Site(copied, secure=secure)
    browser = site.browser()
    answers = [browser.get("/login"), browser.sign_in(NAMES["reader"])]
    for answer in answers:
        for cookie in answer.headers.get_list("set-cookie"):
            assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(cookie.split("; "))
            assert ("Secure" in cookie.split("; ")) == secure
            assert cookie.startswith("__Host-") == secure
            assert "Domain" not in cookie
        assert ("strict-transport-security" in answer.headers) == secure
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert answer.headers["cache-control"] == "no-store"


def test_a_form_of_an_ended_session_says_so_and_keeps_the_page(site: Site) -> None:
    browser = site.browser("reviewer")
    fields = browser.form("/review", "/decide") | {"kind": "accept"}
    site.access.sessions.sign_out(browser.client.cookies[site.access.cookie], address="")

    answer = browser.post("/decide", **fields)

    assert answer.status_code == 403  # after which the page keeps the decision
    assert 'href="/login"' in answer.text
    assert browser.get("/words", part=True).status_code == 403  # no sign-in page inside a page
    assert not list(site.store.events())


def test_changing_the_password_ends_other_sessions(site: Site) -> None:
    browser, other = site.browser("editor"), site.browser("editor")
    fields = browser.form("/account", "/account/password")
    wrong = browser.post("/account/password", **fields | {"old": "wrong", "new": OTHER_PASSWORD})
    assert (wrong.status_code, "name or password is wrong" in wrong.text) == (400, True)
    weak = browser.post("/account/password", **fields | {"old": PASSWORD, "new": "short"})
    assert (weak.status_code, "5 characters" in weak.text) == (400, True)

    done = browser.post("/account/password", **fields | {"old": PASSWORD, "new": OTHER_PASSWORD})

    assert done.headers["location"] == "/account?changed=1"
    browser.client.cookies = done.cookies
    assert "was changed" in browser.get("/account?changed=1").text
    assert other.get("/").headers["location"] == "/login"
    assert site.browser().sign_in(NAMES["editor"]).status_code == 401
    assert site.browser().sign_in(NAMES["editor"], OTHER_PASSWORD).status_code == 303


# Guessing passwords


def test_a_wrong_name_looks_like_a_wrong_password(site: Site) -> None:
    answers = [site.browser().sign_in(name, "wrong") for name in (NAMES["admin"], "nobody", "")]
    pages = {
        re.sub(r'value="[^"]*"', "", each.text) for each in answers
    }  # but for the name and the token

    assert {each.status_code for each in answers} == {401}
    assert len(pages) == 1


def test_sign_in_is_limited_by_name_and_by_address(copied: ReviewStore) -> None:
    few = SessionSettings(per_account="3 per minute", per_address="6 per minute")
    site = Site(copied, sessions=few)
    name = NAMES["reviewer"]
    statuses = [site.browser().sign_in(name, "wrong").status_code for _ in range(4)]
    assert statuses == [401, 401, 401, 429]
    refused = site.browser().sign_in(name, PASSWORD)
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert site.browser().sign_in(NAMES["editor"], PASSWORD).status_code == 303
    assert site.browser().sign_in("somebody", "wrong").status_code == 401
    assert site.browser().sign_in(NAMES["admin"], PASSWORD).status_code == 429  # the address
    assert site.browser("reviewer").get("/").status_code == 200  # who is in stays in


# Invitations and accounts


def test_an_invitation_by_an_admin_makes_an_account(site: Site) -> None:
    admin = site.browser("admin")
    fields = admin.form("/accounts", "/accounts/invite")
    page = admin.post("/accounts/invite", **fields | {"role": "editor"}).text
    link = re.search(r'value="(http://words\.test/invitation\?token=[\w-]+)"', page)
    assert link is not None
    assert link[1] not in admin.get("/accounts").text

    guest = site.browser()
    assert "as <strong>editor</strong>" in guest.get(link[1]).text
    form = guest.form(link[1], "/invitation")
    weak = guest.post("/invitation", **form | {"name": "Gül", "password": "short"})
    assert (weak.status_code, 'value="Gül"' in weak.text) == (400, True)
    assert "short" not in re.sub(r"password-help.*", "", weak.text)
    chosen = form | {"name": "Gül", "password": PASSWORD, "role": "admin"}
    assert guest.post("/invitation", **chosen).headers["location"] == "/"
    assert "editor" in guest.get("/account").text
    assert site.browser().get(link[1]).status_code == 404
    assert site.browser().post("/invitation", **chosen).status_code == 404


def test_admins_change_and_remove_accounts_and_withdraw_invitations(site: Site) -> None:
    admin = site.browser("admin")
    reader = NAMES["reader"]
    assert admin.post("/accounts/role", name=reader, role="editor").status_code == 303
    assert site.access.accounts.get(reader).role == "editor"  # type: ignore[union-attr]
    assert admin.post("/accounts/role", name=reader, role="owner").status_code == 400
    assert admin.post("/accounts/invite", role="owner").status_code == 400
    only = admin.post("/accounts/remove", name=NAMES["admin"])
    assert (only.status_code, "the only admin" in only.text) == (400, True)
    assert admin.post("/accounts/remove", name=reader).status_code == 303
    assert site.access.accounts.get(reader) is None
    token, made = site.access.accounts.invite("admin", actor=ADMIN)
    assert token not in admin.get("/accounts").text
    assert admin.post("/accounts/withdraw", mark=made.mark).status_code == 303
    assert site.browser().get("/invitation", token=token).status_code == 404
    log = admin.get("/security-log").text
    for what in ("Role changed", "reader → editor", "Account removed", "Invitation withdrawn"):
        assert what in log


def test_the_log_is_read_in_pages(site: Site) -> None:
    for _ in range(130):
        site.access.accounts.invite("reader", actor=ADMIN)
    admin = site.browser("admin")
    first = admin.get("/security-log").text
    following = re.search(r"/security-log\?before=(\d+)", first)
    assert following is not None
    second = admin.get(following[0]).text
    assert first.count("<li>") - second.count("<li>") > 60
    assert "Latest" in second
    for before in ("-1", "x", str(2**63), "1; DROP TABLE events"):
        assert admin.get("/security-log", before=before).status_code == 400


# What pages reveal


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        " //evil.example",
        "javascript:alert(1)",
        "http:evil.example",
        "evil.example",
        "//[",
        "",
        "/login?next=/login",
    ],
)
def test_nobody_is_sent_to_another_site(shared: Site, target: str) -> None:
    browser = shared.browser()
    fields = browser.form("/login", "/login") | {"next": target}
    assert form_fields(browser.get("/login", next=target).text, "/login")["next"] == "/"
    csrf = browser.form("/login", "/login")["csrf"]
    answer = browser.post(
        "/login", **fields | {"csrf": csrf, "name": NAMES["reader"], "password": PASSWORD}
    )
    assert answer.headers["location"] == "/"
    signed_in = shared.browser("reviewer")
    assert signed_in.get("/login", next=target).headers["location"] == "/"


@given(st.text(st.sampled_from("/\\.:@?#%\t\r\n ae\u2028\x00é")) | st.text())
def test_a_target_is_always_a_path_of_this_server(target: str) -> None:
    safe = safe_target(target)

    assert safe.isascii()
    as_browsers_read = re.sub("[\t\r\n]", "", safe).strip().replace("\\", "/")
    assert re.match(r"/(?!/)", as_browsers_read)


@pytest.mark.parametrize("back", ["https://evil.example", "//evil.example", "entry", "javascript:"])
def test_undo_leads_to_own_pages_only(site: Site, back: str) -> None:
    reviewer = site.browser("reviewer")
    made = decision(reviewer.name, "word1")
    site.store.add([made])
    answer = reviewer.post("/undo", id="u1", word="word1", undoes=made.id, back=back)

    assert answer.headers["location"].startswith(("/review?word=", "/entry?word="))


def test_words_and_notes_with_markup_stay_text(site: Site) -> None:
    note = "<img src=x onerror=alert(1)>"
    texts = {"note": note, "sense": note, "part_of_speech": "<i>noun</i>"}
    site.store.add([decision("the editor", MARKUP, targets=(MARKUP, "<b>x</b>"), **texts)])
    for role in ROLES:
        browser = site.browser(role)
        for path in ("/", "/words", "/review", "/batch", "/spare", "/account"):
            page = browser.get(path).text
            assert not re.search(r"<(script(?! src)|img|b>|i>)", page), path
        for path in ("/entry", "/review"):
            page = browser.get(path, word=MARKUP).text
            assert not re.search(r"<(script(?! src)|img|b>|i>)", page), path
            assert "&lt;script&gt;" in page or role == "reader"
        assert "&lt;img src=x" in browser.get("/entry", word=MARKUP).text or role == "reviewer"


def decided_pages(site: Site, browser: Visitor, word: str) -> str:
    """Return all that pages say about a word, without what differs each time."""
    found = [
        browser.get("/entry", word=word).text,
        browser.get("/review", word=word).text,
        browser.get("/words", part=True, search=word).text,
        *(
            browser.get("/words", part=True, search=word, state=state).text
            for state in ("open", "skipped", "accepted", "rejected", "not-entry", "disputed")
        ),
    ]
    return re.sub(r'value="[\w-]{20}"|data-now="[^"]*"', "", "\n".join(found))


@pytest.mark.parametrize("is_disputed", [False, True])
def test_a_second_reviewer_sees_nothing_of_the_first_opinion(site: Site, is_disputed: bool) -> None:
    word, browser = "word3", site.browser("reviewer")
    seen = set()
    for number, kind in enumerate(("accept", "none", "not-entry")):
        first = decision(f"ann {number}", word, kind, id=f"first {number}", note="because")
        site.store.add([first])
        if is_disputed:
            others = {"accept": "none", "none": "accept", "not-entry": "accept"}
            second = decision("bea", word, others[kind], id=f"second {number}", note="because")
            site.store.add([second])
        seen.add(decided_pages(site, browser, word))
        for made in site.store.history(word):
            undo = {"id": f"undo {made.id}", "undoes": made.id, "shown": ()}
            site.store.add([decision(made.reviewer, word, "undo", **undo)] * (made.kind != "undo"))
        assert site.store.item(word).entry.state == "open"  # type: ignore[union-attr]

    assert len(seen) == 1  # whatever was decided
    page = seen.pop()
    assert "Decided by others" in page
    assert "because" not in page
    assert "ann" not in page


def test_opinions_are_shown_to_editors_readers_and_who_has_decided(site: Site) -> None:
    site.store.add([decision("ann", "word3", "none", note="because")])
    for role in ("reader", "editor", "admin"):
        assert "because" in site.browser(role).get("/entry", word="word3").text
    reviewer = site.browser("reviewer")
    assert "because" not in reviewer.get("/entry", word="word3").text
    fields = form_fields(reviewer.get("/review", word="word3").text, "/decide")
    reviewer.post("/decide", **fields | {"kind": "none"})

    page = reviewer.get("/entry", word="word3").text
    assert "because" in page
    assert "None right" in page
    listed = reviewer.get("/words", state="rejected").text
    assert "word3" in listed


def test_a_hidden_word_is_not_named_by_the_next_page(tmp_path: Path) -> None:
    project, words = project_words(200)
    with ReviewStore.create(str(tmp_path / "team.sqlite"), project, words) as store:
        site = Site(store)
        mine = NAMES["reviewer"]
        store.add([decision("ann" if rank % 2 else mine, f"word{rank}") for rank in range(1, 200)])
        browser, found, where = site.browser("reviewer"), set[str](), "/words?state=accepted"
        while where:
            page = browser.get(where, part=True).text
            found |= set(re.findall(r"word(\d+)", page))
            link = re.search(r'href="(/words\?[^"]*after=[^"]*)"', page)
            where = link[1].replace("&amp;", "&") if link else ""

    assert sorted(map(int, found)) == list(range(2, 200, 2))


def test_an_editor_resolves_a_disagreement_and_undoes_what_others_did(site: Site) -> None:
    ann, bea = decision("ann", "word5"), decision("bea", "word5", "none")
    site.store.add([ann, bea])
    editor, reviewer = site.browser("editor"), site.browser("reviewer")

    fields = form_fields(reviewer.get("/review", word="word5").text, "/decide")
    reviewer.post("/decide", **fields | {"kind": "none"})
    assert site.store.item("word5").entry.state == "disputed"  # type: ignore[union-attr]
    fields = form_fields(editor.get("/review", word="word5").text, "/decide")
    editor.post("/decide", **fields | {"kind": "none"})
    entry = site.store.item("word5").entry  # type: ignore[union-attr]
    assert (entry.state, entry.decisions[-1].resolves) == ("rejected", True)

    fields = {"word": "word5", "undoes": ann.id}
    assert reviewer.post("/undo", id="u1", **fields).status_code == 403
    assert editor.post("/undo", id="u2", **fields).status_code == 303
    assert "ann" not in site.store.item("word5").entry.reviewers  # type: ignore[union-attr]


def test_an_editor_who_is_asked_for_a_second_opinion_does_not_overrule(site: Site) -> None:
    site.store.add([decision("ann", "word5")])
    editor = site.browser("editor")
    fields = form_fields(editor.get("/review", word="word5").text, "/decide")
    editor.post("/decide", **fields | {"kind": "none", "reason": "second"})

    assert site.store.item("word5").entry.state == "disputed"  # type: ignore[union-attr]


def test_a_form_cannot_claim_another_reviewer_or_an_editors_word(site: Site) -> None:
    site.store.add([decision("ann", "word5"), decision("bea", "word5", "none")])
    reviewer = site.browser("reviewer")
    fields = form_fields(reviewer.get("/review", word="word5").text, "/decide")
    reviewer.post("/decide", **fields | {"kind": "none", "reviewer": "ann", "resolves": "true"})

    made = site.store.last_events(reviewer.name, 1)[0]
    assert (made.word, made.resolves) == ("word5", False)
    assert site.store.last_events("ann", 5) == [decision("ann", "word5")]


# Injection

HOSTILE = (
    "' OR '1'='1\"; DROP TABLE events; --",
    "\x00",
    "\ud800",
    "../../../../etc/passwd",
    "..%2f..%2f{{ 7919 * 7907 }}${7919*7907}",
    f'{MARKUP}"><img src=x onerror=alert(1)>',
    "\r\nSet-Cookie: stolen=1",
    "9" * 30,
    "x" * 5000,
)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_hostile_text_in_any_parameter_is_only_text(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    where = (
        str(tmp_path / "team.sqlite")
        if kind == "sqlite"
        else request.getfixturevalue("postgres_url")
    )
    with make_store(where) as store:
        site, tried = Site(store), 0
        texts = HOSTILE if kind == "sqlite" else HOSTILE[:3]  # the rest is alike
        for route in api_routes(site.app):
            method = next(iter(route.methods or ()))
            browser = site.browser("admin")
            for name in sorted(parameters(route.dependant) - {"csrf"}):
                for text in texts:
                    fields = FIELDS.get(route.path, {}) | {name: text}
                    answer = (
                        browser.client.get(route.path, params=_sendable(fields))
                        if method == "GET"
                        else browser.post(route.path, **fields)
                    )
                    tried += 1
                    assert answer.status_code < 500, (route.path, name, text)
                    assert not re.search(r"<(script(?! src)|img)", answer.text)
                    assert "root:" not in answer.text
                    assert "62615533" not in answer.text  # what a template would make of it
                    assert "stolen" not in str(answer.headers.get_list("set-cookie"))
                    assert "\n" not in answer.headers.get("location", "")
        assert tried > 30 * len(texts)
        assert store.counts().words == 30
        assert len(site.access.accounts.all()) == len(ROLES)
        assert store.rebuild() == 0


def _sendable(fields: dict[str, str]) -> dict[str, str]:
    return {name: text.encode("utf-8", "replace").decode() for name, text in fields.items()}


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_hostile_names_and_passwords_do_not_sign_in(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    where = (
        str(tmp_path / "team.sqlite")
        if kind == "sqlite"
        else request.getfixturevalue("postgres_url")
    )
    with make_store(where) as store:
        site = Site(store)
        token, _ = site.access.accounts.invite("reader", actor=ADMIN)
        for text in (*HOSTILE, f"{NAMES['admin']}' --", f"{NAMES['admin']}\x00"):
            assert site.browser().sign_in(text, PASSWORD).status_code in (400, 401)
            assert site.browser().sign_in(NAMES["admin"], text).status_code in (400, 401, 429)
            guest = site.browser()
            form = guest.form(f"/invitation?token={token}", "/invitation")
            answer = guest.post("/invitation", **form | {"name": text, "password": "short"})
            assert answer.status_code == 400
        assert len(site.access.accounts.all()) == len(ROLES)
        assert all(entry.kind != "login" for entry in log_of(store))


@pytest.mark.parametrize("path", ["../access.py", "..%2fapp.py", "%2e%2e/team/access.py"])
def test_files_outside_the_static_folder_are_not_served(shared: Site, path: str) -> None:
    assert shared.browser("admin").get(f"/static/{path}").status_code == 404
