"""The API as it is served: keys, rates, logs, metrics and limits together."""

from __future__ import annotations

import io
import json
import logging
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from bilex.service.api.asgi import OTHER, RULES, rule_of
from bilex.service.api.catalog import Catalog, Models
from bilex.service.api.keys import add_key, remove_key
from bilex.service.api.logs import log_to
from bilex.service.api.rates import Rate
from bilex.service.api.running import create_served_app
from bilex.service.api.settings import ServerSettings
from running_service import odd_pair, plain_pair
from team import api_routes

HERE = ("127.0.0.1", 50_000)
ELSEWHERE = ("192.0.2.7", 50_000)
WORDS = {"pair": "en-es", "words": ["s1", "secretword"]}
TEXT = {"pair": "en-es", "text": "s1 and a secrettext"}


def make_client(settings: ServerSettings, client: tuple[str, int] = HERE) -> TestClient:
    models = Models(list)
    models.current = Catalog({pair.name: pair for pair in (plain_pair(), odd_pair())})
    app = create_served_app(settings, models)
    return TestClient(
        app, base_url="http://localhost", client=client, raise_server_exceptions=False
    )


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    add_key(tmp_path / "keys.json", "first", ["metrics"], None)
    return tmp_path / "keys.json"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    log_to(stream)
    yield stream
    root.handlers, root.level = handlers, level


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def code(answer: Any) -> tuple[int, str]:  # noqa: ANN401
    return answer.status_code, answer.json()["error"]["code"]


def with_key(keys: Path, *scopes: str, rate: Rate | None = None) -> dict[str, str]:
    return bearer(add_key(keys, "-".join(scopes), scopes, rate))


ROUTES = {
    "/v1/translate": ("translate", WORDS),
    "/v1/glossary": ("glossary", TEXT),
    "/v1/models": (None, None),
    "/v1/lexicon/en-es": ("lexicon", None),
    "/v1/entry/en-es/s1": ("lexicon", None),
    "/metrics": ("metrics", None),
    "/": (None, None),
    "/docs": (None, None),
    "/nothing": (None, None),
}


def ask(client: TestClient, path: str, headers: dict[str, str] | None = None) -> Any:  # noqa: ANN401
    body = ROUTES[path][1] if path in ROUTES else None
    if body is None:
        return client.get(path, headers=headers)
    return client.post(path, json=body, headers=headers)


def test_every_route_has_a_rule() -> None:
    client = make_client(ServerSettings())
    for route in api_routes(client.app):  # type: ignore[arg-type]
        path = re.sub(r"\{.*?\}", "x", route.path)
        assert rule_of(path) is not OTHER, route.path
        assert "x" not in rule_of(path).route.split("/")
    assert rule_of("/static/x.css").is_public
    assert rule_of("/v1/translate/").route == "other"
    assert {rule.route for rule in RULES if rule.is_public} == {
        "/healthz",
        "/readyz",
        "/openapi.json",
        "/static/{file}",
    }


def test_each_scope_opens_its_routes_only(keys: Path) -> None:
    given = {scope: with_key(keys, scope) for scope in ("translate", "glossary", "lexicon")}
    given["metrics"] = with_key(keys, "metrics")
    client = make_client(ServerSettings(keys=keys), ELSEWHERE)
    for path, (needed, _) in ROUTES.items():
        assert code(ask(client, path)) == (401, "no-key")
        for scope, headers in given.items():
            found = ask(client, path, headers)
            if needed is None:
                assert found.status_code in (200, 404)
            elif scope == needed:
                assert found.status_code == 200
            else:
                assert code(found) == (403, "not-for-this")
    for path in ("/healthz", "/openapi.json", "/static/workbench.css"):
        assert ask(client, path).status_code == 200


def test_wrong_keys_are_refused_and_after_a_while_limited_by_address(keys: Path) -> None:
    right = with_key(keys, "translate")
    client = make_client(ServerSettings(keys=keys), ELSEWHERE)
    for given in (b"Basic eDp5", b"Bearer x", b"Bearer \xe9"):
        refused = client.get("/v1/models", headers={b"Authorization": given})
        assert code(refused) == (401, "unknown-key")
        assert refused.headers["www-authenticate"] == "Bearer"
    found = [client.get("/v1/models", headers=bearer("wrong")) for _ in range(18)]
    assert [one.status_code for one in found] == [401] * 17 + [429]
    assert 1 <= int(found[-1].headers["retry-after"]) <= 60
    assert client.get("/v1/models", headers=right).status_code == 200


def test_a_rate_is_told_and_held(keys: Path) -> None:
    headers = with_key(keys, "translate", rate=Rate(3, 60))
    other = with_key(keys, "glossary", rate=Rate(3, 60))
    client = make_client(ServerSettings(keys=keys))
    found = [ask(client, "/v1/translate", headers) for _ in range(4)]
    assert [one.status_code for one in found] == [200, 200, 200, 429]
    assert [one.headers["ratelimit-policy"] for one in found] == ['"key";q=3;w=60'] * 4
    left = [re.fullmatch(r'"key";r=(\d);t=(\d+)', one.headers["ratelimit"]) for one in found]
    assert [match and match[1] for match in left] == ["2", "1", "0", "0"]
    assert code(found[-1]) == (429, "too-many-requests")
    assert 1 <= int(found[-1].headers["retry-after"]) <= 60
    assert ask(client, "/v1/glossary", other).status_code == 200


def test_a_key_works_and_ends_while_the_server_runs(
    keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bilex.service.api.keys.WatchedKeys.__init__.__kwdefaults__", {"every": 0})
    client = make_client(ServerSettings(keys=keys))
    headers = with_key(keys, "translate")
    assert ask(client, "/v1/translate", headers).status_code == 200
    remove_key(keys, "translate")
    assert code(ask(client, "/v1/translate", headers)) == (401, "unknown-key")


def test_metrics_are_for_this_computer_or_a_key(keys: Path) -> None:
    here, elsewhere = (make_client(ServerSettings(), one) for one in (HERE, ELSEWHERE))
    assert here.get("/metrics").status_code == 200
    for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"):
        assert code(here.get("/metrics", headers={name: "x"})) == (403, "not-for-you")
    assert code(elsewhere.get("/metrics")) == (403, "not-for-you")
    client = make_client(ServerSettings(keys=keys), ELSEWHERE)
    assert code(client.get("/metrics")) == (401, "no-key")
    with_keys = make_client(ServerSettings(keys=keys), HERE)
    assert with_keys.get("/metrics").status_code == 200


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000"])
def test_a_page_of_another_site_cannot_ask_through_the_browser(host: str) -> None:
    client = make_client(ServerSettings())
    assert client.get("/v1/models", headers={"Host": host}).status_code == 200
    refused = client.get("/v1/models", headers={"Host": f"{host.replace(':', '.')}.example.org"})
    assert code(refused) == (403, "wrong-host")


def test_each_answer_has_an_identity_and_a_good_one_is_kept() -> None:
    client = make_client(ServerSettings())
    given = client.get("/readyz", headers={"X-Request-ID": "abc-1.x_Y"})
    assert given.headers["x-request-id"] == "abc-1.x_Y"
    for bad in (b"", b"a b", b'x"', b"a" * 65, b"\xe4"):
        found = client.get("/readyz", headers={b"X-Request-ID": bad})
        assert re.fullmatch("[0-9a-f]{16}", found.headers["x-request-id"])


def test_refusals_have_the_headers_of_other_answers_and_the_form_of_other_errors(
    keys: Path,
) -> None:
    headers = with_key(keys, "translate")
    client = make_client(ServerSettings(keys=keys, body_bytes=1_000))
    for answer in (
        client.get("/v1/models"),
        client.post("/v1/translate", content=b"x" * 2_000, headers=headers),
    ):
        assert answer.status_code in (401, 413)
        assert set(answer.json()["error"]) == {"code", "message"}
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-request-id"]


def test_a_request_has_one_line_in_the_log_without_what_was_asked(
    keys: Path, log: io.StringIO
) -> None:
    headers = with_key(keys, "translate", "glossary", "lexicon")
    client = make_client(ServerSettings(keys=keys), ELSEWHERE)
    ask(client, "/v1/translate", headers)
    ask(client, "/v1/glossary", headers)
    client.get("/v1/entry/en-es/secretword?reverse=true", headers=headers)
    client.get("/v1/lexicon/en-es?prefix=secretprefix", headers=headers)
    client.get("/secretpath?secretquery", headers=bearer("secretkey"))
    client.request("SECRETMETHOD", "/v1/models", headers=headers)
    client.post("/v1/translate", content=b'{"secretfield": 1}', headers=headers)
    text = log.getvalue()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("POST", "/v1/translate", 200),
        ("POST", "/v1/glossary", 200),
        ("GET", "/v1/entry/{pair}/{word}", 404),
        ("GET", "/v1/lexicon/{pair}", 200),
        ("GET", "other", 401),
        ("other", "/v1/models", 405),
        ("POST", "/v1/translate", 422),
    ]
    keyed = "translate-glossary-lexicon"
    assert [line["key"] for line in lines] == [keyed] * 4 + [None] + [keyed] * 2
    assert list(lines[0]) == ["time", "id", "method", "route", "status", "ms", "bytes", "key"]
    assert lines[0]["bytes"] > 100
    assert 0 < lines[0]["ms"] < 10_000
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", lines[0]["time"])
    token = headers["Authorization"].removeprefix("Bearer ")
    for secret in ("secret", "SECRET", token, ELSEWHERE[0]):
        assert secret not in text


def test_no_line_is_written_for_requests_if_nobody_wants_it(log: io.StringIO) -> None:
    make_client(ServerSettings(log=False)).get("/readyz")
    assert log.getvalue() == ""


def test_our_mistakes_are_errors_without_details_and_logged_without_words(
    log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = make_client(ServerSettings())

    def fails(*_: object, **__: object) -> None:
        raise KeyError("secretword")

    monkeypatch.setattr("bilex.service.api.pairs.ServedDirection.translate", fails)
    answer = ask(client, "/v1/translate")
    assert code(answer) == (500, "internal-error")
    identity = answer.headers["x-request-id"]
    assert identity in answer.json()["error"]["message"]
    problem, request = (json.loads(line) for line in log.getvalue().splitlines())
    assert (problem["error"], problem["message"]) == ("KeyError", f"request {identity} failed")
    assert any(line.startswith("routes.py:") for line in problem["where"])
    assert (request["status"], request["id"]) == (500, identity)
    assert "secretword" not in log.getvalue()


def metric(text: str, name: str) -> float:
    return next(
        float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name)
    )


def test_metrics_count_requests_words_and_characters_and_name_the_models() -> None:
    client = make_client(ServerSettings())
    for _ in range(2):
        ask(client, "/v1/translate")
    ask(client, "/v1/glossary")
    ask(client, "/nothing")
    client.get("/v1/entry/en-es/s1")
    text = client.get("/metrics").text
    assert metric(text, 'bilex_requests_total{route="/v1/translate",status="200"}') == 2
    assert metric(text, 'bilex_requests_total{route="other",status="404"}') == 1
    assert metric(text, 'bilex_request_seconds_count{route="/v1/glossary"}') == 1
    assert metric(text, 'bilex_words_translated_total{pair="en-es"}') == 4
    assert metric(text, 'bilex_glossary_characters_total{pair="en-es"}') == len(TEXT["text"])
    assert metric(text, "bilex_requests_in_progress") == 1
    identity = plain_pair().identity
    info = f'bilex_model_info{{model="{identity}",pair="en-es",source="en",target="es"}}'
    assert metric(text, info) == 1
    labels = {name for line in text.splitlines() for name in re.findall(r'(\w+)="', line)}
    assert labels == {"route", "status", "le", "pair", "source", "target", "model", "version"}
    for secret in ("s1", "secret", "127.0.0.1", "nothing"):
        assert f'"{secret}' not in text


def test_a_server_that_is_about_to_stop_says_so_and_closes_connections() -> None:
    client = make_client(ServerSettings())
    client.app.state.draining = True  # type: ignore[attr-defined]
    assert client.get("/readyz").status_code == 503
    answer = ask(client, "/v1/translate")
    assert (answer.status_code, answer.headers["connection"]) == (200, "close")
    assert client.get("/healthz").status_code == 200


def test_probes_are_not_held_up_by_slow_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    client = make_client(ServerSettings(at_once=1, answer_seconds=0.1))

    def slow(*_: object, **__: object) -> None:
        time.sleep(0.5)

    monkeypatch.setattr("bilex.service.api.pairs.ServedDirection.translate", slow)
    assert code(ask(client, "/v1/translate")) == (503, "too-slow")
    assert client.get("/readyz").status_code == 200
