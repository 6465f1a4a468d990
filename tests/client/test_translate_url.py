"""`bilex translate --url`: the same output as with a model on this computer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conftest_types import Bilex
from fake_service import FakeService

if TYPE_CHECKING:
    from running_service import Running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    from running_service import plain_model

    plain_model().save(tmp_path / "en-es")
    return tmp_path / "en-es"


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("-k", "2", "--probabilities"),
        ("--json", "-k", "3"),
        ("--reverse", "--json"),
        ("--any-case", "--compose", "--json"),
    ],
)
def test_the_output_is_that_of_a_local_model(
    bilex: Bilex, service: Running, folder: Path, options: tuple[str, ...]
) -> None:
    words = "s1\nS2\ns3 s4\nt5\nnonsense\nñandú 東京\n"
    local = bilex("translate", str(folder), *options, stdin=words)
    remote = bilex("translate", "en-es", "--url", service.url, *options, stdin=words)
    assert (remote.code, remote.out) == (0, local.out) == (local.code, local.out)
    assert len(remote.out.splitlines()) == 6
    assert "'nonsense' is not in the vocabulary of this model" in remote.err


def test_words_can_be_arguments(bilex: Bilex, service: Running) -> None:
    done = bilex("translate", "en-es", "s1", "s2", "-k", "1", "--url", service.url)
    assert (done.code, done.err) == (0, "")
    assert [line.split("\t")[0] for line in done.out.splitlines()] == ["s1", "s2"]


@pytest.mark.parametrize(
    "option",
    [
        ("--lemmas", "l.tsv"),
        ("--subwords", "w.bin"),
        ("--threads", "1"),
        ("--device", "cuda"),
        ("--memory", "1GiB"),
    ],
)
def test_options_for_a_local_model_are_refused(bilex: Bilex, option: tuple[str, str]) -> None:
    done = bilex("translate", "en-es", "s1", "--url", "http://127.0.0.1:1", *option)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"bilex: {option[0]} is for a model on this computer: leave it out with --url\n"
    )


def test_probabilities_need_a_pair_that_has_them(bilex: Bilex, service: Running) -> None:
    done = bilex("translate", "de-fr", "house", "--url", service.url, "--probabilities")
    assert (done.code, done.out) == (2, "")
    assert "the pair de-fr of the service has no probabilities" in done.err


def test_an_unknown_pair_is_one_line_on_stderr(bilex: Bilex, service: Running) -> None:
    done = bilex("translate", "en-xx", "house", "--url", service.url)
    assert (done.code, done.out) == (2, "")
    assert "no pair 'en-xx': served are en-es, de-fr" in done.err
    assert done.err.count("\n") == 1


def test_a_key_comes_from_the_option_or_the_environment(
    bilex: Bilex, fake: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BILEX_KEY", "from-environment")
    for option in ((), ("--key", "from-option")):
        fake.fail(401)
        done = bilex("translate", "en-es", "house", "--url", fake.address, *option)
        assert done.code == 2
        assert "a key is given by key=, --key or the variable BILEX_KEY" in done.err
        assert "from-" not in done.err
    sent = [asked.headers["authorization"] for asked in fake.asked]
    assert sent == ["Bearer from-environment", "Bearer from-option"]


def test_a_key_without_a_service_is_refused(bilex: Bilex) -> None:
    done = bilex("translate", "en-es", "house", "--key", "secret")
    assert (done.code, done.err) == (
        2,
        "bilex: --key is for a service: add its address with --url\n",
    )


def test_a_word_that_only_people_know_is_explained(bilex: Bilex, fake: FakeService) -> None:
    from fake_service import Prepared

    candidate = {"word": "nuevo", "score": None, "probability": None, "origin": "reviewed"}
    answer = {"word": "new", "how": "own", "parts": [], "missing": [], "candidates": [candidate]}
    fake.answers.append(Prepared(body=json.dumps({"translations": [answer]}).encode()))
    done = bilex("translate", "en-es", "new", "--json", "--url", fake.address)
    assert done.code == 0
    assert json.loads(done.out)["candidates"] == [
        {"word": "nuevo", "score": None, "probability": None}
    ]
    assert done.err == "'new' is not in the vocabulary: translated by people\n"
