"""`bilex.Client` against a real service: the same answers as the library."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bilex
from bilex.answers import Candidate, Translation
from bilex.client import client as limits
from bilex.errors import ServiceError, SettingError
from bilex.lexicons.dictionary import DictionaryEntry
from bilex.oov import choose_resolvers

if TYPE_CHECKING:
    from running_service import Running

PAIRS = ("en-es", "de-fr")


def model_of(pair: str) -> bilex.TrainedModel:
    from running_service import odd_model, plain_model

    return plain_model() if pair == "en-es" else odd_model()


def known_words(pair: str, reverse: bool) -> tuple[str, ...]:
    model = model_of(pair)
    return (model.target if reverse else model.source).words


@pytest.fixture(scope="module")
def clients(service: Running) -> Iterator[dict[str, bilex.Client]]:
    with ExitStack() as stack:
        yield {pair: stack.enter_context(bilex.Client(service.url, pair=pair)) for pair in PAIRS}


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, bool, list[str]]:
    """Draw a pair, a direction, and words: known, in capitals, joined, or anything else."""
    pair, reverse = draw(st.sampled_from(PAIRS)), draw(st.booleans())
    known = st.sampled_from([word for word in known_words(pair, reverse) if len(word) < 50])
    anything = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
    words = st.one_of(
        known,
        known.map(str.upper),
        st.lists(known, min_size=2, max_size=3).map(" ".join),
        anything,
    )
    return pair, reverse, draw(st.lists(words, max_size=12))


@given(
    asked=requests(),
    k=st.integers(1, 100),
    any_case=st.booleans(),
    compose=st.booleans(),
)
@settings(deadline=None, max_examples=100)
def test_answers_are_those_of_the_library_to_the_last_digit(
    clients: dict[str, bilex.Client],
    asked: tuple[str, bool, list[str]],
    k: int,
    any_case: bool,
    compose: bool,
) -> None:
    pair, reverse, words = asked
    model = model_of(pair)
    vocabulary = model.vocabulary(reverse=reverse)
    resolvers = choose_resolvers(vocabulary, any_case=any_case, compose=compose)
    expected = model.translate(words, k=k, reverse=reverse, resolvers=resolvers)
    found = clients[pair].translate(words, k=k, reverse=reverse, any_case=any_case, compose=compose)
    assert found == expected
    assert all(isinstance(one, Translation) for one in found)
    assert all(type(each) is Candidate for one in found for each in one.candidates)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("pair", PAIRS)
def test_every_word_has_the_answer_of_the_library(
    service: Running, pair: str, reverse: bool
) -> None:
    words = [word for word in known_words(pair, reverse) if len(word) <= 200]
    with bilex.Client(service.url, pair=pair) as client:
        assert client.translate(words, reverse=reverse) == model_of(pair).translate(
            words, reverse=reverse
        )


def test_less_probable_candidates_are_left_out_but_no_seeds(service: Running) -> None:
    model, words = model_of("en-es"), list(known_words("en-es", False))
    seeds = model.seeds.translations
    expected = [
        tuple(
            each
            for each in one.candidates
            if (each.probability or 0) >= 0.5 or each.word in seeds.get(one.word, ())
        )
        for one in model.translate(words)
    ]
    with bilex.Client(service.url, pair="en-es") as client:
        found = [one.candidates for one in client.translate(words, min_probability=0.5)]
    assert found == expected
    assert any(len(one) < 5 for one in found)


@pytest.mark.parametrize(("number", "requests"), [(0, 0), (1000, 1), (1001, 2), (2500, 3)])
def test_many_words_are_sent_in_several_requests(
    service: Running, monkeypatch: pytest.MonkeyPatch, number: int, requests: int
) -> None:
    words = [f"s{i % 170}" for i in range(number)]
    sent: list[int] = []
    with bilex.Client(service.url, pair="en-es") as client:
        post = client._connection.post

        def counting(path: str, body: dict[str, list[str]]) -> object:
            sent.append(len(body["words"]))
            return post(path, body)

        monkeypatch.setattr(client._connection, "post", counting)
        assert client.translate(words, k=2) == model_of("en-es").translate(words, k=2)
    assert len(sent) == requests
    assert sum(sent) == number


def test_empty_and_broken_words_are_unknown_and_not_sent(service: Running) -> None:
    words = ["", "s1", "half \ud83d", "s2", "\udcff"]
    with bilex.Client(service.url, pair="en-es") as client:
        found = client.translate(words)
    assert found == model_of("en-es").translate(words)
    assert [one.how for one in found] == ["unknown", "known", "unknown", "known", "unknown"]


def test_what_the_service_would_refuse_is_refused_at_once(service: Running) -> None:
    with bilex.Client(service.url, pair="en-es") as client:
        with pytest.raises(SettingError, match=r"give a list of words, \['house'\]"):
            client.translate("house")
        with pytest.raises(SettingError, match="k is 0"):
            client.translate(["s1"], k=0)
        with pytest.raises(SettingError, match=r"'yyy.*…' has 201 characters: .* up to 200"):
            client.translate(["s1", "y" * 201])
        with pytest.raises(SettingError, match=r"200,001 characters: .* divide it"):
            client.glossary("a" * 200_001)
        with pytest.raises(SettingError, match="surrogate"):
            client.prompt("\ud800")
        with pytest.raises(ServiceError, match=r"k: .*100") as refused:
            client.translate(["s1"], k=101)
    assert (refused.value.status, refused.value.code) == (422, "invalid-request")


def test_the_limits_are_those_of_the_service() -> None:
    from bilex.service.api import schemas

    for name in ("MOST_WORDS", "LONGEST_WORD", "LONGEST_TEXT", "LARGEST_PAGE"):
        assert getattr(limits, name) == getattr(schemas, name)


@pytest.mark.parametrize("reverse", [False, True])
def test_an_entry_is_found_for_every_odd_word(service: Running, reverse: bool) -> None:
    from running_service import odd_pair

    direction = odd_pair().direction(reverse=reverse)
    with bilex.Client(service.url, pair="de-fr") as client:
        for row, word in enumerate(known_words("de-fr", reverse)):
            if len(word) > 200:
                continue
            found = client.entry(word, reverse=reverse)
            assert found is not None, word
            assert (found.word, found.rank) == (word, row + 1)
            expected = direction.entries(word)
            assert [one[:5] for one in found.entries] == [one[:5] for one in expected]
            assert found.near == direction.near(word, len(found.near))
            assert found.provenance["model"] == model_of("de-fr").identity
        assert client.entry("nonsense") is None
        assert client.entry("") is None
        assert client.entry("line\nbreak") is None


PIECES = st.sampled_from(["s1 ", "S12", " s99", "s140, ", "t3", "\n", "👩‍🚀", "é", ". "])


@given(text=st.lists(PIECES, max_size=20).map("".join))
@settings(deadline=None, max_examples=60)
def test_a_glossary_is_that_of_the_library(
    service: Running, clients: dict[str, bilex.Client], text: str
) -> None:
    direction = service.models.current.by_name("en-es").forward
    expected = direction.glossary(text, max_terms=2, k=2, min_probability=0.1, similar=False)
    client = clients["en-es"]
    found = client.glossary(text, max_terms=2, k=2, min_probability=0.1, similar=False)
    prompt = client.prompt(text, max_terms=2, k=2, min_probability=0.1, similar=False)
    assert type(found) is type(expected)
    assert found.to_dict() == expected.to_dict()
    assert found.prompt("en", "es") == expected.prompt("en", "es") == prompt


def test_a_glossary_in_reverse_has_the_other_languages_in_its_prompt(service: Running) -> None:
    with bilex.Client(service.url, source="en", target="es") as client:
        found = client.glossary("t5", reverse=True, min_probability=0.0)
        assert [term.term for term in found.terms] == ["t5"]
        prompt = client.prompt("t5", reverse=True, min_probability=0.0)
    assert prompt == found.prompt("es", "en") != found.prompt("en", "es")


def test_models_are_listed(service: Running) -> None:
    with bilex.Client(service.url) as client:
        first, second = client.models()
    assert (first.name, first.source, first.target, first.calibrated) == ("en-es", "en", "es", True)
    assert (second.name, second.calibrated, second.own_entries) == ("de-fr", False, 0)
    assert first.model == model_of("en-es").identity
    assert first.source_words == len(known_words("en-es", False))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("size", [7, 1000])
def test_a_lexicon_is_read_page_by_page(
    service: Running, monkeypatch: pytest.MonkeyPatch, size: int, reverse: bool
) -> None:
    from running_service import plain_pair

    monkeypatch.setattr(limits, "LARGEST_PAGE", size)
    expected, next_row = plain_pair().direction(reverse=reverse).page(0, 10**6)
    assert next_row is None
    with bilex.Client(service.url, pair="en-es") as client:
        found = list(client.lexicon(reverse=reverse))
    names = ("source", "target", "probability", "score", "rank", "origin", "model")
    assert [[getattr(one, name) for name in names] for one in found] == [
        [getattr(one, name) for name in names] for one in expected
    ]
    assert all(isinstance(one, DictionaryEntry) for one in found)


def test_a_lexicon_is_filtered(service: Running) -> None:
    with bilex.Client(service.url, pair="en-es") as client:
        seeds = list(client.lexicon(origin="seed", prefix="s1"))
        every = list(client.lexicon(min_probability=0.0))
        few = list(client.lexicon(min_probability=0.9, origin="induced"))
    assert seeds
    assert all(one.origin == "seed" and one.source.startswith("s1") for one in seeds)
    assert len(every) > len(few)
    assert all((one.probability or 0) >= 0.9 for one in few)


def test_a_lexicon_that_is_replaced_while_it_is_read_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from bilex.service.api.pairs import ServedPair
    from running_service import odd_model, plain_pair, running_service

    monkeypatch.setattr(limits, "LARGEST_PAGE", 5)
    with running_service(plain_pair()) as running, bilex.Client(running.url) as client:
        entries = client.lexicon(min_probability=0.0)
        first = next(entries)
        running.serve(ServedPair.of("en-es", "en", "es", odd_model()))
        with pytest.raises(
            ServiceError, match=r"en-es was replaced after [\d,]+ entries"
        ) as raised:
            list(entries)
        assert (raised.value.status, raised.value.code) == (409, "lexicon-changed")
        assert first.source == "s0"
        assert next(client.lexicon()).source == "house"


def test_translations_by_people_come_first_and_have_no_score() -> None:
    from bilex.service.api.own_entries import OwnEntries
    from running_service import plain_pair, running_service

    own = OwnEntries(
        [
            DictionaryEntry("s1", "by hand", origin="reviewed"),
            DictionaryEntry("s1", "t1", origin="rejected"),
            DictionaryEntry("newword", "nuevo", origin="reviewed"),
        ]
    )
    with running_service(plain_pair(own)) as running, bilex.Client(running.url) as client:
        known, new = client.translate(["s1", "newword"])
        (term,) = client.glossary("A newword.").terms
        entry = client.entry("newword")
    assert known.candidates[0].word == "by hand"
    assert math.isnan(known.candidates[0].score)
    assert "t1" not in [one.word for one in known.candidates]
    assert (new.how, [one.word for one in new.candidates]) == ("own", ["nuevo"])
    assert json.loads(json.dumps(new.to_dict(), allow_nan=False))["candidates"] == [
        {"word": "nuevo", "score": None, "probability": None}
    ]
    assert term.targets[0].origin == "reviewed"
    assert entry is not None
    assert entry.rank is None


def test_two_languages_choose_a_pair_and_its_direction(service: Running) -> None:
    model = model_of("en-es")
    with bilex.Client(service.url, source="es", target="en") as client:
        assert client.translate(["t3"]) == model.translate(["t3"], reverse=True)
        assert client.translate(["s3"], reverse=True) == model.translate(["s3"])
        assert next(client.lexicon()).source == known_words("en-es", True)[0]
        assert next(client.lexicon(reverse=True)).source == "s0"
        entry = client.entry("t3")
        assert entry is not None
        assert entry.entries[0].source == "t3"
    with bilex.Client(service.url, source="en", target="xx") as client:
        with pytest.raises(ServiceError, match="no pair from 'en' to 'xx'"):
            client.translate(["s3"])
        with pytest.raises(
            SettingError, match="no pair from 'en' to 'xx': served are en-es, de-fr"
        ):
            client.entry("s3")


def test_without_a_choice_there_must_be_one_pair(service: Running) -> None:
    from running_service import odd_pair, running_service

    with (
        bilex.Client(service.url) as client,
        pytest.raises(SettingError, match=r"has 2 pairs \(en-es, de-fr\): choose one"),
    ):
        client.translate(["s3"])
    with running_service(odd_pair()) as running, bilex.Client(running.url) as client:
        assert client.translate(["house"])[0].how == "known"


def test_an_unknown_pair_is_an_error_that_lists_the_others(service: Running) -> None:
    with bilex.Client(service.url, pair="en/xx ü") as client:
        for call in (
            lambda: client.translate(["s1"]),
            lambda: client.glossary("s1"),
        ):
            with pytest.raises(ServiceError, match="served are en-es, de-fr") as raised:
                call()
            assert (raised.value.status, raised.value.code) == (404, "unknown-pair")
        with pytest.raises(ServiceError) as raised:
            next(client.lexicon())
        assert raised.value.status == 404


def test_threads_share_a_client(service: Running) -> None:
    words = [f"s{i}" for i in range(150)]
    expected = {word: model_of("en-es").translate([word])[0] for word in words}
    with bilex.Client(service.url, pair="en-es") as client, ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda word: client.translate([word])[0], words))
    assert found == [expected[word] for word in words]
