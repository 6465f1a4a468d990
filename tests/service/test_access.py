from __future__ import annotations

import re

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from bilex.review.events import Event
from bilex.service.headers import HEADERS
from bilex.service.workbench.access import LoopbackAccess, Reviewer
from workbench import TOKEN, Site

READS = ("/", "/review", "/review?word=word1", "/evidence?word=word1", "/spare", "/batch", "/words",
         "/entry?word=word1", "/help")  # fmt: skip
WRITES = ("/decide", "/undo", "/batch")


def stranger(site: Site) -> TestClient:
    return TestClient(site.client.app, base_url="http://127.0.0.1", follow_redirects=False)


def test_the_lists_above_have_all_routes(site: Site) -> None:
    routes = {
        (method, route.path)
        for part in site.client.app.routes  # type: ignore[attr-defined]
        for route in getattr(getattr(part, "original_router", None), "routes", [part])
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    reads = {("GET", address.partition("?")[0]) for address in READS}
    assert routes == reads | {("POST", address) for address in WRITES} | {("GET", "/open")}


@pytest.mark.parametrize("address", READS)
def test_a_stranger_sees_nothing(site: Site, address: str) -> None:
    answer = stranger(site).get(address)

    assert answer.status_code == 403
    assert "word1" not in answer.text
    assert "Open the address that bilex printed" in answer.text


@pytest.mark.parametrize("address", WRITES)
def test_a_stranger_changes_nothing(site: Site, address: str) -> None:
    fields = site.question() | {"kind": "accept", "csrf": site.csrf}

    assert stranger(site).post(address, data=fields).status_code == 403
    assert not list(site.store.events())


@pytest.mark.parametrize("address", WRITES)
@pytest.mark.parametrize("csrf", ["", "wrong", "ü"])
def test_a_form_without_its_token_changes_nothing(site: Site, address: str, csrf: str) -> None:
    fields = site.question() | {"kind": "accept", "csrf": csrf}

    assert site.post(address, fields).status_code == 403
    assert not list(site.store.events())


def test_a_wrong_token_opens_nothing(site: Site) -> None:
    client = stranger(site)
    for token in ("", "wrong", "ü", TOKEN[:-1]):
        assert not client.get("/open", params={"token": token}).cookies
    assert client.get("/").status_code == 403


def test_the_cookie_is_not_for_scripts_or_other_sites(site: Site) -> None:
    cookie = stranger(site).get("/open", params={"token": TOKEN}).headers["set-cookie"].lower()

    assert "httponly" in cookie
    assert "samesite=lax" in cookie


def test_two_workbenches_on_one_computer_have_different_cookies() -> None:
    assert LoopbackAccess().cookie != LoopbackAccess().cookie


@pytest.mark.parametrize("address", ["/", "/static/workbench.css", "/nothing", "/entry?word=none"])
def test_every_answer_has_security_headers(site: Site, address: str) -> None:
    headers = site.get(address).headers

    assert {name: headers[name] for name in HEADERS} == HEADERS
    is_static = address.startswith("/static")
    assert ("no-store" in headers["Cache-Control"]) != is_static


@pytest.mark.parametrize("address", READS)
def test_pages_have_no_inline_script_or_style_and_name_no_other_host(
    site: Site, address: str
) -> None:
    site.decide()
    page = site.get(address).text

    assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=|javascript:", page)
    assert not re.search(r"(?:src|href|action)=\"(?:https?:)?//", page)


@pytest.mark.parametrize("path", ["../app.py", "..%2fapp.py", "%2e%2e/access.py", "/etc/passwd"])
def test_files_outside_the_static_folder_are_not_served(site: Site, path: str) -> None:
    assert site.get(f"/static/{path}").status_code == 404


def test_only_editors_undo_what_others_did() -> None:
    event = Event(id="1", at="2026-01-01T00:00:00.000000Z", reviewer="ann", word="dog", kind="none")

    assert Reviewer(name="ann").may_undo(event)
    assert not Reviewer(name="bob").may_undo(event)
    assert Reviewer(name="bob", may_resolve=True).may_undo(event)
    assert not Reviewer(name="ann", may_decide=False).may_undo(event)
