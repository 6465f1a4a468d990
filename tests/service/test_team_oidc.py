"""Signing in at another service, against one in this process."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from fastapi.testclient import TestClient
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey
from requests.adapters import BaseAdapter

from bilex.errors import SettingError
from bilex.review.accounts import Identity
from bilex.review.store import ReviewStore
from bilex.service.team.access import TeamAccess, TeamSettings
from bilex.service.team.app import create_team_app
from bilex.service.team.oidc import OidcProvider, OidcSettings
from bilex.service.workbench.rendering import ReviewSettings
from team import ADMIN, FastPasswords, Visitor, api_routes, log_of, project_words

ISSUER = "https://login.example.org/team"
HERE = "https://words.test"
SETTINGS = OidcSettings(
    issuer=ISSUER,
    client_id="bilex",
    client_secret="s3cret/+",  # noqa: S106
    label="Example",
    new_accounts="reader",
)


class FakeService(BaseAdapter):
    """An OpenID provider; a test changes what it answers."""

    def __init__(self) -> None:
        super().__init__()
        self.key = RSAKey.generate_key(2048, {"kid": "k1", "use": "sig"})
        self.issuer = ISSUER
        self.claims: dict[str, Any] = {"sub": "s-1", "preferred_username": "Gül"}
        self.changed: dict[str, Any] = {}  # claims that differ from what is right
        self.signing: Any = self.key
        self.algorithm = "RS256"
        self.codes: dict[str, dict[str, str]] = {}
        self.is_down = False
        self.requests: list[str] = []

    def authorize(self, address: str) -> str:
        """Do what the service does when a person agrees; return where it sends the browser."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert address.startswith(f"{ISSUER}/authorize?")
        assert asked["client_id"] == "bilex"
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(8)
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?code={code}&state={asked['state']}"

    def send(self, request: requests.PreparedRequest, *_: Any, **__: Any) -> requests.Response:  # noqa: ANN401
        assert request.url is not None
        self.requests.append(request.url)
        if self.is_down:
            raise requests.ConnectionError("down")
        path = urlsplit(request.url).path
        status = 200
        body: dict[str, Any] = {}
        if path == "/team/.well-known/openid-configuration":
            body = {
                "issuer": self.issuer,
                "authorization_endpoint": f"{ISSUER}/authorize",
                "token_endpoint": f"{ISSUER}/token",
                "jwks_uri": f"{ISSUER}/keys",
            }
        elif path == "/team/keys":
            body = {"keys": [self.key.as_dict(private=False)]}
        elif path == "/team/token":
            status, body = self._token(request)
        return _response(request, status, body)

    def _token(self, request: requests.PreparedRequest) -> tuple[int, dict[str, Any]]:
        text = request.body.decode() if isinstance(request.body, bytes) else str(request.body)
        sent = {name: values[0] for name, values in parse_qs(text).items()}
        asked = self.codes.pop(sent.get("code", ""), None)
        login = base64.b64encode(b"bilex:s3cret%2F%2B").decode()
        plain = base64.b64encode(b"bilex:s3cret/+").decode()
        assert request.headers["Authorization"] in (f"Basic {login}", f"Basic {plain}")
        if asked is None:
            return 400, {"error": "invalid_grant"}
        digest = hashlib.sha256(sent["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if challenge != asked["code_challenge"] or sent["redirect_uri"] != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": ISSUER,
            "aud": "bilex",
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            **self.claims,
            **self.changed,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        header = {"alg": self.algorithm, "kid": self.signing.kid}
        token = jwt.encode(header, claims, self.signing, algorithms=[self.algorithm])
        return 200, {"access_token": "a", "token_type": "Bearer", "id_token": token}

    def close(self) -> None:
        pass


def _response(
    request: requests.PreparedRequest, status: int, body: dict[str, Any]
) -> requests.Response:
    answer = requests.Response()
    answer.status_code, answer.request, answer.url = status, request, str(request.url)
    answer._content = json.dumps(body).encode()
    answer.headers["Content-Type"] = "application/json"
    return answer


@pytest.fixture
def service() -> FakeService:
    return FakeService()


@pytest.fixture
def access(tmp_path: Path, service: FakeService) -> Iterator[TeamAccess]:
    project, words = project_words(5)
    with ReviewStore.create(str(tmp_path / "team.sqlite"), project, words) as store:
        provider = OidcProvider(SETTINGS, service)
        settings = TeamSettings(secure=True, address=HERE, oidc=provider)
        made = TeamAccess(store.database, settings, passwords=FastPasswords())
        app = create_team_app(store, ReviewSettings(access=made))
        app.state.store = store
        made.app = app  # type: ignore[attr-defined]
        yield made


def browser(access: TeamAccess) -> Visitor:
    app = access.app  # type: ignore[attr-defined]
    return Visitor(TestClient(app, base_url=HERE, follow_redirects=False), access)


def through(service: FakeService, visitor: Visitor, start: str = "/oidc/start") -> Any:  # noqa: ANN401
    """Sign in at the service and come back."""
    return visitor.get(service.authorize(visitor.get(start).headers["location"]))


def test_a_person_signs_in_and_is_the_same_the_next_time(
    access: TeamAccess, service: FakeService
) -> None:
    visitor = browser(access)
    assert "Sign in with Example" in visitor.get("/login?next=/words").text

    answer = through(service, visitor, "/oidc/start?next=/words")

    assert (answer.status_code, answer.headers["location"]) == (303, "/words")
    assert visitor.get("/words").status_code == 200
    account = access.accounts.of_identity(Identity(ISSUER, "s-1"))
    assert account is not None
    assert (account.name, account.role, account.has_password) == ("Gül", "reader", False)
    assert "You sign in elsewhere" in visitor.get("/account").text
    service.claims["preferred_username"] = "renamed"
    through(service, browser(access))
    assert [each.name for each in access.accounts.all()] == ["Gül"]
    entries = [(entry.kind, entry.detail) for entry in log_of(access.app.state.store)]  # type: ignore[attr-defined]
    assert entries.count(("login", "single sign-on")) == 2
    assert len([each for each in service.requests if "well-known" in each]) == 1


def test_an_invitation_gives_its_role(access: TeamAccess, service: FakeService) -> None:
    token, _ = access.accounts.invite("editor", actor=ADMIN)
    visitor = browser(access)
    page = visitor.get("/invitation", token=token).text
    assert f"/oidc/start?invitation={token}" in page
    location = visitor.get(f"/oidc/start?invitation={token}").headers["location"]
    assert token not in location  # the other service does not learn it

    assert visitor.get(service.authorize(location)).status_code == 303

    assert "editor" in visitor.get("/account").text
    assert access.accounts.invitation(token) is None


def test_without_an_invitation_nobody_gets_in_unless_that_is_set(
    access: TeamAccess, service: FakeService
) -> None:
    from dataclasses import replace

    closed = OidcProvider(replace(SETTINGS, new_accounts=None), service)
    access.settings = replace(access.settings, oidc=closed)
    answer = through(service, browser(access))

    assert answer.status_code == 403
    assert "ask an admin for an invitation" in answer.text
    assert not access.accounts.all()


def test_a_session_of_the_browser_is_replaced(access: TeamAccess, service: FakeService) -> None:
    visitor = browser(access)
    visitor.client.cookies.set(access.cookie, "A" * 43)
    answer = through(service, visitor)

    (cookie,) = [
        each for each in answer.headers.get_list("set-cookie") if each.startswith(access.cookie)
    ]
    assert "A" * 43 not in cookie
    assert {"HttpOnly", "Secure", "SameSite=lax"} <= set(cookie.split("; "))


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"aud": ["bilex", "another"]},
        {"aud": ["bilex", "another"], "azp": "another"},
        {"azp": "another"},
        {"nonce": "replayed"},
        {"nonce": None},
        {"exp": 1_700_000_000},
        {"exp": None},
        {"sub": None},
    ],
    ids=str,
)
def test_a_token_for_somebody_else_is_refused(
    access: TeamAccess, service: FakeService, changed: dict[str, Any]
) -> None:
    service.changed = changed
    answer = through(service, browser(access))

    assert answer.status_code == 403
    assert access.cookie not in str(answer.headers.get_list("set-cookie"))
    assert not access.accounts.all()


def test_a_token_with_a_false_signature_is_refused(
    access: TeamAccess, service: FakeService
) -> None:
    service.signing = RSAKey.generate_key(2048, {"kid": "k1"})
    assert through(service, browser(access)).status_code == 403
    service.signing, service.algorithm = OctKey.import_key("s3cret/+" * 4), "HS256"
    assert through(service, browser(access)).status_code == 403
    assert not access.accounts.all()


def test_new_keys_of_the_service_are_fetched(access: TeamAccess, service: FakeService) -> None:
    assert through(service, browser(access)).status_code == 303
    service.key = service.signing = RSAKey.generate_key(2048, {"kid": "k2"})

    assert through(service, browser(access)).status_code == 303


def test_an_answer_for_another_browser_is_refused(access: TeamAccess, service: FakeService) -> None:
    victim, attacker = browser(access), browser(access)
    back = service.authorize(attacker.get("/oidc/start").headers["location"])
    assert victim.get(back).status_code == 403  # never started
    victim.get("/oidc/start")
    assert victim.get(back).status_code == 403  # started something else
    assert attacker.get(f"{back}&iss=https%3A%2F%2Fevil.example").status_code == 403
    assert attacker.get("/oidc/callback?code=x&state=").status_code == 403
    assert attacker.get("/oidc/callback?error=access_denied").status_code == 403
    assert not [each for each in service.requests if each.endswith("/token")]
    assert attacker.get(f"{back}&iss={ISSUER}").status_code == 303
    assert attacker.get(back).status_code == 403  # a code works once


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "/\\evil.example"])
def test_nobody_is_sent_to_another_site(
    access: TeamAccess, service: FakeService, target: str
) -> None:
    visitor = browser(access)
    location = visitor.client.get("/oidc/start", params={"next": target}).headers["location"]

    assert visitor.get(service.authorize(location)).headers["location"] == "/"


def test_a_service_that_is_down_or_another_one_is_explained(
    access: TeamAccess, service: FakeService
) -> None:
    service.is_down = True
    answer = browser(access).get("/oidc/start")
    assert answer.status_code == 503
    assert "does not answer" in answer.text
    service.is_down, service.issuer = False, "https://evil.example"
    assert browser(access).get("/oidc/start").status_code == 503


def test_all_routes_are_open_and_only_with_the_setting(access: TeamAccess) -> None:
    found = {route.path for route in api_routes(access.app)}  # type: ignore[attr-defined]
    without = TeamAccess(access.accounts.database)

    assert {path for path in found if "oidc" in path} == {"/oidc/start", "/oidc/callback"}
    app = create_team_app(access.app.state.store, ReviewSettings(access=without))  # type: ignore[attr-defined]
    assert found - {route.path for route in api_routes(app)} == {"/oidc/start", "/oidc/callback"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "has no issuer and no client_id"),
        ("issuer = 'https://x'", "has no client_id"),
        ("issuer = 'http://x'\nclient_id = 'b'", "expected an address with https://"),
        ("issuer = 'https://x'\nclient_id = 'b'\nlable = 'x'", "did you mean 'label'"),
        ("issuer = 'https://x'\nclient_id = 5", "client_id is 5, expected text"),
        ("issuer = 'https://x'\nclient_id = 'b'\nnew_accounts = 'admin'", "need an invitation"),
        ("issuer = 'https://x'\nclient_id = 'b'\nscope = 'email'", "expected openid"),
        ("issuer =", "is not TOML"),
    ],
)
def test_wrong_settings_are_explained(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "oidc.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(SettingError, match=problem):
        OidcSettings.from_file(path)


def test_settings_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "oidc.toml"
    path.write_text("issuer = 'http://127.0.0.1:8080/r'\nclient_id = 'b'\nlabel = 'Ü'\n", "utf-8")

    settings = OidcSettings.from_file(path)

    assert (settings.label, settings.client_secret, settings.new_accounts) == ("Ü", "", None)
