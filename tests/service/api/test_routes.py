from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from bilex.service.api import schemas
from bilex.service.api.app import create_api_app
from bilex.service.api.catalog import Catalog, Models
from running_service import odd_pair, plain_model, plain_pair

WORDS = plain_model().source.words


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    models = Models(list)
    models.current = Catalog({pair.name: pair for pair in (plain_pair(), odd_pair())})
    with TestClient(create_api_app(models), raise_server_exceptions=True) as made:
        models.stop()
        models.current = Catalog({pair.name: pair for pair in (plain_pair(), odd_pair())})
        yield made


def post(client: TestClient, path: str, **body: Any) -> Any:  # noqa: ANN401
    return client.post(path, json=body)


def problem(answer: Any) -> tuple[int, str, str]:  # noqa: ANN401
    error = answer.json()["error"]
    schemas.ErrorResponse.model_validate(answer.json())
    return answer.status_code, error["code"], error["message"]


@given(
    words=st.lists(st.sampled_from([*WORDS[:50], "nothing", "é", "東京"]), min_size=1, max_size=5),
    k=st.integers(1, 30),
    reverse=st.booleans(),
)
@settings(max_examples=50)
def test_answers_are_those_of_the_library_to_the_last_digit(
    client: TestClient, words: list[str], k: int, reverse: bool
) -> None:
    given_words = [w.replace("s", "t", 1) for w in words] if reverse else words
    answer = post(client, "/v1/translate", words=given_words, pair="en-es", reverse=reverse, k=k)
    found = schemas.TranslateResponse.model_validate(answer.json())
    expected = plain_model().translate(given_words, k=k, reverse=reverse)
    assert [
        (one.word, one.how, [(c.word, c.score, c.probability) for c in one.candidates])
        for one in found.translations
    ] == [(one.word, one.how, [tuple(c) for c in one.candidates]) for one in expected]


def test_languages_choose_the_pair_and_its_direction(client: TestClient) -> None:
    answer = post(client, "/v1/translate", words=["x"], source="es", target="en").json()
    assert (answer["pair"], answer["reverse"]) == ("en-es", True)
    assert answer["model"] == plain_model().identity


def test_words_of_any_kind_can_be_looked_up(client: TestClient) -> None:
    from urllib.parse import quote

    from running_service import ODD_WORDS

    for word in ODD_WORDS:
        # An address cannot hold the first two; the test client decodes the third twice.
        if word in (".", "..", "%2F"):
            continue
        answer = client.get(f"/v1/entry/de-fr/{quote(word, safe='')}")
        assert answer.status_code == 200, word
        assert schemas.EntryResponse.model_validate(answer.json()).word == word


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"words": ["a"]}, 'give "source" and "target", or "pair" alone'),
        ({"words": ["a"], "source": "en"}, 'give "source" and "target", or "pair" alone'),
        (
            {"words": ["a"], "source": "en", "target": "es", "reverse": True},
            '"reverse" goes with "pair": otherwise, exchange the languages',
        ),
        ({"words": [], "pair": "en-es"}, "words: List should have at least 1 item"),
        ({"words": ["a"] * 1001, "pair": "en-es"}, "words: List should have at most 1000 items"),
        ({"words": ["a" * 201], "pair": "en-es"}, "words.0: String should have at most 200"),
        ({"words": [""], "pair": "en-es"}, "words.0: String should have at least 1 character"),
        ({"words": ["a"], "pair": "en-es", "k": 0}, "k: Input should be greater than or equal"),
        ({"words": ["a"], "pair": "en-es", "k": 101}, "k: Input should be less than or equal"),
        ({"words": ["a"], "pair": "en-es", "K": 1}, "K: Extra inputs are not permitted"),
        ({"words": ["a"], "pair": "en-es", "k": "5"}, "k: Input should be a valid integer"),
    ],
)
def test_what_is_wrong_with_a_request_is_said(
    client: TestClient, body: dict[str, object], message: str
) -> None:
    status, code, text = problem(client.post("/v1/translate", json=body))
    assert (status, code) == (422, "invalid-request")
    assert message in text


def test_other_mistakes_have_the_same_form(client: TestClient) -> None:
    json_type = {"Content-Type": "application/json"}
    broken = client.post("/v1/translate", content=b"{", headers=json_type)
    assert problem(broken) == (422, "invalid-request", "the body is not valid JSON")
    not_text = client.post("/v1/translate", content=b"\xff", headers=json_type)
    assert problem(not_text) == problem(broken)
    plain = client.post("/v1/translate", content=b"x", headers={"Content-Type": "text/plain"})
    assert "not a JSON object" in problem(plain)[2]
    half = b'{"words": ["\\ud800"], "pair": "en-es"}'
    assert problem(client.post("/v1/translate", content=half, headers=json_type))[0] == 422
    name = b'{"\\ud800": 1, "words": ["a"], "pair": "en-es"}'
    assert problem(client.post("/v1/translate", content=name, headers=json_type))[0] == 422
    assert problem(client.get("/v1/nothing"))[:2] == (404, "not-found")
    assert problem(client.get("/v1/translate"))[:2] == (405, "method-not-allowed")
    unknown = post(client, "/v1/translate", words=["a"], pair="en-xx")
    assert problem(unknown)[:2] == (404, "unknown-pair")
    for word in ("nothing", "s1%0A", "s1%0As2", "%0As1", "s1%0D%0As2"):
        assert problem(client.get(f"/v1/entry/en-es/{word}"))[:2] == (404, "unknown-word")


def test_a_bug_is_answered_in_the_same_form(monkeypatch: pytest.MonkeyPatch) -> None:
    models = Models(list)
    models.current = Catalog({"en-es": plain_pair()})
    monkeypatch.setattr("bilex.service.api.routes._info", lambda pair: 1 / 0)
    with TestClient(create_api_app(models), raise_server_exceptions=False) as client:
        models.stop()
        models.current = Catalog({"en-es": plain_pair()})
        assert problem(client.get("/v1/models"))[:2] == (500, "internal")


def test_a_text_gives_terms_and_a_prompt(client: TestClient) -> None:
    text = f"Some {WORDS[3]} and {WORDS[5]}."
    asked = {"text": text, "pair": "en-es", "min_probability": 0.0, "k": 1}
    answer = post(client, "/v1/glossary", **asked)
    found = schemas.GlossaryResponse.model_validate(answer.json())
    assert [term.term for term in found.terms] == [WORDS[3], WORDS[5]]
    for term in found.terms:
        assert [text[first:last] for first, last in term.spans] == term.found
    prompt = post(client, "/v1/glossary", **asked, format="prompt")
    assert prompt.headers["content-type"] == "text/plain; charset=utf-8"
    assert f'"{WORDS[3]}"' in prompt.text


def test_the_lexicon_is_read_page_by_page(client: TestClient) -> None:
    found: list[tuple[str, str]] = []
    cursor: str | None = None
    while True:
        parameters = {"limit": 10} | ({} if cursor is None else {"cursor": cursor})
        page = client.get("/v1/lexicon/en-es", params=parameters)
        content = schemas.LexiconResponse.model_validate(page.json())
        found += [(one.source, one.target) for one in content.entries]
        cursor = content.next
        if cursor is None:
            break
    assert found == [(one.source, one.target) for one in plain_model().induce()]


def test_a_page_that_has_not_changed_is_not_sent_again(client: TestClient) -> None:
    first = client.get("/v1/lexicon/en-es?limit=5")
    tag = first.headers["etag"]
    again = client.get("/v1/lexicon/en-es?limit=5", headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    other = client.get("/v1/lexicon/en-es?limit=6", headers={"If-None-Match": tag})
    assert other.status_code == 200


def test_a_cursor_of_another_model_is_refused(client: TestClient) -> None:
    assert problem(client.get("/v1/lexicon/en-es?cursor=other-5"))[:2] == (409, "lexicon-changed")
    assert problem(client.get("/v1/lexicon/en-es?cursor=x"))[:2] == (422, "invalid-request")


def test_every_example_of_the_description_works(client: TestClient) -> None:
    described = client.get("/openapi.json").json()["components"]["schemas"]
    for path, name in (("translate", "TranslateRequest"), ("glossary", "GlossaryRequest")):
        for body in described[name]["examples"]:
            assert client.post(f"/v1/{path}", json=body).status_code == 200


def test_the_description_has_the_limits_of_numbers(client: TestClient) -> None:
    described = client.get("/openapi.json").json()["components"]["schemas"]
    for name, field, most in (
        ("TranslateRequest", "k", schemas.MOST_CANDIDATES),
        ("GlossaryRequest", "k", 20),
        ("GlossaryRequest", "max_terms", schemas.MOST_TERMS),
    ):
        number = described[name]["properties"][field]
        assert (number["type"], number["minimum"], number["maximum"]) == ("integer", 1, most)


def test_a_service_without_models_is_alive_but_not_ready() -> None:
    models = Models(list)
    with TestClient(create_api_app(models)) as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").json() == {"status": "no models"}
        assert client.get("/").status_code == 200
        assert client.get("/v1/models").json() == {"models": []}
