from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from bilex.lexicons.dictionary import DictionaryEntry
from bilex.service.api.app import create_api_app
from bilex.service.api.catalog import Catalog, Models
from bilex.service.api.own_entries import OwnEntries
from running_service import plain_model, plain_pair

WORDS = plain_model().source.words
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    models = Models(list)
    own = OwnEntries([DictionaryEntry(WORDS[1], HOSTILE, origin="reviewed")])
    with TestClient(create_api_app(models)) as made:
        models.stop()
        models.current = Catalog({"en-es": plain_pair(own)})
        yield made


def test_a_word_is_looked_up_without_a_script(client: TestClient) -> None:
    page = client.get("/", params={"word": WORDS[4], "direction": ">en-es"}).text
    best = plain_model().translate([WORDS[4]])[0].candidates[0].word
    assert f">{best}</bdi>" in page
    assert "likely right" in page
    assert "English → Spanish (en-es)" in page


def test_a_text_is_shown_with_its_terms(client: TestClient) -> None:
    answer = client.post("/text", data={"text": f"A {WORDS[4]} here", "direction": ">en-es"})
    assert f"A <mark>{WORDS[4]}</mark> here" in answer.text
    assert "Glossary for the translation from English to Spanish" in answer.text


def test_words_and_texts_stay_text(client: TestClient) -> None:
    for page in (
        client.get("/", params={"word": HOSTILE}).text,
        client.get("/", params={"word": WORDS[1]}).text,
        client.post("/text", data={"text": f"{HOSTILE} {WORDS[1]}"}).text,
    ):
        assert HOSTILE not in page
        assert "&lt;script&gt;" in page


def test_unknown_words_and_directions_are_no_error(client: TestClient) -> None:
    assert "not in this lexicon" in client.get("/", params={"word": "qqq"}).text
    assert client.get("/", params={"word": "a", "direction": "?"}).status_code == 200
    assert client.post("/text", content=b"\xff&direction").status_code == 200
    none = client.post("/text", data={"text": "1 2 3"}).text
    assert "No term of this lexicon is in the text" in none


def test_the_api_is_described_with_commands(client: TestClient) -> None:
    page = client.get("/docs").text
    assert "POST /v1/translate" in page
    assert "curl http://localhost:8000/v1/entry/en-es/house" in page


def test_the_page_can_be_left_out() -> None:
    models = Models(list)
    with TestClient(create_api_app(models, has_page=False)) as client:
        assert client.get("/").status_code == 404
        assert "has no page" in client.get("/docs").json()["error"]["message"]
