"""Ratings of a language model: asked for once, kept, limited, and learned from."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
import torch

from bilex import LexiconInducer, TrainedModel
from bilex.candidates.features import Candidates
from bilex.candidates.lists import Direction, list_candidates, make_direction
from bilex.config import Tables, build_parts, load_preset, override
from bilex.errors import ServiceError, SettingError
from bilex.evidence import language_model
from bilex.evidence.language_model import LanguageModel
from bilex.retrieval import Csls
from bilex.values import Lexicon, LinearMap
from local_server import Handler, running
from twins import make_twins

pytest.importorskip("httpx")

Rate = Callable[[str, list[str]], object]


def by_number(word: str, candidates: list[str]) -> object:
    """Rate as somebody who knows the twins."""
    return [10 if one[1:] == word[1:] else 1 for one in candidates]


@dataclass
class Model:
    """A language model: how it rates and answers, and what it was asked."""

    rate: Rate = by_number
    form: str = "{}"
    statuses: list[int] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    address: str = ""

    @property
    def words(self) -> list[str]:
        """Return all words it was asked about."""
        return [one["word"] for body in self.asked for one in _question(body).values()]


def _question(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return cast(dict[str, dict[str, Any]], json.loads(body["messages"][1]["content"]))


class _Handler(Handler):
    def do_POST(self) -> None:
        state = cast(Model, self.server.state)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status = state.statuses.pop(0) if state.statuses else 200
        if status == 200:
            assert self.path == "/v1/chat/completions"
            state.asked.append(body)
            state.keys.append(self.headers["Authorization"])
        rated = {
            number: state.rate(one["word"], one["candidates"])
            for number, one in _question(body).items()
        }
        text = state.form.replace("{}", json.dumps(rated))
        answer = json.dumps({"choices": [{"message": {"content": text}}]}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


@pytest.fixture
def model() -> Iterator[Model]:
    with running(Model(), _Handler) as state:
        yield state
    language_model._session.cache_clear()


def settings(model: Model, folder: Path, /, **more: object) -> LanguageModel:
    facts: dict[str, Any] = {
        "url": f"{model.address}/v1",
        "model": "small",
        "source": "English",
        "target": "Finnish",
        "cache": str(folder),
    }
    return LanguageModel(**(facts | more))


def questions(size: int = 30) -> tuple[Direction, torch.Tensor]:
    twins = make_twins(size, noise=0.3)
    rotation = LinearMap(twins.rotation)
    return make_direction(twins.spaces, rotation, rotation, Csls()), torch.arange(10)


def columns(feature: LanguageModel, direction: Direction, rows: torch.Tensor) -> dict[str, Any]:
    queries = direction.queries(rows)
    lists = list_candidates(direction, queries, k=8)
    found = Candidates(direction, queries, lists)
    names = direction.target.space.words
    shown = [[names[i] for i in row] for row in lists.ids.tolist()]
    return {"words": queries.words, "candidates": shown, **feature.columns(found)}


def test_the_first_candidates_are_rated_and_the_others_are_not(
    model: Model, tmp_path: Path
) -> None:
    found = columns(settings(model, tmp_path, candidates=3, words=4), *questions())
    for word, names, ratings, known in zip(
        found["words"],
        found["candidates"],
        found["rating"].tolist(),
        found["has_rating"].tolist(),
        strict=True,
    ):
        right = [1.0 if name[1:] == word[1:] else 0.1 for name in names[:3]]
        assert ratings == pytest.approx([*right, *[0.0] * 5])
        assert known == [1.0] * 3 + [0.0] * 5
    assert len(model.asked) == 3  # ten words, four at once
    assert sorted(model.words) == sorted(found["words"])
    prompt = model.asked[0]["messages"][0]["content"]
    assert "from English to Finnish" in prompt
    assert model.asked[0]["model"] == "small"


def test_the_languages_are_exchanged_in_the_other_direction(model: Model, tmp_path: Path) -> None:
    direction, rows = questions()
    columns(settings(model, tmp_path), direction.reversed(), rows)
    assert "from Finnish to English" in model.asked[0]["messages"][0]["content"]
    assert all(word.startswith("t") for word in model.words)
    assert not direction.reversed().reversed().reverse


def test_what_was_answered_is_never_asked_again(model: Model, tmp_path: Path) -> None:
    direction, rows = questions()
    feature = settings(model, tmp_path)
    first = columns(feature, direction, rows)
    language_model._session.cache_clear()  # as in another process
    asked = len(model.asked)
    again = columns(feature, direction, rows)
    assert len(model.asked) == asked
    more = columns(settings(model, tmp_path, candidates=6), direction, rows)
    for name in ("rating", "rating_lead", "has_rating"):
        assert torch.equal(first[name], again[name])
    added = [one for body in model.asked[asked:] for one in _question(body).values()]
    assert added
    assert all(len(one["candidates"]) == 1 for one in added)
    assert torch.equal(more["rating"][:, :5], first["rating"][:, :5])


def test_no_more_requests_are_sent_than_allowed(model: Model, tmp_path: Path) -> None:
    direction, rows = questions()
    feature = settings(model, tmp_path, words=5, requests=3)
    columns(feature, direction, rows)
    more = torch.arange(10, 21)
    message = r"3 more requests .* for 11 words, 2 of 3 are used: .* to 5 or more"
    with pytest.raises(SettingError, match=message):
        columns(feature, direction, more)
    assert len(model.asked) == 2
    columns(feature, direction, rows)  # these are kept


@pytest.mark.parametrize(
    "form", ["Here you are:\n```json\n{}\n```\n", "{}", "{} I hope that helps."]
)
def test_an_answer_may_have_words_around_the_ratings(
    model: Model, tmp_path: Path, form: str
) -> None:
    model.form = form
    found = columns(settings(model, tmp_path), *questions())
    assert found["has_rating"][:, :5].all()


@pytest.mark.parametrize(
    "answer", [[11, 1, 1, 1, 1], [1], "5", [True] * 5, [None] * 5, {"a": 1}, [-1, 0, 0, 0, 0]]
)
def test_ratings_that_cannot_be_read_are_asked_for_once_more(
    model: Model, tmp_path: Path, answer: object, caplog: pytest.LogCaptureFixture
) -> None:
    model.rate = lambda word, names: answer if word == "s3" else by_number(word, names)
    direction, rows = questions()
    with caplog.at_level(logging.WARNING):
        found = columns(settings(model, tmp_path), direction, rows)
    assert model.words.count("s3") == 2
    assert model.words.count("s4") == 1
    place = found["words"].index("s3")
    assert not found["has_rating"][place].any()
    assert found["has_rating"][:, :5].sum() == 5 * (len(rows) - 1)
    assert "no ratings of s3" in caplog.text
    columns(settings(model, tmp_path), direction, rows)
    assert model.words.count("s3") == 2  # it is known that there are none


def test_a_second_answer_that_can_be_read_counts(model: Model, tmp_path: Path) -> None:
    answers = iter(["no idea", *["fine"] * 100])

    def at_first_nothing(word: str, names: list[str]) -> object:
        return "?" if word == "s3" and next(answers) == "no idea" else by_number(word, names)

    model.rate = at_first_nothing
    found = columns(settings(model, tmp_path), *questions())
    assert found["has_rating"][:, :5].all()


def test_a_busy_service_is_asked_again_and_a_wrong_one_is_an_error(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bilex.client.connection.sleep", lambda seconds: None)
    monkeypatch.setenv("MY_KEY", "secret-key")
    direction, rows = questions()
    model.statuses = [503, 429]
    columns(settings(model, tmp_path, key="MY_KEY"), direction, rows)
    assert set(model.keys) == {"Bearer secret-key"}
    model.statuses = [404]
    with pytest.raises(ServiceError):
        columns(settings(model, tmp_path / "other"), direction, rows)
    assert not list(tmp_path.glob("other/*"))


def test_an_answer_of_something_else_is_an_error(model: Model, tmp_path: Path) -> None:
    class Other(_Handler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

    with running(Model(), Other) as other:
        feature = settings(other, tmp_path)
        with pytest.raises(ServiceError, match=r"without choices\[0\]\.message\.content"):
            columns(feature, *questions())


def tables(feature: LanguageModel) -> Tables:
    calibration = {"name": "held-out-seeds", "without": ["strings"]}
    found: Tables = load_preset("procrustes") | {"calibration": calibration}
    found = override(found, 'calibration.features=["language-model"]')
    for name in ("url", "model", "source", "target", "cache"):
        found = override(found, f"feature.language-model.{name}={getattr(feature, name)!r}")
    return found


def test_ratings_are_learned_from_and_a_loaded_model_asks_for_new_words_only(
    model: Model, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    twins = make_twins(200, noise=0.6)
    seeds, gold = Lexicon(twins.lexicon.entries[:100]), Lexicon(twins.lexicon.entries[100:])
    chosen = tables(settings(model, tmp_path / "ratings"))
    with caplog.at_level(logging.INFO):
        fitted = LexiconInducer(chosen).fit(twins.source, twins.target, seeds).model_
    assert re.search(r"language-model: up to 10 requests to .* for 200 words", caplog.text)
    scores = fitted.evaluate(gold).scores
    assert scores["calibrated"].p_at_1 > scores["csls"].p_at_1 + 0.1
    fitted.save(tmp_path / "model")
    asked = len(model.asked)
    loaded = TrainedModel.load(tmp_path / "model")
    words = [entry.source for entry in gold.entries]
    assert loaded.translate(words) == fitted.translate(words)
    assert len(model.asked) == asked
    assert "secret" not in (tmp_path / "model" / "config.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["url", "model", "source", "target"])
def test_settings_that_are_not_given_are_errors(model: Model, tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingError, match=rf"feature\.language-model\.{name} is not set"):
        settings(model, tmp_path, **{name: ""})
    with pytest.raises(SettingError, match="give 1 or more"):
        settings(model, tmp_path, words=0)


def test_it_is_off_unless_it_is_listed() -> None:
    parts: Any = build_parts(load_preset("bilex"))
    assert parts["calibration"].features == ()
